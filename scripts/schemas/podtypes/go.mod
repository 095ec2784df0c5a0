module hashcompat.io/podtypes

go 1.21
