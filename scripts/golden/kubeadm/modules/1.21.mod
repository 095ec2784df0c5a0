module hashcompat.io/kubeadm

go 1.21

require (
	k8s.io/kubernetes v1.21.14
)

require (
	bitbucket.org/bertimus9/systemstat v0.0.0-20180207000608-0eeff89b0690
	github.com/Azure/azure-sdk-for-go v43.0.0+incompatible
	github.com/Azure/go-autorest/autorest v0.11.12
	github.com/Azure/go-autorest/autorest/adal v0.9.5
	github.com/Azure/go-autorest/autorest/to v0.2.0
	github.com/GoogleCloudPlatform/k8s-cloud-provider v0.0.0-20200415212048-7901bc822317
	github.com/JeffAshton/win_pdh v0.0.0-20161109143554-76bb4ee9f0ab
	github.com/Microsoft/go-winio v0.4.15
	github.com/Microsoft/hcsshim v0.8.10-0.20200715222032-5eafd1556990
	github.com/PuerkitoBio/purell v1.1.1
	github.com/armon/circbuf v0.0.0-20150827004946-bbbad097214e
	github.com/auth0/go-jwt-middleware v0.0.0-20170425171159-5493cabe49f7
	github.com/aws/aws-sdk-go v1.35.24
	github.com/blang/semver v3.5.1+incompatible
	github.com/boltdb/bolt v1.3.1
	github.com/clusterhq/flocker-go v0.0.0-20160920122132-2b8b7259d313
	github.com/container-storage-interface/spec v1.3.0
	github.com/containernetworking/cni v0.8.0
	github.com/coredns/corefile-migration v1.0.11
	github.com/coreos/go-oidc v2.1.0+incompatible
	github.com/coreos/go-systemd v0.0.0-20190321100706-95778dfbb74e
	github.com/coreos/pkg v0.0.0-20180928190104-399ea9e2e55f
	github.com/cpuguy83/go-md2man/v2 v2.0.0
	github.com/davecgh/go-spew v1.1.1
	github.com/docker/distribution v2.7.1+incompatible
	github.com/docker/docker v20.10.2+incompatible
	github.com/docker/go-connections v0.4.0
	github.com/docker/go-units v0.4.0
	github.com/elazarl/goproxy v0.0.0-20180725130230-947c36da3153
	github.com/emicklei/go-restful v2.9.5+incompatible
	github.com/evanphx/json-patch v4.9.0+incompatible
	github.com/fsnotify/fsnotify v1.4.9
	github.com/go-bindata/go-bindata v3.1.1+incompatible
	github.com/go-openapi/spec v0.19.5
	github.com/go-ozzo/ozzo-validation v3.5.0+incompatible
	github.com/godbus/dbus/v5 v5.0.4
	github.com/gogo/protobuf v1.3.2
	github.com/golang/groupcache v0.0.0-20200121045136-8c9f03a8e57e
	github.com/golang/mock v1.4.4
	github.com/golang/protobuf v1.5.0
	github.com/google/cadvisor v0.39.3
	github.com/google/go-cmp v0.5.5
	github.com/google/gofuzz v1.1.0
	github.com/google/uuid v1.1.2
	github.com/googleapis/gnostic v0.4.1
	github.com/hashicorp/golang-lru v0.5.1
	github.com/heketi/heketi v10.2.0+incompatible
	github.com/heketi/tests v0.0.0-20151005000721-f3775cbcefd6
	github.com/ishidawataru/sctp v0.0.0-20190723014705-7c296d48a2b5
	github.com/json-iterator/go v1.1.12
	github.com/libopenstorage/openstorage v1.0.0
	github.com/lithammer/dedent v1.1.0
	github.com/lpabon/godbc v0.1.1
	github.com/miekg/dns v1.1.35
	github.com/moby/ipvs v1.0.1
	github.com/mohae/deepcopy v0.0.0-20170603005431-491d3605edfb
	github.com/mrunalp/fileutils v0.5.0
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822
	github.com/mvdan/xurls v1.1.0
	github.com/onsi/ginkgo v1.11.0
	github.com/onsi/gomega v1.7.0
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/runc v1.0.2
	github.com/opencontainers/selinux v1.8.2
	github.com/pkg/errors v0.9.1
	github.com/pmezard/go-difflib v1.0.0
	github.com/prometheus/client_model v0.2.0
	github.com/prometheus/common v0.10.0
	github.com/quobyte/api v0.1.8
	github.com/robfig/cron v1.1.0
	github.com/spf13/afero v1.2.2
	github.com/spf13/cobra v1.1.1
	github.com/spf13/jwalterweatherman v1.1.0
	github.com/spf13/pflag v1.0.5
	github.com/spf13/viper v1.7.0
	github.com/storageos/go-api v2.2.0+incompatible
	github.com/stretchr/testify v1.6.1
	github.com/thecodeteam/goscaleio v0.1.0
	github.com/urfave/negroni v1.0.0
	github.com/vishvananda/netlink v1.1.0
	github.com/vmware/govmomi v0.20.3
	go.etcd.io/etcd v0.5.0-alpha.5.0.20200910180754-dd1b699fc489
	golang.org/x/crypto v0.0.0-20211202192323-5770296d904e
	golang.org/x/exp v0.0.0-20210220032938-85be41e4509f
	golang.org/x/net v0.0.0-20211209124913-491a49abca63
	golang.org/x/oauth2 v0.0.0-20200107190931-bf48bf16ab8d
	golang.org/x/sys v0.0.0-20210615035016-665e8c7367d1
	golang.org/x/term v0.0.0-20210220032956-6a3ed077a48d
	golang.org/x/time v0.0.0-20210220033141-f8bda1e9f3ba
	golang.org/x/tools v0.1.0
	gonum.org/v1/gonum v0.6.2
	gonum.org/v1/netlib v0.0.0-20190331212654-76723241ea4e
	google.golang.org/api v0.20.0
	google.golang.org/appengine v1.6.5
	google.golang.org/grpc v1.27.1
	google.golang.org/protobuf v1.26.0
	gopkg.in/gcfg.v1 v1.2.0
	gopkg.in/square/go-jose.v2 v2.2.2
	gopkg.in/yaml.v2 v2.4.0
	k8s.io/gengo v0.0.0-20201214224949-b6c5ce23f027
	k8s.io/heapster v1.2.0-beta.1
	k8s.io/klog/v2 v2.9.0
	k8s.io/kube-openapi v0.0.0-20211110012726-3cc51fd1e909
	k8s.io/system-validators v1.4.0
	k8s.io/utils v0.0.0-20211116205334-6203023598ed
	sigs.k8s.io/structured-merge-diff/v4 v4.2.1
	sigs.k8s.io/yaml v1.2.0
)

