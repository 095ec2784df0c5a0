"""JSON as Go reads and writes it (encoding/json, and sigs.k8s.io/json for what a server decodes).

Reading preserves what affects a hash: the text of numbers that are not plain integers, and the places of
bytes that are not UTF-8.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

import msgspec

from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go.allowance import check_depth, too_deep
from hashcompat.core.regex import regex
from hashcompat.core.shown import name as shown_name


class Number(msgspec.Struct, frozen=True):
    """A JSON number that is not a plain integer: its text.

    ``resource.Quantity`` parses and prints the text, so ``1.5`` and ``1.500`` are two values. It is not a
    float, so that no encoder, comparison or cache can take one for the other.
    """

    raw: str
    """The number as written."""

    def __str__(self) -> str:
        return self.raw

    def __float__(self) -> float:
        return float(self.raw)

    def __bool__(self) -> bool:
        return float(self) != 0


UNTERMINATED: Final = "Unterminated string"
"""How Python begins its message for a string that lacks its closing quote."""
_LONGEST_INTEGER: Final = 400
"""Digits; Python refuses to read integers of several thousand digits, and no field has one of 20."""
_SPACE: Final = regex(r"[ \t\n\r]*")
_SURROGATES: Final = regex("[\ud800-\udfff]")
_KINDS: Final = {
    bool: "a boolean",
    int: "an integer",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind_of(value: object) -> str:
    """Return a JSON value's kind for an error message; the value may be secret and is never shown."""
    return _KINDS.get(type(value), "a number with a fraction or an exponent")


def no_text(value: object) -> str:
    """Say that a value is no string; in quotes, what YAML reads as another kind is one: ``n``, ``5``."""
    quoted = "" if isinstance(value, dict | list | None) else "; put it in quotes"
    return f"want a string, got {kind_of(value)}{quoted}"


def clean(text: str) -> str:
    """Replace every lone surrogate and every byte that was not UTF-8 by U+FFFD, as Go's decoder does."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def integer(value: object, bits: int, *, signed: bool = True) -> int:
    """Return a JSON number as a Go integer of ``bits`` bits.

    Raises DecodeError for other kinds of JSON, for numbers with a fraction or an exponent (including ``1.0``
    and ``1e3``), and for numbers out of range.
    """
    # strconv.ParseInt reads -0 as 0, and Python's int would have lost the sign before this sees it
    if isinstance(value, Number) and value.raw == "-0":
        return 0
    if type(value) is not int:
        raise DecodeError(f"want an integer, got {kind_of(value)}")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if low <= value <= high:
        return value
    raise DecodeError(f"an integer out of the range of {'' if signed else 'u'}int{bits}")


def decode_text(data: bytes) -> str:
    """Decode UTF-8; each invalid byte becomes a lone surrogate, which ``clean`` replaces by U+FFFD."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="surrogateescape")


def dumps(value: Any) -> str:
    """Return ASCII JSON that ``loads`` reads back as the same value.

    Numbers keep their text, and two lone surrogates never combine into one character.
    """
    try:
        text = json.dumps(value)
    except TypeError:  # a number has a text of its own
        text = ""
    # two lone surrogates next to each other would be read back as one character
    if not text or "\\ud" in text:
        plain = json.dumps(_plain(value, ""))
        mark = "#"
        # a mark must occur in no string of the document, or a value could end up outside its quotes
        while mark in plain:
            mark += "#"
        text = re.sub(f'"{mark}([^"#]*){mark}"', r"\1", json.dumps(_plain(value, mark)))
    return msgspec.json.format(text, indent=1)


def canonical(value: Any) -> bytes:
    """Return bytes that two values share only if no kubelet can hash them differently.

    Keys are sorted, numbers keep their text, and lone surrogates stay apart. Raises InputError for excessive
    nesting.
    """
    numbers: list[str] = []

    def place(number: Number) -> float:
        # the numbers follow the text in order: NaN marks where each was, so no two values share all bytes
        numbers.append(number.raw)
        return math.nan  # which no JSON contains

    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=place)
    except RecursionError:
        raise too_deep() from None
    return f"{text} {json.dumps(numbers)}".encode(errors="surrogatepass")


