"""A glance at a large file: where its pods are, guessed by how its elements begin.

``kubectl get nodes,pods -o json`` begins each element alike, on lines of its own, so that a search finds them
ten times as fast as a parser. It is a guess: whoever reads the pods has to find just as many elements and
lines, and pods alone, or the file is looked through as any other.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final

import msgspec
from msgspec import structs

from hashcompat import forks
from hashcompat.go.jsonwindow import Place
from hashcompat.sources.files import spans
from hashcompat.sources.files.inputs import Input
from hashcompat.sources.files.spans import FIRST, Span, Spans
from hashcompat.sources.limits import MOST_BYTES

_PIECE: Final = 1 << 18
"""Bytes that are searched at once."""

_END: Final = b"},"
"""The end of an element that another one follows."""

_HEAD: Final = 1 << 9
"""Bytes that show what an element is."""

_ORDERS: Final = ([True], [False, True], [True, False], [False, True, False])
"""Whether there are pods in a row, or none: nodes are before all pods, or behind them."""


class _Form(msgspec.Struct, frozen=True):
    """How the elements of a file begin."""

    between: bytes
    """What is from the end of an element to where the next one is known to be one."""
    pod: re.Pattern[bytes]
    """The beginning of a pod, with the space before it."""


class _Mark(msgspec.Struct, frozen=True):
    """A place in a file, from the beginning of a part of it on."""

    pods: bool
    """Whether a pod begins there."""
    byte: int
    """Of the file."""
    elements: int
    lines: int
    """The line breaks."""


def glanced(source: Input, jobs: int) -> Spans | None:
    """Return where the pods of a file are, in as many spans as processes read them.

    The places in them are as if the first pod was the first element, on the first line. All pods but the
    last one of a file are in them. None for a small file, and for one that is not plainly of pods and nodes.
    Raises FailedError as ``forks.begun``.
    """
    if not spans.LEAST <= source.size <= MOST_BYTES:
        return None
    with source.open() as stream:
        found = spans.head_of(stream)
        form = _form(found) if found else None
        if found is None or form is None:
            return None
        cuts = spans.cuts(stream, source.size, jobs, re.compile(re.escape(form.between)))
    works = [partial(_marks, source, form, *part) for part in pairwise([found.start(1), *cuts, source.size])]
    with forks.begun(works[1:]) as results:
        return _spans([list(works[0]()), *map(list, results())])


def _form(found: re.Match[bytes]) -> _Form | None:
    """Return the form of a file's elements; None where they are not on lines of their own."""
    if b"\n" not in found[1] or len(found[0]) > _HEAD or b'"apiVersion"' not in found[2]:
        return None
    begin = found[1] + found[2]
    return _Form(_END + begin, re.compile(re.escape(begin) + rb'\s*"v1",\s*"kind"\s*:\s*"Pod",'))


def _spans(parts: Sequence[Sequence[_Mark]]) -> Spans | None:
    """Return the spans of pods in the parts of a file; None where other elements are between them."""
    marks, elements, lines = list[_Mark](), 0, 0
    for part in parts:
        *rows, last, end = [
            _Mark(one.pods, one.byte, one.elements + elements, one.lines + lines) for one in part
        ]
        marks += rows
        elements, lines = end.elements, end.lines
    if [pods for pods, _ in groupby(marks, attrgetter("pods"))] not in _ORDERS:
        return None
    pods = [mark for mark in marks if mark.pods]
    behind = next((mark for mark in marks if mark.byte > pods[-1].byte), last)
    places = [(mark.byte, _place(mark, pods[0])) for mark in (*pods, behind)]
    found = [Span(begin, stop, place) for (begin, place), (stop, _) in pairwise(places) if begin < stop]
    return Spans(tuple(found), places[-1][1], behind.byte) if found else None


def _place(mark: _Mark, first: _Mark) -> Place:
    return structs.replace(
        FIRST, index=mark.elements - first.elements, line=FIRST.line + mark.lines - first.lines
    )


def _marks(source: Input, form: _Form, begin: int, end: int) -> Iterator[_Mark]:
    """Yield the marks of a part that begins with an element.

    They are where pods begin to follow each other, or other elements do; then where the last element begins;
    and the end.
    """
    pods, last, elements, lines = None, (begin, 0, 0), 0, 0
    with source.open() as stream:
        for byte, pod, before in _elements(stream, form, begin, end):
            lines += before
            if pod is None:
                break
            if pod is not pods:
                pods = pod
                yield _Mark(pod, byte, elements, lines)
            last = byte, elements, lines
            elements += 1
    yield _Mark(False, *last)
    yield _Mark(False, end, elements, lines)


def _elements(
    stream: io.BufferedReader, form: _Form, begin: int, end: int
) -> Iterator[tuple[int, bool | None, int]]:
    """Yield where each element begins, whether it is a pod, and the line breaks since the one before it.

    The end comes last, which is none.
    """
    stream.seek(begin)
    data, base, length, place, lines = bytearray(_PIECE), begin, 0, 0, 0  # data[0] is the byte ``base``
    while base + length < end:
        rest = length - place  # what was not searched yet
        data[:rest] = data[place:length]
        base += place
        more = stream.readinto(memoryview(data)[rest : min(_PIECE, end - base)])
        length, counted, place = rest + more, 0, 0
        limit = length - (_HEAD if more and base + length < end else 0)
        if base == begin:
            yield begin, form.pod.match(data) is not None, 0
        while 0 <= (found := data.find(form.between, place, length)) <= limit:
            place = found + len(_END)
            yield (
                base + place,
                form.pod.match(data, place) is not None,
                lines + data.count(b"\n", counted, place),
            )
            counted, lines = place, 0
        place = max(place, limit)
        lines += data.count(b"\n", counted, place)
        if not more:
            break
    yield end, None, lines
