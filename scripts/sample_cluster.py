"""Write the built-in sample cluster, so that every boundary of the hash can be seen without a cluster.

The nodes run kubelet 1.7.16 under a control plane that is ahead (1.30), so some pods set fields that no old
kubelet knows. The output is what `kubectl get nodes,pods -A -o json` prints for objects an API server has
already defaulted (pkg/apis/core/v1/defaults.go). Run without arguments to write the file; run with `--check`
to fail when the file differs. There is no randomness: each id is a digest of its object's name. The statuses are
those of nodes that know every field, because the same dump serves any pair of releases.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]

TARGET = Path(__file__).resolve().parent.parent / "hashcompat" / "sample" / "cluster.json"
SEED = "hashcompat sample cluster 1"
NEWEST = datetime(2024, 6, 3, tzinfo=UTC)
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # k8s.io/apimachinery/pkg/util/rand: no vowels, no 0, 1, 3
ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
ALL = "a1 a2 b1 b2 c1"
NODES = [f"node-{short}" for short in ALL.split()]
KUBELET = "v1.7.16"


# --- ids and times -----------------------------------------------------------------------------------------


def digest(*parts: object) -> str:
    """Return 64 hex digits for a name, so that adding one workload never renames another."""
    return hashlib.sha256("/".join(map(str, (SEED, *parts))).encode()).hexdigest()


def uid(*parts: object) -> str:
    """Return a version 4 UUID for a name, as API servers have given since 1.15."""
    h = digest("uid", *parts)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"


def suffix(length: int, *parts: object) -> str:
    """Return the random-looking end of a generated name."""
    return "".join(ALPHABET[b % len(ALPHABET)] for b in bytes.fromhex(digest("suffix", *parts))[:length])


def stamp(when: datetime) -> str:
    """Return a metav1.Time as JSON prints it: whole seconds, UTC."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def created(*parts: object) -> datetime:
    """Return when an object was made: some time in the forty days before the dump."""
    return NEWEST - timedelta(seconds=int(digest("created", *parts)[:8], 16) % (40 * 86400))


# --- container parts, with an API server's defaults already in ----------------------------------------------


def port(name: str, number: int, protocol: str = "TCP", **extra: int) -> Json:
    """Build a port with its protocol, which the API server always writes."""
    return {"name": name, "containerPort": number, "protocol": protocol, **extra}


def mount(name: str, path: str, *, read_only: bool = False, **extra: str) -> Json:
    """Build a volume mount; a false readOnly is never printed (omitempty)."""
    return {"name": name, "mountPath": path, **({"readOnly": True} if read_only else {}), **extra}


def variables(**values: str) -> list[Json]:
    """Build plain variables; an empty value is never printed (omitempty)."""
    return [{"name": name, "value": value} if value else {"name": name} for name, value in values.items()]


def from_field(name: str, path: str) -> Json:
    """Build a downward variable with the defaulted fieldRef.apiVersion."""
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def from_resource(name: str, resource: str) -> Json:
    """Build a resource variable; its unset divisor comes back from the API server as "0"."""
    return {"name": name, "valueFrom": {"resourceFieldRef": {"resource": resource, "divisor": "0"}}}


def from_key(name: str, kind: str, ref: str, key: str) -> Json:
    """Build a variable read from a config map or a secret (kind is configMap or secret)."""
    return {"name": name, "valueFrom": {f"{kind}KeyRef": {"name": ref, "key": key}}}


def amounts(text: str) -> dict[str, str]:
    """Parse `cpu=100m memory=64Mi` into a resource list; amounts must be canonical, as the API server's are."""
    return dict(pair.split("=") for pair in text.split())


def resources(requests: str = "", limits: str = "", **extra: object) -> Json:
    """Build requirements with the requests that the API server copies from limits (SetDefaults_Pod)."""
    wanted = {**amounts(limits), **amounts(requests)}
    return {**({"limits": amounts(limits)} if limits else {}), **({"requests": wanted} if wanted else {}), **extra}


def probe(handler: Json, delay: int = 0, timeout: int = 1, period: int = 10, failures: int = 3, **extra: int) -> Json:
    """Build a probe with the four defaulted numbers (SetDefaults_Probe); a zero delay is never printed."""
    numbers = {"timeoutSeconds": timeout, "periodSeconds": period, "failureThreshold": failures}
    start = {"initialDelaySeconds": delay} if delay else {}
    return {**handler, **start, **numbers, "successThreshold": 1, **extra}


def http(number: int | str, path: str = "/", **extra: str) -> Json:
    """Build an HTTP handler with the defaulted scheme."""
    return {"httpGet": {"path": path, "port": number, "scheme": "HTTP", **extra}}


def tcp(number: int | str) -> Json:
    """Build a TCP handler, the only thing that kubelet 1.7 hashes otherwise than 1.6 (Host)."""
    return {"tcpSocket": {"port": number}}


def grpc(number: int) -> Json:
    """Build a gRPC handler (known from 1.23) with its defaulted service name."""
    return {"grpc": {"port": number, "service": ""}}


def run(*command: str) -> Json:
    """Build an exec handler."""
    return {"exec": {"command": list(command)}}


def container(name: str, image: str, **fields: object) -> Json:
    """Build a container as an API server returns it (SetDefaults_Container)."""
    latest = image.endswith(":latest")
    return {
        "name": name,
        "image": image,
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "Always" if latest else "IfNotPresent",
        **fields,
    }


# --- workloads ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Workload:
    """Hold one row of the tables below: what a controller (or a person, or a file) put on which nodes."""

    kind: str  # Deployment, DaemonSet, StatefulSet, Job, Pod (bare) or Static
    where: str  # namespace/name
    places: str  # "a2 b1": one pod on node-a2, one on node-b1; "" is one pod that no node has taken
    containers: Sequence[Json]
    init: Sequence[Json] = ()
    ephemeral: Sequence[Json] = ()
    volumes: Json = field(default_factory=dict)  # name -> source
    account: str = "default"
    token: bool = True
    state: str = "Running"  # a key of STATES
    spec: Json = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """Return the part before the slash, which every id is made from."""
        return self.where.partition("/")[0]

    @property
    def name(self) -> str:
        """Return the part after the slash, which the names of owner and pods begin with."""
        return self.where.partition("/")[2]

    @property
    def nodes(self) -> list[str]:
        """Return the node of each pod, "" where the scheduler has found none."""
        return [f"node-{short}" for short in self.places.split()] or [""]


