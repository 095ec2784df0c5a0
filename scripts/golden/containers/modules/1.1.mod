module hashcompat.io/oracle/containers

go 1.21

require (
	github.com/beorn7/perks v1.0.1
	github.com/docker/docker v1.8.3
	github.com/docker/libcontainer v2.2.1+incompatible
	github.com/ghodss/yaml v1.0.0
	github.com/golang/glog v0.0.0-20160126235308-23def4e6c14b
	github.com/golang/protobuf v1.2.0
	github.com/google/gofuzz v1.0.0
	github.com/juju/ratelimit v1.0.2
	github.com/pborman/uuid v1.2.1
	github.com/prometheus/client_golang v0.9.1
	github.com/prometheus/client_model v0.0.0-20190129233127-fd36f4220a90
	github.com/prometheus/procfs v0.0.0-20190117184657-bf6a532e95b1
	github.com/spf13/pflag v1.0.5
	golang.org/x/crypto v0.14.0
	golang.org/x/net v0.17.0
	k8s.io/kubernetes v1.1.8
	speter.net/go/exp/math/dec/inf v0.9.1
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/google/uuid v1.0.0 // indirect
	github.com/matttproud/golang_protobuf_extensions v1.0.1 // indirect
	github.com/prometheus/common v0.2.0
	gopkg.in/yaml.v2 v2.2.1 // indirect
	hashcompat.io/oracle/common v0.0.0
)

replace speter.net/go/exp/math/dec/inf => gopkg.in/inf.v0 v0.9.1

replace hashcompat.io/oracle/common => ../common
