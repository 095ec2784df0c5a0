"""A glance at a large file: where its pods are, guessed by how its elements begin.

``kubectl get nodes,pods -o json`` begins each element alike, on lines of its own, and prints the pods in a
row, so a few elements show where they begin and end. It is a guess: whoever reads the pods has to find pods
alone, from the first of them to where they end, or the file is looked through as any other.
"""

from __future__ import annotations

import io
import re
from itertools import pairwise
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.sources.files import spans
from hashcompat.sources.files.inputs import Input
from hashcompat.sources.files.spans import FIRST, Span, Spans
from hashcompat.sources.limits import MOST_BYTES

_PIECES: Final = (1 << 16, 1 << 20)
"""Bytes in which an element is looked for: where none begins in a few, in more."""

_END: Final = b"},"
"""The end of an element that another one follows."""

_HEAD: Final = 1 << 9
"""Bytes that show what an element is."""

_SHARES: Final = (1 / 2, 1 / 4, 3 / 4)
"""Where a pod is looked for in a file that neither begins nor ends with one."""


class _Element(msgspec.Struct, frozen=True):
    """An element of a file's list."""

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
        return _Element(byte, self.pod.match(self.stream.read(_HEAD)) is not None)

    def behind(self, byte: int) -> _Element | None:
        """Return the first element that begins behind a byte; None where none does nearby."""
        for piece in _PIECES:
            self.stream.seek(byte)
            found = self.stream.read(piece).find(self.between)
            if found >= 0:
                return self.at(byte + found + len(_END))
        return None

    def last(self) -> tuple[_Element, int] | None:
        """Return the last element, and where the list ends if it is a pod; None where neither is plain."""
        begin = max(0, self.size - _PIECES[-1])
        self.stream.seek(begin)
        data = self.stream.read()
        found, end = data.rfind(self.between), data.rfind(b"]")
        return (self.at(begin + found + len(_END)), begin + end) if 0 <= found < end else None

    def turn(self, low: int, high: int, *, is_pod: bool) -> int | None:
        """Return where the first element behind ``low`` is a pod, or is none, as the one at ``high``.

        None where an element is too large to be found.
        """
        right = high  # no element begins from here to ``high``
        while low < right:
            found = self.behind(middle := (low + right) // 2)
            if found is None:
                return None
            if found.byte < high and found.is_pod is not is_pod:
                low = found.byte
            else:
                high, right = min(high, found.byte), middle
        return high


def glanced(source: Input, jobs: int) -> Spans | None:
    """Return where the pods of a file are, in as many spans as processes read them.

    None for a small file, and for one that is not plainly of pods and nodes.
    """
    if not spans.LEAST <= source.size <= MOST_BYTES:
        return None
    with source.open() as stream:
        found = spans.head_of(stream)
        if found is None or b"\n" not in found[1] or len(found[0]) > _HEAD or b'"apiVersion"' not in found[2]:
            return None
        begin = found[1] + found[2]
        pod = re.compile(re.escape(begin) + rb'\s*"v1",\s*"kind"\s*:\s*"Pod",')
        return _spans(_Search(stream, source.size, _END + begin, pod), found.start(1), jobs)


def _spans(search: _Search, first: int, jobs: int) -> Spans | None:
    """Return the spans of the pods in a list whose first element begins at a byte."""
    begins, found = search.at(first), search.last()
    if found is None:
        return None
    ends, end = found
    pod = _pod(search, begins, ends)
    if pod is None:
        return None
    begin = first if begins.is_pod else search.turn(first, pod, is_pod=True)
    stop = end + len(b"]") if ends.is_pod else search.turn(pod, ends.byte, is_pod=False)
    if begin is None or stop is None:
        return None
    cuts = spans.cuts(search.stream, begin, stop, jobs, re.compile(re.escape(search.between)))
    *rows, last = [Span(*bytes_) for bytes_ in pairwise([begin, *cuts, stop])]
    last = structs.replace(last, closes=ends.is_pod)
    return Spans((*rows, last), FIRST, end if ends.is_pod else stop)


def _pod(search: _Search, first: _Element, last: _Element) -> int | None:
    """Return where a pod begins; None where none is plainly there."""
    pods = [one.byte for one in (first, last) if one.is_pod]
    if not pods:
        tried = (search.behind(int(share * search.size)) for share in _SHARES)
        pods = [one.byte for one in tried if one is not None and one.is_pod]
    return pods[0] if pods else None
