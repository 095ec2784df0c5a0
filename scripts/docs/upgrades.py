"""Whether an upgrade is affected: a table for README.md, which the release data and the planner decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import hashcompat
from hashcompat.analysis.answers import matrix as matrices
from hashcompat.analysis.answers.matrix import Cell
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE
from hashcompat.core.model.plan import Scope
from hashcompat.output.report.matrix import who

_PLACE: Final = re.compile(r"(?<=<!-- upgrades: begin -->\n).*?(?=<!-- upgrades: end -->)", re.DOTALL)

_SHOWN: Final = 8
"""Upgrades with a row of their own; older ones are a sentence."""

_CONTAINER: Final = {"name": "app", "image": "example/app:1"}
_DIGEST: Final = "0123456789abcdef0123456789abcdef"
_STATIC: Final = {
    "annotations": {
        "kubernetes.io/config.hash": _DIGEST,
        "kubernetes.io/config.mirror": _DIGEST,
        "kubernetes.io/config.source": "file",
    },
    "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "node", "uid": "1", "controller": True}],
}
_DOCKER: Final = "docker"
"""The node with Docker."""
_CPU: Final = {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}

_FIRST, _LATEST = 0, -1

_OF_PODS: Final = "containers with their pod's limit and the resizePolicy `RestartContainer` for it"
"""So rare that README.md leaves them to the page of all upgrades, as it does the next."""
_REFERRING: Final = "static pods that name API objects"

PROBES: Final[Mapping[str, tuple[int, Mapping[str, Any], Mapping[str, Any]]]] = {
    "static pods without a uid in their manifest": (
        _LATEST,
        _STATIC,
        {"containers": [_CONTAINER]},
    ),
    _REFERRING: (
        _LATEST,
        _STATIC,
        {"containers": [_CONTAINER], "imagePullSecrets": [{"name": "registry"}]},
    ),
    "containers in Docker, of which dockershim was in charge,": (
        _LATEST,
        {},
        {"nodeName": _DOCKER, "containers": [_CONTAINER]},
    ),
    "sidecars that an older kubelet created": (
        _FIRST,
        {},
        {
            "initContainers": [{**_CONTAINER, "name": "sidecar", "restartPolicy": "Always"}],
            "containers": [_CONTAINER],
        },
    ),
    "containers with the resizePolicy `RestartContainer`": (
        _LATEST,
        {},
        {
            "containers": [
                {
                    **_CONTAINER,
                    "resources": _CPU,
                    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
                }
            ]
        },
    ),
    _OF_PODS: (
        _LATEST,
        {},
        {
            "containers": [
                {
                    **_CONTAINER,
                    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
                }
            ],
            "resources": _CPU,
        },
    ),
}
"""Pods that kubelets may treat differently from ordinary ones: by their name here, metadata and spec.