require (
	github.com/go-logr/logr v0.4.0 // indirect
	github.com/imdario/mergo v0.3.5 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/text v0.3.6 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	k8s.io/api v0.21.14 // indirect
	k8s.io/apimachinery v0.21.14 // indirect
	k8s.io/client-go v0.21.14 // indirect
	k8s.io/cluster-bootstrap v0.0.0 // indirect
	k8s.io/component-base v0.21.14 // indirect
	k8s.io/kube-proxy v0.0.0 // indirect
	k8s.io/kubelet v0.0.0 // indirect
)

replace k8s.io/api => k8s.io/api v0.21.14

replace k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v0.21.14

replace k8s.io/apimachinery => k8s.io/apimachinery v0.21.14

replace k8s.io/apiserver => k8s.io/apiserver v0.21.14

replace k8s.io/cli-runtime => k8s.io/cli-runtime v0.21.14

replace k8s.io/client-go => k8s.io/client-go v0.21.14

replace k8s.io/cloud-provider => k8s.io/cloud-provider v0.21.14

replace k8s.io/cluster-bootstrap => k8s.io/cluster-bootstrap v0.21.14

replace k8s.io/code-generator => k8s.io/code-generator v0.21.14

replace k8s.io/component-base => k8s.io/component-base v0.21.14

replace k8s.io/component-helpers => k8s.io/component-helpers v0.21.14

replace k8s.io/controller-manager => k8s.io/controller-manager v0.21.14

replace k8s.io/cri-api => k8s.io/cri-api v0.21.14

replace k8s.io/csi-translation-lib => k8s.io/csi-translation-lib v0.21.14

replace k8s.io/kube-aggregator => k8s.io/kube-aggregator v0.21.14

replace k8s.io/kube-controller-manager => k8s.io/kube-controller-manager v0.21.14

replace k8s.io/kube-proxy => k8s.io/kube-proxy v0.21.14

replace k8s.io/kube-scheduler => k8s.io/kube-scheduler v0.21.14

replace k8s.io/kubectl => k8s.io/kubectl v0.21.14

replace k8s.io/kubelet => k8s.io/kubelet v0.21.14

replace k8s.io/legacy-cloud-providers => k8s.io/legacy-cloud-providers v0.21.14

replace k8s.io/metrics => k8s.io/metrics v0.21.14

replace k8s.io/mount-utils => k8s.io/mount-utils v0.21.14

replace k8s.io/sample-apiserver => k8s.io/sample-apiserver v0.21.14

replace k8s.io/sample-cli-plugin => k8s.io/sample-cli-plugin v0.21.14

replace k8s.io/sample-controller => k8s.io/sample-controller v0.21.14
