"""Make the dump of docs/guide/first-plan.md: a cluster of 40 nodes in three zones, as people have them.

A control plane of three that kubeadm made and that has the new release already, workers in three zones, two
of Windows, one that is not Ready; Deployments, StatefulSets and DaemonSets with their PodDisruptionBudgets
and Services. One object a line. There is no randomness.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.apiserver.created import as_served
from hashcompat.core.catalog.lookup import default_catalog
from scripts.lib.generated import Generated

Json = dict[str, Any]
PATH: Final = Path("examples/first-plan/cluster.jsonl")
OLD, NEW = "1.30.14", "1.31.14"
_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
_ZONES: Final = ("eu-1a", "eu-1b", "eu-1c")
_BEGUN: Final = "2026-01-12T08:{:02}:{:02}Z"
_HOST: Final = {"hostNetwork": True, "priorityClassName": "system-node-critical"}


class Work(msgspec.Struct, frozen=True):
    """A workload: its pods are one node on, the next ``step`` nodes on."""

    kind: str
    namespace: str
    name: str
    image: str
    nodes: tuple[str, ...]
    """The node of each replica."""
    budget: Json | None = None
    """What its PodDisruptionBudget demands."""
    service: bool = True
    spec: Json = {}
    container: Json = {}


CONTROL: Final = tuple(f"cp-{number}" for number in (1, 2, 3))
LINUX: Final = tuple(f"worker-{number:02}" for number in range(1, 36))
WINDOWS: Final = ("windows-1", "windows-2")
NOT_READY: Final = "worker-23"
ALL: Final = (*CONTROL, *LINUX, *WINDOWS)
SERVING: Final = tuple(name for name in LINUX if name != NOT_READY)


def _on(first: int, replicas: int, step: int = 1) -> tuple[str, ...]:
    return tuple(SERVING[(first + number * step) % len(SERVING)] for number in range(replicas))


_CACHE: Final = {"volumes": [{"name": "cache", "emptyDir": {}}]}
_STATIC: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
WORKS: Final = (
    *(
        Work("DaemonSet", "kube-system", name, image, (*CONTROL, *SERVING), service=False, spec=_HOST)
        for name, image in (
            ("kube-proxy", f"registry.k8s.io/kube-proxy:v{NEW}"),
            ("calico-node", "docker.io/calico/node:v3.28.2"),
            ("node-exporter", "quay.io/prometheus/node-exporter:v1.8.2"),
        )
    ),
    Work(
        "Deployment",
        "kube-system",
        "coredns",
        "registry.k8s.io/coredns/coredns:v1.11.3",
        _on(2, 2, 11),
        {"minAvailable": 1},
    ),
    Work(
        "Deployment",
        "ingress",
        "controller",
        "registry.k8s.io/ingress-nginx/controller:v1.11.3",
        _on(0, 3),
        {"minAvailable": 2},
    ),
    Work(
        "Deployment",
        "shop",
        "web",
        "registry.example.com/shop/web:2.14",
        _on(1, 12, 2),
        {"maxUnavailable": 2},
    ),
    Work(
        "Deployment",
        "shop",
        "api",
        "registry.example.com/shop/api:2.14",
        _on(4, 8, 4),
        {"maxUnavailable": "25%"},
        spec=_CACHE,
    ),
    Work(
        "Deployment",
        "shop",
        "checkout",
        "registry.example.com/shop/checkout:1.9",
        _on(9, 4, 8),
        {"minAvailable": 3},
    ),
    Work("Deployment", "shop", "search", "registry.example.com/shop/search:0.8", _on(12, 2, 0)),
    Work("Deployment", "shop", "images", "registry.example.com/shop/images:1.2", _on(6, 6, 5)),
    Work(
        "Deployment", "shop", "admin", "registry.example.com/shop/admin:1.2", _on(17, 1), {"minAvailable": 1}
    ),
    Work(
        "StatefulSet",
        "data",
        "postgres",
        "docker.io/library/postgres:16.4",
        _on(3, 3, 10),
        {"minAvailable": 2},
    ),
    Work("StatefulSet", "data", "kafka", "docker.io/apache/kafka:3.8.0", _on(5, 5, 7), {"maxUnavailable": 1}),
    Work("StatefulSet", "data", "redis", "docker.io/library/redis:7.4", _on(14, 3, 9), {"minAvailable": 2}),
    Work(
        "Deployment",
        "batch",
        "workers",
        "registry.example.com/batch/worker:5",
        _on(0, 20),
        service=False,
        spec=_CACHE,
    ),
    Work(
        "StatefulSet",
        "monitoring",
        "prometheus",
        "quay.io/prometheus/prometheus:v2.54.1",
        _on(20, 2, 6),
        {"minAvailable": 1},
    ),
    Work("Deployment", "monitoring", "grafana", "docker.io/grafana/grafana:11.2", _on(26, 1)),
    Work(
        "Deployment",
        "legacy",
        "erp",
        "registry.example.com/legacy/erp:4",
        WINDOWS,
        spec={"os": {"name": "windows"}},
    ),
    Work("Pod", "batch", "migration", "registry.example.com/batch/migrate:12", _on(30, 1), service=False),
)


def cluster() -> Iterator[Json]:
    """Yield the objects, as kubectl orders them: nodes, pods, Services, budgets."""
    yield from map(_node, ALL)
    for name in CONTROL:
        yield from (_static(component, name) for component in _STATIC)
    for work in WORKS:
        yield from (_pod(work, number, node) for number, node in enumerate(work.nodes))
    for work in WORKS:
        if work.service:
            spec = {"selector": {"app": work.name}, "type": "ClusterIP"}
            yield _object("v1", "Service", work.namespace, work.name, spec=spec)
    for work in WORKS:
        if work.kind not in ("DaemonSet", "Pod"):
            yield _controller(work)
        if work.budget:
            spec = {**work.budget, "selector": {"matchLabels": {"app": work.name}}}
            yield _object("policy/v1", "PodDisruptionBudget", work.namespace, work.name, spec=spec)


def _digest(*words: object) -> str:
    return hashlib.sha256("/".join(map(str, words)).encode()).hexdigest()


def _suffix(size: int, *words: object) -> str:
    return "".join(_SAFE[int(char * 2, 16) % len(_SAFE)] for char in _digest(*words)[:size])


def _uid(*words: object) -> str:
    text = _digest(*words)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def _object(version: str, kind: str, namespace: str, name: str, **more: Any) -> Json:
    metadata = {"namespace": namespace, "name": name, "uid": _uid(kind, namespace, name)}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def _controller(work: Work) -> Json:
    template = {"metadata": {"labels": {"app": work.name}}, "spec": {"containers": [_container(work)]}}
    spec = {"replicas": len(work.nodes), "template": template}
    return _object("apps/v1", work.kind, work.namespace, work.name, spec=spec)


def _node(name: str) -> Json:
    number = ALL.index(name)
    system = "windows" if name in WINDOWS else "linux"
    labels = {"kubernetes.io/os": system, "topology.kubernetes.io/zone": _ZONES[number % 3]}
    ready = "Unknown" if name == NOT_READY else "True"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": _uid("Node", name),
            "labels": labels | ({"node-role.kubernetes.io/control-plane": ""} if name in CONTROL else {}),
        },
        "status": {
            "conditions": [{"type": "Ready", "status": ready}],
            "nodeInfo": {"kubeletVersion": f"v{OLD}", "containerRuntimeVersion": "containerd://1.7.22"},
        },
    }


def _container(work: Work) -> Json:
    requests = {"requests": {"cpu": "100m", "memory": "128Mi"}}
    probe = {"readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}}} if work.service else {}
    return {"name": work.name, "image": work.image, "resources": requests, **probe}


def _pod(work: Work, number: int, node: str) -> Json:
    templates = _suffix(10, "template", work.namespace, work.name)
    ending = number if work.kind == "StatefulSet" else _suffix(5, work.namespace, work.name, number)
    owner = f"{work.name}-{templates}" if work.kind == "Deployment" else work.name
    name = work.name if work.kind == "Pod" else f"{owner}-{ending}"
    kind = "ReplicaSet" if work.kind == "Deployment" else work.kind
    labels = {"app": work.name} | ({"pod-template-hash": templates} if work.kind == "Deployment" else {})
    token = f"kube-api-access-{_suffix(5, 'token', work.namespace, name)}"
    served = dict(as_served(_container(work), default_catalog().api_server(NEW)))
    served["volumeMounts"] = [
        {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": token, "readOnly": True}
    ]
    volumes = [*work.spec.get("volumes", ()), {"name": token, "projected": {"sources": []}}]
    spec = {**work.spec, "volumes": volumes, "containers": [served], "restartPolicy": "Always"}
    pod = _object("v1", "Pod", work.namespace, name, spec={**spec, "nodeName": node})
    pod["metadata"]["labels"] = labels
    if work.kind != "Pod":
        reference = {
            "apiVersion": "apps/v1",
            "kind": kind,
            "name": owner,
            "uid": _uid(kind, work.namespace, owner),
        }
        pod["metadata"]["ownerReferences"] = [{**reference, "controller": True}]
    pod["status"] = _status(work.name, len(ALL) + number)
    return pod


def _static(component: str, node: str) -> Json:
    image = "registry.k8s.io/etcd:3.5.15-0" if component == "etcd" else f"registry.k8s.io/{component}:v{NEW}"
    container = as_served({"name": component, "image": image}, default_catalog().api_server(NEW))
    spec = {**_HOST, "containers": [container], "nodeName": node, "restartPolicy": "Always"}
    pod = _object("v1", "Pod", "kube-system", f"{component}-{node}", spec=spec)
    mark = _digest("static", component, node)[:32]
    pod["metadata"] |= {
        "labels": {"component": component, "tier": "control-plane"},
        "annotations": {f"kubernetes.io/config.{key}": mark for key in ("hash", "mirror")},
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Node", "name": node, "uid": _uid("Node", node), "controller": True}
        ],
    }
    pod["status"] = _status(component, CONTROL.index(node))
    return pod


def _status(container: str, number: int) -> Json:
    started = _BEGUN.format(number % 60, 0)
    running = {
        "name": container,
        "ready": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": started}},
    }
    condition = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": _BEGUN.format(number % 60, 8 + number % 9),
    }
    return {"phase": "Running", "conditions": [condition], "containerStatuses": [running]}


def make() -> dict[Path, bytes]:
    """Compute the one file."""
    lines: Sequence[str] = [
        json.dumps(manifest, separators=(",", ":"), sort_keys=True) for manifest in cluster()
    ]
    return {PATH: "".join(f"{line}\n" for line in lines).encode()}


GENERATED: Final = Generated(make, owned=(str(PATH),))
