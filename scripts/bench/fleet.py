"""A fleet of generated snapshots: rows as of each planned alone, also with workers killed, and the costs.

    python -m scripts.bench.fleet --clusters 2000 --largest 2e8 --check

Snapshots of eight releases, from 50 kB to ``--largest`` bytes, most of them small as in real fleets (a Pareto
distribution), and one of a hundred damaged. Two local workers plan them for one target release; then again,
which has nothing to do; then anew with three workers killed on the way. One process plans each alone, for the
rows and the CPU time to compare with, and another the largest, for the memory.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

import hashcompat
from hashcompat import HashcompatError
from scripts.bench import cluster
from scripts.bench.made.shape import Shape

RELEASES: Final = ("1.24.17", "1.25.16", "1.26.15", "1.27.16", "1.28.15", "1.29.15", "1.30.14", "1.31.14")
TARGET: Final = "1.33.6"
SMALLEST: Final = 50_000
_POWER: Final = 0.9
"""Of the sizes: in a thousand clusters, about two are 1,000 times as large as the smallest."""
_PODS: Final = 240
"""Pods of a release that differ; larger clusters repeat them under other names."""
_UID: Final = re.compile(r'"uid": "[0-9a-f]{8}-[0-9a-f]{4}-')
_WORKERS: Final = 2
_PR_SET_CHILD_SUBREAPER: Final = 36
_KILLS: Final = (0.1, 0.4, 0.7)
"""After which parts of all inputs a worker is killed."""
LIMITS: Final = {"again": 5.0, "cpu": 1.3, "memory": 1.1}
"""What ``--check`` allows: seconds of a second run, CPU and memory as multiples of single plans."""


def make(directory: Path, number: int, largest: float, seed: int) -> int:
    """Write the snapshots; return their bytes."""
    chance = random.Random(seed)
    bases = [base(release) for release in RELEASES]
    total = 0
    for place in range(number):
        size = min(SMALLEST * (1 - chance.random()) ** (-1 / _POWER), largest)
        if place == 0:
            size = largest
        path = directory / f"c{place:05}.json"
        with path.open("w") as stream:
            stream.writelines(texts(bases[place % len(bases)], place, size))
        if place % 100 == 99:
            os.truncate(path, path.stat().st_size * 2 // 3)
        total += path.stat().st_size
    return total


def base(release: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return a snapshot without items, and the texts of its nodes and pods."""
    objects = list(cluster.objects(_PODS, Shape(release=release)))
    document = hashcompat.to_document(hashcompat.snapshot(objects))
    items = document.pop("items")
    nodes = [json.dumps(item) for item in items if item["kind"] == "Node"]
    return document, nodes, [json.dumps(item) for item in items if item["kind"] == "Pod"]


