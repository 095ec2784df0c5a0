"""A large JSON file in spans of bytes that several processes read.

A span ends between two elements of a list ``items``. Where that is, is guessed by how the first element
begins, and shown by reading: the spans before it have to end there, between two elements.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.go.jsonwindow import Place
from hashcompat.regex import regex
from hashcompat.sources.files.inputs import Input
from hashcompat.sources.files.text import chunks
from hashcompat.sources.limits import MOST_BYTES

LEAST: Final = 1 << 23
"""Bytes of a span: reading fewer takes about as long as beginning and ending a process."""

_HEAD: Final = 1 << 16
"""Bytes in which the first element begins."""

_NEAR: Final = 1 << 20
"""Bytes in which an element ends, if any does nearby."""

_FIRST: Final = regex(
    rb'\A(?:\xef\xbb\xbf)?\s*\{[^\[]{0,999}"items"\s*:\s*\[(\s*)(\{\s*"[A-Za-z]{1,40}"\s*:)', re.ASCII
)
"""An object with a list of objects, the space before its first element, and how that begins."""


FIRST: Final = Place(1, 0, 1)
"""The first element of a text."""


_KIND: Final = regex(rb'"kind"\s*:\s*"([A-Za-z]{1,99})"', re.ASCII)


class Span(msgspec.Struct, frozen=True):
    """Some elements of a list ``items``."""

    begin: int
    """The first byte."""
    end: int
    """The byte behind the last one; that of the file where its last elements are in it."""
    first: Place = FIRST
    """Where it begins, by the elements and lines before it."""
    closes: bool = False
    """Whether its last byte ends the list."""


class Spans(msgspec.Struct, frozen=True):
    """A file in spans: what precedes the first of them, the spans, and what follows them."""

    spans: tuple[Span, ...]
    last: Place
    """The end of the last span, if it is known."""
    tail: int
    """The byte at which it ends: the list does too, or goes on."""

    @property
    def begin(self) -> int:
        """The byte at which the first span begins."""
        return self.spans[0].begin

    def moved(self, first: Place) -> Spans:
        """Return them with the first of them at a place; those of the others are not known."""
        unknown = structs.replace(first, index=FIRST.index, line=FIRST.line)
        one, *rest = self.spans
        places = [(one, first), *((span, unknown) for span in rest)]
        found = tuple(structs.replace(span, first=place) for span, place in places)
        return Spans(found, unknown, self.tail)

    def behind(self, source: Input, wanted: str) -> tuple[Place, Iterator[str]]:
        """Return the end of the last span, and the text from there on."""
        return self.last, text(source, self.tail, source.size, wanted)


def guessed(source: Input, number: int) -> tuple[Span, ...]:
    """Return where a file may be cut, so that about as much is before the first span as is in each.

    Nothing for a file that one process reads: a small one, and any that is not a List in plain JSON.
    """
    number = min(number, source.size // LEAST)
    if number < 2 or source.size > MOST_BYTES:
        return ()
    with source.open() as stream:
        found = head_of(stream)
        if found is None:
            return ()
        space = re.escape(found[1]) if b"\n" in found[1] else b" ?"
        kind = _KIND.search(found[0])
        between = re.compile(b"}," + space + re.escape(found[2]))
        places = cuts(stream, 0, source.size, number, between)
    first = structs.replace(FIRST, kind=kind[1].decode() if kind else None)
    return tuple(Span(begin, end, first) for begin, end in pairwise([*places, source.size]))


def head_of(stream: io.BufferedReader) -> re.Match[bytes] | None:
    """Return how a List and its first element begin: the space before that, and its first key."""
    return _FIRST.match(stream.read(_HEAD))


def cuts(
    stream: io.BufferedReader, begin: int, end: int, number: int, between: re.Pattern[bytes]
) -> list[int]:
    """Return where elements begin that divide some bytes of a file into so many parts of about one size."""
    places = (_place(stream, begin + (end - begin) * part // number, between) for part in range(1, number))
    return [one for one in dict.fromkeys(places) if begin < one < end]


def _place(stream: io.BufferedReader, near: int, between: re.Pattern[bytes]) -> int:
    """Return where an element begins, behind a comma; 0 where none does nearby."""
    stream.seek(near)
    found = between.search(stream.read(_NEAR))
    return near + found.start() + len(b"},") if found else 0


def text(source: Input, begin: int, end: int, wanted: str) -> Iterator[str]:
    """Yield the text of some bytes of a file of JSON in chunks; errors as ``text.chunks``, unchecked."""
    with source.open() as stream:
        yield from chunks(cut(stream, begin, end), wanted, checked=False)


def cut(stream: io.BufferedReader, begin: int, end: int) -> io.BufferedReader:
    """Return some bytes of a file."""
    return io.BufferedReader(_Slice(stream, begin, end))


class _Slice(io.RawIOBase):
    """Some bytes of a file."""

    def __init__(self, stream: io.BufferedReader, begin: int, end: int) -> None:
        self._stream, self._left = stream, end - begin
        stream.seek(begin)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        number = self._stream.readinto(memoryview(buffer)[: self._left])
        self._left -= number
        return number
