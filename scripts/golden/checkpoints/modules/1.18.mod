module hashcompat.io/checkpoints

go 1.21

require (
	k8s.io/api v0.18.19
	k8s.io/apimachinery v0.18.19
	k8s.io/kubernetes v1.18.19
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/fsnotify/fsnotify v1.4.7 // indirect
	github.com/spf13/afero v1.2.2 // indirect
	golang.org/x/sys v0.0.0-20201112073958-5cba982894dd // indirect
	github.com/docker/distribution v2.7.1+incompatible // indirect
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/google/gofuzz v1.1.0 // indirect
	github.com/json-iterator/go v1.1.8 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.1 // indirect
	github.com/opencontainers/go-digest v1.0.0-rc1 // indirect
	github.com/spf13/pflag v1.0.5 // indirect
	golang.org/x/net v0.0.0-20201110031124-69a78807bb2b // indirect
	golang.org/x/text v0.3.3 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	gopkg.in/yaml.v2 v2.2.8 // indirect
	k8s.io/apiserver v0.18.19 // indirect
	k8s.io/component-base v0.18.19 // indirect
	k8s.io/klog v1.0.0 // indirect
	k8s.io/utils v0.0.0-20200324210504-a9aa75ae1b89 // indirect
	sigs.k8s.io/structured-merge-diff/v3 v3.0.1 // indirect
	sigs.k8s.io/yaml v1.2.0 // indirect
)


replace k8s.io/api => k8s.io/api v0.18.19

replace k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v0.18.19

replace k8s.io/apimachinery => k8s.io/apimachinery v0.18.19

replace k8s.io/apiserver => k8s.io/apiserver v0.18.19

replace k8s.io/cli-runtime => k8s.io/cli-runtime v0.18.19

replace k8s.io/client-go => k8s.io/client-go v0.18.19

replace k8s.io/cloud-provider => k8s.io/cloud-provider v0.18.19

replace k8s.io/cluster-bootstrap => k8s.io/cluster-bootstrap v0.18.19

replace k8s.io/code-generator => k8s.io/code-generator v0.18.19

replace k8s.io/component-base => k8s.io/component-base v0.18.19

replace k8s.io/cri-api => k8s.io/cri-api v0.18.19

replace k8s.io/csi-translation-lib => k8s.io/csi-translation-lib v0.18.19

replace k8s.io/kube-aggregator => k8s.io/kube-aggregator v0.18.19

replace k8s.io/kube-controller-manager => k8s.io/kube-controller-manager v0.18.19

replace k8s.io/kube-proxy => k8s.io/kube-proxy v0.18.19

replace k8s.io/kube-scheduler => k8s.io/kube-scheduler v0.18.19

replace k8s.io/kubectl => k8s.io/kubectl v0.18.19

replace k8s.io/kubelet => k8s.io/kubelet v0.18.19

replace k8s.io/legacy-cloud-providers => k8s.io/legacy-cloud-providers v0.18.19

replace k8s.io/metrics => k8s.io/metrics v0.18.19

replace k8s.io/sample-apiserver => k8s.io/sample-apiserver v0.18.19

replace k8s.io/sample-cli-plugin => k8s.io/sample-cli-plugin v0.18.19

replace k8s.io/sample-controller => k8s.io/sample-controller v0.18.19
