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

from hashcompat.core.go.jsonstream import ListPlace
from hashcompat.core.regex import regex
from hashcompat.sources.content import MOST_BYTES, chunks
from hashcompat.sources.files import Input

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
FIRST: Final = ListPlace(1, 0, 1)
"""The first element of a text."""
_KIND: Final = regex(rb'"kind"\s*:\s*"([A-Za-z]{1,99})"', re.ASCII)


class Span(msgspec.Struct, frozen=True):
    """Some elements of a list ``items``."""

    begin: int
    """The first byte."""
    end: int
    """The byte behind the last one; that of the file where its last elements are in it."""
    first: ListPlace = FIRST
    """Where it begins, by the elements and lines before it."""
    closes: bool = False
    """Whether its last byte ends the list."""


class Spans(msgspec.Struct, frozen=True):
    """A file in spans: what precedes the first of them, the spans, and what follows them."""

    spans: tuple[Span, ...]
    last: ListPlace
    """The end of the last span, if it is known."""
    tail: int
    """The byte at which it ends: the list does too, or goes on."""

    @property
    def begin(self) -> int:
        """The byte at which the first span begins."""
        return self.spans[0].begin

    def moved(self, first: ListPlace) -> Spans:
        """Return the spans with the first one at a place; where the others are is not known."""
        unknown = structs.replace(first, index=FIRST.index, line=FIRST.line)
        head, *rest = self.spans
        places = [(head, first), *((span, unknown) for span in rest)]
        spans = tuple(structs.replace(span, first=place) for span, place in places)
        return Spans(spans, unknown, self.tail)

    def behind(self, source: Input, wanted: str) -> tuple[ListPlace, Iterator[str]]:
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
        match = head_of(stream)
        if match is None:
            return ()
        # jq -c and API servers write no line breaks, and at most a space
        space = re.escape(match[1]) if b"\n" in match[1] else b" ?"
        kind = _KIND.search(match[0])
        between = re.compile(b"}," + space + re.escape(match[2]))
        # what looks like the beginning of an element may be in a string: reading shows it, not this
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
    # one large element may be what two cuts find
    return [place for place in dict.fromkeys(places) if begin < place < end]


def _place(stream: io.BufferedReader, near: int, between: re.Pattern[bytes]) -> int:
    """Return where an element begins, behind a comma; 0 where none does nearby."""
    stream.seek(near)
    match = between.search(stream.read(_NEAR))
    return near + match.start() + len(b"},") if match else 0


def text(source: Input, begin: int, end: int, wanted: str) -> Iterator[str]:
    """Yield the text of some bytes of a file of JSON in chunks; errors as ``content.chunks``, unchecked."""
    with source.open() as stream:
        part = cut(stream, begin, end)
        yield from metered(source, part, chunks(part, wanted, checked=False))


def metered(source: Input, stream: io.BufferedReader, text: Iterator[str]) -> Iterator[str]:
    """Yield text of a stream, and count the bytes that were read of it, packed as they are."""
    meter = source.meter
    if meter is None:
        yield from text
        return
    place = 0
    for chunk in text:
        now = stream.tell() if stream.seekable() else place + len(chunk)
        meter.add(now - place)
        place = now
        yield chunk


def cut(stream: io.BufferedReader, begin: int, end: int) -> io.BufferedReader:
    """Return some bytes of a file."""
    return io.BufferedReader(_Slice(stream, begin, end))


class _Slice(io.RawIOBase):
    def __init__(self, stream: io.BufferedReader, begin: int, end: int) -> None:
        self._stream, self._left = stream, end - begin
        stream.seek(begin)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # a view, so that nothing is copied: the parser takes most of a span's time already
        number = self._stream.readinto(memoryview(buffer)[: self._left])
        self._left -= number
        return number


# A glance at a large file: where its pods are, guessed by how its elements begin. ``kubectl get nodes,pods
# -o json`` begins each element alike, on lines of its own, and prints the pods in a row, so a few elements
# show where they begin and end. It is a guess: whoever reads the pods has to find pods alone, from the
# first of them to where they end, or the file is looked through as any other.

