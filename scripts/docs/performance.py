"""Generate docs/performance.md and its charts, from what ``scripts.bench.plans --write`` committed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from scripts.bench import limits, record
from scripts.bench.record import Row
from scripts.docs import charts
from scripts.lib.generated import Generated, relative
from scripts.lib.paths import DOCS

_TEXT: Final = """# Performance

How long `plan` takes for a large cluster, compared with what an engineer would write instead: a Go program
that streams the same file and hashes each container with Kubernetes' own types and functions, for both
releases. Both run in turn on the same file and must find the same hashes. The Go program only computes
hashes: no verdicts, no reasons.

```sh
python -m scripts.bench.plans
```

Each file is what `kubectl get nodes,pods -A -o json` prints: nodes first, then thirty pods for each of them,
by namespace and name. No two pods are alike, as in every real cluster: each has its own UID, versions, times,
addresses, ids of containers, name of its token's mount, and annotations of its network. Some were restarted,
ended, failed, were evicted, or wait.

- `services`: 40 to 300 workloads of random structures, with old and new ReplicaSets of Deployments that are
  rolled out, StatefulSets, DaemonSets, Jobs, an operator's databases, steps of workflows, static pods and
  bare ones; containers of all kinds of probes, hooks, variables and security; affinity and spread; a mesh's
  proxy, an agent for secrets and a cloud's credentials in some of them.
- `platform`: a large company's data platform, by somebody who had not read this program: control plane and
  pools of nodes, agents on each, databases and queues that operators run, previews of pull requests, and a
  quarter of the pods from Spark, Argo, Tekton, Airflow, GitLab, training and other jobs.
- `..., all different`: as above, but each pod's containers have their own structure, image, arguments and
  variables. No real cluster is like that; nothing about one pod helps with the next.

`python -m scripts.bench.cluster --kind services --pods 15000` writes such a file.

CPU time is user and system time of all processes together; the peak is that of the largest process. `plan`
runs one process per processor, and each of the two Go programs is one process. On one core these take as long
as their CPU time, with which the wall time of `plan` is compared. Seconds depend on the machine:
{machine}.
The ratio hardly does, so only the ratio is compared: `.ci/full` fails if the share of Go's CPU time is more
than 1.15 times the committed one, or more than `scripts/bench/limits.py` allows for the cluster.

![CPU time of plan and of Go](images/performance.svg)

{rows}

Medians; of the ratios also the range over the rounds.

## Growth

Time grows linearly with the number of pods, and memory by 1 to 1.5 kB per pod: pods are read one by one, and
only the verdict on each container is kept.

![CPU time by the number of pods](images/growth.svg)

## Other commands

Next to `plan` 1.30.14 -> 1.31.14 of the same cluster, in turn. `.ci/full` fails where one takes more CPU time
than the last column allows; one that takes more already, where it takes 1.15 times as many plans as here. The
live cluster is a local server, whose pages are those of an API server; its own CPU time does not count.

```sh
python -m scripts.bench.commands
```

{commands}

## Start and memory

`.ci/full` also fails where `--version` takes more than {version} s of CPU time or a plan of one pod more than
{pod} s (`python -m scripts.bench.starting`), and where 150,000 pods take more than {memory} MB as a file,
live, or as a snapshot (`python -m scripts.bench.memory`).
"""


def make() -> dict[Path, bytes]:
    """Return the page and its charts."""
    measurements = record.last()
    page = _TEXT.format(
        rows=_table(record.HEADERS, map(record.cells, measurements.rows)),
        machine=measurements.machine,
        version=limits.STARTS["--version"],
        pod=limits.STARTS["plan of one pod"],
        memory=max(limits.MEMORY.values()),
        commands=_table(record.COMMAND_HEADERS, map(record.command_cells, measurements.commands)),
    )
    files = {
        "performance.md": page.encode(),
        "images/performance.svg": _compared(measurements.rows),
        "images/growth.svg": _growth(measurements.rows),
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