def _plain(value: Any, mark: str) -> Any:
    """Put the text of numbers between marks that occur in no other string."""
    if isinstance(value, Number):
        return f"{mark}{value.raw}{mark}"
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _plain(item, mark) for name, item in value.items()}
    return [_plain(item, mark) for item in value] if isinstance(value, list) else value


def loads(text: str, repeated: list[str] | None = None) -> Any:
    """Parse one JSON document.

    ``repeated`` takes the keys that an object has twice, of which the last one counts. Raises InputError with
    line and column for text that is not JSON, without ``repeated`` for duplicate keys (API servers reject
    them, and choosing one could give the wrong hash), and for excessive nesting.
    """
    documents = list(load_all(text, repeated))
    if len(documents) != 1:
        raise InputError("want one JSON document")
    return documents[0]


def load_all(text: str, repeated: list[str] | None = None) -> Iterator[Any]:
    """Yield the JSON documents of a text, which are separated by white space only; errors as ``loads``."""
    decoder = DECODER if repeated is None else _decoder(partial(_last, repeated))
    position = skip_space(text, 0)
    while position < len(text):
        try:
            document, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            at_end = error.pos >= len(text.rstrip())
            raise no_json(error.lineno, error.colno, error.msg, at_end=at_end) from None
        except RecursionError:
            raise too_deep() from None
        check_depth(document)
        yield document
        position = skip_space(text, position)


def no_json(line: int, column: int, problem: str, *, at_end: bool) -> InputError:
    """Return the error for text that is not JSON; lines and columns count from 1.

    ``problem`` is Python's. One at the very end of the text means that the text was cut, as does a string
    without an end.
    """
    cut = "; the text ends there: is it cut short?" if at_end or problem.startswith(UNTERMINATED) else ""
    return InputError(
        f"line {line} column {column}: not valid JSON: {problem.removesuffix(' starting at')}{cut}"
    )


def end_of_value(text: str, start: int) -> int:
    """Return where the JSON value that begins at ``start`` ends, in a text known to be valid."""
    return int(DECODER.raw_decode(text, start)[1])


def value_of(text: str, start: int, wanted: str) -> int:
    """Return where the value of a key begins, which is in the object that begins at ``start``."""
    while True:
        key, end = DECODER.raw_decode(text, skip_space(text, start + 1))
        value = skip_space(text, skip_space(text, end) + 1)  # behind the colon
        if key == wanted:
            return value
        start = skip_space(text, end_of_value(text, value))  # at the comma


def skip_space(text: str, position: int) -> int:
    """Return the position after the JSON white space at ``position``."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        # slow, and only once: a document with such a key is refused
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"the key {shown_name(twice)!r} appears twice in one object")
    return result


def _last(repeated: list[str], pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated += (key for key, count in counts.items() if count > 1)
    return result


def _refuse(constant: str) -> NoReturn:
    raise InputError(f"{constant} is not valid JSON")


def _integer(raw: str) -> int | Number:
    return Number(raw) if raw == "-0" or len(raw) > _LONGEST_INTEGER else int(raw)


def _decoder(hook: Callable[[list[tuple[str, object]]], dict[str, object]]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=hook, parse_float=Number, parse_int=_integer, parse_constant=_refuse
    )


DECODER: Final = _decoder(_unique)
"""Reads JSON values as Go does; raises json.JSONDecodeError, RecursionError and InputError."""
HTML_SAFE: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_SHORT: Final = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("\\"): "\\\\"}
_CONTROLS: Final = {code: f"\\u{code:04x}" for code in range(0x20)}
_BEFORE_GO_1_22: Final = {**_CONTROLS, **HTML_SAFE, **_SHORT}
ESCAPES: Final = {
    "before-go1.22": _BEFORE_GO_1_22,
    "go1.22": {**_BEFORE_GO_1_22, ord("\b"): "\\b", ord("\f"): "\\f"},
}
"""How encoding/json escapes, by the Go that built the kubelet; Go 1.22 added two short escapes."""
_PLAIN: Final = regex(r'[^\x00-\x1f"\\<>&\u2028\u2029]*')


def quote(text: str, escapes: dict[int, str]) -> str:
    """Return ``text`` as encoding/json writes it, with HTML escaping and one of the tables of ``ESCAPES``."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return f'"{text.translate(escapes)}"'


# At which lines of a JSON text the elements of a list begin, found once the text is decoded.
#
# Python's decoder does not say where a value was. Which list is asked for is known only after an object was
# read, so the text of its objects is kept until then. A line ends with LF, as editors, compilers and git
# count.

