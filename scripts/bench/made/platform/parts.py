"""The parts of pod templates."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import CLOUD_REGISTRY, REGISTRY, digits
from scripts.bench.made.platform.words import FLAG_WORDS, NOUNS


def variable(k: str, v: str) -> Json:
    """Return a variable with a value."""
    return {"name": k, "value": v} if v != "" else {"name": k}


def field(k: str, path: str) -> Json:
    """Return a variable of the downward API."""
    return {"name": k, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def secret(k: str, name: str, key: Any) -> Json:
    """Return a variable of a Secret."""
    return {"name": k, "valueFrom": {"secretKeyRef": {"key": key, "name": name}}}


def resource_field(k: str, res: Any, c: Any = None) -> Json:
    """Return a variable of a container's resources."""
    d: Json = {"divisor": "0", "resource": res}
    if c:
        d["containerName"] = c
    return {"name": k, "valueFrom": {"resourceFieldRef": d}}


def pod_env() -> list[Json]:
    """Return the variables that nearly all services have."""
    return [
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field("POD_IP", "status.podIP"),
        field("NODE_NAME", "spec.nodeName"),
    ]


def mount(name: str, path: str, ro: bool = False, sub: Any = None, prop: Any = None) -> Json:
    """Return a volume mount."""
    d: Json = {"mountPath": path, "name": name}
    if ro:
        d["readOnly"] = True
    if sub:
        d["subPath"] = sub
    if prop:
        d["mountPropagation"] = prop
    return d


def host_volume(name: str, path: str, typ: str = "") -> Json:
    """Return a volume of the node."""
    return {"hostPath": {"path": path, "type": typ}, "name": name}


def config_volume(name: str, cm: str, **kw: Any) -> Json:
    """Return a volume of a ConfigMap."""
    d: Json = {"defaultMode": 420, "name": cm}
    d.update(kw)
    return {"configMap": d, "name": name}


def secret_volume(name: str, sec: Any, mode: int = 420, **kw: Any) -> Json:
    """Return a volume of a Secret."""
    d: Json = {"defaultMode": mode, "secretName": sec}
    d.update(kw)
    return {"name": name, "secret": d}


def empty_volume(name: str, **kw: Any) -> Json:
    """Return a volume that begins empty."""
    return {"emptyDir": kw, "name": name}


def claim_volume(name: str, claim: Any) -> Json:
    """Return a volume of a claim."""
    return {"name": name, "persistentVolumeClaim": {"claimName": claim}}


def cpu_text(m: int) -> str:
    """Return millicores as a quantity."""
    return str(m // 1000) if m % 1000 == 0 else f"{m}m"


def memory_text(m: int) -> str:
    """Return MiB as a quantity."""
    return f"{m // 1024}Gi" if m % 1024 == 0 else f"{m}Mi"


def resources(rc: Any = None, rm: Any = None, lc: Any = None, lm: Any = None, **ext: Any) -> Json:
    """Return requests and limits in millicores and MiB; a limit alone is the request as well."""
    d: Json = {}
    rq, li = {}, {}
    if rc:
        rq["cpu"] = cpu_text(rc)
    if rm:
        rq["memory"] = memory_text(rm)
    if lc:
        li["cpu"] = cpu_text(lc)
    if lm:
        li["memory"] = memory_text(lm)
    for k, v in ext.items():
        rq[k.replace("__", "/").replace("_", ".")] = li[k.replace("__", "/").replace("_", ".")] = str(v)
    for k, v in li.items():
        rq.setdefault(k, v)
    if rq:
        d["requests"] = rq
    if li:
        d["limits"] = li
    return d


def http_probe(
    path: str, port: Any, scheme: str = "HTTP", delay: int = 0, fail: int = 3, period: int = 10, to: int = 1
) -> Json:
    """Return a probe by HTTP."""
    d: Json = {
        "failureThreshold": fail,
        "httpGet": {"path": path, "port": port, "scheme": scheme},
        "periodSeconds": period,
        "successThreshold": 1,
        "timeoutSeconds": to,
    }
    if delay:
        d["initialDelaySeconds"] = delay
    return d


def exec_probe(cmd: Any, delay: int = 0, fail: int = 3, period: int = 10, to: int = 5) -> Json:
    """Return a probe by a command."""
    d: Json = {
        "exec": {"command": cmd},
        "failureThreshold": fail,
        "periodSeconds": period,
        "successThreshold": 1,
        "timeoutSeconds": to,
    }
    if delay:
        d["initialDelaySeconds"] = delay
    return d


def tcp_probe(port: Any, delay: int = 5, fail: int = 3, period: int = 10, to: int = 1) -> Json:
    """Return a probe by a connection."""
    return {
        "failureThreshold": fail,
        "initialDelaySeconds": delay,
        "periodSeconds": period,
        "successThreshold": 1,
        "tcpSocket": {"port": port},
        "timeoutSeconds": to,
    }


def grpc_probe(port: Any, period: int = 10) -> Json:
    """Return a probe by gRPC."""
    return {
        "failureThreshold": 3,
        "grpc": {"port": port, "service": ""},
        "periodSeconds": period,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    }


def container_port(n: int, name: str | None = None, proto: str = "TCP", host: bool = False) -> Json:
    """Return a port."""
    d: Json = {"containerPort": n, "protocol": proto}
    if name:
        d["name"] = name
    if host:
        d["hostPort"] = n
    return d


def container(name: str, image: str, **kw: Any) -> Json:
    """Return a container with an API server's defaults."""
    d: Json = {
        "name": name,
        "image": image,
        "imagePullPolicy": "Always" if image.endswith(":latest") else "IfNotPresent",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }
    for k, v in kw.items():
        if v is not None and (v != [] or k == "volumeMounts"):
            d[k] = v
    return d


HARDENED: Final[Any] = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


PRIVILEGED: Final[Any] = {"privileged": True}


def image_of(r: Random, path: str) -> str:
    """Return an image with a tag of some form."""
    k = r.random()
    base = f"{r.choice([REGISTRY, CLOUD_REGISTRY, 'ghcr.io/nimbusgrid'])}/{path}"
    if k < 0.45:
        return f"{base}:{digits(r, r.choice([7, 8, 12, 40]))}"
    if k < 0.75:
        return f"{base}:v{r.randint(0, 6)}.{r.randint(0, 60)}.{r.randint(0, 20)}"
    if k < 0.92:
        return f"{base}:main-2026{r.randint(9, 11):02d}{r.randint(1, 18):02d}-{digits(r, 7)}"
    return f"{base}:v{r.randint(1, 4)}.{r.randint(0, 20)}@sha256:{digits(r, 64)}"


def templated(labels: Json, ann: Json, spec: Json, **kw: Any) -> Json:
    """Return a pod template."""
    d: Json = {"labels": labels, "annotations": ann, "spec": spec}
    d.update(kw)
    return d


PRIORITIES: Final = {
    "system-node-critical": 2000001000,
    "system-cluster-critical": 2000000000,
    "prod-critical": 1000000,
    "prod-default": 100000,
    "batch-high": 5000,
    "batch-low": -100,
    "preview": -1000,
    "gpu-training": 20000,
}


def big_config(r: Random, n: int) -> Json:
    """Return settings as an operator writes them into an annotation."""
    return {
        r.choice(NOUNS) + "." + "-".join(r.sample(FLAG_WORDS, 2)): r.choice(
            [r.randrange(9999), True, f"{r.randint(1, 99)}s", [r.choice(NOUNS) for _ in range(3)]]
        )
        for _ in range(n)
    }
