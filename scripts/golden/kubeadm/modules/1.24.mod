module hashcompat.io/kubeadm

go 1.21

require (
	k8s.io/kubernetes v1.24.17
)

require (
	bitbucket.org/bertimus9/systemstat v0.0.0-20180207000608-0eeff89b0690
	cloud.google.com/go v0.81.0
	github.com/Azure/azure-sdk-for-go v55.0.0+incompatible
	github.com/Azure/go-ansiterm v0.0.0-20210617225240-d185dfc1b5a1
	github.com/Azure/go-autorest v14.2.0+incompatible
	github.com/Azure/go-autorest/autorest v0.11.18
	github.com/Azure/go-autorest/autorest/adal v0.9.13
	github.com/Azure/go-autorest/autorest/date v0.3.0
	github.com/Azure/go-autorest/autorest/mocks v0.4.1
	github.com/Azure/go-autorest/autorest/to v0.4.0
	github.com/Azure/go-autorest/autorest/validation v0.1.0
	github.com/Azure/go-autorest/logger v0.2.1
	github.com/Azure/go-autorest/tracing v0.6.0
	github.com/GoogleCloudPlatform/k8s-cloud-provider v1.16.1-0.20210702024009-ea6160c1d0e3
	github.com/JeffAshton/win_pdh v0.0.0-20161109143554-76bb4ee9f0ab
	github.com/MakeNowJust/heredoc v0.0.0-20170808103936-bb23615498cd
	github.com/Microsoft/go-winio v0.4.17
	github.com/Microsoft/hcsshim v0.8.22
	github.com/NYTimes/gziphandler v1.1.1
	github.com/PuerkitoBio/purell v1.1.1
	github.com/PuerkitoBio/urlesc v0.0.0-20170810143723-de5bf2ad4578
	github.com/antlr/antlr4/runtime/Go/antlr v0.0.0-20210826220005-b48c857c3a0e
	github.com/armon/circbuf v0.0.0-20150827004946-bbbad097214e
	github.com/armon/go-socks5 v0.0.0-20160902184237-e75332964ef5
	github.com/asaskevich/govalidator v0.0.0-20190424111038-f61b66f89f4a
	github.com/auth0/go-jwt-middleware v1.0.1
	github.com/aws/aws-sdk-go v1.38.49
	github.com/beorn7/perks v1.0.1
	github.com/blang/semver/v4 v4.0.0
	github.com/boltdb/bolt v1.3.1
	github.com/cespare/xxhash/v2 v2.1.2
	github.com/chai2010/gettext-go v0.0.0-20160711120539-c6fed771bfd5
	github.com/checkpoint-restore/go-criu/v5 v5.3.0
	github.com/cilium/ebpf v0.7.0
	github.com/clusterhq/flocker-go v0.0.0-20160920122132-2b8b7259d313
	github.com/container-storage-interface/spec v1.5.0
	github.com/containerd/cgroups v1.0.1
	github.com/containerd/console v1.0.3
	github.com/containerd/containerd v1.4.12
	github.com/containerd/ttrpc v1.0.2
	github.com/coredns/caddy v1.1.0
	github.com/coredns/corefile-migration v1.0.14
	github.com/coreos/go-oidc v2.1.0+incompatible
	github.com/coreos/go-semver v0.3.0
	github.com/coreos/go-systemd/v22 v22.3.2
	github.com/cpuguy83/go-md2man/v2 v2.0.1
	github.com/cyphar/filepath-securejoin v0.2.3
	github.com/davecgh/go-spew v1.1.1
	github.com/daviddengcn/go-colortext v0.0.0-20160507010035-511bcaf42ccd
	github.com/docker/distribution v2.8.1+incompatible
	github.com/docker/go-units v0.4.0
	github.com/dustin/go-humanize v1.0.0
	github.com/elazarl/goproxy v0.0.0-20180725130230-947c36da3153
	github.com/emicklei/go-restful v2.9.5+incompatible
	github.com/euank/go-kmsg-parser v2.0.0+incompatible
	github.com/evanphx/json-patch v4.12.0+incompatible
	github.com/exponent-io/jsonpath v0.0.0-20151013193312-d6023ce2651d
	github.com/fatih/camelcase v1.0.0
	github.com/felixge/httpsnoop v1.0.1
	github.com/form3tech-oss/jwt-go v3.2.3+incompatible
	github.com/fsnotify/fsnotify v1.4.9
	github.com/fvbommel/sortorder v1.0.1
	github.com/go-errors/errors v1.0.1
	github.com/go-logr/logr v1.2.0
	github.com/go-logr/zapr v1.2.0
	github.com/go-openapi/jsonpointer v0.19.5
	github.com/go-openapi/jsonreference v0.19.5
	github.com/go-openapi/swag v0.19.14
	github.com/go-ozzo/ozzo-validation v3.5.0+incompatible
	github.com/godbus/dbus/v5 v5.0.6
	github.com/gofrs/uuid v4.0.0+incompatible
	github.com/gogo/protobuf v1.3.2
	github.com/golang/groupcache v0.0.0-20210331224755-41bb18bfe9da
	github.com/golang/mock v1.6.0
	github.com/golang/protobuf v1.5.2
	github.com/google/btree v1.0.1
	github.com/google/cadvisor v0.44.2
	github.com/google/cel-go v0.10.4
	github.com/google/gnostic v0.5.7-v3refs
	github.com/google/go-cmp v0.5.5
	github.com/google/gofuzz v1.1.0
	github.com/google/shlex v0.0.0-20191202100458-e7afc7fbc510
	github.com/google/uuid v1.3.0
	github.com/googleapis/gax-go/v2 v2.0.5
	github.com/gophercloud/gophercloud v0.1.0
	github.com/gorilla/websocket v1.4.2
	github.com/gregjones/httpcache v0.0.0-20180305231024-9cad4c3443a7
	github.com/grpc-ecosystem/go-grpc-middleware v1.3.0
	github.com/grpc-ecosystem/go-grpc-prometheus v1.2.0
	github.com/grpc-ecosystem/grpc-gateway v1.16.0
	github.com/heketi/heketi v10.3.0+incompatible
	github.com/heketi/tests v0.0.0-20151005000721-f3775cbcefd6
	github.com/imdario/mergo v0.3.5
	github.com/inconshreveable/mousetrap v1.0.0
	github.com/ishidawataru/sctp v0.0.0-20190723014705-7c296d48a2b5
	github.com/jmespath/go-jmespath v0.4.0
	github.com/jonboulle/clockwork v0.2.2
	github.com/josharian/intern v1.0.0
	github.com/json-iterator/go v1.1.12
	github.com/karrick/godirwalk v1.16.1
	github.com/libopenstorage/openstorage v1.0.0
	github.com/liggitt/tabwriter v0.0.0-20181228230101-89fcab3d43de
	github.com/lithammer/dedent v1.1.0
	github.com/lpabon/godbc v0.1.1
	github.com/mailru/easyjson v0.7.6
	github.com/matttproud/golang_protobuf_extensions v1.0.2-0.20181231171920-c182affec369
	github.com/mindprince/gonvml v0.0.0-20190828220739-9ebdce4bb989
	github.com/mistifyio/go-zfs v2.1.2-0.20190413222219-f784269be439+incompatible
	github.com/mitchellh/go-wordwrap v1.0.0
	github.com/mitchellh/mapstructure v1.4.1
	github.com/moby/ipvs v1.0.1
	github.com/moby/spdystream v0.2.0
	github.com/moby/sys/mountinfo v0.6.0
	github.com/moby/term v0.0.0-20210619224110-3f7ff695adc6
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd
	github.com/modern-go/reflect2 v1.0.2
	github.com/mohae/deepcopy v0.0.0-20170603005431-491d3605edfb
	github.com/monochromegane/go-gitignore v0.0.0-20200626010858-205db1a8cc00
	github.com/mrunalp/fileutils v0.5.0
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822
	github.com/mvdan/xurls v1.1.0
	github.com/mxk/go-flowrate v0.0.0-20140419014527-cca7078d478f
	github.com/nxadm/tail v1.4.4
	github.com/onsi/ginkgo v1.14.0
	github.com/onsi/gomega v1.10.1
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/runc v1.1.6
	github.com/opencontainers/runtime-spec v1.0.3-0.20210326190908-1c3f411f0417
	github.com/opencontainers/selinux v1.10.0
	github.com/peterbourgon/diskv v2.0.1+incompatible
	github.com/pkg/errors v0.9.1
	github.com/pmezard/go-difflib v1.0.0
	github.com/pquerna/cachecontrol v0.0.0-20171018203845-0dec1b30a021
	github.com/prometheus/client_golang v1.12.1
	github.com/prometheus/client_model v0.2.0
	github.com/prometheus/common v0.32.1
	github.com/prometheus/procfs v0.7.3
	github.com/quobyte/api v0.1.8
	github.com/robfig/cron/v3 v3.0.1
	github.com/rubiojr/go-vhd v0.0.0-20200706105327-02e210299021
	github.com/russross/blackfriday v1.5.2
	github.com/russross/blackfriday/v2 v2.1.0
	github.com/seccomp/libseccomp-golang v0.9.2-0.20220502022130-f33da4d89646
	github.com/sirupsen/logrus v1.8.1
	github.com/soheilhy/cmux v0.1.5
	github.com/spf13/cobra v1.4.0
	github.com/spf13/pflag v1.0.5
	github.com/stoewer/go-strcase v1.2.0
	github.com/storageos/go-api v2.2.0+incompatible
	github.com/stretchr/objx v0.4.0
	github.com/stretchr/testify v1.8.0
	github.com/syndtr/gocapability v0.0.0-20200815063812-42c35b437635
	github.com/tmc/grpc-websocket-proxy v0.0.0-20201229170055-e5319fda7802
	github.com/urfave/negroni v1.0.0
	github.com/vishvananda/netlink v1.1.0
	github.com/vishvananda/netns v0.0.0-20200728191858-db3c7e526aae
	github.com/vmware/govmomi v0.30.0
	github.com/xiang90/probing v0.0.0-20190116061207-43a291ad63a2
	github.com/xlab/treeprint v0.0.0-20181112141820-a009c3971eca
	go.etcd.io/bbolt v1.3.6
	go.etcd.io/etcd/api/v3 v3.5.1
	go.etcd.io/etcd/client/pkg/v3 v3.5.1
	go.etcd.io/etcd/client/v2 v2.305.0
	go.etcd.io/etcd/client/v3 v3.5.1
	go.etcd.io/etcd/pkg/v3 v3.5.0
	go.etcd.io/etcd/raft/v3 v3.5.0
	go.etcd.io/etcd/server/v3 v3.5.0
	go.opencensus.io v0.23.0
	go.opentelemetry.io/contrib v0.20.0
	go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc v0.20.0
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.20.0
	go.opentelemetry.io/otel v0.20.0
	go.opentelemetry.io/otel/exporters/otlp v0.20.0
	go.opentelemetry.io/otel/metric v0.20.0
	go.opentelemetry.io/otel/sdk v0.20.0
	go.opentelemetry.io/otel/sdk/export/metric v0.20.0
	go.opentelemetry.io/otel/sdk/metric v0.20.0
	go.opentelemetry.io/otel/trace v0.20.0
	go.opentelemetry.io/proto/otlp v0.7.0
	go.starlark.net v0.0.0-20200306205701-8dd3e2ee1dd5
	go.uber.org/atomic v1.7.0
	go.uber.org/multierr v1.6.0
	go.uber.org/zap v1.19.0
	golang.org/x/crypto v0.0.0-20220214200702-86341886e292
	golang.org/x/exp v0.0.0-20210220032938-85be41e4509f
	golang.org/x/mod v0.8.0
	golang.org/x/net v0.8.0
	golang.org/x/oauth2 v0.0.0-20211104180415-d3ed0bb246c8
	golang.org/x/sync v0.1.0
	golang.org/x/sys v0.6.0
	golang.org/x/term v0.6.0
	golang.org/x/text v0.8.0
	golang.org/x/time v0.0.0-20220210224613-90d013bbcef8
	golang.org/x/tools v0.6.0
	golang.org/x/xerrors v0.0.0-20200804184101-5ec99f83aff1
	gonum.org/v1/gonum v0.6.2
	gonum.org/v1/netlib v0.0.0-20190331212654-76723241ea4e
	google.golang.org/api v0.46.0
	google.golang.org/appengine v1.6.7
	google.golang.org/genproto v0.0.0-20220107163113-42d7afdf6368
	google.golang.org/grpc v1.40.0
	google.golang.org/protobuf v1.27.1
	gopkg.in/gcfg.v1 v1.2.0
	gopkg.in/inf.v0 v0.9.1
	gopkg.in/natefinch/lumberjack.v2 v2.0.0
	gopkg.in/square/go-jose.v2 v2.2.2
	gopkg.in/tomb.v1 v1.0.0-20141024135613-dd632973f1e7
	gopkg.in/warnings.v0 v0.1.1
	gopkg.in/yaml.v2 v2.4.0
	gopkg.in/yaml.v3 v3.0.1
	k8s.io/gengo v0.0.0-20211129171323-c02415ce4185
	k8s.io/klog/v2 v2.60.1
	k8s.io/kube-openapi v0.0.0-20220328201542-3ee0da9b0b42
	k8s.io/system-validators v1.8.0
	k8s.io/utils v0.0.0-20220210201930-3a6ce19ff2f9
	sigs.k8s.io/apiserver-network-proxy/konnectivity-client v0.0.37
	sigs.k8s.io/json v0.0.0-20211208200746-9f7c6b3444d2
	sigs.k8s.io/kustomize/api v0.11.4
	sigs.k8s.io/kustomize/kustomize/v4 v4.5.4
	sigs.k8s.io/kustomize/kyaml v0.13.6
	sigs.k8s.io/structured-merge-diff/v4 v4.2.3
	sigs.k8s.io/yaml v1.2.0
)

