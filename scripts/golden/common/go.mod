module hashcompat.io/oracle/common

go 1.21

require github.com/davecgh/go-spew v1.1.1
