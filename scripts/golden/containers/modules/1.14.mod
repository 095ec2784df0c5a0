module hashcompat.io/oracle/containers

go 1.21

require (
	github.com/gogo/protobuf v1.3.2
	github.com/google/gofuzz v1.0.0
	github.com/json-iterator/go v1.1.12
	gopkg.in/inf.v0 v0.9.1
	hashcompat.io/oracle/common v0.0.0
	k8s.io/api v0.0.0-20191004102349-159aefb8556b
	k8s.io/apimachinery v0.0.0-20191004074956-c5d2f014d689
	k8s.io/klog v1.0.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	golang.org/x/net v0.0.0-20201021035429-f5854403a974 // indirect
	golang.org/x/text v0.3.3 // indirect
)

replace hashcompat.io/oracle/common => ../common
