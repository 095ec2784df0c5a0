"""What webhooks of meshes and of Vault add."""

from __future__ import annotations

import base64
import hashlib
from random import Random
from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import Workload, compact_json
from scripts.bench.made.platform.parts import (
    config_volume,
    container,
    container_port,
    empty_volume,
    field,
    http_probe,
    mount,
    resource_field,
    resources,
    variable,
)
from scripts.bench.made.platform.words import NOUNS


def inject_istio(t: Json, w: Workload, r: Random) -> None:
    """Add the proxy of Istio."""
    s, app = t["spec"], [c["name"] for c in t["spec"]["containers"]]
    img = "docker.io/istio/proxyv2:1.23.2"
    pj = compact_json(
        [
            {"name": p.get("name", ""), "containerPort": p["containerPort"], "protocol": p["protocol"]}
            for c in s["containers"]
            for p in c.get("ports", [])
        ]
    )
    sc: Json = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "privileged": False,
        "readOnlyRootFilesystem": True,
        "runAsGroup": 1337,
        "runAsNonRoot": True,
        "runAsUser": 1337,
    }
    pc = compact_json(
        {
            "holdApplicationUntilProxyStarts": True,
            "proxyStatsMatcher": {"inclusionRegexps": [".*upstream_rq_.*"]},
            "tracing": {"sampling": r.choice([1, 5])},
        }
    )
    env: list[Any] = [
        variable("PILOT_CERT_PROVIDER", "istiod"),
        variable("CA_ADDR", "istiod.istio-system.svc:15012"),
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field("INSTANCE_IP", "status.podIP"),
        field("SERVICE_ACCOUNT", "spec.serviceAccountName"),
        field("HOST_IP", "status.hostIP"),
        resource_field("ISTIO_CPU_LIMIT", "limits.cpu", None),
        variable("PROXY_CONFIG", pc + "\n"),
        variable("ISTIO_META_POD_PORTS", pj),
        variable("ISTIO_META_APP_CONTAINERS", ",".join(app)),
        resource_field("GOMEMLIMIT", "limits.memory"),
        resource_field("GOMAXPROCS", "limits.cpu"),
        variable("ISTIO_META_CLUSTER_ID", "prod-use1"),
        field("ISTIO_META_NODE_NAME", "spec.nodeName"),
        variable("ISTIO_META_INTERCEPTION_MODE", "REDIRECT"),
        variable("ISTIO_META_WORKLOAD_NAME", w.name),
        variable("ISTIO_META_OWNER", "kubernetes://apis/apps/v1/namespaces/@NS@/deployments/" + w.name),
        variable("ISTIO_META_MESH_ID", "mesh-prod"),
        variable("TRUST_DOMAIN", "prod.nimbusgrid.io"),
        variable(
            "ISTIO_KUBE_APP_PROBERS",
            compact_json(
                {
                    f"/app-health/{app[0]}/readyz": {
                        "httpGet": {"path": "/readyz", "port": 8080, "scheme": "HTTP"},
                        "timeoutSeconds": 1,
                    }
                }
            ),
        ),
    ]
    pr = http_probe("/healthz/ready", 15021, period=15, fail=4, to=3)
    s["containers"].insert(
        0 if r.random() < 0.5 else len(s["containers"]),
        container(
            "istio-proxy",
            img,
            args=[
                "proxy",
                "sidecar",
                "--domain",
                "$(POD_NAMESPACE).svc.cluster.local",
                "--proxyLogLevel=warning",
                "--proxyComponentLogLevel=misc:error",
                "--log_output_level=default:info",
            ],
            env=env,
            lifecycle={"postStart": {"exec": {"command": ["pilot-agent", "wait"]}}},
            ports=[container_port(15090, "http-envoy-prom")],
            readinessProbe=pr,
            startupProbe=dict(pr, periodSeconds=1, failureThreshold=600),
            resources=resources(100, 128, 2000, 1024),
            securityContext=sc,
            volumeMounts=[
                mount("workload-socket", "/var/run/secrets/workload-spiffe-uds"),
                mount("credential-socket", "/var/run/secrets/credential-uds"),
                mount("workload-certs", "/var/run/secrets/workload-spiffe-credentials"),
                mount("istiod-ca-cert", "/var/run/secrets/istio"),
                mount("istio-data", "/var/lib/istio/data"),
                mount("istio-envoy", "/etc/istio/proxy"),
                mount("istio-token", "/var/run/secrets/tokens"),
                mount("istio-podinfo", "/etc/istio/pod"),
            ],
        ),
    )
    s.setdefault("initContainers", []).append(
        container(
            "istio-init",
            img,
            args=[
                "istio-iptables",
                "-p",
                "15001",
                "-z",
                "15006",
                "-u",
                "1337",
                "-m",
                "REDIRECT",
                "-i",
                "*",
                "-x",
                "",
                "-b",
                "*",
                "-d",
                "15090,15021,15020",
                "--log_output_level=default:info",
            ],
            resources=resources(100, 128, 2000, 1024),
            securityContext={
                "allowPrivilegeEscalation": False,
                "capabilities": {"add": ["NET_ADMIN", "NET_RAW"], "drop": ["ALL"]},
                "privileged": False,
                "readOnlyRootFilesystem": False,
                "runAsGroup": 0,
                "runAsNonRoot": False,
                "runAsUser": 0,
            },
        )
    )
    di: list[Any] = [
        {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata." + k}, "path": k}
        for k in ("labels", "annotations")
    ]
    s["volumes"] = [
        empty_volume("workload-socket"),
        empty_volume("credential-socket"),
        empty_volume("workload-certs"),
        empty_volume("istio-envoy", medium="Memory"),
        empty_volume("istio-data"),
        {"downwardAPI": {"defaultMode": 420, "items": di}, "name": "istio-podinfo"},
        {
            "name": "istio-token",
            "projected": {
                "defaultMode": 420,
                "sources": [
                    {
                        "serviceAccountToken": {
                            "audience": "istio-ca",
                            "expirationSeconds": 43200,
                            "path": "istio-token",
                        }
                    }
                ],
            },
        },
        config_volume("istiod-ca-cert", "istio-ca-root-cert"),
        *s.get("volumes", []),
    ]
    t["labels"].update(
        {
            "security.istio.io/tlsMode": "istio",
            "service.istio.io/canonical-name": w.name,
            "service.istio.io/canonical-revision": "latest",
        }
    )
    t["annotations"].update(
        {
            "istio.io/rev": "default",
            "kubectl.kubernetes.io/default-container": app[0],
            "kubectl.kubernetes.io/default-logs-container": app[0],
            "prometheus.io/path": "/stats/prometheus",
            "prometheus.io/port": "15020",
            "prometheus.io/scrape": "true",
            "proxy.istio.io/config": pc,
            "sidecar.istio.io/status": compact_json(
                {
                    "initContainers": ["istio-init"],
                    "containers": ["istio-proxy"],
                    "volumes": [v["name"] for v in s["volumes"][:8]],
                    "imagePullSecrets": None,
                    "revision": "default",
                }
            ),
        }
    )


def inject_linkerd(t: Json, w: Workload, r: Random) -> None:
    """Add the proxy of Linkerd."""
    s: Any = t["spec"]
    img = "cr.l5d.io/linkerd/proxy:edge-24.10.2"
    kv: Json = {
        "LOG": "warn,linkerd=info,hickory=error",
        "LOG_FORMAT": "plain",
        "DESTINATION_SVC_ADDR": "linkerd-dst-headless.linkerd.svc.cluster.local.:8086",
        "DESTINATION_PROFILE_NETWORKS": "10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16,fd00::/8",
        "POLICY_SVC_ADDR": "linkerd-policy.linkerd.svc.cluster.local.:8090",
        "POLICY_WORKLOAD": compact_json({"ns": "@NS@", "pod": "$(_pod_name)"}),
        "INBOUND_DEFAULT_POLICY": "all-unauthenticated",
        "POLICY_CLUSTER_NETWORKS": "10.0.0.0/8,100.64.0.0/10",
        "CONTROL_STREAM_INITIAL_TIMEOUT": "3s",
        "CONTROL_STREAM_IDLE_TIMEOUT": "5m",
        "CONTROL_STREAM_LIFETIME": "1h",
        "INBOUND_CONNECT_TIMEOUT": "100ms",
        "OUTBOUND_CONNECT_TIMEOUT": "1000ms",
        "OUTBOUND_DISCOVERY_IDLE_TIMEOUT": "5s",
        "INBOUND_DISCOVERY_IDLE_TIMEOUT": "90s",
        "CONTROL_LISTEN_ADDR": "0.0.0.0:4190",
        "ADMIN_LISTEN_ADDR": "0.0.0.0:4191",
        "OUTBOUND_LISTEN_ADDRS": "127.0.0.1:4140",
        "INBOUND_LISTEN_ADDR": "0.0.0.0:4143",
        "INBOUND_IPS": "$(_pod_ips)",
        "INBOUND_PORTS": ",".join(
            str(p["containerPort"]) for c in s["containers"] for p in c.get("ports", [])
        )
        or "80",
        "DESTINATION_PROFILE_SUFFIXES": "svc.cluster.local.",
        "INBOUND_ACCEPT_KEEPALIVE": "10000ms",
        "OUTBOUND_CONNECT_KEEPALIVE": "10000ms",
        "INBOUND_PORTS_DISABLE_PROTOCOL_DETECTION": "25,587,3306,4444,5432,6379,9300,11211",
        "DESTINATION_CONTEXT": compact_json(
            {"ns": "@NS@", "nodeName": "$(_pod_nodeName)", "pod": "$(_pod_name)"}
        )
        + "\n",
        "IDENTITY_DIR": "/var/run/linkerd/identity/end-entity",
        "IDENTITY_TRUST_ANCHORS": "-----BEGIN CERTIFICATE-----\n"
        + "\n".join(base64.b64encode(hashlib.sha512(b"ca%d" % i).digest()[:48]).decode() for i in range(8))
        + "\n-----END CERTIFICATE-----\n",
        "IDENTITY_TOKEN_FILE": "/var/run/secrets/tokens/linkerd-identity-token",
        "IDENTITY_SVC_ADDR": "linkerd-identity-headless.linkerd.svc.cluster.local.:8080",
        "IDENTITY_LOCAL_NAME": "$(_pod_sa).$(_pod_ns).serviceaccount.identity.linkerd.cluster.local",
        "IDENTITY_SVC_NAME": "linkerd-identity.linkerd.serviceaccount.identity.linkerd.cluster.local",
    }
    env = [
        field("_pod_name", "metadata.name"),
        field("_pod_ns", "metadata.namespace"),
        field("_pod_nodeName", "spec.nodeName"),
        field("_pod_ips", "status.podIPs"),
        field("_pod_sa", "spec.serviceAccountName"),
    ] + [variable("LINKERD2_PROXY_" + k, v) for k, v in kv.items()]
    sc: Json = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "runAsUser": 2102,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    s["containers"].insert(
        0,
        container(
            "linkerd-proxy",
            img,
            env=env,
            lifecycle={
                "postStart": {
                    "exec": {"command": ["/usr/lib/linkerd/linkerd-await", "--timeout=2m", "--port=4191"]}
                }
            },
            livenessProbe=http_probe("/live", 4191, delay=10),
            readinessProbe=http_probe("/ready", 4191, delay=2),
            ports=[container_port(4143, "linkerd-proxy"), container_port(4191, "linkerd-admin")],
            resources=resources(50, 64, None, 250),
            securityContext=sc,
            terminationMessagePolicy="FallbackToLogsOnError",
            volumeMounts=[
                mount("linkerd-identity-end-entity", "/var/run/linkerd/identity/end-entity"),
                mount("linkerd-identity-token", "/var/run/secrets/tokens"),
            ],
        ),
    )
    s.setdefault("initContainers", []).append(
        container(
            "linkerd-init",
            "cr.l5d.io/linkerd/proxy-init:v2.4.1",
            args=[
                "--ipv6=false",
                "--incoming-proxy-port",
                "4143",
                "--outgoing-proxy-port",
                "4140",
                "--proxy-uid",
                "2102",
                "--inbound-ports-to-ignore",
                "4190,4191,4567,4568",
                "--outbound-ports-to-ignore",
                "4567,4568",
            ],
            resources={},
            securityContext={
                "allowPrivilegeEscalation": False,
                "capabilities": {"add": ["NET_ADMIN", "NET_RAW"]},
                "privileged": False,
                "readOnlyRootFilesystem": True,
                "runAsNonRoot": True,
                "runAsUser": 65534,
            },
            terminationMessagePolicy="FallbackToLogsOnError",
            volumeMounts=[mount("linkerd-proxy-init-xtables-lock", "/run")],
        )
    )
    s["volumes"] = [
        *s.get("volumes", []),
        empty_volume("linkerd-proxy-init-xtables-lock"),
        {
            "name": "linkerd-identity-token",
            "projected": {
                "defaultMode": 420,
                "sources": [
                    {
                        "serviceAccountToken": {
                            "audience": "identity.l5d.io",
                            "expirationSeconds": 86400,
                            "path": "linkerd-identity-token",
                        }
                    }
                ],
            },
        },
        empty_volume("linkerd-identity-end-entity", medium="Memory"),
    ]
    t["labels"].update(
        {
            "linkerd.io/control-plane-ns": "linkerd",
            "linkerd.io/proxy-deployment": w.name,
            "linkerd.io/workload-ns": "@NS@",
        }
    )
    t["annotations"].update(
        {
            "linkerd.io/created-by": "linkerd/proxy-injector edge-24.10.2",
            "linkerd.io/inject": "enabled",
            "linkerd.io/proxy-version": "edge-24.10.2",
            "linkerd.io/trust-root-sha256": hashlib.sha256(b"trust").hexdigest(),
            "viz.linkerd.io/tap-enabled": "true",
        }
    )


def inject_vault(t: Json, w: Workload, r: Random) -> None:
    """Add the agent of Vault."""
    s: Any = t["spec"]
    cfg: Json = {
        "auto_auth": {
            "method": {
                "type": "kubernetes",
                "mount_path": "auth/kubernetes/prod-use1",
                "config": {
                    "role": w.name,
                    "token_path": "/var/run/secrets/kubernetes.io/serviceaccount/token",
                },
            },
            "sink": [{"type": "file", "config": {"path": "/home/vault/.vault-token"}}],
        },
        "exit_after_auth": True,
        "pid_file": "/home/vault/.pid",
        "vault": {"address": "https://vault.vault.svc:8200"},
        "template": [],
    }
    names = r.sample(NOUNS, r.randint(1, 3))
    ann: Any = t["annotations"]
    for n in names:
        tpl = f'{{{{- with secret "kv/data/{w.ns}/{n}" -}}}}\n{{{{ range $k, $v := .Data.data }}}}export {n.upper()}_{{{{ $k }}}}="{{{{ $v }}}}"\n{{{{ end }}}}{{{{- end -}}}}'
        ann["vault.hashicorp.com/agent-inject-secret-" + n] = f"kv/data/{w.ns}/{n}"
        ann["vault.hashicorp.com/agent-inject-template-" + n] = tpl
        cfg["template"].append(
            {
                "destination": "/vault/secrets/" + n,
                "contents": tpl,
                "left_delimiter": "{{",
                "right_delimiter": "}}",
            }
        )
    ann.update(
        {
            "vault.hashicorp.com/agent-inject": "true",
            "vault.hashicorp.com/agent-inject-status": "injected",
            "vault.hashicorp.com/role": w.name,
            "vault.hashicorp.com/agent-limits-cpu": "250m",
        }
    )
    sc: Json = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsGroup": 1000,
        "runAsNonRoot": True,
        "runAsUser": 100,
    }

    def c(name: Any, home: Any, is_init: Any) -> Any:
        d = dict(cfg)
        if not is_init:
            d.pop("exit_after_auth")
        return container(
            name,
            "hashicorp/vault:1.17.6",
            command=["/bin/sh", "-ec"],
            args=[
                "echo ${VAULT_CONFIG?} | base64 -d > /home/vault/config.json && vault agent -config=/home/vault/config.json"
            ],
            env=[
                field("NAMESPACE", "metadata.namespace"),
                field("HOST_IP", "status.hostIP"),
                field("POD_IP", "status.podIP"),
                variable("VAULT_LOG_LEVEL", "info"),
                variable("VAULT_LOG_FORMAT", "json"),
                variable("VAULT_CONFIG", base64.b64encode(compact_json(d).encode()).decode()),
            ],
            resources=resources(50, 64, 250, 128),
            securityContext=sc,
            volumeMounts=[mount(home, "/home/vault"), mount("vault-secrets", "/vault/secrets")],
            lifecycle=None
            if is_init
            else {
                "preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 5 && kill -SIGTERM $(pidof vault)"]}}
            },
        )

    for k in s["containers"]:
        if not k["name"].startswith(("istio", "linkerd")):
            k.setdefault("volumeMounts", []).append(mount("vault-secrets", "/vault/secrets"))
    s.setdefault("initContainers", []).insert(0, c("vault-agent-init", "home-init", True))
    s["containers"].append(c("vault-agent", "home-sidecar", False))
    s["volumes"] = [
        *s.get("volumes", []),
        empty_volume("home-init", medium="Memory"),
        empty_volume("home-sidecar", medium="Memory"),
        empty_volume("vault-secrets", medium="Memory"),
    ]
