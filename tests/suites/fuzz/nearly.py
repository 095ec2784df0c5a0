"""Pods that are nearly replicas, as texts of every form: what the fast path may take for one another.

Each difference is one that decides something, or that only seems to: other escapes of the same text, other
notations of a number, keys in another order or twice, names within one another, other states of containers.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import cycle
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Final

from scripts.lib.yamltext import as_yaml
from tests.suites.fuzz.differences import (
    CHANGES,
    EDITS,
    MOUNTED,
    TIMES,
    WORDS,
    YAML_EDITS,
    Json,
    mounts,
    reported,
    rows,
)


class Form(Enum):
    """How a file holds its objects."""

    INDENTED = "indented"
    COMPACT = "compact"
    LINES = "lines"
    DOCUMENTS = "documents"
    FILES = "files"
    YAML = "yaml"
    FLOW = "flow"

    @property
    def suffix(self) -> str:
        """The ending of such a file's name; empty for a directory with a file for each object."""
        suffixes = {Form.LINES: ".jsonl", Form.YAML: ".yaml", Form.FLOW: ".yaml", Form.FILES: ""}
        return suffixes.get(self, ".json")


@dataclass(frozen=True, slots=True)
class Upgrade:
    """An upgrade, with what nodes report before it."""

    old: str
    new: str
    first: str
    """The oldest of the releases, from which more than one hop leads to the target."""
    reported: tuple[str, ...]


_NEW: Final = ("v1.28.3", "v1.29.5", "v1.29.5-gke.1", "v1.30.14", "v1.31.14", "v1.31.14+k3s1", "v1.33.13")
UPGRADES: Final = (
    Upgrade("auto", "1.33.13", "v1.28.3", (*_NEW, "dev")),
    Upgrade("auto", "1.31.14", "v1.27.16", (*_NEW[:5], "v1.27.16", "v1.99.0")),
    Upgrade("auto", "1.36.5", "v1.33.13", ("v1.33.13", "v1.34.12", "v1.35.8", "v1.36.4", "v1.36.5")),
    Upgrade("auto", "1.9.11", "v1.6.13", ("v1.6.13", "v1.7.16", "v1.8.15", "v1.9.11", "v1.7.16-gke.0")),
    Upgrade("auto", "1.20.15", "v1.15.12", ("v1.15.12", "v1.16.15", "v1.17.17", "v1.18.16", "v1.19.16")),
    Upgrade("1.27.16", "1.31.14", "v1.27.16", ("v1.27.16",)),
    Upgrade("1.30.14", "1.31.14", "v1.30.14", ("v1.30.14",)),
    Upgrade("v1.27.3-gke.100", "1.7.16", "v1.27.3", ("v1.27.3-gke.100",)),
)
"""From several releases on, most of them with a hop in common that restarts something."""


@dataclass(frozen=True, slots=True)
class Dump:
    """What a file holds."""

    form: Form
    nodes: tuple[str, ...]
    """The texts of nodes, and of one pod that is like no other (``LONE``)."""
    pods: tuple[str, ...]
    first: int
    """How many pods come before the nodes."""
    crowded: bool = False
    """Whether the nodes say how much room they have, so that a pod's verdict depends on the others."""

    def text(self, pods: Sequence[str] | None = None) -> tuple[str, list[int]]:
        """Return the file with these of its pods, or all; and at which line each of the pods begins."""
        given = self.pods if pods is None else pods
        first = min(self.first, len(given))
        before, between, after = _AROUND[self.form]
        elements = [*given[:first], *self.nodes, *given[first:]]
        lines, line = list[int](), before.count("\n") + 1
        for element in elements:
            lines.append(line)
            line += element.count("\n") + between.count("\n")
        nodes = range(first, first + len(self.nodes))
        return before + between.join(elements) + after, [
            line for place, line in enumerate(lines) if place not in nodes
        ]

    def write(self, path: Path, pods: Sequence[str] | None = None) -> list[int]:
        """Write the file, or the directory; return the lines as ``text`` does."""
        text, lines = self.text(pods)
        if self.form is not Form.FILES:
            path.write_text(text, errors="surrogatepass", newline="")
            return lines
        rmtree(path, ignore_errors=True)
        path.mkdir()
        for number, content in enumerate(text.split(_BETWEEN_FILES)):
            (path / f"{number:04}.json").write_text(content, errors="surrogatepass", newline="")
        return [1] * len(lines)

    def index(self, place: int, number: int) -> int:
        """Return the index among the items of the pod at a place of so many."""
        return place if place < min(self.first, number) else place + len(self.nodes)


