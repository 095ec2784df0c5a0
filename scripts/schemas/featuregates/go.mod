module hashcompat.io/featuregates

go 1.21
