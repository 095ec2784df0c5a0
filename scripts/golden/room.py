"""Build the oracles of room, and make golden/room with them.

The oracles are one Go program (room/) around the code by which a kubelet admits pods, built once a release:
they say which pods of a node do not run any more after a start, and why: for want of room, or because its
resource managers refuse them. The nodes are made up by ``made``, which the suite asks for more of; those in
inputs.jsonl are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from scripts.lib import golden
from scripts.lib import oracles as lib
from scripts.lib.generated import all_releases
from scripts.lib.kubeletoracles import OfKubelet
from scripts.lib.paths import ROOM, SCRIPTS
from scripts.lib.program import Program

MODULE: Final = SCRIPTS / "golden" / "room"

KEPT: Final = 90
"""Nodes in inputs.jsonl, of which the last 30 have pods with host ports."""

Json = dict[str, Any]


def oracles() -> dict[str, OfKubelet]:
    """Read the table of releases that have an oracle, oldest first."""
    return lib.table(MODULE / "releases.json", OfKubelet)


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: oracle.program(MODULE) for release, oracle in oracles().items()}


def ask(release: str, nodes: Iterable[Json]) -> Iterator[dict[str, str]]:
    """Yield for each node which of its pods do not run any more, by uid, and why."""
    return lib.find(oracles(), release).program(MODULE).ask(json.dumps(node).encode() for node in nodes)


def start(release: str, nodes: Iterable[Json]) -> Iterator[Json]:
    """Yield for each node with ``managers`` what ``ask`` does and the files, or why it does not start."""
    return lib.find(oracles(), release).program(MODULE).ask(json.dumps(node).encode() for node in nodes)


def inputs() -> list[Json]:
    """Read the nodes that are kept."""
    return list(golden.rows(ROOM / golden.INPUTS).values())


def of_release(release: str) -> dict[Path, bytes]:
    """Compute the file of one release in golden/room."""
    names = golden.rows(ROOM / golden.INPUTS)
    rows = {name: {"out": out} for name, out in zip(names, ask(release, names.values()), strict=True)}
    return golden.of_release(ROOM, release, rows)


GENERATED: Final = all_releases(ROOM, oracles, of_release)


# Nodes that are made up.


def made(seed: int) -> Json:
    """Return a node and its pods, some of which may not fit; the same for a seed each time."""
    chance = Random(seed)
    allocatable = {
        "cpu": chance.choice(("1", "1500m", "2", "3920m")),
        "memory": chance.choice(("2Gi", "3Gi", "3500000Ki", "4G")),
        "ephemeral-storage": chance.choice(("10Gi", "20G")),
        "hugepages-2Mi": chance.choice(("0", "8Mi", "64Mi")),
        "pods": str(chance.randint(4, 14)),
    }
    if chance.random() < 0.5:
        allocatable["x.com/y"] = "1000"
    node = {
        "metadata": {"name": "n1"},
        "status": {"allocatable": allocatable, "capacity": allocatable},
    }
    times = chance.sample(range(1000, 9999), 14)
    pods = [_pod(chance, f"p{number}", times[number]) for number in range(chance.randint(2, 12))]
    return {"node": node, "pods": pods}


def _pod(chance: Random, name: str, time: int) -> Json:
    spec: Json = {
        "nodeName": "n1",
        "restartPolicy": "Always",
        "containers": [_container(chance, f"c{number}") for number in range(chance.randint(1, 3))],
    }
    if chance.random() < 0.4:
        spec["initContainers"] = [
            _container(chance, f"i{number}", sidecar=chance.random() < 0.4)
            for number in range(chance.randint(1, 3))
        ]
    if chance.random() < 0.1:
        spec["overhead"] = {"cpu": "50m", "memory": "16Mi"}
    if chance.random() < 0.15:
        spec["resources"] = {"requests": _requests(chance, ("cpu", "memory"))}
    kind = chance.random()
    if kind < 0.08:
        spec["priority"] = 2_000_000_000 + chance.randrange(1000)
    elif kind < 0.3:
        spec["priority"] = chance.choice((0, 1000))
    metadata: Json = {
        "name": name,
        "namespace": "ns",
        "uid": f"00000000-0000-4000-8000-{time:012}",
        "creationTimestamp": f"2026-01-01T{time // 3600:02}:{time // 60 % 60:02}:{time % 60:02}Z",
    }
    if kind > 0.95:
        uid = f"{time:032x}"
        metadata |= {"uid": uid, "annotations": {"kubernetes.io/config.source": "file"}}
    status: Json = {"phase": "Running"}
    if chance.random() < 0.15:
        status |= _resizing(chance, spec)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _resizing(chance: Random, spec: Json) -> Json:
    """Return what the status of a pod shows that has other resources yet than its kubelet allocated."""
    return {
        f"{key}Statuses": [
            {
                "name": container["name"],
                "allocatedResources": container["resources"]["requests"],
                "resources": {"requests": _requests(chance, container["resources"]["requests"])},
            }
            for container in spec.get(f"{key}s", ())
        ]
        for key in ("container", "initContainer")
    }


_AMOUNTS: Final = {
    "cpu": ("10m", "100m", "250m", "500m", "1", "1100m"),
    "memory": ("64Mi", "100M", "512Mi", "1Gi", "1e9"),
    "ephemeral-storage": ("1Gi", "2500M", "7Gi"),
    "hugepages-2Mi": ("2Mi", "4Mi", "32Mi"),
    "x.com/y": ("1", "2"),
    "foo": ("1",),
}


def _container(chance: Random, name: str, *, sidecar: bool = False) -> Json:
    names = [
        resource
        for resource in _AMOUNTS
        if chance.random() < (0.6 if resource in ("cpu", "memory") else 0.12)
    ]
    requests = _requests(chance, names)
    limits = dict(requests) if chance.random() < 0.3 else {}
    more: Json = {"restartPolicy": "Always"} if sidecar else {}
    if chance.random() < 0.15:
        more["ports"] = [_port(chance) for _ in range(chance.randint(1, 2))]
    return {"name": name, "image": "i", "resources": {"requests": requests, "limits": limits}, **more}


def _port(chance: Random) -> Json:
    port: Json = {"containerPort": 1, "protocol": chance.choice(("TCP", "TCP", "UDP", ""))}
    port["hostPort"] = chance.choice((0, 53, 8080, 8080, 9090))
    if chance.random() < 0.5:
        port["hostIP"] = chance.choice(("", "0.0.0.0", "10.0.0.1", "10.0.0.2", "::"))  # noqa: S104 - a text
    return port


def _requests(chance: Random, names: Iterable[str]) -> dict[str, str]:
    return {name: chance.choice(_AMOUNTS[name]) for name in names}