def texts(made: tuple[dict[str, Any], list[str], list[str]], place: int, size: float) -> Iterator[str]:
    """Yield the text of a snapshot of about so many bytes; a larger one has more nodes, not fuller ones."""
    document, nodes, pods = made
    spec = {**document["spec"], "clusterUID": f"cluster-{place}", "clusterName": f"c{place:05}"}
    names = [json.loads(node)["metadata"]["name"] for node in nodes]
    rounds = math.ceil(size / sum(map(len, pods)))
    yield json.dumps({**document, "spec": spec})[:-1] + ', "items": ['
    yield ", ".join(_of_round(node, names, number) for number in range(rounds) for node in nodes)
    written = number = 0
    while written < size or not number:
        own = f'"uid": "{place:04x}{number >> 16:04x}-{number & 0xFFFF:04x}-'
        text = _UID.sub(own, pods[number % len(pods)], count=1)
        text = _of_round(text, names, number // len(pods))
        yield f", {text}"
        written, number = written + len(text), number + 1
    yield "]}"


def _of_round(text: str, names: list[str], number: int) -> str:
    """Return an object on other nodes for each round."""
    for name in names if number else ():
        text = text.replace(f'"{name}"', f'"{name}-{number}"')
    return text


def alone(directory: Path) -> tuple[dict[str, tuple[int, ...] | None], float]:
    """Plan each file by itself; return its counts, None for one that is damaged, and the CPU seconds."""
    counts: dict[str, tuple[int, ...] | None] = {}
    began = time.process_time()
    for path in sorted(directory.iterdir()):
        try:
            plan = hashcompat.plan(path, to=TARGET)
        except HashcompatError:
            counts[path.stem] = None
            continue
        verdicts = plan.summary.verdicts
        counts[path.stem] = (plan.summary.pods, *(verdicts[verdict] for verdict in hashcompat.Verdict))
    return counts, time.process_time() - began


class Fleet:
    """One run of the program."""

    def __init__(self, source: Path, out: Path) -> None:
        self.out = out
        words = [str(source), "--to", TARGET, "--out", str(out), "--workers", str(_WORKERS), "--quiet"]
        # what outlives its parent is waited for here, so that its CPU time is counted
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        self._process = subprocess.Popen([sys.executable, "-m", "hashcompat", "fleet", *words])
        self._before, self._began, self.peak, self.worker, self.pair = before, began, 0, 0, 0

    def ended(self, inputs: int = 0, kills: tuple[float, ...] = ()) -> Fleet:
        """Wait for its end; kill a worker each time that such a part of its inputs is answered."""
        waiting = [part * inputs for part in kills]
        while self._process.poll() is None:
            time.sleep(0.2)
            pids = below(self._process.pid, b"spawn_main")
            planners = below(self._process.pid, b"engines.serve")
            self.worker = max([self.worker, *(memory_of(pid, "VmHWM") for pid in pids)])
            self.peak = max([self.peak, *(memory_of(pid, "VmHWM") for pid in planners)])
            together = sum(memory_of(pid, "Pss") for pid in (*pids, *planners))
            self.pair = max(self.pair, together)
            if waiting and pids and answered(self.out) >= waiting[0]:
                waiting.pop(0)
                os.kill(pids[0], signal.SIGKILL)
        if self._process.returncode not in (0, 2, 3) or waiting:
            raise SystemExit(f"exit code {self._process.returncode}, {len(waiting)} workers not killed")
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = time.monotonic() - self._began
        self.cpu = used.ru_utime + used.ru_stime - self._before.ru_utime - self._before.ru_stime
        return self

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of all tables without what differs from run to run, in one order."""
        rows = []
        for path in sorted(self.out.glob("*/target=*/*.parquet")):
            for row in pa.table(pq.ParquetFile(path).read()).to_pylist():
                row.pop("seconds", None)
                rows.append({"table": path.parts[-3], **row})
        return sorted(rows, key=str)


def below(pid: int, words: bytes) -> list[int]:
    """Return the processes below another one whose command line has some words."""
    try:
        texts = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    children = [int(child) for text in texts for child in text.split()]
    deeper = [process for child in children for process in below(child, words)]
    return sorted([*(child for child in children if words in _words(child)), *deeper])


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def memory_of(pid: int, row: str) -> int:
    """Return what a process has, or had at most (VmHWM), in kB."""
    try:
        text = Path(f"/proc/{pid}", "status" if row.startswith("Vm") else "smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{row}:")), 0)


def answered(out: Path) -> int:
    """Return how many inputs have a part."""
    return sum(1 for _ in (out / "_parts").glob("*.part")) if out.exists() else 0


def peak_alone(path: Path) -> int:
    """Return the memory of a plan of one file in a process of its own, in kB."""
    code = (
        "import sys, hashcompat; hashcompat.plan(sys.argv[1], to=sys.argv[2]); "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), TARGET], stdout=subprocess.PIPE, text=True, check=True
    )
    return int(done.stdout)


def main() -> None:
    """Measure, print, and with ``--check`` fail beyond the limits."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--largest", type=float, default=2e7, help="bytes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".cache") as folder:
        source = Path(folder, "in")
        source.mkdir()
        size = make(source, given.clusters, given.largest, given.seed)
        print(
            f"{given.clusters:,} snapshots, {size / 1e6:,.0f} MB, the largest {given.largest / 1e6:,.0f} MB"
        )
        first = Fleet(source, Path(folder, "out")).ended()
        print(f"fleet, {_WORKERS} workers: {first.seconds:.1f} s, {first.cpu:.1f} s of CPU")
        print(
            f"what holds a file: at most {first.peak:,} kB; a worker: {first.worker:,} kB; "
            f"all of them at once: {first.pair:,} kB (PSS)"
        )
        again = Fleet(source, first.out).ended()
        print(f"again: {again.seconds:.1f} s")
        killed = Fleet(source, Path(folder, "killed")).ended(given.clusters, _KILLS)
        print(f"with {len(_KILLS)} workers killed: {killed.seconds:.1f} s, {killed.cpu:.1f} s of CPU")
        counts, cpu = alone(source)
        peak = peak_alone(source / "c00000.json")
        print(f"each alone in one process: {cpu:.1f} s of CPU; the largest: {peak:,} kB")
        rows = first.rows()
        stored = sum(path.stat().st_size for path in first.out.rglob("*") if path.is_file())
        print(f"output: {stored / given.clusters / 1000:.1f} kB for each cluster, {len(rows):,} rows")
        problems = []
        if {row["cluster"]: _counts(row) for row in rows if row["table"] == "clusters"} != counts:
            problems.append("rows differ from plans of each alone")
        if rows != killed.rows():
            problems.append("rows differ after workers were killed")
        ratios = {"again": again.seconds, "cpu": first.cpu / cpu, "memory": first.peak / peak}
        problems += [
            f"{name}: {ratio:.2f}, allowed {LIMITS[name]}"
            for name, ratio in ratios.items()
            if ratio > LIMITS[name]
        ]
        print(f"CPU {ratios['cpu']:.2f} times, memory {ratios['memory']:.2f} times that of single plans")
    for problem in problems:
        print(problem)
    if problems and given.check:
        raise SystemExit(1)


def _counts(row: dict[str, Any]) -> tuple[int, ...] | None:
    if row["status"] != "planned":
        return None
    return (row["pods"], *(row[str(verdict).lower()] for verdict in hashcompat.Verdict))


if __name__ == "__main__":
    main()
