module hashcompat.io/oracle/containers

go 1.21

require (
	github.com/docker/distribution v2.7.1+incompatible
	github.com/emicklei/go-restful v2.9.5+incompatible
	github.com/ghodss/yaml v1.0.0
	github.com/go-openapi/jsonpointer v0.0.0-20160704185906-46af16f9f7b1
	github.com/go-openapi/jsonreference v0.0.0-20160704190145-13c6e3589ad9
	github.com/go-openapi/spec v0.0.0-20160808142527-6aced65f8501
	github.com/go-openapi/swag v0.0.0-20160704191624-1d0bd113de87
	github.com/gogo/protobuf v1.3.2
	github.com/golang/glog v0.0.0-20160126235308-23def4e6c14b
	github.com/google/gofuzz v1.0.0
	github.com/spf13/pflag v1.0.5
	github.com/ugorji/go v0.0.0-20170107133203-ded73eae5db7
	gopkg.in/inf.v0 v0.9.1
	hashcompat.io/oracle/common v0.0.0
	k8s.io/kubernetes v1.5.8
)

require (
	github.com/PuerkitoBio/purell v1.2.1 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/google/uuid v1.0.0 // indirect
	github.com/josharian/intern v1.0.0 // indirect
	github.com/mailru/easyjson v0.9.2 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/pborman/uuid v1.2.1 // indirect
	golang.org/x/net v0.17.0 // indirect
	golang.org/x/text v0.13.0 // indirect
	gopkg.in/yaml.v2 v2.4.0 // indirect
)

replace hashcompat.io/oracle/common => ../common
