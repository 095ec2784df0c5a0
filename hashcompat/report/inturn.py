"""Texts of many rows, which several processes make in turn: a large plan is written in half the time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

from hashcompat.forks import FailedError, begun

Value = TypeVar("Value")

Texts = Sequence[str]
"""Those of one row."""

Write = Callable[[Iterable[Value]], Iterator[Texts]]
"""Makes the texts of some rows."""

_TOGETHER: Final = 512
"""Rows of one turn."""

LEAST: Final = 16 * _TOGETHER
"""Rows that are worth another process."""


def in_turn(values: Sequence[Value], write: Write[Value], jobs: int) -> Generator[Texts, None, None]:
    """Yield the texts of all rows; what another process does not make, this one does."""
    blocks = [values[start : start + _TOGETHER] for start in range(0, len(values), _TOGETHER)]
    works = [partial(_written, blocks[number::jobs], write) for number in range(1, jobs)]
    with suppress(FailedError), begun(works) as results:
        others = [iter(found) for found in results()]
        for number, block in enumerate(blocks):
            turn = number % jobs
            yield from (_made(others[turn - 1]) if turn else None) or write(block)
        return
    yield from write(values)


def _written(blocks: Iterable[Sequence[Value]], write: Write[Value]) -> Iterator[list[Texts]]:
    """Yield the texts of some blocks, for another process."""
    return (list(write(block)) for block in blocks)


def _made(other: Iterator[list[Texts]]) -> list[Texts] | None:
    """Return the next block of another process; None where there is none."""
    with suppress(FailedError):
        return next(other, None)
    return None