_CROWDED: Final = 0.25
"""In how many files nodes say how much room they have."""

_PADDING: Final = 110_000
"""Characters that make a pod large."""

_LIST: Final = (
    '{\n    "apiVersion": "v1",\n    "items": [\n        ',
    ",\n        ",
    '\n    ],\n    "kind": "List"\n}\n',
)
_BETWEEN_FILES: Final = "\0"
_AROUND: Final = {
    Form.INDENTED: _LIST,
    Form.COMPACT: ('{"apiVersion":"v1","items":[', ",", '],"kind":"List"}\n'),
    Form.LINES: ("", "\n", "\n"),
    Form.DOCUMENTS: ("", "\n", "\n"),
    Form.FILES: ("", _BETWEEN_FILES, ""),
    Form.YAML: ("apiVersion: v1\nitems:\n", "", 'kind: List\nmetadata:\n  resourceVersion: ""\n'),
    Form.FLOW: (f"# as flow\n{_LIST[0]}", *_LIST[1:]),
}
"""What precedes the elements of a file, is between them, and follows them."""


def rendered(value: Json, form: Form) -> str:
    """Return an object as the element of a file."""
    match form:
        case Form.YAML:
            return as_yaml([value])
        case Form.COMPACT | Form.LINES:
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    text = json.dumps(value, indent=4, ensure_ascii=False)
    return text if form in (Form.DOCUMENTS, Form.FILES) else text.replace("\n", "\n        ")


def node(name: str, release: str, room: Json | None = None) -> Json:
    """Return a node, with so much room."""
    info = {"kubeletVersion": release, "containerRuntimeVersion": "containerd://1.7.29"}
    metadata = {"labels": {"kubernetes.io/hostname": name}, "name": name}
    status = {"nodeInfo": info, **({"allocatable": room} if room else {})}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def _room(chance: Random) -> Json:
    """Return what a node can give, which some of its pods may not fit into."""
    return {
        "cpu": chance.choice(("100m", "1", "4")),
        "memory": chance.choice(("64Mi", "128Mi", "8Gi")),
        "pods": chance.choice(("1", "3", "110")),
    }


LONE: Final[Json] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "lone", "namespace": "lone", "uid": "00000000-0000-4000-8000-00000000000f"},
    "spec": {"containers": [{"image": "lone:1", "name": "lone"}], "nodeName": "lone"},
    "status": {"phase": "Running"},
}
"""A pod that more than one hop concerns, like no other: with it, the plan of a single pod has hops too."""


@dataclass(frozen=True, slots=True)
class Case:
    """What one round compares."""

    dump: Dump
    upgrade: Upgrade
    jobs: tuple[int, ...]


def case(form: Form, seed: object, size: int = 0) -> Case:
    """Return a random case, the same one for the same seed; of about so many bytes, if it is to be large."""
    chance = Random(f"{form}/{seed}")
    upgrade = chance.choice((*UPGRADES, *UPGRADES[:4]))
    jobs = (1, 2, 3) if size else (1, chance.choice((2, 3)))
    return Case(_dump(chance, form, upgrade, size), upgrade, jobs)