def host_path(path: str, kind: str = "") -> Json:
    """Build a host path source; the API server writes the empty type."""
    return {"hostPath": {"path": path, "type": kind}}


def config_map(name: str) -> Json:
    """Build a config map source with the defaulted mode 0644."""
    return {"configMap": {"name": name, "defaultMode": 0o644}}


def secret(name: str) -> Json:
    """Build a secret source with the defaulted mode 0644."""
    return {"secret": {"secretName": name, "defaultMode": 0o644}}


def claim(name: str) -> Json:
    """Build a claim source; `{pod}` stands for the pod's name, as in a StatefulSet."""
    return {"persistentVolumeClaim": {"claimName": name}}


HOST = {"hostNetwork": True}
EMPTY: Json = {"emptyDir": {}}
PRIVILEGED = {"privileged": True}
RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True}
POD_IDENTITY = [from_field("POD_NAME", "metadata.name"), from_field("POD_NAMESPACE", "metadata.namespace")]
NEVER = {"restartPolicy": "Never"}


def kube_system() -> list[Workload]:
    """List the add-ons of every node, the cluster's DNS and the control plane's mirror pods."""
    return [kube_proxy(), calico(), kube_dns(), *control_plane()]


def kube_proxy() -> Workload:
    """Build kube-proxy: volume mounts and a securityContext, so changed at nearly every spew boundary."""
    proxy = container(
        "kube-proxy",
        "gcr.io/google_containers/kube-proxy-amd64:v1.7.16",
        command=["/usr/local/bin/kube-proxy", "--kubeconfig=/var/lib/kube-proxy/kubeconfig.conf"],
        securityContext=PRIVILEGED,
        volumeMounts=[mount("kube-proxy", "/var/lib/kube-proxy"), mount("xtables-lock", "/run/xtables.lock")],
    )
    volumes = {"kube-proxy": config_map("kube-proxy"), "xtables-lock": host_path("/run/xtables.lock")}
    return Workload(
        "DaemonSet", "kube-system/kube-proxy", ALL, [proxy], volumes=volumes, account="kube-proxy", spec=HOST
    )


def calico() -> Workload:
    """Build the CNI: in one pod a container with a securityContext beside one without."""
    node = container(
        "calico-node",
        "quay.io/calico/node:v2.6.12",
        env=[
            *variables(CALICO_DISABLE_FILE_LOGGING="true", IP="", FELIX_HEALTHENABLED="true"),
            from_key("ETCD_ENDPOINTS", "configMap", "calico-config", "etcd_endpoints"),
            from_field("NODENAME", "spec.nodeName"),
        ],
        resources=resources("cpu=250m"),
        securityContext=PRIVILEGED,
        livenessProbe=probe(http(9099, "/liveness"), delay=10, failures=6),
        readinessProbe=probe(http(9099, "/readiness")),
        volumeMounts=[mount("lib-modules", "/lib/modules", read_only=True), mount("run", "/var/run/calico")],
    )
    cni = container(
        "install-cni",
        "quay.io/calico/cni:v1.11.8",
        command=["/install-cni.sh"],
        env=[from_key("CNI_NETWORK_CONFIG", "configMap", "calico-config", "cni_network_config")],
        volumeMounts=[mount("cni-bin-dir", "/host/opt/cni/bin"), mount("cni-net-dir", "/host/etc/cni/net.d")],
    )
    volumes = {
        "lib-modules": host_path("/lib/modules"),
        "run": host_path("/var/run/calico"),
        "cni-bin-dir": host_path("/opt/cni/bin"),
        "cni-net-dir": host_path("/etc/cni/net.d"),
    }
    return Workload(
        "DaemonSet",
        "kube-system/calico-node",
        ALL,
        [node, cni],
        volumes=volumes,
        account="calico-node",
        spec={**HOST, "terminationGracePeriodSeconds": 0},
    )


def kube_dns() -> Workload:
    """Build the cluster DNS of 1.7: three containers, HTTP probes, small memory amounts."""
    image = "gcr.io/google_containers/k8s-dns-{}-amd64:1.14.4".format
    kubedns = container(
        "kubedns",
        image("kube-dns"),
        args=["--domain=cluster.local.", "--dns-port=10053", "--config-dir=/kube-dns-config", "--v=2"],
        env=variables(PROMETHEUS_PORT="10055"),
        ports=[port("dns-local", 10053, "UDP"), port("dns-tcp-local", 10053), port("metrics", 10055)],
        resources=resources("cpu=100m memory=70Mi", "memory=170Mi"),
        livenessProbe=probe(http(10054, "/healthcheck/kubedns"), delay=60, timeout=5, failures=5),
        readinessProbe=probe(http(8081, "/readiness"), delay=3, timeout=5),
        volumeMounts=[mount("kube-dns-config", "/kube-dns-config")],
    )
    dnsmasq = container(
        "dnsmasq",
        image("dnsmasq-nanny"),
        args=["-v=2", "-logtostderr", "-restartDnsmasq=true", "--", "-k", "--cache-size=1000"],
        ports=[port("dns", 53, "UDP"), port("dns-tcp", 53)],
        resources=resources("cpu=150m memory=20Mi"),
        volumeMounts=[mount("kube-dns-config", "/etc/k8s/dns/dnsmasq-nanny")],
    )
    sidecar = container(
        "sidecar",
        image("sidecar"),
        args=["--v=2", "--logtostderr", "--probe=kubedns,127.0.0.1:10053,kubernetes.default.svc.cluster.local,5,A"],
        ports=[port("metrics", 10054)],
        resources=resources("cpu=10m memory=20Mi"),
        livenessProbe=probe(http(10054, "/metrics"), delay=60, timeout=5),
    )
    return Workload(
        "Deployment",
        "kube-system/kube-dns",
        "a2 b1",
        [kubedns, dnsmasq, sidecar],
        volumes={"kube-dns-config": {"configMap": {"name": "kube-dns", "defaultMode": 0o644, "optional": True}}},
        account="kube-dns",
        spec={"dnsPolicy": "Default", "priorityClassName": "system-cluster-critical", "priority": 2000000000},
    )


