"""The page that says for every step between minors whether it restarts anything, and what showed that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from hashcompat.analysis.answers import matrix as matrices
from hashcompat.analysis.answers.matrix import Cell
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.model.plan import Scope
from scripts.docs.upgrades import minor, ordinary, others
from scripts.golden.reality import changes, name_of
from scripts.lib.paths import REALITY

_FIRST: Final = 20
"""The minor with which the page begins."""

_STEP: Final = re.compile(r"(?:\d\d|standalone)-(1\.\d+)\.\d+(?:-containerd)?-to-(1\.\d+)\.\d+")

_TEXT: Final = """# Is my upgrade affected?

Upstream's page on kubeadm says that all containers restart after an upgrade, because the hash of their spec
changes. For most steps of today that is wrong. This page has every step from one minor to the next since
1.{first}, as the release data decide it.

Who follows upstream's advice drains a node before its kubelet goes to another minor. The table is about the
pods that stay, such as static pods and those of DaemonSets. `hashcompat plan` decides the same for your own
pods, with what depends on the node: [room, taints, labels, devices and sandboxes](rules.md).

| step | ordinary containers that restart | what else restarts | cause | on real kubelets |
|---|---|---|---|---|
{rows}

- **Ordinary containers** are those of pods that an API server has and nobody changed, created by the older
  kubelet.
- **Static pods** of kubeadm have no uid in their manifest. Their UID is a hash of the whole pod, so the
  control plane restarts in most steps where nothing else does; [why](static-pods.md).
- **On real kubelets**: how many verdicts were compared with what happened while the kubelet was replaced,
  and how many of them were wrong ([all changes](reality.md)). A dash is a step that Go's own code alone
  decides, with the golden data of both releases.
"""


def page() -> str:
    """Return the page, with a row for each step, the newest first."""
    matrix = matrices.make(View(default_catalog()))
    watched = _watched()
    rows = [
        _row(matrix.cells[old, new], watched)
        for old, new in reversed(list(pairwise(matrix.releases)))
        if int(minor(old).split(".")[1]) >= _FIRST
    ]
    return _TEXT.format(first=_FIRST, rows="\n".join(rows))


def _row(cell: Cell, watched: Mapping[tuple[str, str], tuple[int, int]]) -> str:
    step = minor(cell.old), minor(cell.new)
    count, contradicted = watched.get(step, (0, 0))
    shown = f"{count} compared, {contradicted} wrong" if count else "-"
    else_ = others(cell.old, cell.new, cell).replace("](docs/", "](") or "-"
    cells = (f"{step[0]} -> {step[1]}", ordinary(cell), else_, "; ".join(_causes(cell)) or "-", shown)
    return f"| {' | '.join(cells)} |"


def _causes(cell: Cell) -> Iterator[str]:
    """Yield why ordinary containers restart."""
    if cell.scope is Scope.NONE:
        return
    if cell.era:
        yield cell.hashed
    if cell.fields:
        yield f"new fields: {', '.join(f'`{change.path}`' for change in cell.fields)}"
    if cell.go:
        yield "another Go writes some characters differently"
    if cell.upstream:
        yield cell.upstream


def _watched() -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many containers were watched at a step, and how many verdicts they contradicted."""
    verdicts = json.loads((REALITY / "VERDICTS.json").read_text(encoding="utf-8"))
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for name in map(name_of, changes()):
        if step := _STEP.fullmatch(name):
            tally = verdicts[name]["static"]
            count = sum(number for word, number in tally.items() if word != "contradicted")
            before = counts.get((step[1], step[2]), (0, 0))
            counts[step[1], step[2]] = before[0] + count, before[1] + tally["contradicted"]
    return counts