def _dump(chance: Random, form: Form, upgrade: Upgrade, size: int) -> Dump:
    names = chance.sample(["n1", "n2", "web", "a", "node-1"], chance.choice((1, 3, 4, 5)))
    shown = names[: chance.choice((None, None, -1))]
    several = chance.sample(upgrade.reported, min(len(shown), len(upgrade.reported)))
    releases = several if chance.random() < 0.7 else chance.choices(upgrade.reported, k=len(shown))
    crowded = chance.random() < _CROWDED
    own = [node(*pair, _room(chance) if crowded else None) for pair in zip(shown, cycle(releases))]
    nodes = [LONE, node("lone", upgrade.first), *own]
    pods, workloads = list[str](), chance.choice((1, 1, 2, 3))
    for number in range(workloads):
        often = chance.choice((0.0, 0.2, 0.5))
        pods += _pods(chance, _workload(chance, number, 0), names, form, max(2, 12 // (number + 1)), often)
    while sum(map(len, pods)) < size:
        workloads += 1
        pods += _pods(chance, _workload(chance, workloads, _PADDING), names, form, 40, 0.05)
    if chance.random() < 0.2:
        chance.shuffle(pods)
    if chance.random() < 0.05:
        pods.append(chance.choice(pods))
    first = chance.choice((0, 0, len(pods), chance.randint(0, len(pods))))
    return Dump(form, tuple(rendered(manifest, form) for manifest in nodes), tuple(pods), first, crowded)


def _pods(chance: Random, like: Json, nodes: Sequence[str], form: Form, most: int, often: float) -> list[str]:
    """Return the texts of the pods of a workload: most are replicas, the others nearly."""
    edits = YAML_EDITS if form is Form.YAML else EDITS
    texts = list[str]()
    for number in range(chance.randint(2, most)):
        pod = _replica(chance, like, number, nodes)
        while chance.random() < often:
            chance.choice(CHANGES)(chance, pod)
        text = rendered(pod, form)
        while chance.random() < often:
            text = chance.choice(edits)(chance, text)
        texts.append(text)
        if chance.random() < 0.1:
            like = pod  # those that follow are replicas of this one
    return texts


def _uid(chance: Random) -> str:
    return f"{chance.randrange(1 << 32):08x}-0000-4000-8000-{chance.randrange(1 << 48):012x}"


def _workload(chance: Random, number: int, padding: int) -> Json:
    """Return a pod that others are made like."""
    name = (
        f"{chance.choice(WORDS).lower()}-{number}" if chance.random() < 0.6 else chance.choice(WORDS).lower()
    )
    kind = chance.choice(("ReplicaSet", "StatefulSet", "DaemonSet", "Job"))
    names = chance.sample(sorted({name, "c", "main", f"{name}-x", "web"}), chance.randint(1, 2))
    token = f"kube-api-access-{chance.randrange(1 << 20):05x}"
    containers = [
        _container(chance, container_name, token if chance.random() < 0.7 else "") for container_name in names
    ]
    before = [_container(chance, "init", "")] if chance.random() < 0.3 else []
    if before and chance.random() < 0.5:
        before[0]["restartPolicy"] = "Always"
    spec: Json = {
        "containers": containers,
        **({"initContainers": before} if before else {}),
        "nodeName": "n1",
        "restartPolicy": "Always",
        "volumes": [{"name": token, "projected": {"sources": []}}],
    }
    if chance.random() < 0.2:
        spec["nodeSelector"] = {"disk": "ssd"}
    if kind == "DaemonSet":
        terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        spec["affinity"] = {"nodeAffinity": required}
    if chance.random() < 0.3:
        apart = {"labelSelector": {"matchLabels": {"x": "own"}}, "topologyKey": "zone"}
        asked = {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}
        spec.setdefault("affinity", {})["podAntiAffinity"] = asked
        spec["topologySpreadConstraints"] = [{**apart, "maxSkew": 1}]
    owner = {"apiVersion": "apps/v1", "controller": True, "kind": kind, "name": name, "uid": _uid(chance)}
    metadata: Json = {
        "creationTimestamp": TIMES[0],
        "labels": {"app": name, "apps.kubernetes.io/pod-index": "0"},
        "name": name,
        "namespace": chance.choice(("ns", *WORDS)).lower(),
        "ownerReferences": [owner],
        "resourceVersion": "1",
        "uid": "",
    }
    if padding:
        metadata["annotations"] = {"note": "x" * padding}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}
    pod["status"] = _status(chance, spec)
    return pod


def _container(chance: Random, name: str, token: str) -> Json:
    some: tuple[Json, ...] = (
        {},
        {"args": ["--name=web-0", "-v=2"]},
        {"resources": {"limits": {"cpu": "100m"}, "requests": {"cpu": "100m"}}},
        {"resources": {"requests": {"cpu": chance.choice(("30m", "0.5")), "memory": "32Mi"}}},
        {"resources": {"requests": {"memory": chance.choice(("16Mi", "33554432")), "x.io/y": "1"}}},
        {"livenessProbe": {"exec": {"command": ["true"]}, "timeoutSeconds": 1}},
        {"securityContext": {"procMount": "Default"}},
        {"lifecycle": {"preStop": {"sleep": {"seconds": 5}}}},
        {"ports": [{"containerPort": 8080, "protocol": "TCP"}]},
        {"env": [{"name": "N", "value": name}, {"name": "EMPTY"}]},
        {"env": [{"name": "HTML", "value": "<a & b>"}]},
        {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]},
    )
    container: Json = {"image": f"registry.example.com/{name}:v1", "name": name}
    for more in chance.sample(some, chance.randint(0, 3)):
        container.update(copy.deepcopy(more))
    if token:
        container["volumeMounts"] = [{"mountPath": MOUNTED, "name": token, "readOnly": True}]
    return container