_SKIPPING: Final = json.JSONDecoder(parse_int=bool, parse_float=bool, parse_constant=bool)
"""Finds the end of a value in valid JSON; what its numbers are does not matter."""
_OPENING: Final = regex(r"[ \t\n\r]*:[ \t\n\r]*\[[ \t\n\r]*")
_LETTER: Final = regex(r"\\u00[4-7]")
"""How escapes of ASCII letters begin."""
_TOKEN: Final = regex(r'"(?>(?:[^"\\]++|\\.)*)"?|[{}\n]')
"""What decides at which line an object begins; valid JSON has line breaks only between its tokens."""


class JsonLines:
    """The objects that make up one part, each with its text."""

    def __init__(self) -> None:
        self._first = self._last = 0
        self._short: list[tuple[Any, int]] = []  # objects on one line
        self._long: list[tuple[Any, int, str]] = []
        self._lines_by_id: dict[int, int] = {}

    def add(self, value: dict[str, Any], first: int, last: int, text: Callable[[], str]) -> None:
        """Add a decoded object, the lines at which it begins and ends, and what returns its text.

        A text that is on one line is not asked for.
        """
        self._first, self._last = self._first or first, last
        if first == last:
            self._short.append((value, first))
        else:
            self._long.append((value, first, text()))

    def lines(self, key: str, rows: Sequence[Any]) -> Sequence[int]:
        """Return the lines, from 1, at which the objects in a list begin; 0 where that is not known.

        ``rows`` is the very list in one of the objects that were added, ``key`` its key, of ASCII letters.
        """
        if self._first == self._last:
            return [self._first] * len(rows)
        while self._short:
            value, line = self._short.pop()
            self._lines_by_id.update(dict.fromkeys(_objects_of(value), line))
        # ids are safe here: the objects are kept by this one as long as their ids are
        if not any(id(row) in self._lines_by_id for row in rows):
            numbers = self._alone(key, len(rows))
            if numbers is not None:
                return numbers
            while self._long:
                self._lines_by_id.update(_lines_of(*self._long.pop()))
        return [self._lines_by_id.get(id(row), 0) for row in rows]

    def _alone(self, key: str, count: int) -> list[int] | None:
        """Return the lines of the elements of the one list with that key; None where it may not be the one.

        This is far faster than to look at every object, and nearly every pod has one list of containers.
        """
        quoted = f'"{key}"'
        places = [(text, line, place) for _, line, text in self._long for place in _places(quoted, text)]
        if len(places) != 1 or any(_LETTER.search(text) for _, _, text in self._long):
            return None
        ((text, line, place),) = places
        opening = _OPENING.match(text, place + len(quoted))
        return _elements(text, opening.end(), line, count) if opening else None


def _places(word: str, text: str) -> list[int]:
    """Return the first two places of a word in a text."""
    first = text.find(word)
    second = text.find(word, first + 1) if first >= 0 else -1
    return [place for place in (first, second) if place >= 0]


def _elements(text: str, start: int, line: int, count: int) -> list[int]:
    """Return the lines of so many elements of a list; the first one begins at ``start``."""
    starts, behind = list[int](), 0
    for number in range(count):
        if number:
            end = _SKIPPING.raw_decode(text, start)[1]
            # no comma can come in between: from the end of a value on there is only white space before it
            start = skip_space(text, text.index(",", end) + 1)
        line += text.count("\n", behind, start)
        starts.append(line)
        behind = start
    return starts


def _lines_of(value: Any, line: int, text: str) -> dict[int, int]:
    """Return the line of each object in a value, by its id: objects end in the same order in both."""
    opened, ended = list[int](), list[int]()
    for match in _TOKEN.finditer(text):
        char = text[match.start()]
        if char == "\n":
            line += 1
        elif char == "{":
            opened.append(line)
        elif char == "}":
            ended.append(opened.pop())
    return dict(zip(_objects_of(value), ended, strict=True))


def _objects_of(value: Any) -> list[int]:
    """Return the ids of the objects in a value, in the order in which they end."""
    ids, todo = list[int](), [value]
    while todo:
        child = todo.pop()
        if type(child) is dict:
            ids.append(id(child))
            todo += child.values()
        elif type(child) is list:
            todo += child
    return ids[::-1]
