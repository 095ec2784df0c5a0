"""Time hashcompat and real Go side by side, in one run, on the same containers.

What is timed is one container and one release, from the JSON text to the hash. Only the ratio means
something: machines differ, and so does the load on one. Rounds of the two alternate; the median of the rounds
is printed.

    python -m scripts.bench.hashing    # builds the Go programs first if need be
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

from tabulate import tabulate

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.go.jsontext import decode_text, loads
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.sources.files.collect import sample_cluster
from scripts.golden import containers as oracle
from tests.helpers import random_containers

RELEASES = ("1.9.11", "1.30.14", "1.36.3")
SECONDS = 1.0


def cluster(_: int) -> list[bytes]:
    """Return the containers of the sample cluster, which resemble each other as those of a real one do."""
    return [
        json.dumps(container.spec).encode() for pod in sample_cluster().pods for container in pod.containers
    ]


def strangers(number: int, count: int) -> list[bytes]:
    """Return random containers, different ones in each round, so many that few pieces of text are known."""
    return list(random_containers.containers(default_catalog().newest_schema().tree, number, count, "api"))


def ours(release: str, containers: Sequence[bytes]) -> float:
    """Return hashcompat's containers a second, over whole rounds for about a second."""
    hasher = hashers(default_catalog().kubelet(release))[0]
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        for container in containers:
            hasher.hash(loads(decode_text(container)))
        done += len(containers)
    return done / (time.perf_counter() - start)


def go(release: str, containers: Sequence[bytes]) -> float:
    """Return real Go's containers a second: json.Unmarshal and HashContainer with the release's own types."""
    result = oracle.bench(release, [random_containers.request(container, "api") for container in containers])
    return float(result["containers"] / result["seconds"])


def compare(release: str, workload: Callable[[int], list[bytes]], rounds: int) -> list[str]:
    """Return a row: both medians, and how many times longer hashcompat takes, with the range of the pairs."""
    pairs = [
        (ours(release, containers), go(release, containers)) for containers in map(workload, range(rounds))
    ]
    mine, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(theirs / mine for mine, theirs in pairs)
    return [
        f"{mine:,.0f}",
        f"{theirs:,.0f}",
        f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} - {ratios[-1]:.2f})",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--containers", type=int, default=10_000, help="how many random ones a round")
    parser.add_argument("--release", action="append", help=f"default: {', '.join(RELEASES)}")
    arguments = parser.parse_args()
    workloads: dict[str, Callable[[int], list[bytes]]] = {
        "sample cluster": cluster,
        "random, each new": partial(strangers, count=arguments.containers),
    }
    rows = [
        [name, release, *compare(release, workload, arguments.rounds)]
        for name, workload in workloads.items()
        for release in arguments.release or RELEASES
    ]
    print(
        tabulate(
            rows,
            ["containers", "kubelet", "hashcompat/s", "Go/s", "time, hashcompat / Go"],
            disable_numparse=True,
        )
    )


if __name__ == "__main__":
    main()
