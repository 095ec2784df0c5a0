"""Time ``plan`` of a large cluster and a Go program that only hashes it, in turn, on the same file.

The Go program is what an engineer would write instead: it streams the dump and hashes each container with the
types of both kubelets. Those are versions of one Go module, which no program can link twice, so there are two
programs, and the first hands the JSON of each container on to the second. Both sides have to find the same
hashes.

    python -m scripts.bench.plans --pods 15000 --rounds 5    # builds the Go programs first if need be
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tabulate import tabulate

from hashcompat.catalog.lookup import default_catalog
from scripts.bench import cluster
from scripts.golden import containers as oracle
from scripts.lib.gotool import GoError
from scripts.lib.program import Program

PAIRS: Final = (("1.7.16", "1.9.11"), ("1.15.12", "1.16.15"), ("1.30.14", "1.31.14"))


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run took."""

    cpu: float
    """Seconds, of user and system."""
    wall: float
    """Seconds."""
    memory: int
    """The peak in bytes; of two processes, of both together."""

    def __add__(self, other: Taken) -> Taken:
        return Taken(self.cpu + other.cpu, max(self.wall, other.wall), self.memory + other.memory)


def ended(process: subprocess.Popen[bytes], started: float) -> Taken:
    """Wait for a process.

    Raises:
        GoError: it failed.
    """
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise GoError(f"{process.args!r} ended with exit code {process.returncode}")
    return Taken(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss << 10)


def run_plan(dump: Path, pair: tuple[str, str], out: Path) -> Taken:
    """Run ``plan`` and save its document."""
    flags = ("--from", pair[0], "--to", pair[1], "-f", str(dump), "-o", "json")
    with out.open("wb") as stream:
        started = time.perf_counter()
        command = (sys.executable, "-m", "hashcompat", "plan", *flags)
        return ended(subprocess.Popen(command, stdout=stream, stderr=subprocess.DEVNULL), started)


def program(release: str) -> Program:
    """Return the Go program whose types, era and encoding/json are those of a release.

    Raises:
        GoError: there is none.
    """
    catalog = default_catalog()
    way = catalog.kubelet(release).way
    for name, found in oracle.programs().items():
        if catalog.kubelet(name).way == way:
            return found
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


def row(name: str, dump: Path, pair: tuple[str, str], rounds: int) -> list[str]:
    """Return the medians of both sides, and the ratio of their CPU times with its range.

    Raises:
        GoError: the two find different hashes.
    """
    mine, theirs = dump.with_suffix(".plan"), dump.with_suffix(".go")
    turns = [(run_plan(dump, pair, mine), run_go(dump, pair, theirs)) for _ in range(rounds)]
    if sorted(hashes_of_plan(mine)) != sorted(hashes_of_go(theirs)):
        raise GoError(f"{name}, {pair[0]} -> {pair[1]}: plan and Go find different hashes")
    ratios = sorted(plan.cpu / go.cpu for plan, go in turns)
    found = [name, f"{pair[0]} -> {pair[1]}"]
    for side in zip(*turns, strict=True):
        found += _medians(side)
    return [*found, f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} - {ratios[-1]:.2f})"]


def _medians(runs: Sequence[Taken]) -> list[str]:
    cpu, wall, memory = (statistics.median(values) for values in zip(*map(_numbers, runs), strict=True))
    return [f"{cpu:.2f}", f"{wall:.2f}", f"{memory / 1e6:.0f}"]


def _numbers(taken: Taken) -> tuple[float, float, int]:
    return taken.cpu, taken.wall, taken.memory


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=15_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--managed-fields", action="store_true", help="as kubectl --show-managed-fields")
    given = parser.parse_args()
    for release in dict.fromkeys(release for pair in PAIRS for release in pair):
        program(release).build()
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as directory:
        for name, distinct in (("realistic", False), ("all different", True)):
            for pair in PAIRS:
                shape = cluster.Shape(pair[0], distinct, given.managed_fields)
                dump = Path(directory, "dump.json")
                with dump.open("w", encoding="utf-8") as stream:
                    stream.writelines(cluster.texts(cluster.objects(given.pods, shape)))
                rows.append(row(name, dump, pair, given.rounds))
    sides = [f"{side} {what}" for side in ("plan", "Go") for what in ("CPU, s", "wall, s", "peak, MB")]
    print(tabulate(rows, ["containers", "upgrade", *sides, "CPU, plan / Go"], disable_numparse=True))


if __name__ == "__main__":
    main()