def _status(chance: Random, spec: Json) -> Json:
    ready = {"lastTransitionTime": TIMES[0], "status": "True", "type": "Ready"}
    status: Json = {
        "conditions": [ready],
        "containerStatuses": [reported(chance, container["name"]) for container in spec["containers"]],
        "phase": "Running",
        "podIP": "10.0.0.1",
        "podIPs": [{"ip": "10.0.0.1"}],
        "startTime": TIMES[0],
    }
    if "initContainers" in spec:
        status["initContainerStatuses"] = [
            reported(chance, container["name"]) for container in spec["initContainers"]
        ]
    return status


def _replica(chance: Random, like: Json, number: int, nodes: Sequence[str]) -> Json:
    """Return a pod with names, addresses, times and ids of its own."""
    pod, meta = copy.deepcopy(like), like["metadata"]
    uid, where = _uid(chance), chance.choice(nodes)
    base = meta["ownerReferences"][0]["name"] if meta.get("ownerReferences") else "own"
    name = chance.choice((f"{base}-{number}", f"{base}-{chance.randrange(1 << 20):05x}", f"{base}-{uid[:8]}"))
    pod["metadata"].update(uid=uid, name=name, resourceVersion=str(chance.randrange(10**6)))
    pod["spec"]["nodeName"] = where
    if "affinity" in pod["spec"]:
        text = json.dumps(pod["spec"]["affinity"]).replace('["n1"]', json.dumps([where]))
        pod["spec"]["affinity"] = json.loads(text.replace('"own"', json.dumps(chance.choice((name, "own")))))
    address = f"10.0.{chance.randrange(256)}.{chance.randrange(256)}"
    status = pod.get("status")
    if not isinstance(status, dict):
        return pod
    status.update(podIP=address, podIPs=[{"ip": address}])
    for row in (*rows(status, "containerStatuses"), *rows(status, "initContainerStatuses")):
        row["containerID"] = f"containerd://{chance.randbytes(32).hex()}"
    token = f"kube-api-access-{chance.randrange(1 << 20):05x}"
    for holder in (*rows(pod["spec"], "volumes"), *mounts(pod)):
        if str(holder.get("name", "")).startswith("kube-api-access-"):
            holder["name"] = token
    return pod
