"""Texts of many rows, as fast as they can be written.

The replicas of a workload are most rows of a large plan, and share all but names, hashes and times: a row
that differs from an earlier one in a few values alone is that one's text with these values in its gaps.
Several processes make the rows in turn, so that a large plan is written in half the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

import msgspec

from hashcompat.core.forks import FailedError, begun
from hashcompat.core.regex import regex

Value = TypeVar("Value")
OwnValues = tuple[str | int | None, ...]
"""What each row has as its own."""
_WORD: Final = "hashcompat-own-"
"""How the words for gaps begin."""
_GAP: Final = regex(rf'"{_WORD}(\d+)"', re.ASCII)
_MOST: Final = 2048
"""Forms that are kept, of about 1 kB; rows beyond are written one by one."""
_JSON: Final = msgspec.json.Encoder().encode


class AlikeRows(msgspec.Struct, Generic[Value], frozen=True):
    """What rows share, and what each has as its own."""

    key: Callable[[Value], Hashable]
    """What rows of one form have in common."""
    own_values: Callable[[Value], OwnValues]
    """The row's own values, as many for each row of one key; each is in one place of it."""
    row: Callable[[Value, Sequence[Any]], dict[str, Any]]
    """Makes the row with such values."""


Write = Callable[[dict[str, Any]], str]
"""Makes a text of a row: JSON, and of plain values just as msgspec does."""
_Form = tuple[list[str], Callable[[Sequence[str]], tuple[str, ...]]]
"""The pieces of a text, every other one of them a gap, and the places of what is in these."""
_LEAST_GAPS: Final = 2
"""Gaps of a form: ``itemgetter`` of one place returns no tuple."""


class Forms(Generic[Value]):
    """Writes rows by the forms of the first ones, each in some ways at once."""

    def __init__(self, likeness: AlikeRows[Value], writes: Sequence[Write]) -> None:
        self._likeness, self._writes = likeness, writes
        self._forms_by_key: dict[Hashable, list[_Form] | None] = {}

    def texts(self, values: Iterable[Value]) -> Iterator[Sequence[str]]:
        """Yield the texts of each row."""
        likeness, cached = self._likeness, self._forms_by_key
        for value in values:
            key, own = likeness.key(value), likeness.own_values(value)
            forms = cached.get(key)
            if forms is None and key not in cached and len(cached) < _MOST:
                forms = cached[key] = self._forms(value, len(own))
            if forms is not None and (plain := _plain(own)) is not None:
                yield [_filled(pieces, places(plain)) for pieces, places in forms]
            else:
                row = likeness.row(value, own)
                yield [write(row) for write in self._writes]

    def _forms(self, value: Value, number: int) -> list[_Form] | None:
        """Return the forms of a row; None where a word for a gap is in the row itself."""
        row = self._likeness.row(value, [f"{_WORD}{place}" for place in range(number)])
        made = [_form(write(row), number) for write in self._writes]
        forms = [form for form in made if form is not None]
        return forms if len(forms) == len(made) else None


def _form(text: str, number: int) -> _Form | None:
    pieces = _GAP.split(text)
    places = list(map(int, pieces[1::2]))
    if number < _LEAST_GAPS or sorted(places) != list(range(number)) or text.count(_WORD) != number:
        return None
    return pieces, itemgetter(*places)


def _filled(pieces: list[str], values: Sequence[str]) -> str:
    """Return the text with values in the gaps, which are filled again each time."""
    # the list is filled again each time: most rows need this and a join
    pieces[1::2] = values
    return "".join(pieces)


def _plain(own: OwnValues) -> list[str] | None:
    """Return values as JSON; None where a text has a comma, or is not plain, so that writers may differ."""
    try:
        whole = _JSON(own).decode()
    except UnicodeEncodeError:
        return None
    # each format writes such characters in its own way, and ## begins what a CI runner obeys
    if not whole.isascii() or "\\" in whole or "\x7f" in whole or "##" in whole:
        return None
    # a comma inside a value makes more parts than there are values
    plain = whole[1:-1].split(",")
    return plain if len(plain) == len(own) else None


Texts = Sequence[str]
"""Those of one row."""
WriteRows = Callable[[Iterable[Value]], Iterator[Texts]]
"""Makes the texts of some rows."""
_BATCH: Final = 512
"""Rows of one turn."""
WORTH_FORKING: Final = 16 * _BATCH
"""Rows that are worth another process."""


def in_turn(values: Sequence[Value], write: WriteRows[Value], jobs: int) -> Generator[Texts, None, None]:
    """Yield the texts of all rows; what another process does not make, this one does."""
    blocks = [values[start : start + _BATCH] for start in range(0, len(values), _BATCH)]
    works = [partial(_written, blocks[number::jobs], write) for number in range(1, jobs)]
    with suppress(FailedError), begun(works) as results:
        streams = [iter(result) for result in results()]
        # block by block in turn, so that rows keep their order and nobody waits for another's end
        for number, block in enumerate(blocks):
            turn = number % jobs
            yield from (_made(streams[turn - 1]) if turn else None) or write(block)
        return
    yield from write(values)


def _written(blocks: Iterable[Sequence[Value]], write: WriteRows[Value]) -> Iterator[list[Texts]]:
    """Yield the texts of some blocks, for another process."""
    return (list(write(block)) for block in blocks)


def _made(stream: Iterator[list[Texts]]) -> list[Texts] | None:
    """Return the next block of another process; None where there is none."""
    with suppress(FailedError):
        return next(stream, None)
    return None