def control_plane() -> list[Workload]:
    """List the static pods of the first node; they carry the version that is ahead of the kubelets."""
    pki, conf = ("k8s", "/etc/kubernetes/pki"), ("kubeconfig", "/etc/kubernetes")
    api_args = ["--advertise-address=10.10.66.11", "--etcd-servers=https://127.0.0.1:2379", "--secure-port=6443"]
    manager_args = ["--kubeconfig=/etc/kubernetes/controller-manager.conf", "--leader-elect=true"]
    scheduler_args = ["--kubeconfig=/etc/kubernetes/scheduler.conf", "--leader-elect=true"]
    etcd_args = ["--data-dir=/var/lib/etcd", "--listen-client-urls=https://127.0.0.1:2379"]
    return [
        static("etcd", etcd_args, "100m", 2381, ("etcd", "/var/lib/etcd")),
        static("kube-apiserver", api_args, "250m", 6443, pki),
        static("kube-controller-manager", manager_args, "200m", 10257, conf),
        static("kube-scheduler", scheduler_args, "100m", 10259, conf),
    ]


def static(name: str, args: list[str], cpu: str, health: int, volume: tuple[str, str]) -> Workload:
    """Build one control plane pod; a mirror pod never mounts a service account token."""
    image = "etcd:3.5.12-0" if name == "etcd" else f"{name}:v1.30.1"
    scheme = "HTTP" if name == "etcd" else "HTTPS"
    only = container(
        name,
        f"registry.k8s.io/{image}",
        command=[name, *args],
        resources=resources(f"cpu={cpu}"),
        livenessProbe=probe(http(health, "/healthz", host="127.0.0.1", scheme=scheme), 15, timeout=15, failures=8),
        volumeMounts=[mount(*volume, read_only=name != "etcd")],
    )
    spec = {**HOST, "priorityClassName": "system-node-critical", "priority": 2000001000}
    volumes = {volume[0]: host_path(volume[1], "DirectoryOrCreate")}
    return Workload("Static", f"kube-system/{name}", "a1", [only], volumes=volumes, token=False, spec=spec)


