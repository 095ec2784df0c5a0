"""The smallest parts of two texts in which they differ, with a little of what surrounds them.

However long the texts are, few words are compared and few characters returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Final

import msgspec

from hashcompat.model.details import Kind, Piece

_GO: Final = re.compile(r"\s?[^\s{}\[\]]+|[{}\[\]]|\s")
"""Words of ``%#v`` text, a field with the space before it."""

_JSON: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^"{}\[\],:]+|"')

_ENDS: Final = re.compile(r"[ ,][^ ,]*$")

_BEGINS: Final = re.compile(r"[ ,]")

PLACES: Final = 2
"""The most places that are shown."""

_CONTEXT: Final = 40
"""Characters before and after a place."""

_BEGINNING: Final = 70
"""Characters of a text's beginning: one line of a terminal."""

_LONGEST: Final = 160
"""Characters of what one side alone has, at one place."""

_WINDOW: Final = 200
"""Words of each side in which the end of a place is looked for."""

_ALIKE: Final = 4
"""Words in a row that have to be the same for a place to end before them."""


GAP: Final = Piece(Kind.GAP, "")


class Fragment(msgspec.Struct, frozen=True):
    """Where two texts differ."""

    pieces: tuple[Piece, ...] = ()
    """The first places with some of the text around them; empty where the texts are the same."""
    more: bool = False
    """Whether there are more places."""


NO_DIFFERENCE: Final = Fragment()


class _Place(msgspec.Struct, frozen=True):
    """Where the texts differ, as ranges of words."""

    old: tuple[int, int]
    new: tuple[int, int]


def fragment(old: str, new: str, *, json: bool) -> Fragment:
    """Return the first places in which two texts differ.

    ``json``: whether they are JSON, not ``%#v`` text.
    """
    one, other = ((_JSON if json else _GO).findall(text) for text in (old, new))
    found = [*islice(_places(one, other), PLACES + 1)]
    if not found:
        return NO_DIFFERENCE
    end = found[PLACES].new[0] if len(found) > PLACES else len(other)
    return Fragment(tuple(_tidy(_pieces(found[:PLACES], one, other, end))), len(found) > PLACES)


def beginning(text: str, most: int = _BEGINNING) -> tuple[Piece, ...]:
    """Return the first characters of a text."""
    kept = Piece(Kind.SAME, text[:most])
    return (kept, GAP) if len(text) > most else (kept,)


def _places(old: Sequence[str], new: Sequence[str]) -> Iterator[_Place]:
    """Yield where two lists of words differ, each found in a window, so that their length does not matter."""
    start = _common(old, new, 0, 0)
    at, to = start, start
    while at < len(old) or to < len(new):
        rows = _rows(old[at : at + _WINDOW], new[to : to + _WINDOW])
        whole = len(old) - at <= _WINDOW and len(new) - to <= _WINDOW
        kept = rows if whole else _settled(rows)
        if not kept:
            end = _common_end(old, new, at, to)
            yield _Place((at, len(old) - end), (to, len(new) - end))
            return
        for tag, first, last, begin, stop in kept:
            if tag != "equal":
                yield _Place((at + first, at + last), (to + begin, to + stop))
        _, _, last, _, stop = kept[-1]
        same = _common(old, new, at + last, to + stop)
        at, to = at + last + same, to + stop + same


_Row = tuple[str, int, int, int, int]


def _rows(old: Sequence[str], new: Sequence[str]) -> list[_Row]:
    return [*SequenceMatcher(None, old, new, autojunk=False).get_opcodes()]


def _settled(rows: list[_Row]) -> list[_Row]:
    """Return the rows up to the last run of equal words: what comes after it the window's end made."""
    ends = [
        index
        for index, (tag, first, last, *_) in enumerate(rows)
        if tag == "equal" and last - first >= _ALIKE
    ]
    return rows[: ends[-1] + 1] if ends else []


def _common(old: Sequence[str], new: Sequence[str], at: int, to: int) -> int:
    """Return how many words two lists have in common from two indexes on."""
    most = min(len(old) - at, len(new) - to)
    return next((step for step in range(most) if old[at + step] != new[to + step]), most)


def _common_end(old: Sequence[str], new: Sequence[str], at: int, to: int) -> int:
    """Return how many words two lists end with in common, after two indexes."""
    most = min(len(old) - at, len(new) - to)
    return next((step for step in range(most) if old[-1 - step] != new[-1 - step]), most)


def _pieces(places: Sequence[_Place], old: Sequence[str], new: Sequence[str], until: int) -> Iterator[Piece]:
    """Yield each place between some of the words around it, up to a word of the second text."""
    end = 0
    for place in places:
        yield from _between("".join(new[end : place.new[0]]), first=not end, last=False)
        yield from _shortened(Kind.REMOVED, "".join(old[slice(*place.old)]))
        yield from _shortened(Kind.ADDED, "".join(new[slice(*place.new)]))
        end = place.new[1]
    yield from _between("".join(new[end:until]), first=False, last=True)
    if until < len(new):
        yield GAP


def _between(text: str, *, first: bool, last: bool) -> Iterator[Piece]:
    """Yield what two places have in common between them, without its middle if it is long."""
    head, tail = ("" if first else text[:_CONTEXT]), ("" if last else text[-_CONTEXT:])
    if len(head) + len(tail) >= len(text):
        yield Piece(Kind.SAME, text)
        return
    ends, begins = _ENDS.findall(head), _BEGINS.search(tail)
    head = head[: -len(ends[-1])] if ends else head
    tail = tail[begins.start() :] if begins else tail
    yield from (Piece(Kind.SAME, head), GAP, Piece(Kind.SAME, tail))


def _shortened(kind: Kind, text: str) -> Iterator[Piece]:
    """Yield a text of one side, without its middle if it is long."""
    if len(text) <= _LONGEST:
        yield Piece(kind, text)
        return
    tail = _LONGEST // 4
    yield from (Piece(kind, text[: _LONGEST - tail]), GAP, Piece(kind, text[-tail:]))


def _tidy(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Leave out empty pieces, and gaps after gaps."""
    before = None
    for piece in pieces:
        if piece.text or (piece is GAP and before is not GAP):
            before = piece
            yield piece
