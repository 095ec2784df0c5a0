"""JSON text in chunks -> documents and elements of ``items``, one by one.

Only one element is in memory at a time, whatever the size of the list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import Meter, document_meter
from hashcompat.core.go.jsonpath import below, element
from hashcompat.core.go.jsontext import DECODER, JsonLines
from hashcompat.core.go.jsonwindow import Alike, Place, Quick, Window
from hashcompat.core.go.tokens import ITEMS, Part, Run
from hashcompat.core.shown import name as shown_name

_PLAIN: Final = json.JSONDecoder()


class End(msgspec.Struct, frozen=True):
    """Where a part of a list ``items`` ends."""

    place: Place
    """The place."""
    goes_on: bool
    """Whether the text ended there, and the list did not."""
    size: int
    """The bytes before it."""


Rest = Callable[[Place], tuple[Place, Iterable[str]]]
"""Takes the place in a list at which a text ends; returns a later one, or the list's end, and the text there.

The elements between the two are read by somebody else.
"""


def parts(
    chunks: Iterable[str],
    *,
    strict: bool = True,
    quick: Quick | None = None,
    alike: Alike | None = None,
    rest: Rest | None = None,
) -> Iterator[Part]:
    """Yield the parts of the JSON documents in a text, which are separated by white space only.

    ``strict=False`` is faster and meant for a first pass: it does not keep the text of numbers, accepts
    duplicate keys and NaN, and knows no lines. ``quick`` is offered many elements at once where each begins
    a line; what ``alike`` makes of an element is the value of its part. ``rest`` is asked where the text ends
    between two elements of ``items``. Raises InputError with line and column, as ``jsontext.loads``, and also
    if the text ends too early.
    """
    window = Window(chunks, DECODER if strict else _PLAIN, placed=strict)
    reader = _Elements(window, quick, alike, rest)
    number = 0
    while char := window.peek():
        number += 1
        if char == "{":
            yield from _object(window, number, reader)
        else:
            yield Part(number, window.value("$"))


class Elements:
    """The elements in a part of a list ``items``, in a text that begins before one of them."""

    def __init__(
        self,
        chunks: Iterable[str],
        first: Place,
        *,
        strict: bool = True,
        quick: Quick | None = None,
        alike: Alike | None = None,
    ) -> None:
        """Take the text and the place at which it begins; the rest is as for ``parts``."""
        self._read = 0
        decoder = DECODER if strict else _PLAIN
        self._window = Window(self._counted(chunks), decoder, placed=strict, line=first.line)
        self._reader = _Elements(self._window, quick, alike, self._stopped)
        self._first, self._index, self._goes_on = first, first.index, False

    def __iter__(self) -> Iterator[Part]:
        """Yield the elements; errors as ``parts``."""
        document, kind = self._first.document, self._first.kind
        for index, value, own in self._reader.listed(ITEMS, self._first):
            self._index = index + _number(value)
            yield Part(document, value, index, kind, own.lines if own else None)

    def _counted(self, chunks: Iterable[str]) -> Iterator[str]:
        for chunk in chunks:
            self._read += _bytes_of(chunk)
            yield chunk

    def _stopped(self, place: Place) -> tuple[Place, Iterable[str]]:
        self._goes_on = True
        # an end of its own lets the reader of the list stop as at any other end
        return place, "]"

    @property
    def end(self) -> End:
        """Where they end, once they were read."""
        place = structs.replace(self._first, index=self._index, line=self._window.line)
        # in bytes, as places in a file are; what was read but not used belongs to the next part
        size = self._read - _bytes_of(self._window.left)
        return End(place, self._goes_on, size if self._goes_on else size - len("]"))


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="surrogateescape"))


def _object(window: Window, number: int, reader: _Elements) -> Iterator[Part]:
    """Yield the elements of ``items`` as they are read, and then the object without them."""
    members: dict[str, Any] = {}
    seen: set[str] = set()
    meter, placed = document_meter(), JsonLines()
    more = window.opens("{", "}")
    while more:
        key = window.key(meter)
        if key in seen:
            raise InputError(f"the key {shown_name(key)!r} appears twice in one object")
        seen.add(key)
        if window.peek() != "[":
            members[key] = window.value(below("$", key), meter, placed)
        elif key == ITEMS:
            # kubectl writes kind after the items, and then this is None: the last part of the document has it
            kind = members.get("kind")
            for index, value, own in reader.listed(key, Place(number, 0, 0, kind), opens=True):
                yield Part(number, value, index, kind, own.lines if own else None)
        else:
            plain = _Elements(window)
            # any other list is read element by element too, so that none is larger in memory than its parts
            members[key] = [
                value for _, value, _ in plain.listed(key, Place(number, 0, 0), meter, opens=True)
            ]
        more = window.goes_on("}")
    yield Part(number, members, lines=placed.lines)


def _number(value: Any) -> int:
    """Return how many elements a value stands for."""
    return len(value.values) if type(value) is Run else 1


class _Elements:
    """Reads the elements of lists in a window."""

    def __init__(
        self, window: Window, quick: Quick | None = None, alike: Alike | None = None, rest: Rest | None = None
    ) -> None:
        self._window, self._quick, self._alike, self._rest = window, quick, alike, rest

    def listed(
        self, key: str, first: Place, meter: Meter | None = None, *, opens: bool = False
    ) -> Iterator[tuple[int, Any, JsonLines | None]]:
        """Yield the index of each element, or of the first one of a run, its value, and where objects begin.

        ``opens``: the list begins here.
        """
        window, alike, index = self._window, self._alike, first.index
        more = not opens or window.opens("[", "]")
        while more:
            if self._rest and not window.peek():
                place, chunks = self._rest(structs.replace(first, index=index, line=window.line))
                window.go_on(place, chunks)
                index, self._rest = place.index, None
                if window.peek() == "]":
                    window.closes("]")
                    return
            if alike and (one := window.alike(alike)) is not None:
                yield index, one, None
                index += 1
            elif self._quick and (run := window.many(self._quick, alike)):
                for value, own in run:
                    yield index, value, own
                    index += _number(value)
            else:
                placed = JsonLines()
                yield index, window.value(element(below("$", key), index), meter, placed, alike), placed
                index += 1
            more = window.goes_on("]")
