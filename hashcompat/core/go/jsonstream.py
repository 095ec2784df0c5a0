"""JSON text in chunks -> documents and elements of ``items``, one by one.

Only one element is in memory at a time, whatever the size of the list. The window is the part of the text
that was read but not yet used: values are taken from its beginning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Protocol

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.go.allowance import (
    Meter,
    characters_in,
    check_depth,
    document_meter,
    is_small,
    may_be_deep,
    object_meter,
    too_deep,
    too_long,
    values_in,
)
from hashcompat.core.go.jsonpath import ITEMS, DecodedRun, Part, Text, below, element, of_json
from hashcompat.core.go.jsontext import DECODER, UNTERMINATED, JsonLines, no_json, skip_space
from hashcompat.core.shown import name as shown_name

Quick = Callable[[str], Sequence[tuple[Any, str]] | DecodedRun | None]
"""Decodes a whole JSON list as the strict decoder would; None for one that it leaves to that one.

With each element comes its text; an empty one where nobody will ask for lines in it. A run stays together.
"""


class Alike(Protocol):
    """Finds elements that differ from earlier ones in a few strings alone, without decoding them."""

    longest: int
    """The most characters that such an element has."""

    def match(self, text: str, position: int, line: int) -> tuple[Any, int, int] | None:
        """Return an element that begins there, the line breaks in it, and its end; None for any other."""

    def learn(self, text: Text, value: Any, line: int) -> Any:
        """Take one more element that was decoded strictly; return what is made of it, or itself."""


class ListPlace(msgspec.Struct, frozen=True):
    """A place between two elements of a list ``items``."""

    document: int
    """The document's number in the stream, from 1."""
    index: int
    """The index of the next element; after the last one, how many there are."""
    line: int
    """The line, from 1."""
    kind: Any = None
    """The document's ``kind``, if it precedes the list."""


_SPACE: Final = " \t\n\r"
_WIDEST: Final = 64
"""Characters of white space before an element that are looked at."""
_TOGETHER: Final = 1 << 19
"""Characters that are decoded together: those of a chunk, even where a large object left more of them."""
_FEW: Final = 1 << 12
"""Characters by which those that are decoded together grow at least."""
_AHEAD: Final = 1 << 16
"""Characters that are there before many elements are looked for."""
_LONGEST_WORD: Final = 16
"""Characters; an error this close to the end of what was read may only mean that a token is incomplete."""


