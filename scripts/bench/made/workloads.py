"""Workloads of a cluster: what creates its pods, the templates, and how many pods each has."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scripts.bench.made import affinities
from scripts.bench.made.chance import Chance, Json
from scripts.bench.made.containers import VOLUMES, container, init_container, sidecar_container
from scripts.bench.made.injected import WEBHOOKS

DEPLOYMENT, STATEFUL_SET, DAEMON_SET = "Deployment", "StatefulSet", "DaemonSet"
JOB, WORKFLOW, OPERATED, STATIC, BARE = "Job", "Workflow", "Operated", "Static", "Bare"

WORKLOADS_AT_MOST: Final = 300
_DAEMONS_AT_MOST: Final = 8
_NAMESPACES: Final = 40
_WORDS: Final = "api auth batch billing cache cart catalog edge events feed gateway index ledger mail orders"

OTHERS: Final = (
    *(DEPLOYMENT, STATEFUL_SET, DEPLOYMENT, JOB, DEPLOYMENT, OPERATED, DEPLOYMENT, WORKFLOW),
    *(DEPLOYMENT, DEPLOYMENT, STATEFUL_SET, DEPLOYMENT, BARE, DEPLOYMENT, JOB, DEPLOYMENT),
)
"""What comes in turn, besides DaemonSets and static pods."""


_WEIGHTS: Final = {JOB: 0.35, WORKFLOW: 0.35, OPERATED: 0.3, STATEFUL_SET: 0.5, BARE: 0.1}
"""How many pods a workload has next to a Deployment."""


@dataclass(frozen=True, slots=True)
class Template:
    """A pod template of a workload; a Deployment that is rolled out has several."""

    spec: Json
    labels: dict[str, str]
    annotations: dict[str, str]
    revision: str
    """The hash that a controller gives it."""
    owner_uid: str
    """The UID of the ReplicaSet, or of another controller."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What creates pods."""

    namespace: str
    name: str
    kind: str
    templates: tuple[Template, ...]
    network: str
    """Which network plugin leaves its annotations: ``calico``, ``multus`` or none."""

    @property
    def newest(self) -> Template:
        """The template of the latest rollout."""
        return self.templates[-1]


def workload(chance: Chance, number: int, kind: str = DEPLOYMENT) -> Workload:
    """Return a workload of its own structure."""
    name = f"{chance.choice(_WORDS.split())}-{number}"
    system = kind in {DAEMON_SET, STATIC}
    namespace = "kube-system" if system else f"team-{number % _NAMESPACES:02}"
    spec, meta = _spec(chance, name, kind), _metadata(chance, name)
    if not system and kind not in {JOB, WORKFLOW}:
        for share, added in WEBHOOKS:
            if chance.hits(share):
                added(chance, name, namespace, spec, meta)
    first = Template(spec, meta["labels"], meta["annotations"], _revision(chance), chance.uid())
    count = chance.choice((1, 1, 1, 2, 2, 3)) if kind == DEPLOYMENT else 1
    templates = [first]
    while len(templates) < count:
        templates.append(_next(chance, templates[-1]))
    return Workload(
        namespace, name, kind, tuple(templates), chance.choice(("calico", "calico", "multus", ""))
    )


def _revision(chance: Chance) -> str:
    return chance.suffix(chance.choice((8, 9, 10)))


def _next(chance: Chance, before: Template) -> Template:
    """Return the template of the next rollout: another image, at times another argument or variable."""
    spec = copy.deepcopy(before.spec)
    first = spec["containers"][0]
    first["image"] = f"{first['image']}.{chance.randint(1, 99)}"
    if chance.hits(0.3):
        first["args"] = [*first.get("args", ()), f"--feature={chance.randint(1, 99)}"]
    if chance.hits(0.3):
        first["env"] = [*first.get("env", ()), {"name": "ADDED", "value": chance.hex(4)}]
    return replace(before, spec=spec, revision=_revision(chance), owner_uid=chance.uid())


def _metadata(chance: Chance, name: str) -> Json:
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": name}
    more = {
        "app.kubernetes.io/component": "server",
        "team": f"t{chance.randint(1, 9)}",
        "app.kubernetes.io/managed-by": "Helm",
    }
    annotations = {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(chance.randint(1024, 9999)),
        "checksum/config": chance.hex(),
        "kubectl.kubernetes.io/restartedAt": "2026-01-12T09:30:11+01:00",
    }
    return {
        "labels": {**labels, **{key: more[key] for key in chance.some(tuple(more), 0, 3)}},
        "annotations": {key: annotations[key] for key in chance.some(tuple(annotations), 0, 4)},
    }


_NUMBERS: Final = (*[1] * 12, *[2] * 4, 3, 3, 4, 5)
"""How many containers a pod has, before webhooks add to it."""

_PARTS: Final = ("main", "proxy", "exporter", "cache", "reloader")