def ingress() -> list[Workload]:
    """List the ingress controller: runAsUser, added capabilities and a preStop command."""
    context = {"runAsUser": 33, "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}
    controller = container(
        "nginx-ingress-controller",
        "quay.io/kubernetes-ingress-controller/nginx-ingress-controller:0.21.0",
        args=["/nginx-ingress-controller", "--configmap=$(POD_NAMESPACE)/nginx-configuration"],
        env=POD_IDENTITY,
        ports=[port("http", 80), port("https", 443)],
        securityContext=context,
        lifecycle={"preStop": run("/bin/sh", "-c", "sleep 15 && nginx -s quit")},
        livenessProbe=probe(http(10254, "/healthz"), delay=10),
        readinessProbe=probe(http(10254, "/healthz")),
    )
    return [
        Workload(
            "Deployment",
            "ingress-nginx/nginx-ingress-controller",
            "a2 b2",
            [controller],
            account="nginx-ingress-serviceaccount",
            annotations={"prometheus.io/port": "10254", "prometheus.io/scrape": "true"},
        )
    ]


def monitoring() -> list[Workload]:
    """List the node exporter whose two hashes an operator has published, and what scrapes it."""
    return [node_exporter(), prometheus(), alertmanager(), grafana()]


def node_exporter() -> Workload:
    """Build the container that kubelet 1.7.16 hashes to 1559107639 and 1.9.11 to 1428860573."""
    exporter = container(
        "prometheus-node-exporter",
        "harbor.finupgroup.com/kubernetes/node-exporter:v0.16.0",
        ports=[port("prom-node-exp", 9100, hostPort=9100)],
    )
    return Workload("DaemonSet", "monitoring/prometheus-node-exporter", ALL, [exporter], spec=HOST)


def prometheus() -> Workload:
    """Build the scraper: amounts whose cached text differs (1536Mi, 50Mi), a securityContext on the POD only."""
    server = container(
        "prometheus",
        "quay.io/prometheus/prometheus:v2.6.1",
        args=[
            "--config.file=/etc/prometheus/prometheus.yaml",
            "--storage.tsdb.retention=15d",
            "--web.enable-lifecycle",
        ],
        ports=[port("web", 9090)],
        resources=resources("cpu=1500m memory=1536Mi", "memory=6Gi"),
        livenessProbe=probe(http("web", "/-/healthy"), timeout=3, period=5, failures=6),
        readinessProbe=probe(http("web", "/-/ready"), timeout=3, period=5, failures=120),
        volumeMounts=[
            mount("config", "/etc/prometheus", read_only=True),
            mount("prometheus-db", "/prometheus", subPath="prometheus-db"),
        ],
    )
    reloader = container(
        "config-reloader",
        "quay.io/coreos/configmap-reload:v0.0.1",
        args=["--webhook-url=http://localhost:9090/-/reload", "--volume-dir=/etc/prometheus"],
        resources=resources("", "cpu=5m memory=50Mi"),
        volumeMounts=[mount("config", "/etc/prometheus", read_only=True)],
    )
    return Workload(
        "StatefulSet",
        "monitoring/prometheus-k8s",
        "b2",
        [server, reloader],
        volumes={"config": config_map("prometheus-k8s"), "prometheus-db": claim("prometheus-db-{pod}")},
        account="prometheus-k8s",
        spec={"securityContext": {"fsGroup": 2000, "runAsNonRoot": True, "runAsUser": 1000}},
    )


def alertmanager() -> Workload:
    """Build the alert router, an ordinary pod with volume mounts."""
    manager = container(
        "alertmanager",
        "quay.io/prometheus/alertmanager:v0.15.3",
        args=["--config.file=/etc/alertmanager/config/alertmanager.yaml", "--cluster.listen-address=$(POD_IP):6783"],
        env=[from_field("POD_IP", "status.podIP")],
        ports=[port("web", 9093), port("mesh", 6783)],
        resources=resources("memory=200Mi"),
        readinessProbe=probe(http("web", "/api/v1/status"), delay=3, timeout=3),
        volumeMounts=[mount("config", "/etc/alertmanager/config"), mount("db", "/alertmanager", subPath="db")],
    )
    volumes = {"config": secret("alertmanager-main"), "db": EMPTY}
    return Workload("StatefulSet", "monitoring/alertmanager-main", "b1", [manager], volumes=volumes)


def grafana() -> Workload:
    """Build the dashboards: mounts of its own but no token, and a password that comes from a secret."""
    only = container(
        "grafana",
        "grafana/grafana:5.4.2",
        env=[
            *variables(GF_AUTH_ANONYMOUS_ENABLED="true"),
            from_key("GF_SECURITY_ADMIN_PASSWORD", "secret", "grafana", "admin-password"),
        ],
        ports=[port("http", 3000)],
        resources=resources("cpu=100m memory=100Mi", "cpu=200m memory=200Mi"),
        readinessProbe=probe(http("http", "/api/health")),
        volumeMounts=[mount("storage", "/var/lib/grafana")],
    )
    volumes = {"storage": claim("grafana")}
    return Workload("Deployment", "monitoring/grafana", "a2", [only], volumes=volumes, token=False)


def data() -> list[Workload]:
    """List the databases: the pods whose restart hurts most."""
    return [postgres(), redis(), kafka(), elasticsearch()]


def postgres() -> Workload:
    """Build three replicas with exec probes, secrets, a subPath and a preStop command."""
    ready = run("sh", "-c", "exec pg_isready -U postgres -h 127.0.0.1 -p 5432")
    only = container(
        "postgres",
        "postgres:10.6-alpine",
        env=[
            *variables(PGDATA="/var/lib/postgresql/data/pgdata"),
            from_key("POSTGRES_PASSWORD", "secret", "postgres", "password"),
            from_field("POD_NAME", "metadata.name"),
        ],
        ports=[port("postgresql", 5432)],
        resources=resources("cpu=500m memory=2Gi", "cpu=2 memory=2Gi"),
        lifecycle={"preStop": run("sh", "-c", "pg_ctl stop -m fast")},
        livenessProbe=probe(ready, delay=120, timeout=5, failures=6),
        readinessProbe=probe(ready, delay=5, timeout=3, period=5),
        volumeMounts=[mount("data", "/var/lib/postgresql/data", subPath="postgresql-db")],
    )
    return Workload(
        "StatefulSet",
        "data/postgres",
        "a2 b1 b2",
        [only],
        volumes={"data": claim("data-{pod}")},
        spec={"securityContext": {"fsGroup": 70}, "terminationGracePeriodSeconds": 120},
    )


def redis() -> Workload:
    """Build a cache with TCP probes beside an exporter with nothing: 1.6 -> 1.7 and 1.7 -> 1.8 change half the pod."""
    server = container(
        "redis",
        "redis:4.0.12-alpine",
        args=["--maxmemory", "1gb", "--appendonly", "yes"],
        ports=[port("redis", 6379)],
        resources=resources("cpu=100m memory=1280Mi"),
        livenessProbe=probe(tcp("redis"), delay=30, timeout=5),
        readinessProbe=probe(tcp("redis"), delay=5),
        volumeMounts=[mount("data", "/data")],
    )
    exporter = container(
        "exporter",
        "oliver006/redis_exporter:v0.25.0",
        ports=[port("metrics", 9121)],
        resources=resources("cpu=10m memory=32Mi"),
    )
    volumes = {"data": claim("data-{pod}")}
    return Workload("StatefulSet", "data/redis", "b1 b2", [server, exporter], volumes=volumes, token=False)


def kafka() -> Workload:
    """Build a broker with an init container, TCP probes and a securityContext at once."""
    wait = container(
        "wait-for-zookeeper", "busybox:1.30", command=["sh", "-c", "until nc -z zookeeper 2181; do sleep 2; done"]
    )
    broker = container(
        "broker",
        "confluentinc/cp-kafka:5.0.1",
        command=["sh", "-c", "export KAFKA_BROKER_ID=${HOSTNAME##*-} && exec /etc/confluent/docker/run"],
        env=[
            *variables(KAFKA_ZOOKEEPER_CONNECT="zookeeper:2181", KAFKA_HEAP_OPTS="-Xms1G -Xmx1G"),
            from_field("POD_IP", "status.podIP"),
        ],
        ports=[port("kafka", 9092)],
        resources=resources("cpu=500m memory=2560Mi"),
        securityContext={"runAsUser": 1001},
        livenessProbe=probe(tcp("kafka"), delay=30),
        readinessProbe=probe(tcp("kafka"), delay=30, timeout=5),
        volumeMounts=[mount("datadir", "/var/lib/kafka")],
    )
    return Workload(
        "StatefulSet", "data/kafka", "c1", [broker], init=[wait], volumes={"datadir": claim("datadir-{pod}")}
    )


def elasticsearch() -> Workload:
    """Build a search node whose privileged part is an init container, which no kubelet compares."""
    sysctl = container(
        "sysctl", "busybox:1.30", command=["sysctl", "-w", "vm.max_map_count=262144"], securityContext=PRIVILEGED
    )
    node = container(
        "elasticsearch",
        "docker.elastic.co/elasticsearch/elasticsearch-oss:6.5.4",
        env=[
            *variables(**{"cluster.name": "logs", "ES_JAVA_OPTS": "-Xms4g -Xmx4g"}),
            from_resource("PROCESSORS", "limits.cpu"),
        ],
        ports=[port("http", 9200), port("transport", 9300)],
        resources=resources("cpu=1 memory=8Gi", "cpu=4 memory=8Gi"),
        securityContext={"capabilities": {"add": ["IPC_LOCK", "SYS_RESOURCE"]}},
        readinessProbe=probe(http("http", "/_cluster/health?local=true"), delay=5, timeout=5),
        volumeMounts=[mount("data", "/usr/share/elasticsearch/data")],
    )
    return Workload(
        "StatefulSet", "data/elasticsearch-data", "c1", [node], init=[sysctl], volumes={"data": claim("data-{pod}")}
    )


def shop() -> list[Workload]:
    """List the applications; `web` has nothing that any boundary but the total ones (1.9, 1.16, 1.31) changes."""
    front_end = container(
        "nginx",
        "example/shop-web:2.14.0",
        ports=[port("http", 8080)],
        resources=resources("cpu=50m memory=64Mi", "memory=128Mi"),
        livenessProbe=probe(http("http", "/healthz")),
        readinessProbe=probe(http("http", "/healthz"), period=5),
    )
    old = {**front_end, "image": "example/shop-web:2.13.2"}
    broken = {**front_end, "image": "example/shop-web:2.15.0-rc1"}
    return [
        Workload("Deployment", "shop/web", "a2 b1 b2", [front_end], token=False),
        Workload("Deployment", "shop/web-old", "c1", [old], token=False, state="Terminating"),
        Workload("Deployment", "shop/web-canary", "b1", [broken], token=False, state="Unpullable"),
        Workload("Deployment", "shop/api", "a2 b2", [shop_api()]),
        Workload("Deployment", "shop/checkout", "b1 b2", [checkout()], token=False),
        Workload("Deployment", "shop/gateway", "a2 c1", [gateway()], token=False),
        Workload("Deployment", "shop/greeter", "b1", [greeter()]),
        Workload("Deployment", "shop/recommendations", "c1", [recommender()], state="Crashing"),
    ]


def shop_api() -> Json:
    """Build a container that takes variables from every source a kubelet of 1.6 knows."""
    return container(
        "api",
        "example/shop-api:3.8.1",
        envFrom=[
            {"configMapRef": {"name": "shop-api"}},
            {"prefix": "DB_", "secretRef": {"name": "shop-db", "optional": True}},
        ],
        env=[
            *variables(LOG_LEVEL="info", DATABASE_URL="postgres://shop@postgres-0.postgres.data:5432/shop"),
            from_key("API_TOKEN", "secret", "shop-api", "token"),
            from_key("REGION", "configMap", "shop-api", "region"),
            from_resource("GOMAXPROCS", "limits.cpu"),
            from_resource("MEMORY_LIMIT", "limits.memory"),
            *POD_IDENTITY,
        ],
        ports=[port("http", 8080), port("admin", 9901)],
        resources=resources("cpu=200m memory=256Mi", "cpu=1500m memory=512Mi"),
        livenessProbe=probe(http("admin", "/live"), delay=15),
        readinessProbe=probe(http("admin", "/ready")),
    )


def checkout() -> Json:
    """Build a container with a securityContext and not one volume mount: the two causes must not be mixed up."""
    return container(
        "checkout",
        "example/shop-checkout:1.9.4",
        command=["/usr/bin/checkout"],
        args=["--listen=:8080", "--currency=EUR"],
        ports=[port("http", 8080)],
        resources=resources("", "cpu=250m memory=96Mi"),
        securityContext={"runAsUser": 10001, "runAsNonRoot": True, "readOnlyRootFilesystem": True},
        lifecycle={"preStop": http("http", "/drain")},
        readinessProbe=probe(http("http", "/ready")),
    )


def gateway() -> Json:
    """Build a container with TCP probes and neither mounts nor securityContext: 1.6 -> 1.7 alone shows it."""
    return container(
        "gateway",
        "haproxy:1.8.17-alpine",
        ports=[port("front", 8443), port("stats", 1936)],
        resources=resources("cpu=100m memory=50Mi"),
        livenessProbe=probe(tcp(8443), delay=10, period=20),
        readinessProbe=probe(tcp("front")),
    )


def greeter() -> Json:
    """Build a container whose arguments test the escapes of encoding/json from 1.16 on."""
    return container(
        "greeter",
        "example/greeter:0.3.0",
        args=["--greeting=你好、世界 🎉", "--html=<b>欢迎</b> & tschüß", "--emoji=👩‍👩‍👧"],
        ports=[port("http", 8080)],
        workingDir="/srv/greeter",
    )


def recommender() -> Json:
    """Build a container that keeps crashing: it is not running, so no kubelet compares its hash."""
    return container(
        "recommendations",
        "example/recommendations:latest",
        args=["--model=/models/current"],
        resources=resources("cpu=500m memory=1Gi"),
        livenessProbe=probe(http(8080, "/healthz"), delay=60),
    )


def batch() -> list[Workload]:
    """List what does not run for ever, or has no controller, or needs a special node."""
    migrate = container(
        "migrate", "example/shop-api:3.8.1", command=["/migrate", "up"], resources=resources("cpu=100m memory=64Mi")
    )
    report = container(
        "report",
        "example/reports:1.2.0",
        args=["--day=2024-06-02", "--out=/out"],
        resources=resources("cpu=1 memory=1536Mi"),
        volumeMounts=[mount("out", "/out")],
    )
    toolbox = container("toolbox", "busybox:1.30", command=["sh"], stdin=True, stdinOnce=True, tty=True)
    waiting = {**trainer(), "resources": resources("", "cpu=48 memory=512Gi hugepages-2Mi=1Gi nvidia.com/gpu=4")}
    gpu_volumes = {"hugepages": {"emptyDir": {"medium": "HugePages"}}, "scratch": {"emptyDir": {"medium": "Memory"}}}
    return [
        Workload(
            "Job", "shop/db-migrate-3-8-1", "b1", [migrate], state="Succeeded", spec={"restartPolicy": "OnFailure"}
        ),
        Workload("Job", "batch/nightly-report-28621440", "b2", [report], volumes={"out": EMPTY}, spec=NEVER),
        Workload("Pod", "batch/toolbox", "a2", [toolbox], spec=NEVER),
        Workload("Pod", "batch/trainer", "c1", [trainer()], volumes=gpu_volumes, token=False),
        Workload("Pod", "batch/trainer-large", "", [waiting], volumes=gpu_volumes, token=False, state="Unschedulable"),
    ]


def trainer() -> Json:
    """Build a container with an extended resource, huge pages and large amounts."""
    return container(
        "trainer",
        "example/trainer:0.9.0-cuda9.2",
        args=["--epochs=40"],
        resources=resources("", "cpu=3500m memory=24Gi hugepages-2Mi=512Mi nvidia.com/gpu=1"),
        volumeMounts=[mount("hugepages", "/dev/hugepages"), mount("scratch", "/scratch")],
    )


def platform() -> list[Workload]:
    """List pods of recent Helm charts: most set a field that older kubelets drop, and switch the token off."""
    return [
        Workload(
            "Deployment",
            "platform/cert-manager",
            "a2",
            [cert_manager()],
            spec={"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}},
        ),
        Workload("Deployment", "platform/keycloak", "b1", [keycloak()], token=False),
        Workload("Deployment", "platform/payments", "b2", [payments()], token=False, ephemeral=[debugger("payments")]),
        Workload("Deployment", "platform/cart", "a2", [cart()], token=False),
        Workload("Deployment", "platform/inference", "c1", [inference()], spec={"resourceClaims": [CLAIM]}),
        Workload(
            "Deployment",
            "platform/portal",
            "b1",
            [portal()],
            token=False,
            init=[mesh_proxy()],
            volumes={"certs": secret("portal-tls")},
        ),
        Workload(
            "Deployment",
            "platform/audit-agent",
            "b2",
            audit_agent(),
            token=False,
            volumes={"logs": host_path("/var/log/audit")},
            annotations={"container.apparmor.security.beta.kubernetes.io/agent": "runtime/default"},
        ),
    ]


def cert_manager() -> Json:
    """Build the first new field: seccompProfile, known from 1.19."""
    return container(
        "cert-manager-controller",
        "quay.io/jetstack/cert-manager-controller:v1.14.5",
        args=["--v=2", "--cluster-resource-namespace=$(POD_NAMESPACE)", "--leader-election-namespace=platform"],
        env=POD_IDENTITY[1:],
        ports=[port("http-metrics", 9402)],
        securityContext={**RESTRICTED, "readOnlyRootFilesystem": True, "seccompProfile": {"type": "RuntimeDefault"}},
    )


def keycloak() -> Json:
    """Build a container with a startupProbe, known from 1.16."""
    return container(
        "keycloak",
        "quay.io/keycloak/keycloak:24.0.4",
        args=["start", "--http-enabled=true"],
        env=[from_key("KC_BOOTSTRAP_ADMIN_PASSWORD", "secret", "keycloak", "admin-password")],
        ports=[port("http", 8080)],
        resources=resources("cpu=500m memory=1Gi", "memory=1536Mi"),
        startupProbe=probe(http("http", "/health/started"), failures=60, period=5),
        livenessProbe=probe(http("http", "/health/live"), failures=5),
    )


def payments() -> Json:
    """Build a container whose probe sets terminationGracePeriodSeconds, known from 1.21."""
    return container(
        "payments",
        "example/payments:5.2.0",
        ports=[port("http", 8080)],
        resources=resources("cpu=250m memory=256Mi"),
        livenessProbe=probe(http("http", "/live"), terminationGracePeriodSeconds=5),
        readinessProbe=probe(http("http", "/ready")),
    )


def debugger(target: str) -> Json:
    """Build what `kubectl debug --target` leaves behind; its hash is recorded and never compared."""
    return container("debugger-xk2vq", "busybox:1.36", stdin=True, tty=True, targetContainerName=target)


def cart() -> Json:
    """Build a container with gRPC probes, known from 1.23."""
    return container(
        "cart",
        "example/cart:0.10.0",
        ports=[port("grpc", 7070)],
        resources=resources("cpu=200m memory=64Mi", "cpu=300m memory=128Mi"),
        livenessProbe=probe(grpc(7070), delay=15),
        readinessProbe=probe(grpc(7070), delay=15),
    )


CLAIM = {"name": "gpu", "resourceClaimTemplateName": "single-gpu"}


def inference() -> Json:
    """Build a container that names a resource claim, known from 1.26."""
    return container(
        "server",
        "example/inference:2.1.0",
        ports=[port("http", 8000)],
        resources=resources("cpu=2 memory=16Gi", claims=[{"name": "gpu"}]),
    )


def portal() -> Json:
    """Build a container beside a sidecar; it sets no new field, so only the sidecar's hash moves at 1.28."""
    return container("portal", "example/portal:7.0.3", ports=[port("http", 8080)], readinessProbe=probe(http("http")))


def mesh_proxy() -> Json:
    """Build a sidecar: an init container with restartPolicy Always, known from 1.28, compared from 1.32."""
    return container(
        "mesh-proxy",
        "envoyproxy/envoy:v1.30.1",
        restartPolicy="Always",
        ports=[port("https", 8443)],
        resources=resources("cpu=50m memory=128Mi"),
        volumeMounts=[mount("certs", "/etc/envoy/certs", read_only=True)],
    )


def audit_agent() -> list[Json]:
    """Build the two fields known from 1.30, one a container: appArmorProfile and recursiveReadOnly."""
    return [
        container(
            "agent",
            "example/audit-agent:4.4.0",
            securityContext={**RESTRICTED, "appArmorProfile": {"type": "RuntimeDefault"}},
        ),
        container(
            "shipper",
            "example/log-shipper:4.4.0",
            volumeMounts=[mount("logs", "/var/log/audit", read_only=True, recursiveReadOnly="IfPossible")],
        ),
    ]


# --- from a workload to its pods ---------------------------------------------------------------------------


OWNERS = {
    "Deployment": ("apps/v1", "ReplicaSet"),
    "DaemonSet": ("apps/v1", "DaemonSet"),
    "StatefulSet": ("apps/v1", "StatefulSet"),
    "Job": ("batch/v1", "Job"),
}


def owner_name(work: Workload) -> str:
    """Name the controlling object: for a Deployment its ReplicaSet."""
    tail = f"-{suffix(10, work.namespace, work.name)}" if work.kind == "Deployment" else ""
    return work.name + tail


def pod_name(work: Workload, index: int) -> str:
    """Name a pod as its controller would; a mirror pod is named after its node."""
    if work.kind == "Pod":
        return work.name
    tails = {"StatefulSet": str(index), "Static": work.nodes[index]}
    return f"{owner_name(work)}-{tails.get(work.kind) or suffix(5, work.namespace, work.name, index)}"


def owner_uid(work: Workload) -> str:
    """Return the uid of the controlling object, the same for all its pods."""
    return uid(work.kind, work.namespace, owner_name(work))


def owner_references(work: Workload) -> list[Json]:
    """Refer to the controller; bare and mirror pods have none."""
    if work.kind not in OWNERS:
        return []
    version, kind = OWNERS[work.kind]
    controlled = {"controller": True, "blockOwnerDeletion": True}
    return [{"apiVersion": version, "kind": kind, "name": owner_name(work), "uid": owner_uid(work), **controlled}]


def labels(work: Workload, index: int) -> dict[str, str]:
    """Return the labels that the author and the controller write."""
    revision = f"{work.name}-{suffix(10, 'revision', work.namespace, work.name)}"
    by_kind = {
        "Deployment": {"app": work.name, "pod-template-hash": owner_name(work).rpartition("-")[2]},
        "DaemonSet": {"app": work.name, "controller-revision-hash": revision, "pod-template-generation": "1"},
        "StatefulSet": {
            "app": work.name,
            "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": pod_name(work, index),
        },
        "Job": {"controller-uid": owner_uid(work), "job-name": work.name},
        "Static": {"component": work.name, "tier": "control-plane"},
    }
    return by_kind.get(work.kind, {"run": work.name})


def annotations(work: Workload) -> dict[str, str]:
    """Return the annotations; a mirror pod's config.hash is what a kubelet compares, not its uid."""
    if work.kind != "Static":
        return work.annotations
    key, value = "kubernetes.io/config.", digest("static", work.name)[:32]
    seen = stamp(created(work.namespace, work.name))
    return {f"{key}hash": value, f"{key}mirror": value, f"{key}seen": seen, f"{key}source": "file"}


def metadata(work: Workload, index: int) -> Json:
    """Return the object's metadata; a pod being deleted also says since when."""
    name = pod_name(work, index)
    optional = {
        "annotations": annotations(work),
        "generateName": f"{owner_name(work)}-" if work.kind in OWNERS else "",
        "ownerReferences": owner_references(work),
        "deletionTimestamp": stamp(NEWEST) if work.state == "Terminating" else "",
        "deletionGracePeriodSeconds": 30 if work.state == "Terminating" else 0,
    }
    return {
        "name": name,
        "namespace": work.namespace,
        "uid": uid("Pod", work.namespace, name),
        "resourceVersion": str(48000000 + int(digest("version", work.namespace, name)[:5], 16)),
        "creationTimestamp": stamp(created(work.namespace, name)),
        "labels": labels(work, index),
        **{key: value for key, value in optional.items() if value},
    }


def token_volume(work: Workload) -> str:
    """Name the token secret; the default account's one in monitoring is on record from a real cluster."""
    if (work.namespace, work.account) == ("monitoring", "default"):
        return "default-token-bks80"
    return f"{work.account}-token-{suffix(5, 'token', work.namespace, work.account)}"


def with_token(work: Workload, item: Json) -> Json:
    """Add the mount that the ServiceAccount admission plugin appends to each container."""
    if not work.token:
        return item
    extra = mount(token_volume(work), ACCOUNT_PATH, read_only=True)
    return {**item, "volumeMounts": [*item.get("volumeMounts", []), extra]}


def volumes(work: Workload, pod: str) -> list[Json]:
    """Return the pod's volumes, the token's secret last."""
    own = json.loads(json.dumps(work.volumes).replace("{pod}", pod))
    token = {token_volume(work): secret(token_volume(work))} if work.token else {}
    return [{"name": name, **source} for name, source in {**own, **token}.items()]


def tolerations(work: Workload) -> list[Json]:
    """Return the tolerations of a daemon, of a mirror pod, or those that admission adds to all others."""
    if work.kind == "DaemonSet":
        return [{"operator": "Exists"}]
    if work.kind == "Static":
        return [{"effect": "NoExecute", "operator": "Exists"}]
    taints = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
    return [{"key": key, "effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 300} for key in taints]


def account_fields(work: Workload) -> Json:
    """Return what the ServiceAccount admission plugin sets; it leaves mirror pods alone."""
    if work.kind == "Static":
        return {}
    names = {"serviceAccount": work.account, "serviceAccountName": work.account}
    return names if work.token else {**names, "automountServiceAccountToken": False}


def spec(work: Workload, index: int) -> Json:
    """Return the defaulted pod spec (SetDefaults_PodSpec), all parts that are set."""
    optional = {
        "nodeName": work.nodes[index],
        "volumes": volumes(work, pod_name(work, index)),
        "initContainers": [with_token(work, item) for item in work.init],
        "ephemeralContainers": list(work.ephemeral),  # admission adds no token to these
    }
    return {
        "containers": [with_token(work, item) for item in work.containers],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
        "tolerations": tolerations(work),
        **account_fields(work),
        **{key: value for key, value in optional.items() if value},
        **work.spec,
    }


# --- status ------------------------------------------------------------------------------------------------


STATES = {
    # state of the workload: phase, state of its containers, ready
    "Running": ("Running", "running", True),
    "Terminating": ("Running", "running", True),
    "Succeeded": ("Succeeded", "terminated", False),
    "Crashing": ("Running", "CrashLoopBackOff", False),
    "Unpullable": ("Pending", "ImagePullBackOff", False),
    "Unschedulable": ("Pending", "", False),
}


def container_state(kind: str, since: datetime, container_id: str) -> Json:
    """Return one ContainerState; what is neither running nor terminated waits for the reason given."""
    start = since + timedelta(seconds=8)
    if kind == "running":
        return {"running": {"startedAt": stamp(start)}}
    if kind != "terminated":
        return {"waiting": {"reason": kind}}
    end = stamp(start + timedelta(seconds=4))
    ended = {"exitCode": 0, "reason": "Completed", "startedAt": stamp(start), "finishedAt": end}
    return {"terminated": {**ended, "containerID": container_id}}


def last_state(kind: str, since: datetime, container_id: str) -> Json:
    """Return how the previous container ended; only one that crashes has had one."""
    if kind != "CrashLoopBackOff":
        return {}
    ended = container_state("terminated", since, container_id)["terminated"]
    return {"terminated": {**ended, "exitCode": 1, "reason": "Error"}}


def container_status(item: Json, pod: Sequence[str], kind: str, *, ready: bool) -> Json:
    """Return one ContainerStatus; without a pulled image there is no container id."""
    container_id = f"docker://{digest('container', *pod, item['name'])}"
    pulled = kind != "ImagePullBackOff"
    repository = item["image"].rpartition(":")[0]
    return {
        "name": item["name"],
        "image": item["image"],
        "imageID": f"docker-pullable://{repository}@sha256:{digest('image', item['image'])}" if pulled else "",
        **({"containerID": container_id} if pulled else {}),
        "ready": ready,
        "restartCount": 41 if kind == "CrashLoopBackOff" else 0,
        "state": container_state(kind, created(*pod), container_id),
        "lastState": last_state(kind, created(*pod), container_id),
    }


def init_kind(item: Json) -> str:
    """Return the state of an init container in a started pod: a sidecar runs, any other has ended."""
    return "running" if item.get("restartPolicy") == "Always" else "terminated"


def container_statuses(work: Workload, pod: Sequence[str]) -> Json:
    """Return the three lists of statuses, those that are not empty."""
    _, kind, ready = STATES[work.state]
    if not kind:
        return {}
    lists = {
        "containerStatuses": [container_status(item, pod, kind, ready=ready) for item in work.containers],
        "initContainerStatuses": [container_status(item, pod, init_kind(item), ready=True) for item in work.init],
        "ephemeralContainerStatuses": [container_status(item, pod, "running", ready=False) for item in work.ephemeral],
    }
    return {key: value for key, value in lists.items() if value}


def conditions(work: Workload, when: datetime) -> list[Json]:
    """Return the pod's conditions; one that no node has taken has only the scheduler's."""
    _, kind, ready = STATES[work.state]
    if not kind:
        message = "0/5 nodes are available: 5 Insufficient cpu, 5 Insufficient memory."
        return [pod_condition("PodScheduled", when, status=False, reason="Unschedulable", message=message)]
    why = {} if ready else {"reason": "PodCompleted" if kind == "terminated" else "ContainersNotReady"}
    return [
        pod_condition("Initialized", when, status=True),
        pod_condition("Ready", when, status=ready, **why),
        pod_condition("PodScheduled", when, status=True),
    ]


def pod_condition(kind: str, when: datetime, *, status: bool, **extra: str) -> Json:
    """Return a pod's condition; its time of the last probe has never been set and prints as null."""
    return {**condition(kind, when, status=status, **extra), "lastProbeTime": None}


def condition(kind: str, when: datetime, *, status: bool, **extra: str) -> Json:
    """Return one condition of a pod or a node."""
    return {"type": kind, "status": str(status), "lastTransitionTime": stamp(when), **extra}


def qos_class(items: Sequence[Json]) -> str:
    """Return the class that the API server computes (pkg/apis/core/helper/qos) from cpu and memory alone."""
    wanted, limited = ([compute(item, side) for item in items] for side in ("requests", "limits"))
    if not any(wanted) and not any(limited):
        return "BestEffort"
    full = all(len(limit) == len(("cpu", "memory")) for limit in limited)
    return "Guaranteed" if full and wanted == limited else "Burstable"


def compute(item: Json, side: str) -> Json:
    """Return the cpu and memory amounts of one side of a container's requirements."""
    return {key: value for key, value in item["resources"].get(side, {}).items() if key in ("cpu", "memory")}


def node_address(node: str) -> str:
    """Return a node's own address."""
    return f"10.10.66.{11 + NODES.index(node)}"


def addresses(work: Workload, node: str, serial: int) -> Json:
    """Return the addresses of a pod on a node; hostNetwork shares the node's, an ended pod has lost its own."""
    own = f"10.244.{NODES.index(node)}.{serial + 2}"
    if work.state == "Succeeded":
        return {"hostIP": node_address(node)}
    return {"hostIP": node_address(node), "podIP": node_address(node) if work.spec.get("hostNetwork") else own}


def status(work: Workload, index: int, serial: int) -> Json:
    """Return the pod's status as its kubelet last reported it."""
    pod, node = (work.namespace, pod_name(work, index)), work.nodes[index]
    when = created(*pod)
    on_node = {"startTime": stamp(when), **addresses(work, node, serial)} if node else {}
    return {
        "phase": STATES[work.state][0],
        "qosClass": qos_class([*work.init, *work.containers]),
        "conditions": conditions(work, when),
        **on_node,
        **container_statuses(work, pod),
    }


def workloads() -> list[Workload]:
    """List the whole cluster, one namespace after another."""
    return [*kube_system(), *ingress(), *monitoring(), *data(), *shop(), *batch(), *platform()]


def pods() -> Iterator[Json]:
    """Yield every pod in the order of the tables."""
    places = [(work, index) for work in workloads() for index in range(len(work.nodes))]
    for serial, (work, index) in enumerate(places):
        parts = {"metadata": metadata(work, index), "spec": spec(work, index), "status": status(work, index, serial)}
        yield {"apiVersion": "v1", "kind": "Pod", **parts}


# --- nodes -------------------------------------------------------------------------------------------------


def node_labels(name: str) -> dict[str, str]:
    """Return a node's labels in the old and the new spelling, as after years of upgrades of the control plane."""
    zone = name.removeprefix("node-")[0]
    role = {"node-a1": {"node-role.kubernetes.io/master": ""}, "node-c1": {"accelerator": "nvidia"}}
    return {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "failure-domain.beta.kubernetes.io/region": "region-1",
        "failure-domain.beta.kubernetes.io/zone": f"zone-{zone}",
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": f"zone-{zone}",
        **role.get(name, {}),
    }


def node_info(name: str) -> Json:
    """Return the versions; kubeletVersion is what `--from auto` reads."""
    return {
        "architecture": "amd64",
        "bootID": uid("boot", name),
        "containerRuntimeVersion": "docker://17.3.2",
        "kernelVersion": "3.10.0-862.9.1.el7.x86_64",
        "kubeProxyVersion": KUBELET,
        "kubeletVersion": KUBELET,
        "machineID": digest("machine", name)[:32],
        "operatingSystem": "linux",
        "osImage": "CentOS Linux 7 (Core)",
        "systemUUID": uid("system", name).upper(),
    }


def node_conditions() -> list[Json]:
    """Return the conditions of a healthy 1.7 node."""
    since, pressures = datetime(2019, 1, 14, 9, 25, 18, tzinfo=UTC), ("OutOfDisk", "MemoryPressure", "DiskPressure")
    fine = [condition(kind, since, status=False, reason=f"KubeletHasNo{kind}") for kind in pressures]
    return [*fine, condition("Ready", since, status=True, reason="KubeletReady")]


def capacity(name: str, memory: str) -> Json:
    """Return a node's capacity; the last one has the GPU and the huge pages."""
    special = {"nvidia.com/gpu": "2", "hugepages-2Mi": "1Gi"} if name == "node-c1" else {}
    return {"cpu": "16", "memory": memory, "pods": "110", **special}


def node(name: str) -> Json:
    """Return one Node object."""
    joined = stamp(datetime(2019, 1, 14, 9, 20, 0, tzinfo=UTC))
    taint = {"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}
    meta = {"name": name, "uid": uid("Node", name), "creationTimestamp": joined, "labels": node_labels(name)}
    meta["annotations"] = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
    state = {
        "addresses": [{"type": "InternalIP", "address": node_address(name)}, {"type": "Hostname", "address": name}],
        "allocatable": capacity(name, "65664192Ki"),
        "capacity": capacity(name, "65766592Ki"),
        "conditions": node_conditions(),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": node_info(name),
    }
    cidr = {"podCIDR": f"10.244.{NODES.index(name)}.0/24"}
    spec = {**cidr, "taints": [taint]} if name == "node-a1" else cidr
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": state}


# --- the document ------------------------------------------------------------------------------------------


def cluster() -> Json:
    """Return the whole dump, ordered as kubectl orders it: nodes, then pods by namespace and name."""
    ordered = sorted(pods(), key=lambda pod: (pod["metadata"]["namespace"], pod["metadata"]["name"]))
    items = [*map(node, NODES), *ordered]
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}


def render() -> str:
    """Return the file's text; like kubectl with sorted keys and with <, > and & escaped."""
    text = json.dumps(cluster(), indent=1, sort_keys=True, ensure_ascii=False)
    return text.translate({ord(char): f"\\u{ord(char):04x}" for char in "<>&"}) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with --check return 1 when it is not what this script writes."""
    if "--check" in arguments:
        return int(not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != render())
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
