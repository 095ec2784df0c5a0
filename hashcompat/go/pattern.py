"""Texts that differ in some strings alone: what follows a first one is compared instead of decoded.

The replicas of a workload are most of a large dump. A text that equals one that was decoded, but for strings
of plain characters, decodes to the same but for these strings: it has no other keys, numbers or mistakes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

import msgspec

from hashcompat.go.jsonlines import JsonLines
from hashcompat.go.parts import Lines

_VALUE: Final = re.compile(r"[A-Za-z0-9._:/@+-]{1,253}", re.ASCII)
"""What may be in a hole: no printer of JSON, YAML or Go changes any of it. Names are no longer than that."""

_LONGEST: Final = 253

_OTHER: Final = re.compile(r"[^A-Za-z0-9._:/@+-]", re.ASCII)
"""What may not be in a hole."""

_INTEGER: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)

_ESCAPED: Final = re.compile(r"\\(?:/|u00(?:2[bdef]|3[0-9a]|[4-7]))", re.IGNORECASE)
"""Escapes of such characters, which would hide where a string is."""

Values = tuple[str, ...]


class Own(msgspec.Struct, frozen=True):
    """A string or an integer of a value that other texts of the pattern may have otherwise."""

    key: str
    """The key of an integer; empty for a string."""
    value: str
    """The string, or the digits."""


class Text(msgspec.Struct, frozen=True, eq=False):
    """The text of an object that was decoded."""

    whole: str
    places: Callable[[Own], Iterable[int]]
    """Returns where each string or integer begins that equals one, in this order; all of them, no others."""
    lines: Lines
    """Where the objects in its lists begin, if it begins at line 1."""
    is_bare: Callable[[str], bool] = bool
    """Whether a string of such characters is that string also where it is not quoted; JSON has no such."""


class Pattern(msgspec.Struct, frozen=True, eq=False):
    """A text with holes."""

    first: str
    """What precedes the first hole."""
    rest: tuple[tuple[int, str, str, int], ...]
    """The length of each hole in the first text; what follows it: its first character, which no hole has, all
    of it, and its length."""
    integers: tuple[int, ...]
    """The holes of integers, by number."""
    bare: tuple[int, ...]
    """Those of strings that are not quoted."""
    is_bare: Callable[[str], bool]
    lines: int
    """The line breaks in it."""
    length: int
    """The characters of the first text of it."""
    size: int
    """The most characters that a text of it has."""

    def match(self, text: str, position: int) -> tuple[Values, int] | None:
        """Return what is in the holes of the text at a position, and its end; None for another text."""
        if not text.startswith(self.first, position):
            return None
        position += len(self.first)
        values = list[str]()
        for usual, char, piece, length in self.rest:
            end = position + usual
            if not text.startswith(piece, end):  # else the hole has no such character, or is refused below
                end = text.find(char, position, position + _LONGEST + 1)
                if end <= position or not text.startswith(piece, end):
                    return None
            values.append(text[position:end])
            position = end + length
        if _OTHER.search("".join(values)):
            return None
        for number in self.integers:
            if not _INTEGER.fullmatch(values[number]):
                return None
        for number in self.bare:
            if not self.is_bare(values[number]):
                return None
        return tuple(values), position


def pattern_of(text: Text, own: Sequence[Own]) -> tuple[Pattern, list[int]] | None:
    """Return the pattern of a text, and which of ``own`` have holes in it; None for no holes.

    ``own`` is in the order of the text. What is also anywhere else in the text has no hole: no place would
    be certain.
    """
    whole = text.whole
    number = Counter(own)
    places = {one: list(text.places(one)) for one in number}
    kept = [index for index, one in enumerate(own) if len(places[one]) == number[one]]
    starts = sorted((start, one) for one in {own[index] for index in kept} for start in places[one])
    if not kept or [one for _, one in starts] != [own[index] for index in kept]:
        return None
    pieces, end = list[str](), 0
    for start, one in starts:
        pieces.append(whole[end:start])
        end = start + len(one.value)
    first, *rest = (*pieces, whole[end:])
    if any(not piece or _VALUE.match(piece) for piece in rest):
        return None
    usual = (len(one.value) for _, one in starts)
    return Pattern(
        first,
        tuple((number, piece[0], piece, len(piece)) for number, piece in zip(usual, rest, strict=True)),
        tuple(hole for hole, index in enumerate(kept) if own[index].key),
        tuple(hole for hole, (start, one) in enumerate(starts) if not one.key and _is_open(whole, start)),
        text.is_bare,
        whole.count("\n"),
        len(whole),
        len(whole) + len(kept) * _LONGEST,
    ), kept


def _is_open(text: str, start: int) -> bool:
    """Return whether a string that begins there is not quoted."""
    return text[start - 1] not in "\"'"


def is_plain(value: str) -> bool:
    """Return whether a string may be in a hole."""
    return _VALUE.fullmatch(value) is not None


def of_json(whole: str, value: Mapping[str, Any]) -> Text:
    """Return the valid JSON text of an object."""
    hidden = "\\" in whole and _ESCAPED.search(whole)
    return Text(whole, partial(_places, "" if hidden else whole), partial(_lines, whole, value))


def _places(text: str, own: Own) -> Iterator[int]:
    """Yield where a string, or the value of such a key, begins in a text."""
    if own.key:
        for found in _value_of(own.key).finditer(text):
            if found[1] == own.value:
                yield found.start(1)
        return
    quoted = f'"{own.value}"'
    start = text.find(quoted)
    while start >= 0:
        yield start + 1
        start = text.find(quoted, start + 1)


@lru_cache(maxsize=64)
def _value_of(key: str) -> re.Pattern[str]:
    """Return what finds the integers that are values of a key in JSON."""
    return re.compile(rf'"{re.escape(key)}"\s*:\s*([0-9]+)\b', re.ASCII)


def _lines(whole: str, value: Mapping[str, Any], key: str, rows: Sequence[Any]) -> Sequence[int]:
    """Return the lines of the objects in a list of an object, whose text begins at line 1."""
    found = JsonLines()
    found.add(dict(value), 1, 1 + whole.count("\n"), whole.__str__)
    return found.lines(key, rows)
