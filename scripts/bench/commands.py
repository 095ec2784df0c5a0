"""Time other commands next to ``plan`` of the same large cluster, in turn.

python -m scripts.bench.commands                # print what they take for 15,000 pods
python -m scripts.bench.commands --write        # and commit it: docs/performance.md
python -m scripts.bench.commands --check        # fail where one takes too many times as long
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from tabulate import tabulate

from scripts.bench import cluster, record
from scripts.bench.plans import AS_INSTALLED, ended
from scripts.bench.record import CommandRow, Spread, Taken
from scripts.docs import performance
from scripts.lib import commandline
from scripts.lib.gotool import GoError

OLD, NEW = "1.30.14", "1.31.14"


@dataclass(frozen=True, slots=True)
class Command:
    """A command that is timed."""

    name: str
    arguments: tuple[str, ...]
    most: float
    """How many times as much CPU time as ``plan`` it may take."""
    is_yaml: bool = False
    """Whether it reads the cluster as YAML."""


PLAN: Final = ("plan", "--from", OLD, "--to", NEW, "-o", "json")
COMMANDS: Final = (
    Command("plan", PLAN, 1),
    Command(
        "plan 1.20.15 -> 1.31.14, with its steps",
        ("plan", "--from", "1.20.15", "--to", NEW, "-o", "json"),
        2,
    ),
    Command("plan, from YAML", PLAN, 4, is_yaml=True),
    Command("snapshot", ("snapshot",), 3),
    Command("hash -o json", ("hash", "--kubelet", NEW, "-o", "json"), 3),
    Command("matrix, all releases", ("matrix", "-o", "json"), 10),
)
"""The first one is what the others are compared with."""


def run(command: Command, dump: Path) -> Taken:
    """Run a command on a file; its output goes nowhere.

    Raises:
        GoError: it failed.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        (sys.executable, "-m", "hashcompat", *command.arguments, "-f", str(dump)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=AS_INSTALLED,
    )
    return ended(process, started)


def _apart(command: Command, dump: Path) -> Taken:
    """Run in a new process: the peak of a run is at least what the process that started it had."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(run, command, dump).result()


def rows(pods: int, rounds: int) -> Iterator[CommandRow]:
    """Run all commands in turn, some rounds of it, on one cluster."""
    shape = cluster.Shape(OLD, distinct=False, managed_fields=False)
    with tempfile.TemporaryDirectory() as directory:
        json, yaml = (Path(directory, f"dump.{form}") for form in ("json", "yaml"))
        for path, texts in ((json, cluster.texts), (yaml, cluster.yaml_texts)):
            with path.open("w", encoding="utf-8") as stream:
                stream.writelines(texts(cluster.objects(pods, shape)))
        turns = [[_apart(one, yaml if one.is_yaml else json) for one in COMMANDS] for _ in range(rounds)]
    for command, taken in zip(COMMANDS, zip(*turns, strict=True), strict=True):
        yield of_turns(command, pods, taken, [turn[0] for turn in turns])


def of_turns(command: Command, pods: int, taken: Sequence[Taken], plans: Sequence[Taken]) -> CommandRow:
    """Return a row of what a command and ``plan`` took in each round."""
    pairs = list(zip(taken, plans, strict=True))
    return CommandRow(
        command.name,
        pods,
        len(pairs),
        record.side(taken),
        Spread.of(one.cpu / plan.cpu for one, plan in pairs),
        Spread.of(one.wall / plan.wall for one, plan in pairs),
        command.most,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; write it or check it if asked to."""
    parser = commandline.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=15_000)
    parser.add_argument("--rounds", type=int, default=1)
    then = parser.add_mutually_exclusive_group()
    then.add_argument("--check", action="store_true", help="exit 2 where one takes too much CPU time")
    then.add_argument("--write", action="store_true", help="commit the rows, and docs/performance.md")
    given = parser.parse_args(argv)
    try:
        found = list(rows(given.pods, given.rounds))
    except GoError as error:
        return commandline.failed(parser.prog, error)
    print(tabulate(map(record.command_cells, found), record.COMMAND_HEADERS, disable_numparse=True))
    if given.write:
        record.write(commands=found)
        performance.GENERATED.write(performance.make())
    worse = [row.name for row in found if row.cpu.median > row.most] if given.check else []
    print(*(f"{name}: too much CPU time" for name in worse), sep="\n", end="\n" if worse else "")
    return commandline.DIFFERENT if worse else 0


if __name__ == "__main__":
    sys.exit(main())
