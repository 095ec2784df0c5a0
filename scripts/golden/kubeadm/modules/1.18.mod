module hashcompat.io/kubeadm

go 1.21

require (
	k8s.io/kubernetes v1.18.19
)

require (
	bitbucket.org/bertimus9/systemstat v0.0.0-20180207000608-0eeff89b0690
	github.com/Azure/azure-sdk-for-go v35.0.0+incompatible
	github.com/Azure/go-autorest/autorest v0.9.0
	github.com/Azure/go-autorest/autorest/adal v0.5.0
	github.com/Azure/go-autorest/autorest/to v0.2.0
	github.com/GoogleCloudPlatform/k8s-cloud-provider v0.0.0-20190822182118-27a4ced34534
	github.com/JeffAshton/win_pdh v0.0.0-20161109143554-76bb4ee9f0ab
	github.com/Microsoft/go-winio v0.4.14
	github.com/Microsoft/hcsshim v0.0.0-20190417211021-672e52e9209d
	github.com/PuerkitoBio/purell v1.1.1
	github.com/Rican7/retry v0.1.0
	github.com/armon/circbuf v0.0.0-20150827004946-bbbad097214e
	github.com/auth0/go-jwt-middleware v0.0.0-20170425171159-5493cabe49f7
	github.com/aws/aws-sdk-go v1.28.2
	github.com/bazelbuild/bazel-gazelle v0.19.1-0.20191105222053-70208cbdc798
	github.com/bazelbuild/buildtools v0.0.0-20190917191645-69366ca98f89
	github.com/blang/semver v3.5.0+incompatible
	github.com/boltdb/bolt v1.3.1
	github.com/caddyserver/caddy v1.0.3
	github.com/cespare/prettybench v0.0.0-20150116022406-03b8cfe5406c
	github.com/checkpoint-restore/go-criu v0.0.0-20181120144056-17b0214f6c48
	github.com/cilium/ebpf v0.0.0-20191025125908-95b36a581eed
	github.com/client9/misspell v0.3.4
	github.com/clusterhq/flocker-go v0.0.0-20160920122132-2b8b7259d313
	github.com/codegangsta/negroni v1.0.0
	github.com/container-storage-interface/spec v1.2.0
	github.com/containerd/console v0.0.0-20170925154832-84eeaae905fa
	github.com/containerd/containerd v1.0.2
	github.com/containerd/typeurl v0.0.0-20190228175220-2a93cfde8c20
	github.com/containernetworking/cni v0.7.1
	github.com/coredns/corefile-migration v1.0.6
	github.com/coreos/go-oidc v2.1.0+incompatible
	github.com/coreos/go-systemd v0.0.0-20190321100706-95778dfbb74e
	github.com/coreos/pkg v0.0.0-20180108230652-97fdf19511ea
	github.com/cpuguy83/go-md2man v1.0.10
	github.com/cyphar/filepath-securejoin v0.2.2
	github.com/davecgh/go-spew v1.1.1
	github.com/docker/distribution v2.7.1+incompatible
	github.com/docker/docker v0.7.3-0.20190327010347-be7ac8be2ae0
	github.com/docker/go-connections v0.3.0
	github.com/docker/go-units v0.4.0
	github.com/elazarl/goproxy v0.0.0-20180725130230-947c36da3153
	github.com/emicklei/go-restful v2.9.5+incompatible
	github.com/euank/go-kmsg-parser v2.0.0+incompatible
	github.com/evanphx/json-patch v4.9.0+incompatible
	github.com/fsnotify/fsnotify v1.4.7
	github.com/go-bindata/go-bindata v3.1.1+incompatible
	github.com/go-openapi/analysis v0.19.5
	github.com/go-openapi/loads v0.19.4
	github.com/go-openapi/spec v0.19.3
	github.com/go-openapi/strfmt v0.19.3
	github.com/go-openapi/validate v0.19.5
	github.com/go-ozzo/ozzo-validation v3.5.0+incompatible
	github.com/godbus/dbus v0.0.0-20181101234600-2ff6f7ffd60f
	github.com/gogo/protobuf v1.3.2
	github.com/golang/groupcache v0.0.0-20160516000752-02826c3e7903
	github.com/golang/mock v1.3.1
	github.com/google/cadvisor v0.35.0
	github.com/google/go-cmp v0.3.0
	github.com/google/gofuzz v1.1.0
	github.com/google/uuid v1.1.1
	github.com/googleapis/gnostic v0.1.0
	github.com/gorilla/context v1.1.1
	github.com/gorilla/mux v1.7.0
	github.com/hashicorp/golang-lru v0.5.1
	github.com/heketi/heketi v9.0.1-0.20190917153846-c2e2a4ab7ab9+incompatible
	github.com/heketi/tests v0.0.0-20151005000721-f3775cbcefd6
	github.com/json-iterator/go v1.1.12
	github.com/karrick/godirwalk v1.7.5
	github.com/libopenstorage/openstorage v1.0.0
	github.com/lithammer/dedent v1.1.0
	github.com/lpabon/godbc v0.1.1
	github.com/mattn/go-shellwords v1.0.5
	github.com/mesos/mesos-go v0.0.9
	github.com/miekg/dns v1.1.4
	github.com/mindprince/gonvml v0.0.0-20190828220739-9ebdce4bb989
	github.com/mistifyio/go-zfs v2.1.1+incompatible
	github.com/mohae/deepcopy v0.0.0-20170603005431-491d3605edfb
	github.com/morikuni/aec v1.0.0
	github.com/mrunalp/fileutils v0.0.0-20171103030105-7d4729fb3618
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822
	github.com/mvdan/xurls v1.1.0
	github.com/onsi/ginkgo v1.11.0
	github.com/onsi/gomega v1.7.0
	github.com/opencontainers/go-digest v1.0.0-rc1
	github.com/opencontainers/image-spec v1.0.1
	github.com/opencontainers/runc v1.0.0-rc10
	github.com/opencontainers/runtime-spec v1.0.0
	github.com/opencontainers/selinux v1.3.1-0.20190929122143-5215b1806f52
	github.com/pkg/errors v0.8.1
	github.com/pmezard/go-difflib v1.0.0
	github.com/pquerna/ffjson v0.0.0-20180717144149-af8b230fcd20
	github.com/prometheus/client_golang v1.0.0
	github.com/prometheus/client_model v0.2.0
	github.com/prometheus/common v0.4.1
	github.com/quobyte/api v0.1.2
	github.com/robfig/cron v1.1.0
	github.com/seccomp/libseccomp-golang v0.9.1
	github.com/sirupsen/logrus v1.4.2
	github.com/smartystreets/goconvey v1.6.4
	github.com/spf13/afero v1.2.2
	github.com/spf13/cobra v0.0.5
	github.com/spf13/jwalterweatherman v1.1.0
	github.com/spf13/pflag v1.0.5
	github.com/spf13/viper v1.3.2
	github.com/storageos/go-api v0.0.0-20180912212459-343b3eff91fc
	github.com/stretchr/testify v1.4.0
	github.com/syndtr/gocapability v0.0.0-20180916011248-d98352740cb2
	github.com/thecodeteam/goscaleio v0.1.0
	github.com/urfave/negroni v1.0.0
	github.com/vishvananda/netlink v1.0.0
	github.com/vishvananda/netns v0.0.0-20171111001504-be1fbeda1936
	github.com/vmware/govmomi v0.20.3
	go.etcd.io/etcd v0.0.0-20191023171146-3cf2f69b5738
	golang.org/x/crypto v0.0.0-20200622213623-75b288015ac9
	golang.org/x/lint v0.0.0-20190409202823-959b441ac422
	golang.org/x/net v0.0.0-20201110031124-69a78807bb2b
	golang.org/x/oauth2 v0.0.0-20190604053449-0f29369cfe45
	golang.org/x/sys v0.0.0-20201112073958-5cba982894dd
	golang.org/x/time v0.0.0-20190308202827-9d24e82272b4
	golang.org/x/tools v0.0.0-20210106214847-113979e3529a
	gonum.org/v1/gonum v0.6.2
	gonum.org/v1/netlib v0.0.0-20190331212654-76723241ea4e
	google.golang.org/api v0.6.1-0.20190607001116-5213b8090861
	google.golang.org/grpc v1.26.0
	gopkg.in/gcfg.v1 v1.2.0
	gopkg.in/square/go-jose.v2 v2.2.2
	gopkg.in/yaml.v2 v2.2.8
	gotest.tools v2.2.0+incompatible
	gotest.tools/gotestsum v0.3.5
	honnef.co/go/tools v0.0.1-2019.2.2
	k8s.io/gengo v0.0.0-20200114144118-36b2048a9120
	k8s.io/heapster v1.2.0-beta.1
	k8s.io/klog v1.0.0
	k8s.io/system-validators v1.0.4
	k8s.io/utils v0.0.0-20200324210504-a9aa75ae1b89
	sigs.k8s.io/kustomize v2.0.3+incompatible
	sigs.k8s.io/yaml v1.2.0
)

require (
	github.com/golang/protobuf v1.3.2 // indirect
	github.com/imdario/mergo v0.3.5 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/text v0.3.3 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	k8s.io/api v0.18.19 // indirect
	k8s.io/apimachinery v0.18.19 // indirect
	k8s.io/client-go v0.18.19 // indirect
	k8s.io/cluster-bootstrap v0.0.0 // indirect
	k8s.io/component-base v0.18.19 // indirect
	k8s.io/kube-openapi v0.0.0-20200410145947-61e04a5be9a6 // indirect
	k8s.io/kube-proxy v0.0.0 // indirect
	k8s.io/kubelet v0.0.0 // indirect
	sigs.k8s.io/structured-merge-diff/v3 v3.0.1 // indirect
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

replace vbom.ml/util => github.com/fvbommel/util v0.0.3