require (
	k8s.io/api v0.24.17 // indirect
	k8s.io/apimachinery v0.24.17 // indirect
	k8s.io/client-go v0.24.17 // indirect
	k8s.io/cluster-bootstrap v0.0.0 // indirect
	k8s.io/component-base v0.24.17 // indirect
	k8s.io/kube-proxy v0.0.0 // indirect
	k8s.io/kubelet v0.0.0 // indirect
)

replace k8s.io/api => k8s.io/api v0.24.17

replace k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v0.24.17

replace k8s.io/apimachinery => k8s.io/apimachinery v0.24.17

replace k8s.io/apiserver => k8s.io/apiserver v0.24.17

replace k8s.io/cli-runtime => k8s.io/cli-runtime v0.24.17

replace k8s.io/client-go => k8s.io/client-go v0.24.17

replace k8s.io/cloud-provider => k8s.io/cloud-provider v0.24.17

replace k8s.io/cluster-bootstrap => k8s.io/cluster-bootstrap v0.24.17

replace k8s.io/code-generator => k8s.io/code-generator v0.24.17

replace k8s.io/component-base => k8s.io/component-base v0.24.17

replace k8s.io/component-helpers => k8s.io/component-helpers v0.24.17

replace k8s.io/controller-manager => k8s.io/controller-manager v0.24.17

