"""What ``plans.py`` measured last: the rows that are committed, and what has become worse since.

Seconds depend on the machine, and so does nothing that is compared: only the ratio of two programs that took
turns on it.
"""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from scripts.bench import limits
from scripts.bench.cluster import CLUSTERS
from scripts.lib.gotool import NEWEST
from scripts.lib.paths import SCRIPTS

PATH: Final = SCRIPTS / "bench" / "ratios.json"


class MissingError(Exception):
    """A row to compare with was never committed."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is planned."""

    pods: int
    cluster: str
    """One of CLUSTERS."""
    old: str
    new: str

    @property
    def place(self) -> tuple[int, int, list[int]]:
        """Return where it is among others: by size, in the order of CLUSTERS, by release."""
        return self.pods, list(CLUSTERS).index(self.cluster), list(map(int, self.old.split(".")))

    @property
    def name(self) -> str:
        """Return it as a line begins."""
        return f"{self.pods:,} pods, {self.cluster}, {self.old} -> {self.new}"


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure of several rounds."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return that of some values, with the digits that mean something."""
        ordered = sorted(float(f"{value:.4g}") for value in values)
        return cls(ordered[0], statistics.median(ordered), ordered[-1])


@dataclass(frozen=True, slots=True)
class Side:
    """What one of the two programs took."""

    cpu: Spread
    """Seconds of user and system, of all its processes."""
    wall: Spread
    """Seconds."""
    memory: Spread
    """The peak in MB (1e6 bytes)."""


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


def side(runs: Sequence[Taken]) -> Side:
    """Return what some runs took."""
    memory = Spread.of(taken.memory / 1e6 for taken in runs)
    return Side(Spread.of(taken.cpu for taken in runs), Spread.of(taken.wall for taken in runs), memory)


@dataclass(frozen=True, slots=True)
class Row:
    """What both took for one case, and the ratios, ``plan`` to Go, round by round."""

    case: Case
    rounds: int
    plan: Side
    go: Side
    cpu: Spread
    wall: Spread
    """The ratio to what Go takes on one core, which is its CPU time."""


@dataclass(frozen=True, slots=True)
class CommandRow:
    """What a command took, and the ratios to ``plan`` of the same file, round by round."""

    name: str
    cluster: str
    """One of CLUSTERS."""
    pods: int
    rounds: int
    taken: Side
    cpu: Spread
    wall: Spread
    most: float
    """How large the ratio of CPU times may be."""


@dataclass(frozen=True, slots=True)
class Record:
    """The rows that are committed, in the order of their cases."""

    machine: str
    rows: tuple[Row, ...]
    commands: tuple[CommandRow, ...] = ()


def last() -> Record:
    """Return what is committed.

    Raises:
        MissingError: nothing is.
    """
    try:
        return msgspec.json.decode(PATH.read_bytes(), type=Record)
    except FileNotFoundError:
        raise MissingError(f"{PATH.name} is missing; --write makes it") from None


def write(rows: Sequence[Row] = (), commands: Sequence[CommandRow] = ()) -> None:
    """Save rows in place of older ones of the same cases, and commands in place of all older ones.

    Rows of clusters that are no longer made are dropped.
    """
    kept = last() if PATH.exists() else Record("", ())
    by_case = {row.case: row for row in (*kept.rows, *rows) if row.case.cluster in CLUSTERS}
    ordered = tuple(sorted(by_case.values(), key=lambda row: row.case.place))
    merged = Record(_machine(), ordered, tuple(commands) or kept.commands)
    PATH.write_bytes(msgspec.json.format(msgspec.json.encode(merged), indent=1) + b"\n")


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    return f"{NEWEST} and Python {platform.python_version()} on {cores} cores ({platform.machine()})"


def losses(rows: Iterable[Row], committed: Record) -> list[str]:
    """Name each row whose CPU time is too much, as a share of Go's: more than allowed, or than committed.

    Raises:
        MissingError: the case of a row is not among those that are committed.
    """
    return list(_losses(rows, {row.case: row for row in committed.rows}))


def _losses(rows: Iterable[Row], before: dict[Case, Row]) -> Iterator[str]:
    for row in rows:
        if row.case not in before:
            raise MissingError(f"{row.case.name}: no such row in {PATH.name}; --write makes it")
        old, new = before[row.case].cpu.median, row.cpu.median
        most = limits.allowed(old, limits.PLANS[row.case.cluster])
        if new > most:
            yield f"{row.case.name}: {new:.2f} of Go's CPU time, allowed is {most:.2f}, committed {old:.2f}"


def slow_commands(rows: Iterable[CommandRow], committed: Record) -> list[str]:
    """Name each command whose CPU time, next to that of ``plan``, is too much.

    Raises:
        MissingError: a row is not among those that are committed.
    """
    before = {(row.cluster, row.name): row for row in committed.commands}
    messages = []
    for row in rows:
        if (row.cluster, row.name) not in before:
            raise MissingError(f"{row.name}, {row.cluster}: no such row in {PATH.name}; --write makes it")
        most = limits.allowed(before[row.cluster, row.name].cpu.median, row.most)
        if row.cpu.median > most:
            messages.append(f"{row.name}, {row.cluster}: {row.cpu.median:.2f} plans, allowed is {most:.2f}")
    return messages


HEADERS: Final = (
    *("pods", "cluster", "upgrade"),
    *(f"{side}: {what}" for side in ("plan", "Go") for what in ("CPU, s", "wall, s", "peak, MB")),
    *("CPU, plan / Go", "wall, plan / Go on one core"),
)


def cells(row: Row) -> list[str]:
    """Return a row as a table shows it: medians, and the ratios with their range."""
    case = row.case
    figures = [
        figure
        for side in (row.plan, row.go)
        for figure in (f"{side.cpu.median:.2f}", f"{side.wall.median:.2f}", f"{side.memory.median:.0f}")
    ]
    ratios = [f"{ratio.median:.2f} ({ratio.least:.2f} - {ratio.most:.2f})" for ratio in (row.cpu, row.wall)]
    return [f"{case.pods:,}", case.cluster, f"{case.old} -> {case.new}", *figures, *ratios]


COMMAND_HEADERS: Final = (
    *("command", "cluster", "pods", "CPU, s", "wall, s", "peak, MB"),
    *("CPU / plan", "wall / plan", "CPU / plan, at most"),
)


def command_cells(row: CommandRow) -> list[str]:
    """Return what a command took as a table shows it."""
    taken = row.taken
    figures = [f"{taken.cpu.median:.2f}", f"{taken.wall.median:.2f}", f"{taken.memory.median:.0f}"]
    ratios = [f"{row.cpu.median:.2f}", f"{row.wall.median:.2f}", f"{row.most:g}"]
    return [row.name, row.cluster, f"{row.pods:,}", *figures, *ratios]
