"""What a command does grows with its input, not with the square of it: counted work, and memory.

Each row of ``tests/helpers/growing.py`` is a dimension that an attacker chooses. Counted are the calls of
functions, for three sizes, each twice the one before: the last step has to add twice as much as the first
one. What a single call of C does is not counted; ``tests/suites/large/test_growth.py`` measures that.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Iterator
from cProfile import Profile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.helpers import randomness
from tests.helpers.growing import COMMANDS, ROWS, Row, ran, written
from tests.helpers.program import UNSET

pytestmark = pytest.mark.slow

TIMES: Final = (2, 4, 8) if randomness.FRESH else (1, 2, 4)

MOST: Final = 3
"""How many times as much the last step may add as the one before it: 2 is linear, 4 the square."""

LEAST_CALLS: Final = 3_000
"""A step of fewer calls shows no growth: a cache fills, or a line of text is as long as fits."""


@dataclass
class Work:
    """What one run took."""

    code: int
    calls: int = 0
    bytes: int = 0
    said: str = ""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run in a directory of its own, without the tracer of coverage and without what collects garbage."""
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    tracer = sys.gettrace()
    sys.settrace(None)
    gc.disable()
    yield
    gc.enable()
    sys.settrace(tracer)


def counted(row: Row, command: str, size: int) -> Work:
    """Run a command with a row's input of some size; count the calls of functions, also of C's."""
    written(row.make(size), Path.cwd())
    profiler = Profile(subcalls=False)
    profiler.enable()
    try:
        code, said = ran(COMMANDS[command], row.options(size))
    finally:
        profiler.disable()
    return Work(code, sum(entry.callcount for entry in profiler.getstats()), 0, said)


def measured(row: Row, command: str, size: int) -> Work:
    """Run a command with a row's input of some size; measure the most memory that it has at once."""
    written(row.make(size), Path.cwd())
    gc.collect(0)  # what the run before this one left: all of it is young, and what other tests left is not
    tracemalloc.start()
    try:
        code, said = ran(COMMANDS[command], row.options(size))
        return Work(code, 0, tracemalloc.get_traced_memory()[1], said)
    finally:
        tracemalloc.stop()


def growth(amounts: list[int], least: int) -> float:
    """Return how many times as much the last step adds as the one before it; 1 where it adds little."""
    before, last = amounts[-2] - amounts[-3], amounts[-1] - amounts[-2]
    return last / max(before, least) if last > least else 1


def check_work(row: Row, command: str) -> None:
    """Demand that a command's calls grow with a row's input."""
    counted(row, command, row.size)  # what is compiled once
    calls = [sys.maxsize] * len(TIMES)
    for _ in range(3):  # some of it only when an input comes again, or a larger one
        works = [counted(row, command, row.size * times) for times in TIMES]
        assert all(work.code in row.codes and "a bug in hashcompat" not in work.said for work in works), works
        calls = [min(work.calls, before) for work, before in zip(works, calls, strict=True)]
        if growth(calls, LEAST_CALLS) <= MOST:
            return
    raise AssertionError(calls)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_work_grows_with_the_input(row: Row) -> None:
    """By the first command of each row; the suite ``large`` has the others."""
    check_work(row, row.commands[0])


OF_MEMORY: Final = ("containers", "pods that differ", "variables in a word of a unit", "rows of crictl")


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS if row.name in OF_MEMORY])
def test_memory_grows_with_the_input(row: Row) -> None:
    check_memory(row, row.commands[0])


def check_memory(row: Row, command: str) -> None:
    """Demand that twice the input needs about twice the memory at the most."""
    measured(row, command, row.size)
    sizes = [measured(row, command, row.size * times).bytes for times in TIMES[-2:]]
    assert sizes[-1] <= MOST * sizes[-2], sizes


def test_the_square_of_an_input_is_seen() -> None:
    assert growth([n * 900 + n * n * 30 for n in (8, 16, 32, 64)], LEAST_CALLS) > MOST
    assert growth([n * 900 + 5_000 for n in (8, 16, 32, 64)], LEAST_CALLS) == pytest.approx(2)


def test_every_command_is_in_a_row() -> None:
    assert {command for row in ROWS for command in row.commands} == set(COMMANDS)
