"""Generate docs/performance.md and its charts, from what ``scripts.bench.plans --write`` committed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from scripts.bench import record
from scripts.bench.record import Row
from scripts.docs import charts
from scripts.lib.generated import Generated, relative
from scripts.lib.paths import DOCS

_TEXT: Final = """# Performance

How long `plan` takes for a large cluster, next to what an engineer would write instead: a Go program that
streams the same file and hashes each container with Kubernetes' own types and functions, for both releases.
Both run in turn on the same file, and have to find the same hashes. Of a plan, the Go program has the hashes
alone: no verdicts, no reasons.

```sh
python -m scripts.bench.plans
```

The clusters have thirty pods on each node, and in every pod a status and the mount of a token, whose name is
the pod's own. `realistic`: a template has fifty pods, and in clusters of more than 15,000 pods as many more,
for there are 300 templates. `all different`: no two cluster are alike, as after a sidecar injector that
writes the pod's name into each.

CPU time is that of user and system, of all processes together, and the peak that of the largest one. `plan`
runs a process on each processor, and each of the two Go programs is one; on one core these take as long as
their CPU time, which is what the wall time of `plan` is compared with. Seconds depend on the machine:
{machine}.
The ratio hardly does, so it alone is compared: `.ci/full` fails where the share of Go's CPU time is more than
1.25 times the one that is committed here.

![CPU time of plan and of Go](images/performance.svg)

{rows}

Medians; of the ratios also the range over the rounds.

## Growth

Time grows as the number of pods does, and memory by 1 to 1.5 kB a pod: pods are read one by one, and what is
kept is the verdict on each container.

![CPU time by the number of pods](images/growth.svg)

## Other commands

Next to `plan` 1.30.14 -> 1.31.14 of the same cluster, in turn; `.ci/full` fails where one takes more CPU time
than the last column allows.

```sh
python -m scripts.bench.commands
```

{commands}
"""


def make() -> dict[Path, bytes]:
    """Return the page and its charts."""
    found = record.last()
    page = _TEXT.format(
        rows=_table(record.HEADERS, map(record.cells, found.rows)),
        machine=found.machine,
        commands=_table(record.COMMAND_HEADERS, map(record.command_cells, found.commands)),
    )
    files = {
        "performance.md": page.encode(),
        "images/performance.svg": _compared(found.rows),
        "images/growth.svg": _growth(found.rows),
    }
    return relative(DOCS, files)


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (headers, ["---"] * len(headers), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _compared(rows: Sequence[Row]) -> bytes:
    """Return both sides of each case, for the largest cluster."""
    pods = max(row.case.pods for row in rows)
    groups = {
        f"{row.case.cluster}, {row.case.old} -> {row.case.new}": (row.plan.cpu.median, row.go.cpu.median)
        for row in rows
        if row.case.pods == pods
    }
    return charts.bars(f"{pods:,} pods: seconds of CPU time, median", ("plan", "Go"), groups)


def _growth(rows: Sequence[Row]) -> bytes:
    """Return the upgrade between the newest releases, by the number of pods."""
    newest = [row for row in rows if row.case.old == rows[-1].case.old]
    title = f"{newest[0].case.old} -> {newest[0].case.new}: seconds of CPU time, median"
    return charts.lines(title, "pods", dict(_series(newest)))


def _series(rows: Sequence[Row]) -> Iterator[tuple[str, list[charts.Point]]]:
    for cluster in dict.fromkeys(row.case.cluster for row in rows):
        of_these = [row for row in rows if row.case.cluster == cluster]
        yield f"plan, {cluster}", [(row.case.pods, row.plan.cpu.median) for row in of_these]
        yield f"Go, {cluster}", [(row.case.pods, row.go.cpu.median) for row in of_these]


GENERATED: Final = Generated(
    make, owned=("docs/performance.md", "docs/images/performance.svg", "docs/images/growth.svg")
)
