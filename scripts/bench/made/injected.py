"""What admission webhooks add to the pods of some workloads: a mesh's proxy, an agent, credentials."""

from __future__ import annotations

import json
from typing import Final

from scripts.bench.made.chance import Chance, Json
from scripts.bench.made.containers import field, resources

_ISTIO_VOLUMES: Final = (
    "workload-socket",
    "credential-socket",
    "workload-certs",
    "istio-envoy",
    "istio-data",
)
_STATUS: Final = json.dumps(
    {
        "initContainers": ["istio-init"],
        "containers": ["istio-proxy"],
        "volumes": [*_ISTIO_VOLUMES, "istio-podinfo", "istio-token", "istiod-ca-cert"],
        "imagePullSecrets": None,
        "revision": "default",
    },
    separators=(",", ":"),
)
_AS_SERVED: Final = {
    "imagePullPolicy": "IfNotPresent",
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}


def istio(chance: Chance, name: str, namespace: str, spec: Json, meta: Json) -> None:
    """Add a proxy, an init container that redirects traffic, their volumes, and a long annotation."""
    image = "docker.io/istio/proxyv2:1.24.2"
    probers = {
        f"/app-health/{container['name']}/readyz": {
            "httpGet": {"path": "/ready", "port": 8080},
            "timeoutSeconds": 1,
        }
        for container in spec["containers"]
    }
    ports = [
        {"name": port.get("name", ""), "containerPort": port["containerPort"], "protocol": port["protocol"]}
        for container in spec["containers"]
        for port in container.get("ports", ())
    ]
    owner = f"kubernetes://apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    values = {
        "PILOT_CERT_PROVIDER": "istiod",
        "CA_ADDR": "istiod.istio-system.svc:15012",
        "PROXY_CONFIG": '{"discoveryAddress":"istiod.istio-system.svc:15012","tracing":{"zipkin":{}}}\n',
        "ISTIO_META_POD_PORTS": "[\n    " + "\n    ,".join(json.dumps(port) for port in ports) + "\n]",
        "ISTIO_META_APP_CONTAINERS": ",".join(container["name"] for container in spec["containers"]),
        "ISTIO_META_CLUSTER_ID": "Kubernetes",
        "ISTIO_META_INTERCEPTION_MODE": "REDIRECT",
        "ISTIO_META_WORKLOAD_NAME": name,
        "ISTIO_META_OWNER": owner,
        "ISTIO_META_MESH_ID": "cluster.local",
        "TRUST_DOMAIN": "cluster.local",
        "ISTIO_KUBE_APP_PROBERS": json.dumps(probers, separators=(",", ":")),
    }
    fields = {
        "POD_NAME": "metadata.name",
        "POD_NAMESPACE": "metadata.namespace",
        "INSTANCE_IP": "status.podIP",
        "SERVICE_ACCOUNT": "spec.serviceAccountName",
        "HOST_IP": "status.hostIP",
    }
    limits = {"containerName": "istio-proxy", "divisor": "0", "resource": "limits.cpu"}
    proxy: Json = {
        "args": [
            "proxy",
            "sidecar",
            "--domain",
            "$(POD_NAMESPACE).svc.cluster.local",
            "--log_output_level=default:info",
        ],
        "env": [
            *(field(key, path) for key, path in fields.items()),
            *({"name": key, "value": value} for key, value in values.items()),
            {"name": "ISTIO_CPU_LIMIT", "valueFrom": {"resourceFieldRef": limits}},
        ],
        "image": image,
        "name": "istio-proxy",
        "ports": [{"containerPort": 15090, "name": "http-envoy-prom", "protocol": "TCP"}],
        "readinessProbe": {
            "failureThreshold": 4,
            "httpGet": {"path": "/healthz/ready", "port": 15021, "scheme": "HTTP"},
            "periodSeconds": 15,
            "successThreshold": 1,
            "timeoutSeconds": 3,
        },
        "resources": {
            "limits": {"cpu": "2", "memory": "1Gi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "privileged": False,
            "readOnlyRootFilesystem": True,
            "runAsGroup": 1337,
            "runAsNonRoot": True,
            "runAsUser": 1337,
        },
        "volumeMounts": [
            *({"mountPath": f"/var/run/secrets/{volume}", "name": volume} for volume in _ISTIO_VOLUMES),
            {"mountPath": "/etc/istio/pod", "name": "istio-podinfo"},
            {"mountPath": "/var/run/secrets/tokens", "name": "istio-token"},
            {"mountPath": "/var/run/secrets/istio", "name": "istiod-ca-cert"},
        ],
        **_AS_SERVED,
    }
    redirect = [
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
    ]
    init: Json = {
        "args": redirect,
        "image": image,
        "name": "istio-init",
        "resources": {
            "limits": {"cpu": "2", "memory": "1Gi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"add": ["NET_ADMIN", "NET_RAW"], "drop": ["ALL"]},
            "privileged": False,
            "runAsNonRoot": False,
            "runAsUser": 0,
        },
        **_AS_SERVED,
    }
    if chance.hits(0.3):  # ENABLE_NATIVE_SIDECARS
        spec["initContainers"] = [init, {**proxy, "restartPolicy": "Always"}, *spec.get("initContainers", ())]
    else:
        spec["initContainers"] = [init, *spec.get("initContainers", ())]
        spec["containers"] = (
            [proxy, *spec["containers"]] if chance.hits(0.5) else [*spec["containers"], proxy]
        )
    token = {"audience": "istio-ca", "expirationSeconds": 43200, "path": "istio-token"}
    items = [
        {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.{key}"}, "path": key}
        for key in ("labels", "annotations")
    ]
    spec["volumes"] = [
        *({"emptyDir": {}, "name": volume} for volume in _ISTIO_VOLUMES[:3]),
        {"emptyDir": {"medium": "Memory"}, "name": "istio-envoy"},
        {"emptyDir": {}, "name": "istio-data"},
        {"downwardAPI": {"defaultMode": 420, "items": items}, "name": "istio-podinfo"},
        {
            "name": "istio-token",
            "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": token}]},
        },
        {"configMap": {"defaultMode": 420, "name": "istio-ca-root-cert"}, "name": "istiod-ca-cert"},
        *spec["volumes"],
    ]
    meta["annotations"] |= {
        "istio.io/rev": "default",
        "kubectl.kubernetes.io/default-container": spec["containers"][0]["name"],
        "prometheus.io/path": "/stats/prometheus",
        "sidecar.istio.io/status": _STATUS,
    }
    meta["labels"] |= {"security.istio.io/tlsMode": "istio", "service.istio.io/canonical-name": name}