def _image(chance: Chance, name: str) -> str:
    tag = f"v{chance.randint(0, 9)}.{chance.randint(0, 40)}.{chance.randint(0, 9)}"
    registry = chance.choice(
        ("registry.example.com/platform", "docker.io/library", "quay.io/example", "ghcr.io/example/services")
    )
    return f"{registry}/{name}@sha256:{chance.hex()}" if chance.hits(0.1) else f"{registry}/{name}:{tag}"


def _spec(chance: Chance, name: str, kind: str) -> Json:
    """Return the spec of a template, without what each pod has as its own."""
    parts = _PARTS[: chance.choice(_NUMBERS)]
    spec: Json = {
        "containers": [
            container(chance, f"{name}-{part}", _image(chance, f"{name}-{part}")) for part in parts
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": chance.hits(0.8),
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "Never" if kind in {JOB, WORKFLOW} else "Always",
        "schedulerName": "default-scheduler",
        "securityContext": chance.choice(({}, {"fsGroup": 2000, "runAsNonRoot": True}, {"runAsUser": 1000})),
        "serviceAccount": name,
        "serviceAccountName": name,
        "terminationGracePeriodSeconds": chance.choice((30, 30, 30, 60, 120)),
        "tolerations": [_evicting("not-ready"), _evicting("unreachable")],
        "volumes": [_VOLUMES[volume](name) for volume in VOLUMES],
    }
    inits = [
        init_container(chance, f"wait-{index}", _image(chance, "wait"))
        for index in range(chance.choice((0, 0, 0, 0, 0, 0, 1, 1, 2)))
    ]
    if chance.hits(0.05) and kind != STATIC:
        inits.append(sidecar_container(chance, "log-shipper", _image(chance, "log-shipper")))
    if inits:
        spec["initContainers"] = inits
    if kind in {DAEMON_SET, STATIC}:
        return {**spec, **_system(kind)}
    if chance.hits(0.2):
        spec["imagePullSecrets"] = [{"name": "registry"}]
    if chance.hits(0.2):
        spec["nodeSelector"] = {"kubernetes.io/os": "linux"}
    return {**spec, **affinities.scheduling(chance, name)}


def _evicting(condition: str) -> Json:
    key = f"node.kubernetes.io/{condition}"
    return {"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300}


def _system(kind: str) -> Json:
    """Return what DaemonSets of a cluster's own and static pods have."""
    every = [{"effect": "NoExecute", "operator": "Exists"}]
    conditions = (
        "not-ready",
        "unreachable",
        "disk-pressure",
        "memory-pressure",
        "pid-pressure",
        "unschedulable",
    )
    effects = ("NoExecute", "NoExecute", "NoSchedule", "NoSchedule", "NoSchedule", "NoSchedule")
    of_daemons = [
        {"effect": effect, "key": f"node.kubernetes.io/{condition}", "operator": "Exists"}
        for effect, condition in zip(effects, conditions, strict=True)
    ]
    paths = {"name": "host", "hostPath": {"path": "/var/lib/system", "type": ""}}
    return {
        "hostNetwork": True,
        "priority": 2_000_001_000,
        "priorityClassName": "system-node-critical",
        "tolerations": every if kind == STATIC else of_daemons,
        **({"volumes": [paths]} if kind == STATIC else {}),
    }


_VOLUMES: Final[dict[str, Callable[[str], Json]]] = {
    "config": lambda name: {"configMap": {"defaultMode": 420, "name": f"{name}-config"}, "name": "config"},
    "scratch": lambda _: {"emptyDir": {}, "name": "scratch"},
    "certs": lambda name: {"name": "certs", "secret": {"defaultMode": 420, "secretName": f"{name}-tls"}},
}


def workloads(chance: Chance, pods: int, nodes: Sequence[str]) -> Iterator[tuple[Workload, int]]:
    """Yield the workloads of a cluster, and how many pods each has; so many in all."""
    number = max(4, min(WORKLOADS_AT_MOST, max(pods // 40, min(40, pods // 6))))
    daemons = max(1, min(_DAEMONS_AT_MOST, number // 8))
    masters = max(1, min(5, len(nodes) // 100))
    fixed = [(DAEMON_SET, len(nodes))] * daemons + [
        (STATIC, len(nodes)),
        (STATIC, masters),
        (STATIC, masters),
    ]
    left = max(1, pods - sum(count for _, count in fixed))
    kinds = [OTHERS[index % len(OTHERS)] for index in range(max(1, number - len(fixed)))]
    weights = [chance.lognormvariate(0, 1) * _WEIGHTS.get(kind, 1) for kind in kinds]
    counts = _shares(left, weights)
    for index, (kind, most) in enumerate([*fixed, *zip(kinds, counts, strict=True)]):
        count = min(most, pods)
        pods -= count
        if count:
            yield workload(chance, index, kind), count


def _shares(total: int, weights: Sequence[float]) -> list[int]:
    """Divide a number in proportion to weights."""
    shares, reached, whole = [], 0.0, sum(weights)
    for weight in weights:
        before, reached = reached, reached + weight
        shares.append(round(total * reached / whole) - round(total * before / whole))
    return shares