replace k8s.io/cri-api => k8s.io/cri-api v0.24.17

replace k8s.io/csi-translation-lib => k8s.io/csi-translation-lib v0.24.17

replace k8s.io/kube-aggregator => k8s.io/kube-aggregator v0.24.17

replace k8s.io/kube-controller-manager => k8s.io/kube-controller-manager v0.24.17

replace k8s.io/kube-proxy => k8s.io/kube-proxy v0.24.17

replace k8s.io/kube-scheduler => k8s.io/kube-scheduler v0.24.17

replace k8s.io/kubectl => k8s.io/kubectl v0.24.17

replace k8s.io/kubelet => k8s.io/kubelet v0.24.17

replace k8s.io/legacy-cloud-providers => k8s.io/legacy-cloud-providers v0.24.17

replace k8s.io/metrics => k8s.io/metrics v0.24.17

replace k8s.io/mount-utils => k8s.io/mount-utils v0.24.17

replace k8s.io/pod-security-admission => k8s.io/pod-security-admission v0.24.17

replace k8s.io/sample-apiserver => k8s.io/sample-apiserver v0.24.17

replace k8s.io/sample-cli-plugin => k8s.io/sample-cli-plugin v0.24.17

replace k8s.io/sample-controller => k8s.io/sample-controller v0.24.17

replace hashcompat.io/oracle/common => ../common
