"""What a fleet costs, by simulation: the largest inputs first, each to the worker that is free first.

    python -m scripts.bench.fleet_costs --mb 0.2 --each 0.02

Constants are measured by ``scripts.bench.fleet``. Clusters have 1,500 pods on average, of 7 kB each in a
snapshot; their sizes are log-normal, so that a tenth of them has more than half of the pods.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from typing import Final

_PODS: Final = 1500
_POD: Final = 7000
"""Bytes of a pod in a snapshot."""
_SIGMA: Final = 1.4
_LARGEST: Final = 1e9
"""Bytes; about as many as 150,000 pods take."""
_RATE: Final = 30e6
"""Bytes a second that one worker reads from an object store."""
_PACKED: Final = 20
"""How much smaller a snapshot is with zstd."""


def sizes(number: int) -> list[float]:
    """Return the bytes of so many snapshots, the largest ones first."""
    chance = random.Random(1)
    mean = math.log(_PODS * _POD) - _SIGMA**2 / 2
    return sorted((min(chance.lognormvariate(mean, _SIGMA), _LARGEST) for _ in range(number)), reverse=True)


def minutes(seconds: list[float], workers: int) -> float:
    """Return how long so many workers take."""
    free = [0.0] * workers
    for duration in seconds:
        heapq.heapreplace(free, free[0] + duration)
    return max(free) / 60


def main() -> None:
    """Print the table of docs/fleet.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mb", type=float, required=True, help="CPU seconds for each MB of a snapshot")
    parser.add_argument("--each", type=float, required=True, help="CPU seconds for each snapshot besides")
    parser.add_argument(
        "--stored", type=float, required=True, help="kB of parts and tables for each snapshot"
    )
    given = parser.parse_args()
    print("| clusters | snapshots, with zstd | CPU | parts and tables | 2 workers | 16 | 64 | 256 |")
    print("|---|---|---|---|---|---|---|---|")
    for number in (10_000, 100_000):
        every = sizes(number)
        cpu = [size / 1e6 * given.mb + given.each for size in every]
        wall = [seconds + size / _PACKED / _RATE for seconds, size in zip(cpu, every, strict=True)]
        times = " | ".join(f"{minutes(wall, workers):,.0f} min" for workers in (2, 16, 64, 256))
        print(
            f"| {number:,} | {sum(every) / _PACKED / 1e9:,.0f} GB | {sum(cpu) / 3600:,.1f} h "
            f"| {given.stored * number / 1e6:,.2f} GB | {times} |"
        )


if __name__ == "__main__":
    main()
