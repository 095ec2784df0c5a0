module hashcompat.io/containertypes

go 1.21
