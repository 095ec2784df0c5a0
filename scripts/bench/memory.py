"""Measure how much memory the largest cluster takes, as a file, live, and as a snapshot.

python -m scripts.bench.memory                       # print the peaks of 150,000 pods
python -m scripts.bench.memory --pods 15000 --check  # fail where one is too much
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tabulate import tabulate

from scripts.bench import cluster, limits
from scripts.bench.commands import LIVE, PLAN, Command, Sources, apart
from scripts.lib import commandline
from scripts.lib.gotool import GoError

COMMANDS: Final = (
    Command("plan, of a file", PLAN),
    Command("plan, of a live cluster", PLAN, LIVE),
    Command("snapshot", ("snapshot",)),
)
"""What is measured; ``limits.MEMORY`` has what each may take."""


def peaks(pods: int) -> Iterator[tuple[str, Command, float]]:
    """Yield the peak in MB of each command on a cluster of each kind."""
    for name, profile in cluster.CLUSTERS.items():
        if profile.distinct:
            continue
        with tempfile.TemporaryDirectory() as directory:
            sources = Sources.write(Path(directory), name, pods, ("json",))
            for command in COMMANDS:
                yield name, command, apart(command, sources).memory / 1e6


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; check it if asked to."""
    parser = commandline.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--check", action="store_true", help="exit 2 where one takes too much memory")
    given = parser.parse_args(argv)
    try:
        results = list(peaks(given.pods))
    except GoError as error:
        return commandline.failed(parser.prog, error)
    rows = [
        (command.name, name, f"{peak:.0f}", limits.MEMORY[command.name]) for name, command, peak in results
    ]
    print(tabulate(rows, ("command", "cluster", "peak, MB", "at most"), disable_numparse=True))
    large = [
        f"{command.name}, {name}" for name, command, peak in results if peak > limits.MEMORY[command.name]
    ]
    worse = large if given.check else []
    print(*(f"{case}: too much memory" for case in worse), sep="\n", end="\n" if worse else "")
    return commandline.DIFFERENT if worse else 0


if __name__ == "__main__":
    sys.exit(main())