def secrets_agent(chance: Chance, name: str, namespace: str, spec: Json, meta: Json) -> None:
    """Add an agent that fetches secrets, first as an init container, with its configuration in a variable."""
    config = {
        "auto_auth": {"method": {"type": "kubernetes", "config": {"role": name, "namespace": namespace}}},
        "template": [
            {"destination": f"/secrets/{secret}", "contents": f'{{{{ with secret "kv/{name}/{secret}" }}}}'}
            for secret in "ab"
        ],
    }
    agent: Json = {
        "args": ["echo ${AGENT_CONFIG?} | base64 -d > /tmp/config.json && agent -config=/tmp/config.json"],
        "command": ["/bin/sh", "-ec"],
        "env": [
            field("NAMESPACE", "metadata.namespace"),
            field("HOST_IP", "status.hostIP"),
            field("POD_IP", "status.podIP"),
            {"name": "AGENT_CONFIG", "value": json.dumps(config)},
        ],
        "image": "registry.example.com/secrets/agent:1.18.1",
        "name": "secrets-agent",
        "resources": resources(chance),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsUser": 100,
        },
        "volumeMounts": [{"mountPath": "/home/agent", "name": "agent-home"}],
        **_AS_SERVED,
    }
    spec["initContainers"] = [{**agent, "name": "secrets-agent-init"}, *spec.get("initContainers", ())]
    spec["containers"] = [*spec["containers"], agent]
    spec["volumes"] = [*spec["volumes"], {"emptyDir": {"medium": "Memory"}, "name": "agent-home"}]
    meta["annotations"] |= {
        "agent.example.com/inject": "true",
        "agent.example.com/status": "injected",
        "agent.example.com/role": name,
    }


def cloud_role(chance: Chance, name: str, namespace: str, spec: Json, meta: Json) -> None:
    """Give each container the credentials of a cloud's role."""
    del meta
    number = chance.randint(10**11, 10**12 - 1)
    rows = [
        {"name": "AWS_DEFAULT_REGION", "value": "eu-central-1"},
        {"name": "AWS_ROLE_ARN", "value": f"arn:aws:iam::{number}:role/{namespace}-{name}"},
        {
            "name": "AWS_WEB_IDENTITY_TOKEN_FILE",
            "value": "/var/run/secrets/eks.amazonaws.com/serviceaccount/token",
        },
    ]
    mount = {
        "mountPath": "/var/run/secrets/eks.amazonaws.com/serviceaccount",
        "name": "aws-iam-token",
        "readOnly": True,
    }
    spec["containers"] = [
        {
            **container,
            "env": [*container.get("env", ()), *rows],
            "volumeMounts": [*container.get("volumeMounts", ()), mount],
        }
        for container in spec["containers"]
    ]
    token = {"audience": "sts.amazonaws.com", "expirationSeconds": 86400, "path": "token"}
    volume = {
        "name": "aws-iam-token",
        "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": token}]},
    }
    spec["volumes"] = [volume, *spec["volumes"]]


WEBHOOKS: Final = ((0.2, istio), (0.07, secrets_agent), (0.15, cloud_role))
"""Which share of workloads each changes."""
