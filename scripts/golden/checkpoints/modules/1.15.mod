module hashcompat.io/checkpoints

go 1.21

require (
	k8s.io/api v0.15.12
	k8s.io/apimachinery v0.15.12
	k8s.io/kubernetes v1.15.12
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/docker/distribution v0.0.0-20170726174610-edc3ab29cdff // indirect
	github.com/fsnotify/fsnotify v1.4.7 // indirect
	github.com/gogo/protobuf v0.0.0-20171007142547-342cbe0a0415 // indirect
	github.com/google/gofuzz v0.0.0-20170612174753-24818f796faf // indirect
	github.com/json-iterator/go v0.0.0-20180701071628-ab8a2e0c74be // indirect
	github.com/kr/fs v0.0.0-20131111012553-2788f0dbd169 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.1 // indirect
	github.com/opencontainers/go-digest v0.0.0-20170106003457-a6d0ee40d420 // indirect
	github.com/pkg/errors v0.8.0 // indirect
	github.com/pkg/sftp v0.0.0-20160930220758-4d0e916071f6 // indirect
	github.com/spf13/afero v0.0.0-20160816080757-b28a7effac97 // indirect
	github.com/spf13/pflag v1.0.1 // indirect
	golang.org/x/crypto v0.0.0-20190308221718-c2843e01d9a2 // indirect
	golang.org/x/net v0.0.0-20190812203447-cdfb69ac37fc // indirect
	golang.org/x/sys v0.0.0-20190312061237-fead79001313 // indirect
	golang.org/x/text v0.3.1-0.20181227161524-e6919f6577db // indirect
	gopkg.in/inf.v0 v0.9.0 // indirect
	gopkg.in/yaml.v2 v2.2.8 // indirect
	k8s.io/apiextensions-apiserver v0.0.0 // indirect
	k8s.io/apiserver v0.15.12 // indirect
	k8s.io/component-base v0.15.12 // indirect
	k8s.io/klog v0.3.1 // indirect
	k8s.io/utils v0.0.0-20190221042446-c2654d5206da // indirect
	sigs.k8s.io/yaml v1.1.0 // indirect
)

replace k8s.io/api => k8s.io/api v0.15.12

replace k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v0.15.12

replace k8s.io/apimachinery => k8s.io/apimachinery v0.15.12

replace k8s.io/apiserver => k8s.io/apiserver v0.15.12

replace k8s.io/cli-runtime => k8s.io/cli-runtime v0.15.12

replace k8s.io/client-go => k8s.io/client-go v0.15.12

replace k8s.io/cloud-provider => k8s.io/cloud-provider v0.15.12

replace k8s.io/cluster-bootstrap => k8s.io/cluster-bootstrap v0.15.12

replace k8s.io/code-generator => k8s.io/code-generator v0.15.12

replace k8s.io/component-base => k8s.io/component-base v0.15.12

replace k8s.io/cri-api => k8s.io/cri-api v0.15.12

replace k8s.io/csi-translation-lib => k8s.io/csi-translation-lib v0.15.12

replace k8s.io/kube-aggregator => k8s.io/kube-aggregator v0.15.12

replace k8s.io/kube-controller-manager => k8s.io/kube-controller-manager v0.15.12

replace k8s.io/kube-proxy => k8s.io/kube-proxy v0.15.12

replace k8s.io/kube-scheduler => k8s.io/kube-scheduler v0.15.12

replace k8s.io/kubectl => k8s.io/kubectl v0.15.12

replace k8s.io/kubelet => k8s.io/kubelet v0.15.12

replace k8s.io/legacy-cloud-providers => k8s.io/legacy-cloud-providers v0.15.12

replace k8s.io/metrics => k8s.io/metrics v0.15.12

replace k8s.io/node-api => k8s.io/node-api v0.15.12

replace k8s.io/sample-apiserver => k8s.io/sample-apiserver v0.15.12

replace k8s.io/sample-cli-plugin => k8s.io/sample-cli-plugin v0.15.12

replace k8s.io/sample-controller => k8s.io/sample-controller v0.15.12

replace vbom.ml/util => github.com/fvbommel/util v0.0.3
