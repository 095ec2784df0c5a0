"""What a command does grows with its input, not with the square of it: counted work, and memory.

Each row of ``tests/helpers/growing.py`` is a dimension that an attacker chooses. Counted are the lines of
Python that run, for sizes of 1, 2, 4 and 8 times the least: each step has to add twice as much as the one
before it. What a single call of C does is not counted; ``tests/suites/large/test_growth.py`` measures that.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest

from tests.helpers.growing import COMMANDS, ROWS, Row, ran, written
from tests.helpers.program import UNSET

TIMES: Final = (1, 2, 4, 8)

MOST: Final = 2.6
"""How many times as much the last step may add as the one before it: 2 is linear, 4 the square."""

LEAST_LINES: Final = 3_000
"""A step of fewer lines says nothing: a cache fills, or a line of text is as long as fits."""

LEAST_BYTES: Final = 60_000


@dataclass
class Work:
    """What one run took."""

    code: int
    lines: int = 0
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
    """Run a command with a row's input of some size; count the lines of Python."""
    written(row.make(size), Path.cwd())
    lines = [0]
    seen: dict[CodeType, int] = {}

    def local(_: FrameType, event: str, __: Any) -> Any:
        if event == "line":
            lines[0] += 1
        return local

    def trace(frame: FrameType, _: str, __: Any) -> Any:
        seen[frame.f_code] = seen.get(frame.f_code, 0) + 1
        return local

    sys.settrace(trace)
    try:
        code, said = ran(COMMANDS[command], row.options(size))
    finally:
        sys.settrace(None)
    return Work(code, lines[0] + sum(seen.values()), 0, said)


def measured(row: Row, command: str, size: int) -> Work:
    """Run a command with a row's input of some size; measure the most memory that it has at once."""
    written(row.make(size), Path.cwd())
    gc.collect()
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


CASES: Final = [pytest.param(row, one, id=f"{one}: {row.name}") for row in ROWS for one in row.commands]


@pytest.mark.parametrize(("row", "command"), CASES)
def test_work_grows_with_the_input(row: Row, command: str) -> None:
    counted(row, command, row.size)  # what is compiled once
    found = [counted(row, command, row.size * times) for times in TIMES]
    assert all(one.code in row.codes and "a bug in hashcompat" not in one.said for one in found), found
    lines = [one.lines for one in found]
    assert growth(lines, LEAST_LINES) <= MOST, lines


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_memory_grows_with_the_input(row: Row) -> None:
    command = row.commands[0]
    measured(row, command, row.size)
    found = [measured(row, command, row.size * times).bytes for times in TIMES]
    assert growth(found, LEAST_BYTES) <= MOST, found


def test_the_square_of_an_input_is_seen() -> None:
    """Both for lines and for bytes, at the sizes of the rows."""
    assert growth([n * 900 + n * n * 10 for n in (8, 16, 32, 64)], LEAST_LINES) > MOST
    assert growth([n * 900 + 5_000 for n in (8, 16, 32, 64)], LEAST_LINES) == pytest.approx(2)
    assert growth([n * n * 100 for n in (8, 16, 32, 64)], LEAST_BYTES) > MOST


def test_every_command_is_in_a_row() -> None:
    assert {command for row in ROWS for command in row.commands} == set(COMMANDS)
