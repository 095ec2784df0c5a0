"""Print which share of a large cluster is UNKNOWN without records, and why.

A made cluster's pods run under one kubelet release, and started at times spread over two years.

    python -m scripts.bench.start_times --pods 15000
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import hashcompat
from hashcompat.core.model.plan import Plan
from scripts.bench.cluster import objects
from scripts.bench.made.shape import Shape

UPGRADES: Final = (("1.30.14", "1.31.14"), ("1.31.14", "1.32.13"), ("1.32.13", "1.33.13"))

_SPREAD: Final = timedelta(days=730)


def cluster(release: str, number: int, newest: datetime) -> Iterator[dict[str, Any]]:
    """Yield so many pods, a few of them with a sidecar, which started in the two years before ``newest``.

    The nodes that run them come first.
    """
    chance = random.Random(number)
    for manifest in objects(number, Shape(release)):
        if manifest["kind"] == "Node":
            yield manifest
            continue
        started = newest - chance.random() * _SPREAD
        yield with_sidecar(dated(manifest, started)) if chance.random() < 0.1 else dated(manifest, started)


def dated(pod: dict[str, Any], started: datetime) -> dict[str, Any]:
    """Return a pod whose running containers started then."""
    status = dict(pod["status"])
    for key in ("containerStatuses", "initContainerStatuses"):
        if key in status:
            status[key] = [_restarted(row, started) for row in status[key]]
    return {**pod, "status": status}


def _restarted(row: dict[str, Any], started: datetime) -> dict[str, Any]:
    if "running" not in row["state"]:
        return row
    return {**row, "state": {"running": {"startedAt": started.strftime("%Y-%m-%dT%H:%M:%SZ")}}}


def with_sidecar(pod: dict[str, Any]) -> dict[str, Any]:
    """Return a pod with a sidecar, which started when its first container did."""
    spec, status = pod["spec"], pod["status"]
    sidecar = {"name": "mesh", "image": "mesh:1", "restartPolicy": "Always"}
    rows = [{**row, "name": "mesh"} for row in status.get("containerStatuses", ())[:1]]
    return {
        **pod,
        "spec": {**spec, "initContainers": [*spec.get("initContainers", ()), sidecar]},
        "status": {**status, "initContainerStatuses": [*status.get("initContainerStatuses", ()), *rows]},
    }


def reported(plan: Plan) -> Iterator[str]:
    """Yield the counts of a plan: the verdicts, then the reasons of UNKNOWN."""
    counts = plan.summary
    share = 100 * counts.unknown / counts.containers
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in counts.verdicts.items() if number)
    yield f"auto -> {plan.to_release}: {counts.containers} containers: {verdicts} ({share:.1f} % UNKNOWN)"
    unknown = [item for item in plan.items if item.verdict is hashcompat.Verdict.UNKNOWN]
    for rule, number in Counter(item.reasons[0].id for item in unknown).most_common():
        example = next(reason for item in unknown for reason in item.reasons if reason.id == rule)
        yield f"  {number} {rule}, such as: {example.text}"


def main() -> None:
    """Plan each upgrade and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=15000, help="how many (default: 15000)")
    parser.add_argument("--day", default="2026-11-01", help="when the last pod started (default: 2026-11-01)")
    arguments = parser.parse_args()
    newest = datetime.fromisoformat(arguments.day).replace(tzinfo=UTC)
    for old, new in UPGRADES:
        plan = hashcompat.plan(list(cluster(old, arguments.pods, newest)), "auto", new)
        print(f"{old}:", *reported(plan), sep="\n")


if __name__ == "__main__":
    main()
