"""Time ``plan`` of a large cluster and a Go program that only hashes it, in turn, on the same file.

The Go program is what an engineer would write instead: it streams the dump and hashes each container with the
types of both kubelets. Those are versions of one Go module, which no program can link twice, so there are two
programs, and the first hands the JSON of each container on to the second. Both sides have to find the same
hashes. The Go programs are built first if need be.

    python -m scripts.bench.plans                                  # print what 15,000 pods take
    python -m scripts.bench.plans --pods 15000,150000 --write      # and commit it: docs/performance.md
    python -m scripts.bench.plans --rounds 3 --check               # fail where plan lost against Go
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from tabulate import tabulate

from hashcompat.core.catalog.lookup import default_catalog
from scripts.bench import cluster, record
from scripts.bench.made.shape import Shape
from scripts.bench.record import Case, Row, Spread, Taken
from scripts.docs import performance
from scripts.golden import containers as oracle
from scripts.lib import commandline
from scripts.lib.gotool import GoError
from scripts.lib.program import Program

PAIRS: Final = (("1.7.16", "1.9.11"), ("1.15.12", "1.16.15"), ("1.30.14", "1.31.14"))
AS_INSTALLED: Final = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
"""The environment of what is timed: pip compiles what it installs, and the first run of a checkout does."""


def ended(process: subprocess.Popen[bytes], started: float, codes: Container[int] = (0,)) -> Taken:
    """Wait for a process that ends with one of these exit codes.

    Raises:
        GoError: it failed.
    """
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise GoError(f"{process.args!r} ended with exit code {process.returncode}")
    return Taken(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss << 10)


def run_plan(dump: Path, pair: tuple[str, str], out: Path) -> Taken:
    """Run ``plan`` and save its document."""
    flags = ("--from", pair[0], "--to", pair[1], "-f", str(dump), "-o", "json")
    with out.open("wb") as stream:
        started = time.perf_counter()
        command = (sys.executable, "-m", "hashcompat", "plan", *flags)
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.DEVNULL, env=AS_INSTALLED)
        return ended(process, started)


def program(release: str) -> Program:
    """Return the Go program whose types, era and encoding/json are those of a release.

    Raises:
        GoError: there is none.
    """
    catalog = default_catalog()
    way = catalog.kubelet(release).way
    for name, candidate in oracle.programs().items():
        if catalog.kubelet(name).way == way:
            return candidate
    raise GoError(f"no Go program hashes as {release} does")


def run_go(dump: Path, pair: tuple[str, str], out: Path) -> Taken:
    """Run the Go programs, each on one core, and save the hashes."""
    first, second = map(program, pair)
    one_core = {**os.environ, "GOMAXPROCS": "1"}
    with ExitStack() as stack:
        given, kept = stack.enter_context(dump.open("rb")), stack.enter_context(out.open("wb"))
        started = time.perf_counter()
        reading = subprocess.Popen([first.binary, "-dump"], stdin=given, stdout=subprocess.PIPE, env=one_core)
        hashing = subprocess.Popen(
            [second.binary, "-second"], stdin=reading.stdout, stdout=kept, env=one_core
        )
        if reading.stdout is not None:
            reading.stdout.close()
        return ended(reading, started) + ended(hashing, started)


def hashes_of_plan(out: Path) -> Iterator[tuple[str, int, int]]:
    """Yield pod and hashes of each item of a plan."""
    for item in json.loads(out.read_bytes())["items"]:
        yield f"{item['namespace']}/{item['pod']}", item["hash"]["from"], item["hash"]["to"]


def hashes_of_go(out: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the same of the Go programs."""
    for line in out.read_text(encoding="utf-8").splitlines():
        pod, old, new = line.split(" ")
        yield pod, int(old), int(new)


def measured(case: Case, dump: Path, rounds: int) -> Row:
    """Run both sides in turn on one file.

    Raises:
        GoError: the two find different hashes, or one of them fails.
    """
    mine, theirs, pair = dump.with_suffix(".plan"), dump.with_suffix(".go"), (case.old, case.new)
    turns = [(run_plan(dump, pair, mine), run_go(dump, pair, theirs)) for _ in range(rounds)]
    if sorted(hashes_of_plan(mine)) != sorted(hashes_of_go(theirs)):
        raise GoError(f"{case.name}: plan and Go find different hashes")
    return of_turns(case, turns)


def of_turns(case: Case, turns: Sequence[tuple[Taken, Taken]]) -> Row:
    """Return a row of what ``plan`` and Go took in each round."""
    plans, others = zip(*turns, strict=True)
    cpu = Spread.of(plan.cpu / other.cpu for plan, other in turns)
    wall = Spread.of(plan.wall / other.cpu for plan, other in turns)
    return Row(case, len(turns), record.side(plans), record.side(others), cpu, wall)


def cases(sizes: Sequence[int]) -> Iterator[Case]:
    """Yield what is measured of clusters of so many pods."""
    for pods in sizes:
        for name in cluster.CLUSTERS:
            yield from (Case(pods, name, *pair) for pair in PAIRS)


def _apart(case: Case, dump: Path, rounds: int) -> Row:
    """Measure in a new process: the peak of each run is at least what the process that started it had."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measured, case, dump, rounds).result()


def rows(sizes: Sequence[int], rounds: int, *, managed_fields: bool) -> Iterator[Row]:
    """Measure each case, on a file of its own that is deleted behind it."""
    for release in dict.fromkeys(release for pair in PAIRS for release in pair):
        program(release).build()
    for case in cases(sizes):
        with tempfile.TemporaryDirectory() as directory:
            dump = Path(directory, "dump.json")
            shape = Shape(case.old, managed_fields=managed_fields)
            cluster.write(dump, case.cluster, case.pods, shape)
            yield _apart(case, dump, rounds)


def table(results: Sequence[Row]) -> str:
    """Return the medians of both sides, and the ratios with their range."""
    return tabulate(map(record.cells, results), record.HEADERS, disable_numparse=True)


def _sizes(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; write it or compare it if asked to."""
    parser = commandline.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=_sizes, default=[15_000], metavar="N[,N...]")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--managed-fields", action="store_true", help="as kubectl --show-managed-fields")
    then = parser.add_mutually_exclusive_group()
    then.add_argument("--check", action="store_true", help="exit 2 where a ratio of CPU times got worse")
    then.add_argument(
        "--write", action="store_true", help="commit the rows, docs/performance.md and its chart"
    )
    given = parser.parse_args(argv)
    try:
        results = list(rows(given.pods, given.rounds, managed_fields=given.managed_fields))
        print(table(results))
        if given.write:
            record.write(results)
            performance.GENERATED.write(performance.make())
        worse = record.losses(results, record.last()) if given.check else []
    except (GoError, record.MissingError) as error:
        return commandline.failed(parser.prog, error)
    print(*worse, sep="\n", end="\n" if worse else "")
    return commandline.DIFFERENT if worse else 0


if __name__ == "__main__":
    sys.exit(main())
