"""The templates of DaemonSets, and static pods."""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import DOMAIN, Workload, compact_json, digits
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.parts import (
    PRIVILEGED,
    config_volume,
    container,
    container_port,
    empty_volume,
    exec_probe,
    field,
    host_volume,
    http_probe,
    mount,
    resource_field,
    resources,
    secret,
    templated,
    variable,
)


def daemon_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return the template of an agent on each node."""
    f = w.name
    vols, ini, ann, host = [], [], {}, False
    lab: Json = {"app.kubernetes.io/name": f, "app.kubernetes.io/instance": f}
    spec: Json = {}
    if f == "cilium":
        host = True
        img = "quay.io/cilium/cilium:v1.15.10@sha256:" + hashlib.sha256(b"cilium").hexdigest()
        lab = {
            "app.kubernetes.io/name": "cilium-agent",
            "app.kubernetes.io/part-of": "cilium",
            "k8s-app": "cilium",
        }
        ann = {
            "cilium.io/cilium-configmap-checksum": digits(r, 64),
            "container.apparmor.security.beta.kubernetes.io/cilium-agent": "unconfined",
            "container.apparmor.security.beta.kubernetes.io/clean-cilium-state": "unconfined",
            "container.apparmor.security.beta.kubernetes.io/mount-cgroup": "unconfined",
            "container.apparmor.security.beta.kubernetes.io/apply-sysctl-overwrites": "unconfined",
        }
        e0: list[Any] = [
            field("K8S_NODE_NAME", "spec.nodeName"),
            field("CILIUM_K8S_NAMESPACE", "metadata.namespace"),
        ]
        caps: list[Any] = [
            "CHOWN",
            "KILL",
            "NET_ADMIN",
            "NET_RAW",
            "IPC_LOCK",
            "SYS_MODULE",
            "SYS_ADMIN",
            "SYS_RESOURCE",
            "DAC_OVERRIDE",
            "FOWNER",
            "SETGID",
            "SETUID",
        ]
        sc: Json = {
            "capabilities": {"add": caps, "drop": ["ALL"]},
            "seLinuxOptions": {"level": "s0", "type": "spc_t"},
        }
        pb = http_probe("/healthz", 9879, period=30, fail=10, to=5)
        pb["httpGet"].update({"host": "127.0.0.1", "httpHeaders": [{"name": "brief", "value": "true"}]})
        vols = [
            host_volume("cilium-run", "/var/run/cilium", "DirectoryOrCreate"),
            host_volume("bpf-maps", "/sys/fs/bpf", "DirectoryOrCreate"),
            host_volume("hostproc", "/proc", "Directory"),
            host_volume("cilium-cgroup", "/run/cilium/cgroupv2", "DirectoryOrCreate"),
            host_volume("cni-path", "/opt/cni/bin", "DirectoryOrCreate"),
            host_volume("etc-cni-netd", "/etc/cni/net.d", "DirectoryOrCreate"),
            host_volume("lib-modules", "/lib/modules"),
            host_volume("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
            {
                "name": "clustermesh-secrets",
                "projected": {
                    "defaultMode": 256,
                    "sources": [
                        {"secret": {"name": "cilium-clustermesh", "optional": True}},
                        {
                            "secret": {
                                "items": [
                                    {"key": "tls.key", "path": "common-etcd-client.key"},
                                    {"key": "tls.crt", "path": "common-etcd-client.crt"},
                                    {"key": "ca.crt", "path": "common-etcd-client-ca.crt"},
                                ],
                                "name": "clustermesh-apiserver-remote-cert",
                                "optional": True,
                            }
                        },
                    ],
                },
            },
            empty_volume("tmp"),
        ]
        cs: list[Any] = [
            container(
                "cilium-agent",
                img,
                command=["cilium-agent"],
                args=["--config-dir=/tmp/cilium/config-map"],
                env=[
                    *e0,
                    variable("CILIUM_CLUSTERMESH_CONFIG", "/var/lib/cilium/clustermesh/"),
                    resource_field("GOMEMLIMIT", "limits.memory"),
                    variable("KUBERNETES_SERVICE_HOST", "api.prod-use1.nimbusgrid.io"),
                    variable("KUBERNETES_SERVICE_PORT", "6443"),
                ],
                ports=[
                    container_port(4244, "peer-service", host=True),
                    container_port(9962, "prometheus", host=True),
                ],
                livenessProbe=pb,
                readinessProbe=dict(pb),
                startupProbe=dict(pb, failureThreshold=105, periodSeconds=2),
                lifecycle={
                    "postStart": {
                        "exec": {
                            "command": [
                                "bash",
                                "-c",
                                "set -o errexit\nset -o pipefail\nset -o nounset\n\nif [[ \"$(iptables-save | grep -E -c 'AWS-SNAT-CHAIN|AWS-CONNMARK-CHAIN')\" != \"0\" ]];\nthen\n    echo 'Deleting iptables rules created by the AWS CNI VPC plugin'\n    iptables-save | grep -E -v 'AWS-SNAT-CHAIN|AWS-CONNMARK-CHAIN' | iptables-restore\nfi\necho 'Done!'\n",
                            ]
                        }
                    },
                    "preStop": {"exec": {"command": ["/cni-uninstall.sh"]}},
                },
                resources=resources(200, 512, None, 2048),
                securityContext=sc,
                terminationMessagePolicy="FallbackToLogsOnError",
                volumeMounts=[
                    mount("bpf-maps", "/sys/fs/bpf", prop="HostToContainer"),
                    mount("cilium-run", "/var/run/cilium"),
                    mount("etc-cni-netd", "/host/etc/cni/net.d"),
                    mount("clustermesh-secrets", "/var/lib/cilium/clustermesh", True),
                    mount("lib-modules", "/lib/modules", True),
                    mount("xtables-lock", "/run/xtables.lock"),
                    mount("tmp", "/tmp"),
                ],
            )
        ]
        ini = [
            container(
                "config",
                img,
                command=["cilium-dbg", "build-config"],
                env=list(e0),
                volumeMounts=[mount("tmp", "/tmp")],
                terminationMessagePolicy="FallbackToLogsOnError",
            )
        ]
        for nm in (
            "mount-cgroup",
            "apply-sysctl-overwrites",
            "mount-bpf-fs",
            "clean-cilium-state",
            "install-cni-binaries",
        ):
            ini.append(
                container(
                    nm,
                    img,
                    command=[
                        "sh",
                        "-ec",
                        'cp /usr/bin/cilium-mount /hostbin/cilium-mount;\nnsenter --cgroup=/hostproc/1/ns/cgroup --mount=/hostproc/1/ns/mnt "${BIN_PATH}/cilium-mount" $CGROUP_ROOT;\nrm /hostbin/cilium-mount\n',
                    ]
                    if nm.startswith("mount-c")
                    else [f"/{nm}.sh"],
                    env=[
                        variable("CGROUP_ROOT", "/run/cilium/cgroupv2"),
                        variable("BIN_PATH", "/opt/cni/bin"),
                    ],
                    securityContext=sc if nm != "mount-bpf-fs" else PRIVILEGED,
                    terminationMessagePolicy="FallbackToLogsOnError",
                    volumeMounts=[mount("hostproc", "/hostproc"), mount("cni-path", "/hostbin")],
                    resources=resources(100, 10) if nm[0] == "c" else {},
                )
            )
        spec["affinity"] = {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "labelSelector": {"matchLabels": {"k8s-app": "cilium"}},
                        "topologyKey": "kubernetes.io/hostname",
                    }
                ]
            }
        }
        spec["terminationGracePeriodSeconds"] = 1
    elif f in ("ebs-csi-node", "efs-csi-node"):
        d: Any = f[:3]
        host = d == "efs"
        vols = [
            host_volume("kubelet-dir", "/var/lib/kubelet", "Directory"),
            host_volume("plugin-dir", f"/var/lib/kubelet/plugins/{d}.csi.aws.com/", "DirectoryOrCreate"),
            host_volume("registration-dir", "/var/lib/kubelet/plugins_registry/", "Directory"),
            host_volume("device-dir", "/dev", "Directory"),
            empty_volume("probe-dir"),
        ]
        cs = [
            container(
                d + "-plugin",
                "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.36.0"
                if d == "ebs"
                else "public.ecr.aws/efs-csi-driver/amazon/aws-efs-csi-driver:v2.0.8",
                args=["node", "--endpoint=$(CSI_ENDPOINT)", "--logging-format=text", "--v=2"],
                env=[variable("CSI_ENDPOINT", "unix:/csi/csi.sock"), field("CSI_NODE_NAME", "spec.nodeName")],
                ports=[container_port(9808, "healthz")],
                livenessProbe=http_probe("/healthz", "healthz", delay=10, fail=5, to=3),
                lifecycle={"preStop": {"exec": {"command": ["/bin/aws-ebs-csi-driver", "pre-stop-hook"]}}}
                if d == "ebs"
                else None,
                resources=resources(10, 40, None, 256),
                securityContext=PRIVILEGED,
                volumeMounts=[
                    mount("kubelet-dir", "/var/lib/kubelet", prop="Bidirectional"),
                    mount("plugin-dir", "/csi"),
                    mount("device-dir", "/dev"),
                ],
            ),
            container(
                "node-driver-registrar",
                "public.ecr.aws/eks-distro/kubernetes-csi/node-driver-registrar:v2.11.0-eks-1-30-14",
                args=[
                    "--csi-address=$(ADDRESS)",
                    "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)",
                    "--v=2",
                ],
                env=[
                    variable("ADDRESS", "/csi/csi.sock"),
                    variable("DRIVER_REG_SOCK_PATH", f"/var/lib/kubelet/plugins/{d}.csi.aws.com/csi.sock"),
                ],
                livenessProbe=exec_probe(
                    [
                        "/csi-node-driver-registrar",
                        "--kubelet-registration-path=$(DRIVER_REG_SOCK_PATH)",
                        "--mode=kubelet-registration-probe",
                    ],
                    30,
                    3,
                    90,
                    15,
                ),
                resources=resources(10, 40, None, 256),
                securityContext={"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True},
                volumeMounts=[
                    mount("plugin-dir", "/csi"),
                    mount("registration-dir", "/registration"),
                    mount("probe-dir", f"/var/lib/kubelet/plugins/{d}.csi.aws.com/"),
                ],
            ),
            container(
                "liveness-probe",
                "public.ecr.aws/eks-distro/kubernetes-csi/livenessprobe:v2.13.0-eks-1-30-14",
                args=["--csi-address=/csi/csi.sock"],
                resources=resources(10, 40, None, 256),
                securityContext={"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True},
                volumeMounts=[mount("plugin-dir", "/csi")],
            ),
        ]
        spec["securityContext"] = {"fsGroup": 0, "runAsGroup": 0, "runAsNonRoot": False, "runAsUser": 0}
    elif f == "node-exporter":
        host = True
        spec["hostPID"] = True
        vols = [host_volume("proc", "/proc"), host_volume("sys", "/sys"), host_volume("root", "/")]
        cs = [
            container(
                f,
                "quay.io/prometheus/node-exporter:v1.8.2",
                args=[
                    "--web.listen-address=127.0.0.1:9101",
                    "--path.sysfs=/host/sys",
                    "--path.rootfs=/host/root",
                    "--path.procfs=/host/proc",
                    "--path.udev.data=/host/root/run/udev/data",
                    "--no-collector.wifi",
                    "--no-collector.btrfs",
                    "--collector.filesystem.mount-points-exclude=^/(dev|proc|sys|run/k3s/containerd/.+|var/lib/docker/.+|var/lib/kubelet/pods/.+)($|/)",
                    "--collector.netclass.ignored-devices=^(veth.*|[a-f0-9]{15})$",
                ],
                resources=resources(102, 180, 250, 180),
                securityContext={
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"add": ["SYS_TIME"], "drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                },
                volumeMounts=[
                    mount("proc", "/host/proc", True, prop="HostToContainer"),
                    mount("sys", "/host/sys", True, prop="HostToContainer"),
                    mount("root", "/host/root", True, prop="HostToContainer"),
                ],
            ),
            container(
                "kube-rbac-proxy",
                "quay.io/brancz/kube-rbac-proxy:v0.18.1",
                args=[
                    "--secure-listen-address=[$(IP)]:9100",
                    "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                    "--upstream=http://127.0.0.1:9101/",
                ],
                env=[field("IP", "status.podIP")],
                ports=[container_port(9100, "https", host=True)],
                resources=resources(10, 20, 20, 40),
                securityContext={
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                    "runAsGroup": 65532,
                    "runAsNonRoot": True,
                    "runAsUser": 65532,
                },
            ),
        ]
        lab.update(
            {
                "app.kubernetes.io/component": "exporter",
                "app.kubernetes.io/part-of": "kube-prometheus",
                "app.kubernetes.io/version": "1.8.2",
            }
        )
        ann = {"kubectl.kubernetes.io/default-container": f}
        spec["securityContext"] = {"runAsGroup": 65534, "runAsNonRoot": True, "runAsUser": 65534}
    elif f == "kube-proxy":
        host = True
        lab = {"k8s-app": "kube-proxy"}
        vols = [
            config_volume("kube-proxy", "kube-proxy"),
            host_volume("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
            host_volume("lib-modules", "/lib/modules"),
        ]
        cs = [
            container(
                f,
                "registry.k8s.io/kube-proxy:@RELEASE@",
                command=[
                    "/usr/local/bin/kube-proxy",
                    "--config=/var/lib/kube-proxy/config.conf",
                    "--hostname-override=$(NODE_NAME)",
                ],
                env=[field("NODE_NAME", "spec.nodeName")],
                securityContext=PRIVILEGED,
                volumeMounts=[
                    mount("kube-proxy", "/var/lib/kube-proxy"),
                    mount("xtables-lock", "/run/xtables.lock"),
                    mount("lib-modules", "/lib/modules", True),
                ],
            )
        ]
    elif f == "datadog-agent":
        spec["hostPID"] = True
        img = "gcr.io/datadoghq/agent:7.57.2"
        base: list[Any] = [
            field("DD_HOSTNAME", "spec.nodeName"),
            field("DD_KUBERNETES_KUBELET_HOST", "status.hostIP"),
            secret("DD_API_KEY", "datadog-agent", "api-key"),
            secret("DD_CLUSTER_AGENT_AUTH_TOKEN", "datadog-agent-cluster-agent", "token"),
            variable("DD_REMOTE_CONFIGURATION_ENABLED", "true"),
            variable("DD_LANGUAGE_DETECTION_ENABLED", "false"),
            variable("KUBERNETES", "yes"),
            variable("DD_CLUSTER_NAME", "prod-use1"),
            variable("DD_LOG_LEVEL", "INFO"),
            variable("DD_DOGSTATSD_PORT", "8125"),
            variable("DD_CLUSTER_AGENT_ENABLED", "true"),
            variable("DD_CLUSTER_AGENT_KUBERNETES_SERVICE_NAME", "datadog-cluster-agent"),
            variable("DD_APM_ENABLED", "true"),
            variable("DD_LOGS_ENABLED", "true"),
            variable("DD_LOGS_CONFIG_CONTAINER_COLLECT_ALL", "true"),
            variable("DD_CONTAINER_EXCLUDE", "kube_namespace:^preview-.*$ image:pause.*"),
            variable("DD_HEALTH_PORT", "5555"),
            variable("DD_TAGS", compact_json(["env:prod", "region:us-east-1"])),
            variable(
                "DD_KUBERNETES_POD_LABELS_AS_TAGS",
                compact_json(
                    {"app.kubernetes.io/name": "service", DOMAIN + "/owner": "team", "*": "<label>"}
                ),
            ),
        ]
        vols = [
            empty_volume("auth-token"),
            config_volume("installinfo", "datadog-installinfo"),
            empty_volume("logdatadog"),
            empty_volume("tmpdir"),
            host_volume("hostproc", "/proc"),
            host_volume("cgroups", "/sys/fs/cgroup"),
            host_volume("runtimesocketdir", "/var/run"),
            host_volume("pointerdir", "/var/lib/datadog-agent/logs"),
            host_volume("logpodpath", "/var/log/pods"),
            host_volume("dsdsocket", "/var/run/datadog/", "DirectoryOrCreate"),
            empty_volume("config"),
        ]
        cs = []
        for nm, cmd in (
            ("agent", ["agent", "run"]),
            ("trace-agent", ["trace-agent", "-config=/etc/datadog-agent/datadog.yaml"]),
            ("process-agent", ["process-agent", "--cfgpath=/etc/datadog-agent/datadog.yaml"]),
        ):
            cs.append(
                container(
                    nm,
                    img,
                    command=cmd,
                    env=[dict(e) for e in base],
                    resources=resources(100, 200, None, 512)
                    if nm == "agent"
                    else resources(20, 100, None, 256),
                    ports=[container_port(8125, "dogstatsdport", "UDP")]
                    if nm == "agent"
                    else [container_port(8126, "traceport", host=True)]
                    if nm[0] == "t"
                    else None,
                    livenessProbe=http_probe("/live", 5555, delay=15, period=15, fail=6, to=5)
                    if nm == "agent"
                    else None,
                    readinessProbe=http_probe("/ready", 5555, delay=15, period=15, fail=6, to=5)
                    if nm == "agent"
                    else None,
                    securityContext={"readOnlyRootFilesystem": True} if nm != "agent" else None,
                    volumeMounts=[
                        mount("config", "/etc/datadog-agent"),
                        mount("auth-token", "/etc/datadog-agent/auth", nm != "agent"),
                        mount("logdatadog", "/var/log/datadog"),
                        mount("tmpdir", "/tmp"),
                        mount("hostproc", "/host/proc", True, prop="None"),
                        mount("cgroups", "/host/sys/fs/cgroup", True, prop="None"),
                        mount("runtimesocketdir", "/host/var/run", True, prop="None"),
                        mount("dsdsocket", "/var/run/datadog"),
                    ]
                    + (
                        [
                            mount("pointerdir", "/opt/datadog-agent/run", prop="None"),
                            mount("logpodpath", "/var/log/pods", True, prop="None"),
                        ]
                        if nm == "agent"
                        else []
                    ),
                )
            )
        ini = [
            container(
                "init-volume",
                img,
                command=["bash", "-c"],
                args=["cp -r /etc/datadog-agent /opt"],
                volumeMounts=[mount("config", "/opt/datadog-agent")],
            ),
            container(
                "init-config",
                img,
                command=["bash", "-c"],
                args=[
                    "for script in $(find /etc/cont-init.d/ -type f -name '*.sh' | sort) ; do bash $script ; done"
                ],
                env=base[:6],
                volumeMounts=[mount("config", "/etc/datadog-agent")],
            ),
        ]
        ann = {
            "checksum/clusteragent_token": digits(r, 64),
            "checksum/install_info": digits(r, 64),
            "checksum/autoconf-config": digits(r, 64),
        }
    elif f == "fluent-bit":
        vols = [
            config_volume("config", f),
            host_volume("varlog", "/var/log"),
            host_volume("containers", "/var/lib/containerd/io.containerd.grpc.v1.cri", "Directory"),
            host_volume("etcmachineid", "/etc/machine-id", "File"),
            host_volume("state", "/var/fluent-bit/state", "DirectoryOrCreate"),
        ]
        cs = [
            container(
                f,
                "cr.fluentbit.io/fluent/fluent-bit:3.1.9",
                command=["/fluent-bit/bin/fluent-bit"],
                args=["--workdir=/fluent-bit/etc", "--config=/fluent-bit/etc/conf/fluent-bit.conf"],
                env=[
                    field("NODE_NAME", "spec.nodeName"),
                    variable("KAFKA_BROKERS", "logs-kafka-bootstrap.kafka.svc:9093"),
                    secret("KAFKA_SASL_PASSWORD", "fluent-bit-kafka", "password"),
                    variable("CLUSTER", "prod-use1"),
                    variable("FLUENT_EXTRA", compact_json({"flush": 5, "filter": "level >= warn & !health"})),
                ],
                ports=[container_port(2020, "http")],
                livenessProbe=http_probe("/", "http"),
                readinessProbe=http_probe("/api/v1/health", "http"),
                resources=resources(100, 128, 500, 512),
                volumeMounts=[
                    mount("config", "/fluent-bit/etc/conf"),
                    mount("varlog", "/var/log"),
                    mount("containers", "/var/lib/containerd/io.containerd.grpc.v1.cri", True),
                    mount("etcmachineid", "/etc/machine-id", True),
                    mount("state", "/var/fluent-bit/state"),
                ],
            )
        ]
        ann = {"checksum/config": digits(r, 64), "checksum/luascripts": digits(r, 64)}
    elif f == "node-local-dns":
        host = True
        lab = {"k8s-app": f}
        ann = {"prometheus.io/port": "9253", "prometheus.io/scrape": "true"}
        vols = [
            host_volume("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
            config_volume("kube-dns-config", "kube-dns", optional=True),
            config_volume("config-volume", f, items=[{"key": "Corefile", "path": "Corefile.base"}]),
        ]
        cs = [
            container(
                "node-cache",
                "registry.k8s.io/dns/k8s-dns-node-cache:1.23.1",
                args=[
                    "-localip",
                    "169.254.20.10,10.96.0.10",
                    "-conf",
                    "/etc/Corefile",
                    "-upstreamsvc",
                    "kube-dns-upstream",
                ],
                ports=[
                    container_port(53, "dns", "UDP", True),
                    container_port(53, "dns-tcp", "TCP", True),
                    container_port(9253, "metrics", "TCP", True),
                ],
                livenessProbe=dict(
                    http_probe("/health", 8080, delay=60, to=5),
                    httpGet={"host": "169.254.20.10", "path": "/health", "port": 8080, "scheme": "HTTP"},
                ),
                resources=resources(25, 5),
                securityContext={"capabilities": {"add": ["NET_ADMIN"]}},
                volumeMounts=[
                    mount("xtables-lock", "/run/xtables.lock"),
                    mount("config-volume", "/etc/coredns"),
                    mount("kube-dns-config", "/etc/kube-dns"),
                ],
            )
        ]
        spec["dnsPolicy"] = "Default"
    elif f == "falco":
        vols = [
            empty_volume("root-falco-fs"),
            host_volume("containerd-socket", "/run/containerd/containerd.sock"),
            host_volume("proc-fs", "/proc"),
            host_volume("dev-fs", "/dev"),
            host_volume("etc-fs", "/etc"),
            config_volume("falco-yaml", "falco", items=[{"key": "falco.yaml", "path": "falco.yaml"}]),
            empty_volume("rulesfiles-install-dir"),
        ]
        cs = [
            container(
                "falco",
                "docker.io/falcosecurity/falco-no-driver:0.38.2",
                args=["/usr/bin/falco", "-pk"],
                env=[
                    variable("HOST_ROOT", "/host"),
                    field("FALCO_HOSTNAME", "spec.nodeName"),
                    field("FALCO_K8S_NODE_NAME", "spec.nodeName"),
                ],
                ports=[container_port(8765, "web")],
                livenessProbe=http_probe("/healthz", 8765, delay=60, period=15, to=5),
                readinessProbe=http_probe("/healthz", 8765, delay=30, period=15, to=5),
                resources=resources(100, 512, 1000, 1024),
                securityContext={
                    "capabilities": {"add": ["BPF", "SYS_RESOURCE", "PERFMON", "SYS_PTRACE"], "drop": ["ALL"]}
                },
                volumeMounts=[
                    mount("root-falco-fs", "/root/.falco"),
                    mount("proc-fs", "/host/proc"),
                    mount("etc-fs", "/host/etc", True),
                    mount("containerd-socket", "/host/run/containerd/containerd.sock"),
                    mount("falco-yaml", "/etc/falco/falco.yaml", sub="falco.yaml"),
                    mount("rulesfiles-install-dir", "/etc/falco"),
                ],
            ),
            container(
                "falcoctl-artifact-follow",
                "docker.io/falcosecurity/falcoctl:0.9.0",
                args=["artifact", "follow", "--log-format=json"],
                volumeMounts=[mount("rulesfiles-install-dir", "/rulesfiles")],
            ),
        ]
        ini = [
            container(
                "falcoctl-artifact-install",
                "docker.io/falcosecurity/falcoctl:0.9.0",
                args=["artifact", "install", "--log-format=json"],
                volumeMounts=[mount("rulesfiles-install-dir", "/rulesfiles")],
            )
        ]
        ann = {"checksum/config": digits(r, 64), "checksum/rules": digits(r, 64)}
    elif f == "nvidia-device-plugin":
        lab["k8s-app"] = f
        vols = [
            host_volume("device-plugin", "/var/lib/kubelet/device-plugins"),
            host_volume("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
        ]
        cs = [
            container(
                "nvidia-device-plugin-ctr",
                "nvcr.io/nvidia/k8s-device-plugin:v0.16.2",
                command=["nvidia-device-plugin"],
                env=[
                    variable("MPS_ROOT", "/run/nvidia/mps"),
                    variable("NVIDIA_MIG_MONITOR_DEVICES", "all"),
                    variable("NVIDIA_VISIBLE_DEVICES", "all"),
                    variable("NVIDIA_DRIVER_CAPABILITIES", "compute,utility"),
                ],
                securityContext=PRIVILEGED,
                volumeMounts=[
                    mount("device-plugin", "/var/lib/kubelet/device-plugins"),
                    mount("cdi-root", "/var/run/cdi"),
                ],
            )
        ]
        spec["runtimeClassName"] = "nvidia"
    else:  # dcgm-exporter
        vols = [host_volume("pod-gpu-resources", "/var/lib/kubelet/pod-resources")]
        cs = [
            container(
                "dcgm-exporter",
                "nvcr.io/nvidia/k8s/dcgm-exporter:3.3.8-3.6.0-ubuntu22.04",
                args=["-f", "/etc/dcgm-exporter/dcp-metrics-included.csv"],
                env=[
                    variable("DCGM_EXPORTER_KUBERNETES", "true"),
                    variable("DCGM_EXPORTER_LISTEN", ":9400"),
                    field("NODE_NAME", "spec.nodeName"),
                ],
                ports=[container_port(9400, "metrics")],
                livenessProbe=http_probe("/health", 9400, delay=45, period=5, to=5),
                readinessProbe=http_probe("/health", 9400, delay=45),
                resources=resources(100, 256, None, 512),
                securityContext={
                    "capabilities": {"add": ["SYS_ADMIN"]},
                    "runAsNonRoot": False,
                    "runAsUser": 0,
                },
                volumeMounts=[mount("pod-gpu-resources", "/var/lib/kubelet/pod-resources", True)],
            )
        ]
        spec["runtimeClassName"] = "nvidia"
    spec.update({"containers": cs, "volumes": vols})
    if ini:
        spec["initContainers"] = ini
    if host:
        spec["hostNetwork"] = True
    spec["tolerations"] = [{"operator": "Exists"}]
    spec.setdefault("terminationGracePeriodSeconds", 30)
    na: Json = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["@HOSTN@"]}]}
            ]
        }
    }
    spec.setdefault("affinity", {})["nodeAffinity"] = na
    spec["nodeSelector"] = {"kubernetes.io/os": "linux"}
    if "nvidia" in f or "dcgm" in f:
        spec["nodeSelector"][DOMAIN + "/pool"] = "gpu"
    return templated(lab, json.loads(compact_json(ann)), json.loads(compact_json(spec)))


def static_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return the pod of a component of the control plane."""
    f = w.name
    lab: Json = {"component": f, "tier": "control-plane"}
    ann: Json = {}
    pki = "/etc/kubernetes/pki"
    if f == "etcd":
        cmd: list[Any] = [
            "etcd",
            "--advertise-client-urls=https://@NIP@:2379",
            f"--cert-file={pki}/etcd/server.crt",
            "--client-cert-auth=true",
            "--data-dir=/var/lib/etcd",
            "--initial-advertise-peer-urls=https://@NIP@:2380",
            "--initial-cluster=@HOSTN@=https://@NIP@:2380",
            f"--key-file={pki}/etcd/server.key",
            "--listen-client-urls=https://127.0.0.1:2379,https://@NIP@:2379",
            "--listen-metrics-urls=http://0.0.0.0:2381",
            "--listen-peer-urls=https://@NIP@:2380",
            "--name=@HOSTN@",
            "--peer-client-cert-auth=true",
            "--quota-backend-bytes=8589934592",
            "--snapshot-count=10000",
            f"--trusted-ca-file={pki}/etcd/ca.crt",
        ]
        img, vols, pt, ann = (
            "registry.k8s.io/etcd:3.5.15-0",
            [("etcd-certs", pki + "/etcd"), ("etcd-data", "/var/lib/etcd")],
            2381,
            {"kubeadm.kubernetes.io/etcd.advertise-client-urls": "https://@NIP@:2379"},
        )
    elif f == "kube-apiserver":
        cmd = [
            "kube-apiserver",
            "--advertise-address=@NIP@",
            "--allow-privileged=true",
            "--audit-log-maxage=30",
            "--audit-log-path=/var/log/kubernetes/audit.log",
            "--audit-policy-file=/etc/kubernetes/audit/policy.yaml",
            "--authorization-mode=Node,RBAC",
            f"--client-ca-file={pki}/ca.crt",
            "--enable-admission-plugins=NodeRestriction",
            "--enable-bootstrap-token-auth=true",
            "--encryption-provider-config=/etc/kubernetes/enc/kms.yaml",
            f"--etcd-cafile={pki}/etcd/ca.crt",
            "--etcd-servers=https://127.0.0.1:2379",
            "--max-requests-inflight=1200",
            "--oidc-client-id=kubernetes",
            "--oidc-issuer-url=https://sso.nimbusgrid.io/realms/eng",
            "--requestheader-allowed-names=front-proxy-client",
            "--secure-port=6443",
            "--service-account-issuer=https://oidc.nimbusgrid.io/prod-use1",
            f"--service-account-key-file={pki}/sa.pub",
            "--service-cluster-ip-range=10.96.0.0/16",
            f"--tls-cert-file={pki}/apiserver.crt",
            f"--tls-private-key-file={pki}/apiserver.key",
        ]
        img, vols, pt, ann = (
            "registry.k8s.io/kube-apiserver:@RELEASE@",
            [
                ("ca-certs", "/etc/ssl/certs"),
                ("k8s-certs", pki),
                ("audit", "/etc/kubernetes/audit"),
                ("audit-log", "/var/log/kubernetes"),
                ("usr-share-ca-certificates", "/usr/share/ca-certificates"),
            ],
            6443,
            {"kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint": "@NIP@:6443"},
        )
    else:
        cmd = [
            f,
            f"--authentication-kubeconfig=/etc/kubernetes/{f[5:]}.conf",
            f"--authorization-kubeconfig=/etc/kubernetes/{f[5:]}.conf",
            "--bind-address=0.0.0.0",
            f"--kubeconfig=/etc/kubernetes/{f[5:]}.conf",
            "--leader-elect=true",
        ]
        vols, pt = [("kubeconfig", f"/etc/kubernetes/{f[5:]}.conf")], 10259
        if f == "kube-controller-manager":
            cmd += [
                "--allocate-node-cidrs=true",
                "--cluster-cidr=100.64.0.0/10",
                "--cluster-name=prod-use1",
                "--controllers=*,bootstrapsigner,tokencleaner",
                "--kube-api-burst=100",
                "--kube-api-qps=60",
                "--node-cidr-mask-size=24",
                f"--root-ca-file={pki}/ca.crt",
                "--terminated-pod-gc-threshold=6000",
                "--use-service-account-credentials=true",
            ]
            vols, pt = (
                [
                    *vols,
                    ("ca-certs", "/etc/ssl/certs"),
                    ("k8s-certs", pki),
                    ("flexvolume-dir", "/usr/libexec/kubernetes/kubelet-plugins/volume/exec"),
                ],
                10257,
            )
        img = f"registry.k8s.io/{f}:@RELEASE@"
    sch: Any = "HTTP" if f == "etcd" else "HTTPS"

    def pr(path: Any, fail: Any, delay: Any) -> Any:
        d = http_probe(path, pt, sch, delay, fail, 10, 15)
        d["httpGet"]["host"] = "@NIP@" if f == "kube-apiserver" else "127.0.0.1"
        return d

    c = container(
        f,
        img,
        command=cmd,
        livenessProbe=pr("/livez" if f == "kube-apiserver" else "/healthz", 8, 10),
        startupProbe=pr("/livez" if f == "kube-apiserver" else "/healthz", 24, 10),
        resources=resources(250 if f == "kube-apiserver" else 100, 100 if f == "etcd" else None),
        volumeMounts=[
            mount(a, b, a not in ("etcd-data", "audit-log", "flexvolume-dir", "etcd-certs")) for a, b in vols
        ],
    )
    if f == "kube-apiserver":
        c["readinessProbe"] = pr("/readyz", 3, 0)
        c["readinessProbe"]["periodSeconds"] = 1
    spec: Json = {
        "containers": [c],
        "hostNetwork": True,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "volumes": [host_volume(a, b, "File" if a == "kubeconfig" else "DirectoryOrCreate") for a, b in vols],
        "tolerations": [{"effect": "NoExecute", "operator": "Exists"}],
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
    }
    return templated(lab, ann, spec)
