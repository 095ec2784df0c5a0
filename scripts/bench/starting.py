"""Time what every command pays before it does anything: its start, and a plan of one pod.

python -m scripts.bench.starting             # print the CPU time
python -m scripts.bench.starting --check     # fail where it is too much
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tabulate import tabulate

from scripts.bench import limits
from scripts.bench.plans import AS_INSTALLED, ended
from scripts.lib import commandline
from scripts.lib.gotool import GoError

_ONE: Final = "one pod"
"""Takes the place of a file of one pod."""

_POD: Final = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "n", "uid": "7b1cf2b9-2f5e-4f0c-9f5e-0a4f6c1d2e3f"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}


@dataclass(frozen=True, slots=True)
class Start:
    """What is timed."""

    name: str
    arguments: tuple[str, ...]


STARTS: Final = (
    Start("--version", ("--version",)),
    Start("plan of one pod", ("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", _ONE)),
)


def seconds(start: Start, pod: Path) -> float:
    """Return the CPU time of one run.

    Raises:
        GoError: it failed.
    """
    arguments = [str(pod) if argument == _ONE else argument for argument in start.arguments]
    command = (sys.executable, "-m", "hashcompat", *arguments)
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=AS_INSTALLED)
    return ended(process, time.perf_counter()).cpu


def measured(rounds: int) -> Iterator[tuple[Start, float]]:
    """Yield each start with the median of some rounds; a first one, which may compile, does not count."""
    with tempfile.TemporaryDirectory() as directory:
        pod = Path(directory, "pod.json")
        pod.write_text(json.dumps(_POD), encoding="utf-8")
        for start in STARTS:
            seconds(start, pod)
            yield start, statistics.median(seconds(start, pod) for _ in range(rounds))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; check it if asked to."""
    parser = commandline.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--check", action="store_true", help="exit 2 where one takes too much CPU time")
    given = parser.parse_args(argv)
    try:
        results = list(measured(given.rounds))
    except GoError as error:
        return commandline.failed(parser.prog, error)
    rows = [(start.name, f"{took:.3f}", limits.STARTS[start.name]) for start, took in results]
    print(tabulate(rows, ("command", "CPU, s", "CPU, s, at most"), disable_numparse=True))
    slow = [start.name for start, took in results if took > limits.STARTS[start.name]] if given.check else []
    print(*(f"{name}: too much CPU time" for name in slow), sep="\n", end="\n" if slow else "")
    return commandline.DIFFERENT if slow else 0


if __name__ == "__main__":
    sys.exit(main())