_PIECES: Final = (1 << 16, 1 << 20)
"""Bytes in which an element is looked for: where none begins in a few, in more."""
_END: Final = b"},"
"""The end of an element that another one follows."""
_BEGINNING: Final = 1 << 9
"""Bytes that show what an element is."""
_SHARES: Final = (1 / 2, 1 / 4, 3 / 4)
"""Where a pod is looked for in a file that neither begins nor ends with one."""


class _Element(msgspec.Struct, frozen=True):
    byte: int
    """Where it begins."""
    is_pod: bool


class _Search(msgspec.Struct, frozen=True):
    """Finds elements of a file by how they begin."""

    stream: io.BufferedReader
    size: int
    """The bytes of the file."""
    between: bytes
    """What is from the end of an element to where the next one is known to be one."""
    pod: re.Pattern[bytes]
    """The beginning of a pod, with the space before it."""

    def at(self, byte: int) -> _Element:
        """Return the element that begins at a byte."""
        self.stream.seek(byte)
        return _Element(byte, self.pod.match(self.stream.read(_BEGINNING)) is not None)

    def behind(self, byte: int) -> _Element | None:
        """Return the first element that begins behind a byte; None where none does nearby."""
        for piece in _PIECES:
            self.stream.seek(byte)
            offset = self.stream.read(piece).find(self.between)
            if offset >= 0:
                return self.at(byte + offset + len(_END))
        return None

    def last(self) -> tuple[_Element, int] | None:
        """Return the last element, and where the list ends if it is a pod; None where neither is plain."""
        begin = max(0, self.size - _PIECES[-1])
        self.stream.seek(begin)
        data = self.stream.read()
        # behind the list kubectl writes its kind and metadata, which have no bracket
        offset, end = data.rfind(self.between), data.rfind(b"]")
        return (self.at(begin + offset + len(_END)), begin + end) if 0 <= offset < end else None

    def turn(self, low: int, high: int, *, is_pod: bool) -> int | None:
        """Return where the first element behind ``low`` is a pod, or is none, as the one at ``high``.

        None where an element is too large to be found.
        """
        right = high  # no element begins from here to ``high``
        while low < right:
            element = self.behind(middle := (low + right) // 2)
            if element is None:
                return None
            # a bisection, which is right if all pods are in a row; whoever reads them notices if they are not
            if element.byte < high and element.is_pod is not is_pod:
                low = element.byte
            else:
                high, right = min(high, element.byte), middle
        return high


def glanced(source: Input, jobs: int) -> Spans | None:
    """Return where the pods of a file are, in as many spans as processes read them.

    None for a small file, and for one that is not plainly of pods and nodes.
    """
    if not LEAST <= source.size <= MOST_BYTES:
        return None
    with source.open() as stream:
        match = head_of(stream)
        if (
            match is None
            or b"\n" not in match[1]
            or len(match[0]) > _BEGINNING
            or b'"apiVersion"' not in match[2]
        ):
            return None
        begin = match[1] + match[2]
        pod = re.compile(re.escape(begin) + rb'\s*"v1",\s*"kind"\s*:\s*"Pod",')
        return _spans(_Search(stream, source.size, _END + begin, pod), match.start(1), jobs)


def _spans(search: _Search, first: int, jobs: int) -> Spans | None:
    """Return the spans of the pods in a list whose first element begins at a byte."""
    begins, ending = search.at(first), search.last()
    if ending is None:
        return None
    ends, end = ending
    pods = [element.byte for element in (begins, ends) if element.is_pod]
    if not pods:
        tried = (search.behind(int(share * search.size)) for share in _SHARES)
        pods = [element.byte for element in tried if element is not None and element.is_pod]
    pod = pods[0] if pods else None
    if pod is None:
        return None
    begin = first if begins.is_pod else search.turn(first, pod, is_pod=True)
    stop = end + len(b"]") if ends.is_pod else search.turn(pod, ends.byte, is_pod=False)
    if begin is None or stop is None:
        return None
    places = cuts(search.stream, begin, stop, jobs, re.compile(re.escape(search.between)))
    *rows, last = [Span(*bytes_) for bytes_ in pairwise([begin, *places, stop])]
    last = structs.replace(last, closes=ends.is_pod)
    return Spans((*rows, last), FIRST, end if ends.is_pod else stop)
