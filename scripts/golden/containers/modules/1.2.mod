module hashcompat.io/oracle/containers

go 1.21

require (
	github.com/Sirupsen/logrus v1.0.0
	github.com/docker/docker v1.8.3
	github.com/ghodss/yaml v1.0.0
	github.com/golang/glog v0.0.0-20160126235308-23def4e6c14b
	github.com/google/gofuzz v1.0.0
	github.com/juju/ratelimit v1.0.2
	github.com/opencontainers/runc v0.1.1
	github.com/pborman/uuid v1.2.1
	github.com/spf13/pflag v1.0.5
	github.com/ugorji/go v0.0.0-20170107133203-ded73eae5db7
	golang.org/x/net v0.17.0
	k8s.io/kubernetes v1.2.7
	speter.net/go/exp/math/dec/inf v0.9.1
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/docker/go-units v0.5.0 // indirect
	github.com/google/uuid v1.0.0 // indirect
	gopkg.in/yaml.v2 v2.2.1 // indirect
	hashcompat.io/oracle/common v0.0.0
)

replace speter.net/go/exp/math/dec/inf => gopkg.in/inf.v0 v0.9.1

replace github.com/Sirupsen/logrus => github.com/sirupsen/logrus v1.0.0

replace hashcompat.io/oracle/common => ../common