They started when the first or the latest patch release of the current minor was published.
"""

_NOT_ELSE: Final = ("HC006", "HC032")
"""A field that one release drops is said of ordinary containers already; and any container may be older than
its kubelet, which is no property of an upgrade."""

_VERDICTS: Final = {"RESTART": "restart", "KILL": "are killed", "UNKNOWN": "may restart"}


def _pod(number: int, metadata: Mapping[str, Any], spec: Mapping[str, Any], started: str) -> dict[str, Any]:
    """Return a running pod as an API server returns it."""
    statuses = {
        f"{place.removesuffix('s')}Statuses": [
            {
                "name": row["name"],
                "image": row["image"],
                "imageID": "",
                "containerID": "containerd://1",
                "ready": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": started}},
            }
            for row in spec[place]
        ]
        for place in spec.keys() & {"containers", "initContainers"}
    }
    uid = f"00000000-0000-4000-8000-{number:012}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "default", "name": str(number), "uid": uid, **metadata},
        "spec": {"nodeName": "node", **spec},
        "status": {"phase": "Running", **statuses},
    }


def _node(release: str) -> dict[str, Any]:
    """Return a node with Docker, whose kubelet is of some release."""
    about = {"kubeletVersion": f"v{release}", "containerRuntimeVersion": "docker://20.10.24"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": _DOCKER},
        "status": {"nodeInfo": about},
    }


def others(old: str, new: str, cell: Cell, *, rare: bool = True) -> str:
    """Name the probes that an upgrade does not keep though it keeps ordinary containers, with the rules.

    Of those with the same rule the first one is named. ``rare``: whether the rare ones are named too.
    """
    if cell.scope is Scope.ALL:
        return ""
    dates = next(row.dates for row in default_catalog().known.rows if row.minor == minor(old))
    pods = [
        _pod(number, metadata, spec, f"{dates[day]}T00:00:00Z")
        for number, (day, metadata, spec) in enumerate(PROBES.values())
    ]
    names = list(PROBES)
    rows: dict[int, str] = {}
    for item in hashcompat.plan(hashcompat.load([_node(old), *pods]), old, new).items:
        verdict = _VERDICTS.get(str(item.verdict))
        number = int(item.pod.name)
        if not rare and names[number] in (_OF_PODS, _REFERRING):
            continue
        if names[number] == _REFERRING and default_catalog().kubelet(old).gates.is_on(REFERENCES_GATE):
            continue  # it does not run, unless somebody set the gate
        if verdict and item.reasons[0].id not in _NOT_ELSE:
            rows[number] = f" {verdict} ({_link(item.reasons[0].id)})"
    first = {end: number for number, end in sorted(rows.items(), reverse=True)}
    phrases = [f"{names[number]}{end}" for end, number in sorted(first.items(), key=itemgetter(1))]
    if cell.static_types:
        types = ", ".join(f"`{name}`" for name in cell.static_types)
        phrases.append(f"{names[0]} restart if they have one of {types} ({_link('HC022')})")
    return "; ".join(phrases)


def _link(rule: str) -> str:
    return f"[{rule}](docs/rules.md#{rule.lower()})"


def ordinary(cell: Cell) -> str:
    """Say which ordinary containers an upgrade restarts."""
    if cell.scope is Scope.ALL:
        return "**every container**"
    if cell.scope is Scope.SOME and cell.if_set and not cell.go:
        return f"those that set {', '.join(f'`{change.path}`' for change in cell.fields)}"
    return who(cell)


def minor(release: str) -> str:
    """Return the minor of a release."""
    return release.rpartition(".")[0]


def _rows(pairs: Sequence[tuple[str, str]], cells: Mapping[tuple[str, str], Cell]) -> Iterator[str]:
    """Yield a row for each upgrade, newest first; equal ones in a row share theirs."""
    rows = [
        (pair, (ordinary(cells[pair]), others(*pair, cells[pair], rare=False))) for pair in reversed(pairs)
    ]
    for (restarting, besides), same in groupby(rows, key=lambda row: row[1]):
        upgrades = [pair for pair, _ in same]
        name = f"{minor(upgrades[-1][0])} -> {minor(upgrades[0][1])}"
        each = "" if len(upgrades) == 1 else ", each minor"
        yield f"| {name}{each} | {restarting} | {besides or '-'} |"


def table() -> str:
    """Return the table of the newest upgrades, and the older ones that restart every container."""
    matrix = matrices.make(View(default_catalog()))
    pairs = list(pairwise(matrix.releases))
    rows = _rows(pairs[-_SHOWN:], matrix.cells)
    heads = ("| kubelet upgrade | ordinary containers that restart | what else restarts |", "|---|---|---|")
    older = [new for old, new in pairs[:-_SHOWN] if matrix.cells[old, new].scope is Scope.ALL]
    before = minor(pairs[-_SHOWN][0])
    text = (
        f"Before {before}, every container restarts on entering "
        f"{', '.join(map(minor, older[:-1]))} and {minor(older[-1])}"
    )
    return "\n".join([*heads, *rows, "", f"{text}."])


def tabled(page: str) -> str:
    """Return README.md with the table of today's release data in its place."""
    text, count = _PLACE.subn(lambda _: f"{table()}\n", page)
    if count != 1:
        raise ValueError(f"README.md has {count} places for the table of upgrades")
    return text
