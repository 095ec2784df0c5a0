module hashcompat.io/kubeadm

go 1.21

require (
	k8s.io/kubernetes v1.15.12
)

require (
	bitbucket.org/bertimus9/systemstat v0.0.0-20180207000608-0eeff89b0690
	github.com/Azure/azure-sdk-for-go v21.4.0+incompatible
	github.com/Azure/go-autorest v11.1.2+incompatible
	github.com/GoogleCloudPlatform/k8s-cloud-provider v0.0.0-20181220005116-f8e995905100
	github.com/JeffAshton/win_pdh v0.0.0-20161109143554-76bb4ee9f0ab
	github.com/MakeNowJust/heredoc v0.0.0-20170808103936-bb23615498cd
	github.com/Microsoft/go-winio v0.4.11
	github.com/Microsoft/hcsshim v0.0.0-20190417211021-672e52e9209d
	github.com/PuerkitoBio/purell v1.1.0
	github.com/Rican7/retry v0.1.0
	github.com/armon/circbuf v0.0.0-20150827004946-bbbad097214e
	github.com/auth0/go-jwt-middleware v0.0.0-20170425171159-5493cabe49f7
	github.com/aws/aws-sdk-go v1.16.26
	github.com/bazelbuild/bazel-gazelle v0.0.0-20181012220611-c728ce9f663e
	github.com/bazelbuild/buildtools v0.0.0-20180226164855-80c7f0d45d7e
	github.com/blang/semver v3.5.0+incompatible
	github.com/boltdb/bolt v1.3.1
	github.com/cespare/prettybench v0.0.0-20150116022406-03b8cfe5406c
	github.com/chai2010/gettext-go v0.0.0-20160711120539-c6fed771bfd5
	github.com/client9/misspell v0.0.0-20170928000206-9ce5d979ffda
	github.com/cloudflare/cfssl v0.0.0-20180726162950-56268a613adf
	github.com/clusterhq/flocker-go v0.0.0-20160920122132-2b8b7259d313
	github.com/codedellemc/goscaleio v0.0.0-20170830184815-20e2ce2cf885
	github.com/codegangsta/negroni v1.0.0
	github.com/container-storage-interface/spec v1.1.0
	github.com/containerd/console v0.0.0-20170925154832-84eeaae905fa
	github.com/containerd/containerd v1.0.2
	github.com/containerd/typeurl v0.0.0-20190228175220-2a93cfde8c20
	github.com/containernetworking/cni v0.6.0
	github.com/coreos/etcd v3.3.13+incompatible
	github.com/coreos/go-semver v0.0.0-20180108230905-e214231b295a
	github.com/coreos/go-systemd v0.0.0-20180511133405-39ca1b05acc7
	github.com/coreos/pkg v0.0.0-20180108230652-97fdf19511ea
	github.com/coreos/rkt v1.30.0
	github.com/cpuguy83/go-md2man v1.0.4
	github.com/cyphar/filepath-securejoin v0.0.0-20170720062807-ae69057f2299
	github.com/d2g/dhcp4 v0.0.0-20170904100407-a1d1b6c41b1c
	github.com/d2g/dhcp4client v0.0.0-20170829104524-6e570ed0a266
	github.com/davecgh/go-spew v1.1.1
	github.com/daviddengcn/go-colortext v0.0.0-20160507010035-511bcaf42ccd
	github.com/docker/distribution v0.0.0-20170726174610-edc3ab29cdff
	github.com/docker/docker v0.7.3-0.20190327010347-be7ac8be2ae0
	github.com/docker/go-connections v0.3.0
	github.com/docker/go-units v0.3.3
	github.com/docker/libnetwork v0.0.0-20180830151422-a9cd636e3789
	github.com/elazarl/goproxy v0.0.0-20170405201442-c4fc26588b6e
	github.com/emicklei/go-restful v0.0.0-20170410110728-ff4f55a20633
	github.com/euank/go-kmsg-parser v2.0.0+incompatible
	github.com/evanphx/json-patch v0.0.0-20190203023257-5858425f7550
	github.com/exponent-io/jsonpath v0.0.0-20151013193312-d6023ce2651d
	github.com/fatih/camelcase v0.0.0-20160318181535-f6a740d52f96
	github.com/fsnotify/fsnotify v1.4.7
	github.com/go-openapi/loads v0.17.2
	github.com/go-openapi/spec v0.17.2
	github.com/go-openapi/strfmt v0.17.0
	github.com/go-openapi/validate v0.18.0
	github.com/go-ozzo/ozzo-validation v3.5.0+incompatible
	github.com/godbus/dbus v0.0.0-20151105175453-c7fdd8b5cd55
	github.com/gogo/protobuf v0.0.0-20171007142547-342cbe0a0415
	github.com/golang/groupcache v0.0.0-20160516000752-02826c3e7903
	github.com/golang/mock v0.0.0-20160127222235-bd3c8e81be01
	github.com/golang/protobuf v1.2.0
	github.com/golangplus/bytes v0.0.0-20160111154220-45c989fe5450
	github.com/golangplus/fmt v0.0.0-20150411045040-2a5d6d7d2995
	github.com/golangplus/testing v0.0.0-20180327235837-af21d9c3145e
	github.com/google/cadvisor v0.33.2-0.20190411163913-9db8c7dee20a
	github.com/google/certificate-transparency-go v1.0.21
	github.com/google/gofuzz v1.0.0
	github.com/googleapis/gnostic v0.0.0-20170729233727-0c5108395e2d
	github.com/gophercloud/gophercloud v0.0.0-20190126172459-c818fa66e4c8
	github.com/gorilla/context v1.1.1
	github.com/gorilla/mux v1.7.0
	github.com/hashicorp/golang-lru v0.5.0
	github.com/hashicorp/hcl v0.0.0-20160711231752-d8c773c4cba1
	github.com/heketi/heketi v0.0.0-20181109135656-558b29266ce0
	github.com/heketi/rest v0.0.0-20180404230133-aa6a65207413
	github.com/heketi/tests v0.0.0-20151005000721-f3775cbcefd6
	github.com/heketi/utils v0.0.0-20170317161834-435bc5bdfa64
	github.com/jonboulle/clockwork v0.0.0-20141017032234-72f9bd7c4e0c
	github.com/json-iterator/go v1.1.12
	github.com/jstemmer/go-junit-report v0.0.0-20190106144839-af01ea7f8024
	github.com/jteeuwen/go-bindata v0.0.0-20151023091102-a0ff2567cfb7
	github.com/kardianos/osext v0.0.0-20150410034420-8fef92e41e22
	github.com/karrick/godirwalk v1.7.5
	github.com/kr/fs v0.0.0-20131111012553-2788f0dbd169
	github.com/kr/pretty v0.2.1
	github.com/kr/text v0.1.0
	github.com/libopenstorage/openstorage v0.0.0-20170906232338-093a0c388875
	github.com/liggitt/tabwriter v0.0.0-20181228230101-89fcab3d43de
	github.com/lithammer/dedent v1.1.0
	github.com/lpabon/godbc v0.1.1
	github.com/magiconair/properties v0.0.0-20160816085511-61b492c03cf4
	github.com/mattn/go-shellwords v0.0.0-20180605041737-f8471b0a71de
	github.com/mesos/mesos-go v0.0.9
	github.com/mholt/caddy v0.0.0-20180213163048-2de495001514
	github.com/miekg/dns v0.0.0-20160614162101-5d001d020961
	github.com/mindprince/gonvml v0.0.0-20171110221305-fee913ce8fb2
	github.com/mistifyio/go-zfs v0.0.0-20151009155749-1b4ae6fb4e77
	github.com/mitchellh/go-wordwrap v0.0.0-20150314170334-ad45545899c7
	github.com/mitchellh/mapstructure v1.1.2
	github.com/mohae/deepcopy v0.0.0-20170603005431-491d3605edfb
	github.com/morikuni/aec v0.0.0-20170113033406-39771216ff4c
	github.com/mrunalp/fileutils v0.0.0-20160930181131-4ee1cc9a8058
	github.com/munnerz/goautoneg v0.0.0-20120707110453-a547fc61f48d
	github.com/mvdan/xurls v0.0.0-20160110113200-1b768d7c393a
	github.com/onsi/ginkgo v1.6.0
	github.com/onsi/gomega v0.0.0-20190113212917-5533ce8a0da3
	github.com/opencontainers/go-digest v0.0.0-20170106003457-a6d0ee40d420
	github.com/opencontainers/image-spec v0.0.0-20170604055404-372ad780f634
	github.com/opencontainers/runc v0.0.0-20181113202123-f000fe11ece1
	github.com/opencontainers/runtime-spec v1.0.0
	github.com/opencontainers/selinux v0.0.0-20170621221121-4a2974bf1ee9
	github.com/pborman/uuid v1.2.0
	github.com/pelletier/go-toml v1.2.0
	github.com/pkg/errors v0.8.0
	github.com/pkg/sftp v0.0.0-20160930220758-4d0e916071f6
	github.com/pmezard/go-difflib v1.0.0
	github.com/pquerna/ffjson v0.0.0-20180717144149-af8b230fcd20
	github.com/prometheus/client_golang v0.9.2
	github.com/prometheus/client_model v0.0.0-20180712105110-5c3871d89910
	github.com/prometheus/common v0.0.0-20181126121408-4724e9255275
	github.com/quobyte/api v0.1.2
	github.com/robfig/cron v0.0.0-20170309132418-df38d32658d8
	github.com/russross/blackfriday v0.0.0-20151117072312-300106c228d5
	github.com/seccomp/libseccomp-golang v0.0.0-20150813023252-1b506fc7c24e
	github.com/shurcooL/sanitized_anchor_name v0.0.0-20151028001915-10ef21a441db
	github.com/sigma/go-inotify v0.0.0-20181102212354-c87b6cf5033d
	github.com/smartystreets/goconvey v0.0.0-20190330032615-68dc04aab96a
	github.com/spf13/afero v0.0.0-20160816080757-b28a7effac97
	github.com/spf13/cast v0.0.0-20160730092037-e31f36ffc91a
	github.com/spf13/cobra v0.0.0-20180319062004-c439c4fa0937
	github.com/spf13/jwalterweatherman v0.0.0-20160311093646-33c24e77fb80
	github.com/spf13/pflag v1.0.1
	github.com/spf13/viper v0.0.0-20160820190039-7fb2782df3d8
	github.com/storageos/go-api v0.0.0-20180912212459-343b3eff91fc
	github.com/stretchr/testify v1.3.0
	github.com/syndtr/gocapability v0.0.0-20160928074757-e7cb7fa329f4
	github.com/urfave/negroni v1.0.0
	github.com/vishvananda/netlink v0.0.0-20171020171820-b2de5d10e38e
	github.com/vishvananda/netns v0.0.0-20171111001504-be1fbeda1936
	github.com/vmware/govmomi v0.20.1
	github.com/vmware/photon-controller-go-sdk v0.0.0-20170310013346-4a435daef6cc
	github.com/xanzy/go-cloudstack v0.0.0-20160728180336-1e2cbf647e57
	github.com/xlab/handysort v0.0.0-20150421192137-fb3537ed64a1
	golang.org/x/crypto v0.0.0-20190308221718-c2843e01d9a2
	golang.org/x/lint v0.0.0-20181217174547-8f45f776aaf1
	golang.org/x/net v0.0.0-20190812203447-cdfb69ac37fc
	golang.org/x/oauth2 v0.0.0-20190402181905-9f3314589c9a
	golang.org/x/sys v0.0.0-20190312061237-fead79001313
	golang.org/x/time v0.0.0-20161028155119-f51c12702a4d
	golang.org/x/tools v0.0.0-20190328211700-ab21143f2384
	gonum.org/v1/gonum v0.0.0-20190331200053-3d26580ed485
	google.golang.org/api v0.0.0-20181220000619-583d854617af
	google.golang.org/grpc v1.13.0
	gopkg.in/gcfg.v1 v1.2.0
	gopkg.in/square/go-jose.v2 v2.0.0-20180411045311-89060dee6a84
	gopkg.in/yaml.v2 v2.2.8
	k8s.io/gengo v0.0.0-20190116091435-f8a0810f38af
	k8s.io/heapster v1.2.0-beta.1
	k8s.io/klog v0.3.1
	k8s.io/kube-openapi v0.0.0-20190228160746-b3a7cee44a30
	k8s.io/utils v0.0.0-20190221042446-c2654d5206da
	sigs.k8s.io/kustomize v2.0.3+incompatible
	sigs.k8s.io/yaml v1.1.0
	vbom.ml/util v0.0.0-20160121211510-db5cfe13f5cc
)

require (
	github.com/google/go-cmp v0.3.0 // indirect
	github.com/imdario/mergo v0.3.5 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/text v0.3.1-0.20181227161524-e6919f6577db // indirect
	gopkg.in/inf.v0 v0.9.0 // indirect
	k8s.io/api v0.15.12 // indirect
	k8s.io/apiextensions-apiserver v0.0.0 // indirect
	k8s.io/apimachinery v0.15.12 // indirect
	k8s.io/apiserver v0.15.12 // indirect
	k8s.io/client-go v0.15.12 // indirect
	k8s.io/cluster-bootstrap v0.0.0 // indirect
	k8s.io/component-base v0.15.12 // indirect
	k8s.io/kube-proxy v0.0.0 // indirect
	k8s.io/kubelet v0.0.0 // indirect
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
