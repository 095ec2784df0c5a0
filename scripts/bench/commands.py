"""Time other commands next to ``plan`` of the same large cluster, in turn.

python -m scripts.bench.commands                # print what they take for 15,000 pods
python -m scripts.bench.commands --write        # and commit it: docs/performance.md
python -m scripts.bench.commands --check        # fail where one takes too many times as long
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from tabulate import tabulate

from scripts.bench import cluster, limits, record, served
from scripts.bench.made import texts
from scripts.bench.made.shape import Shape
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
    source: str = "json"
    """How it reads the cluster: a file in this form, or ``live``."""


MANAGED: Final = "managed"
"""The form of a file as ``kubectl --show-managed-fields`` prints it."""
FILES: Final = "files"
"""The form of a directory with a file for each object, as backups have them."""


@dataclass(frozen=True, slots=True)
class Sources:
    """One cluster as files and as pages that a server gives."""

    directory: Path

    @classmethod
    def write(cls, directory: Path, name: str, pods: int, forms: Iterable[str]) -> Sources:
        """Write one of CLUSTERS in some forms, and as pages."""
        profile = cluster.CLUSTERS[name]
        objects = partial(cluster.objects, pods, Shape(OLD, profile.distinct), profile.kind)
        for form in forms:
            path = directory / f"dump.{form}"
            if form == FILES:
                path.mkdir()
                for number, line in enumerate(texts.lines(objects())):
                    (path / f"{number:06}.json").write_text(line, encoding="utf-8")
                continue
            shape, text = Shape(OLD, managed_fields=form == MANAGED), "json" if form == MANAGED else form
            cluster.write(path, name, pods, shape, text)
        served.write(directory, objects())
        return cls(directory)

    def flags(self, source: str) -> tuple[str, ...]:
        """Return the flags that name a source."""
        return ("--context", "made") if source == LIVE else ("-f", str(self.directory / f"dump.{source}"))

    @property
    def environment(self) -> dict[str, str]:
        """The environment of what is timed, with the stand-in for kubectl."""
        return {**AS_INSTALLED, "PATH": f"{self.directory / 'programs'}:{os.environ['PATH']}"}


LIVE: Final = "live"
PLAN: Final = ("plan", "--from", OLD, "--to", NEW, "-o", "json")
COMMANDS: Final = (
    Command("plan", PLAN),
    Command(
        "plan 1.20.15 -> 1.31.14, with its steps",
        ("plan", "--from", "1.20.15", "--to", NEW, "--override-node-releases", "-o", "json"),
    ),
    Command("plan, from YAML", PLAN, "yaml"),
    Command("plan, from JSON lines", PLAN, "lines"),
    Command("plan, from JSON in one line", PLAN, "compact"),
    Command("plan, from a file for each object", PLAN, FILES),
    Command("plan, with managedFields", PLAN, MANAGED),
    Command("plan, of a live cluster", PLAN, LIVE),
    Command("plan -o html", (*PLAN[:-1], "html")),
    Command("patch --audit", ("patch", "--audit", "--kubelet", "1.9.11", "--like", "1.7.16", "-o", "json")),
    Command("snapshot", ("snapshot",)),
    Command("hash -o json", ("hash", "--kubelet", NEW, "-o", "json")),
    Command("matrix, all releases", ("matrix", "-o", "json")),
)
"""The first one is what the others are compared with; ``limits.COMMANDS`` has what each may take."""

_FOUND: Final = {0, 2}
"""Exit codes of a command that did its work: 2 where an audit finds pods."""


def run(command: Command, sources: Sources) -> Taken:
    """Run a command on a cluster; its output goes nowhere.

    Raises:
        GoError: it failed.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        (sys.executable, "-m", "hashcompat", *command.arguments, *sources.flags(command.source)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=sources.environment,
    )
    taken = ended(process, started, _FOUND)
    if command.source != LIVE:
        return taken
    return replace(taken, cpu=taken.cpu - served.seconds(sources.directory))


def apart(command: Command, sources: Sources) -> Taken:
    """Run in a new process: the peak of a run is at least what the process that started it had."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(run, command, sources).result()


def rows(pods: int, rounds: int) -> Iterator[CommandRow]:
    """Run all commands in turn, some rounds of it, on a cluster of each kind."""
    for name, profile in cluster.CLUSTERS.items():
        if profile.distinct:
            continue
        with tempfile.TemporaryDirectory() as directory:
            forms = dict.fromkeys(command.source for command in COMMANDS if command.source != LIVE)
            sources = Sources.write(Path(directory), name, pods, forms)
            turns = [[apart(command, sources) for command in COMMANDS] for _ in range(rounds)]
        for command, taken in zip(COMMANDS, zip(*turns, strict=True), strict=True):
            yield of_turns(command, name, pods, taken, [turn[0] for turn in turns])


def of_turns(
    command: Command, name: str, pods: int, taken: Sequence[Taken], plans: Sequence[Taken]
) -> CommandRow:
    """Return a row of what a command and ``plan`` took in each round."""
    pairs = list(zip(taken, plans, strict=True))
    return CommandRow(
        command.name,
        name,
        pods,
        len(pairs),
        record.side(taken),
        Spread.of(cost.cpu / plan.cpu for cost, plan in pairs),
        Spread.of(cost.wall / plan.wall for cost, plan in pairs),
        limits.COMMANDS[command.name],
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
        results = list(rows(given.pods, given.rounds))
        print(tabulate(map(record.command_cells, results), record.COMMAND_HEADERS, disable_numparse=True))
        if given.write:
            record.write(commands=results)
            performance.GENERATED.write(performance.make())
        worse = record.slow_commands(results, record.last()) if given.check else []
    except (GoError, record.MissingError) as error:
        return commandline.failed(parser.prog, error)
    print(*worse, sep="\n", end="\n" if worse else "")
    return commandline.DIFFERENT if worse else 0


if __name__ == "__main__":
    sys.exit(main())