class Window:
    """The part of a text that was read but not yet used; it grows only while a value does not fit."""

    def __init__(
        self, chunks: Iterable[str], decoder: json.JSONDecoder, *, placed: bool, line: int = 1
    ) -> None:
        self._chunks = iter(chunks)
        self._decoder, self._placed = decoder, placed
        self._text = ""
        self._position = 0
        self._path = "$"  # of the value that is being read
        self._line, self._column = line, 1  # of the first character of the text
        self._seen, self._seen_line = 0, line  # a place in the text, and its line
        self._strict_to = 0  # where elements end that were offered together and left to the decoder
        self._alone_to = 0  # where documents do
        self._together = 1  # characters of the elements that are offered together

    def peek(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        while True:
            rest = self._text[self._position : self._position + 1]
            if rest and rest not in _SPACE:
                return rest
            if rest:
                self._position = skip_space(self._text, self._position)
            elif not self._more():
                return ""

    @property
    def line(self) -> int:
        """The line of the next character."""
        return self._line_of(self._position)

    @property
    def left(self) -> str:
        """What was read and not yet used."""
        return self._text[self._position :]

    def go_on(self, place: ListPlace, chunks: Iterable[str]) -> None:
        """Go on with another text, at the end of this one."""
        self._chunks = iter(chunks)
        self._line, self._column = place.line, 1
        self._text, self._position, self._strict_to, self._alone_to = "", 0, 0, 0
        self._seen, self._seen_line = 0, place.line

    def opens(self, start: str, end: str) -> bool:
        """Consume ``start``, and ``end`` if it follows; return whether there is anything between the two."""
        self._take(start)
        return not self._taken(end)

    def closes(self, end: str) -> None:
        """Consume ``end``."""
        self._take(end)

    def goes_on(self, end: str) -> bool:
        """Consume a comma or ``end``; return whether it was a comma."""
        if self._taken(end):
            return False
        self._take(",")
        return True

    def key(self, meter: Meter) -> str:
        """Consume a member's name and the colon after it; return the name."""
        if self.peek() != '"':
            raise self._error("Expecting property name enclosed in double quotes", self._position)
        name: str = self.value("$", meter)
        self._take(":")
        return name

    def value(
        self,
        path: str,
        meter: Meter | None = None,
        placed: JsonLines | None = None,
        alike: Alike | None = None,
    ) -> Any:
        """Consume one value, reading more chunks until it is complete; ``meter`` adds up its size.

        An object, if lines are wanted, is added to ``placed``, and is what ``alike`` makes of it. Raises
        InputError, with line, column and ``path``, for one that is larger than any object.
        """
        self.peek()
        self._path = path
        value, end = self._decoded()
        place = self._text, self._position, end
        try:
            if meter is not None or not is_small(self._position, end):
                size = characters_in(*place), values_in(*place)
                for counter in filter(None, (object_meter(), meter)):
                    counter.add(*size)
            if may_be_deep(*place):
                check_depth(value)
        except InputError as error:
            raise self.refused(error) from None
        if placed is not None and self._placed and type(value) is dict:
            lines = self._line_of(self._position), self._line_of(end)
            placed.add(value, *lines, partial(str.__getitem__, self._text, slice(self._position, end)))
            if alike is not None:
                value = alike.learn(of_json(self._text[self._position : end], value), value, lines[0])
        self._position = end
        return value

    def alike(self, alike: Alike) -> Any:
        """Consume one element if it is like an earlier one; return what is made of it, or else None."""
        if len(self._text) - self._position < alike.longest + _WIDEST:
            self._more()
        self.peek()
        match = alike.match(self._text, self._position, self._line_of(self._position))
        if match is None:
            return None
        value, lines, self._position = match
        self._seen, self._seen_line = self._position, self._seen_line + lines
        self._together = 1
        return value

    def many(self, quick: Quick, alike: Alike | None) -> list[tuple[Any, JsonLines | None]]:
        """Consume the elements whose end is in what was read, if ``quick`` decodes them; else nothing.

        They end where an object and the next one are on lines of their own, indented as the first one is.
        No string has a line break in it, and anything but a list of whole objects does not decode. After an
        element that is like an earlier one the next ones may be too, so few are offered.
        """
        if self._position < self._strict_to:
            return []
        if len(self._text) - self._position < _AHEAD:
            self._more()  # else the one element at the end of each chunk is left to the strict decoder
        self.peek()
        before = self._text[max(0, self._position - _WIDEST) : self._position]
        space = before[len(before.rstrip(_SPACE)) :]
        # compact JSON has no mark between elements that could not also be in the middle of one
        if "\n" not in space:
            return []
        last = self._last(f"{space}}},{space}{{", _TOGETHER if alike is None else self._together)
        if last < 0:
            return []
        end = last + len(space) + 1
        # what quick refused once is not offered again, or one odd element would be decoded over and over
        self._strict_to = end
        return self._offered(end, self._text[self._position : end], quick, alike)

    def documents(self, quick: Quick, alike: Alike) -> list[tuple[Any, JsonLines | None]]:
        """Consume the documents whose end is in what was read, as ``many`` does elements.

        They end where an object and the next one are on lines of their own, in one line or in many: no string
        has a line break in it, and within a document a comma would be between the two. The last one
        ends where a short text does.
        """
        if self._position < self._alone_to:
            return []
        ended = len(self._text) - self._position < _AHEAD and not self._more()
        self.peek()
        ends = self._text.find("\n", self._position)
        newline = "\r\n" if self._text[ends - 1 : ends] == "\r" else "\n"
        between = f"}}{newline}{{"
        end = self._last(between, self._together) + 1
        if not end and ended:
            end = len(self._text.rstrip(_SPACE))
        self._alone_to = end or len(self._text)
        if not end:
            return []
        whole = self._text[self._position : end]
        number = whole.count(between) + 1

        def plain(text: str) -> Sequence[tuple[Any, str]] | DecodedRun | None:
            values = quick(text)
            # more have a comma between them, which documents may not
            if values is None or isinstance(values, DecodedRun) or len(values) != number:
                return None
            # the elements of a list are parts of their own
            return values if all(type(value) is dict and ITEMS not in value for value, _ in values) else None

        return self._offered(end, whole.replace(between, f"}},{newline}{{"), plain, alike)

    def _offered(
        self, end: int, listed: str, quick: Quick, alike: Alike | None
    ) -> list[tuple[Any, JsonLines | None]]:
        """Consume all before an end if ``quick`` decodes it, ``listed`` with commas between; else nothing."""
        values = quick(f"[{listed}]") or ()
        pairs = [(values, "")] if isinstance(values, DecodedRun) else values
        elements = [self._passed(value, text, alike) if text else (value, None) for value, text in pairs]
        self._position = end if elements else self._position
        return elements

    def _last(self, between: str, together: int) -> int:
        """Return where the last of the next elements ends that are decoded together; -1 for nowhere."""
        end = self._position + together
        # doubled as long as nothing is like an earlier element: a list without replicas soon goes in whole
        # chunks
        self._together = 2 * (together + _FEW) if together < _TOGETHER else 1
        last = self._text.rfind(between, self._position, end)
        return last if last >= 0 else self._text.find(between, max(self._position, end - len(between)))

    def _passed(self, value: Any, text: str, alike: Alike | None) -> tuple[Any, JsonLines | None]:
        """Pass over an element, and a comma before it; return it, and where the objects in it begin."""
        self._position = skip_space(self._text, self._position)
        if self._text[self._position] == ",":
            self._position = skip_space(self._text, self._position + 1)
        end, placed, line = self._position + len(text), JsonLines(), self._line_of(self._position)
        placed.add(value, line, self._line_of(end), text.__str__)
        self._position = end
        return (alike.learn(of_json(text, value), value, line) if alike else value), placed

    def _line_of(self, position: int) -> int:
        """Return the line of a place that is not before the last one that was asked for."""
        self._seen_line += self._text.count("\n", self._seen, position)
        self._seen = position
        return self._seen_line

    def _decoded(self) -> tuple[Any, int]:
        """Return the value at the current position, and where it ends."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                # a string of many chunks would fail once for each of them: only a quote is worth another try
                wanted = '"' if error.msg.startswith(UNTERMINATED) else ""
                if not (
                    (error.msg.startswith(UNTERMINATED) or error.pos > len(self._text) - _LONGEST_WORD)
                    and self._more(wanted)
                ):
                    raise self._error(error.msg, error.pos) from None
            except ValueError:  # more digits than Python turns into an integer, which DECODER keeps as text
                self._decoder = DECODER
            except RecursionError:
                raise self.refused(too_deep()) from None
            except InputError as error:  # a key that is there twice, or NaN
                raise self.refused(error) from None
            else:
                # 12 may be the start of 123, and 1e of 1e5; what ends in a quote or a bracket is complete
                ends = self._text[end - 1] in '"]}' or end + _LONGEST_WORD < len(self._text)
                if ends or not self._more():
                    return value, end

    def _taken(self, char: str) -> bool:
        matches = self.peek() == char
        self._position += matches
        return matches

    def _take(self, char: str) -> None:
        if not self._taken(char):
            raise self._error(f"Expecting {char!r} delimiter", self._position)

    def _more(self, wanted: str = "") -> bool:
        """Drop what was used and read at least as much again as is left; return whether there was more.

        Reading in growing steps keeps the cost of decoding a long value again and again linear. Without what
        is ``wanted`` in the last chunk, such as the end of a string, decoding again would fail again.
        """
        rest = self._text[self._position :]
        if len(rest) > allowance.LONGEST:
            raise self.refused(too_long())
        read, length = [rest], 0
        for chunk in self._chunks:
            read.append(chunk)
            length += len(chunk)
            if (length > len(rest) and wanted in chunk) or length + len(rest) > allowance.LONGEST:
                break
        if not length:
            return False
        self._line, self._column = self._line_of(self._position), self._column_of(self._position)
        # places count from the beginning of the text, which has just moved
        self._strict_to = max(0, self._strict_to - self._position)
        self._alone_to = max(0, self._alone_to - self._position)
        self._text, self._position = "".join(read), 0
        self._seen, self._seen_line = 0, self._line
        return True

    def _place(self, position: int) -> tuple[int, int]:
        return self._line + self._text.count("\n", 0, position), self._column_of(position)

    def _column_of(self, position: int) -> int:
        before = self._text.rfind("\n", 0, position)
        return position - before if before >= 0 else self._column + position

    def refused(self, problem: InputError, path: str = "") -> InputError:
        """Return the error for the value that is being read, or for what is at another path."""
        line, column = self._place(self._position)
        return InputError(f"line {line} column {column}: {path or self._path}: {problem}")

    def _error(self, problem: str, position: int) -> InputError:
        # reading on is fine: after an error nothing else is taken from the text
        at_end = position >= len(self._text.rstrip()) and not any(chunk.strip() for chunk in self._chunks)
        return no_json(*self._place(position), problem, at_end=at_end)


# Documents and elements, taken from a window.

_PLAIN: Final = json.JSONDecoder()


class End(msgspec.Struct, frozen=True):
    """Where a part of a list ``items`` ends."""

    place: ListPlace
    """The place."""
    goes_on: bool
    """Whether the text ended there, and the list did not."""
    size: int
    """The bytes before it."""


Rest = Callable[[ListPlace], tuple[ListPlace, Iterable[str]]]
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
    documents: bool = False,
) -> Iterator[Part]:
    """Yield the parts of the JSON documents in a text, which are separated by white space only.

    ``strict=False`` is faster and meant for a first pass: it does not keep the text of numbers, accepts
    duplicate keys and NaN, and knows no lines. ``quick`` is offered many elements at once where each begins
    a line; what ``alike`` makes of an element is the value of its part. ``rest`` is asked where the text ends
    between two elements of ``items``. With ``documents`` both are for whole documents too, such as JSON
    lines. Raises InputError with line and column, as ``jsontext.loads``, and also if the text ends too early.
    """
    window = Window(chunks, DECODER if strict else _PLAIN, placed=strict)
    reader = _Elements(window, quick, alike, rest)
    document_alike = alike if documents else None
    number = 0
    while char := window.peek():
        number += 1
        if char != "{":
            yield Part(number, window.value("$"))
        elif document_alike and (document := window.alike(document_alike)) is not None:
            yield Part(number, document)
        elif document_alike and quick and (run := window.documents(quick, document_alike)):
            for behind, (value, own) in enumerate(run):
                yield Part(number + behind, value, lines=own.lines if own else None)
            number += len(run) - 1
        else:
            yield from _object(window, number, reader)


class Elements:
    """The elements in a part of a list ``items``, in a text that begins before one of them."""

    def __init__(
        self,
        chunks: Iterable[str],
        first: ListPlace,
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

    def _stopped(self, place: ListPlace) -> tuple[ListPlace, Iterable[str]]:
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
            raise window.refused(InputError(f"the key {shown_name(key)!r} appears twice in one object"), "$")
        seen.add(key)
        if window.peek() != "[":
            members[key] = window.value(below("$", key), meter, placed)
        elif key == ITEMS:
            # kubectl writes kind after the items, and then this is None: the last part of the document has it
            kind = members.get("kind")
            for index, value, own in reader.listed(key, ListPlace(number, 0, 0, kind), opens=True):
                yield Part(number, value, index, kind, own.lines if own else None)
        else:
            plain = _Elements(window)
            # any other list is read element by element too, so that none is larger in memory than its parts
            members[key] = [
                value for _, value, _ in plain.listed(key, ListPlace(number, 0, 0), meter, opens=True)
            ]
        more = window.goes_on("}")
    yield Part(number, members, lines=placed.lines)


def _number(value: Any) -> int:
    """Return how many elements a value stands for."""
    return len(value.values) if type(value) is DecodedRun else 1


class _Elements:
    def __init__(
        self, window: Window, quick: Quick | None = None, alike: Alike | None = None, rest: Rest | None = None
    ) -> None:
        self._window, self._quick, self._alike, self._rest = window, quick, alike, rest

    def listed(
        self, key: str, first: ListPlace, meter: Meter | None = None, *, opens: bool = False
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
            if alike and (entry := window.alike(alike)) is not None:
                yield index, entry, None
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
