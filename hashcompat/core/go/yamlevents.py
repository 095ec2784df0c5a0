"""The events of PyYAML's parser, which reads a text in chunks, and what its scalars are in Go and in JSON.

Besides, the lines of a text's keys and elements, for messages.
"""

from __future__ import annotations

import base64
import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import yaml

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import LONGEST, too_deep, too_long
from hashcompat.core.go.jsontext import Number, clean, decode_text
from hashcompat.core.go.metav1 import format_float, json_float

DEEPEST: Final = 200
"""Levels of lists and objects: each is up to four calls deeper, and Python ends at 1,000."""
_DEEPER: Final = "exceeded maximum nesting depth"
"""What libyaml says from 0.2.6 on beyond 1,000 levels: it looks ahead of the events that it reports."""
_HINT: Final = "; indent with spaces, not tabs, and quote text that begins with @ or `"
"""libyaml does not say which character it is."""
_RENDER: Final = "; text with {{ in it is a template: render it first, as helm template does"
"""To YAML, a template's braces are a mapping that is the key of another one."""
_TAG: Final = re.compile(r"![^\s']*")
"""A tag that the parser in Python quotes: it may be the first word of a value."""
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Events:
    """The events of a YAML text, one by one, and the lines at which they begin."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self._stream = _Utf8(chunks)
        self._events = self._parsed()

    def __iter__(self) -> Iterator[Any]:
        """Return what yields the events that are left; it takes less time for each than ``next``."""
        return self._events

    def __next__(self) -> Any:
        """Return the next event; raise InputError, with line and column, for what is not YAML or UTF-8."""
        return next(self._events)

    def line(self, event: Any) -> int:
        """Return the line, from 1, at which the latest event begins."""
        return self._stream.breaks.line(event.start_mark.line)

    def _parsed(self) -> Iterator[Any]:
        stream = self._stream
        breaks = stream.breaks
        try:
            loader = _LOADER(stream)
            try:
                for event in iter(loader.get_event, None):
                    stream.waiting = 0
                    if breaks.odd:
                        breaks.forget(event.start_mark.line)
                    yield event
            finally:
                loader.dispose()
        except yaml.YAMLError as error:
            stream.check()
            raise _invalid(error) from None
        stream.check()


def _invalid(error: yaml.YAMLError) -> InputError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return InputError(f"not valid YAML: {str(error).splitlines()[0]}")
    if error.problem == _DEEPER:
        return at(error.problem_mark, str(too_deep(DEEPEST)))
    problem = _TAG.sub("!***", " ".join(filter(None, (error.context, error.problem))))
    hint = _HINT if "cannot start any token" in problem else ""
    return at(error.problem_mark or error.context_mark, f"not valid YAML: {problem}{hint}")


class _Utf8:
    """Passes text to the parser in C, which needs UTF-8.

    A lone surrogate represents a byte that is not UTF-8; the text ends there, and ``check`` raises the error,
    as it does where the parser finds no end of a scalar or comment.
    """

    waiting = 0
    """Characters since the parser's last event."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self.breaks = Breaks()
        self._chunks = iter(chunks)
        self._lines = 0
        self._problem = ""

    def read(self, _: int = -1, /) -> bytes:
        """Return the next chunk, whatever size is requested; empty at the end."""
        text = next(self._chunks, "")
        if text and self.waiting > LONGEST:
            self._problem = str(too_long())
            return b""
        self.waiting += len(text)
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            self._lines += text.count("\n", 0, error.start)
            self._problem = "not valid YAML: not UTF-8"
            return b""
        self._lines += text.count("\n")
        self.breaks.add(text)
        return data

    def check(self) -> None:
        """Raise InputError if the text ended early."""
        if self._problem:
            raise InputError(f"line {self._lines + 1}: {self._problem}")


def at(mark: Any, problem: str) -> InputError:
    """Return the error for a problem at a place; ``mark`` is None where it is not known."""
    place = f"line {mark.line + 1} column {mark.column + 1}: " if mark else ""
    return InputError(f"{place}{problem}")


# The lines of a YAML text as editors count them: YAML has more kinds of line breaks than LF and CRLF.
#
# Parsers of YAML 1.1 also end a line at a CR alone, and at the characters NEL, LS and PS.

_BREAK: Final = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_MANY: Final = 1 << 16
"""How many of those that were passed are kept until they are dropped together."""


class Breaks:
    """The breaks between what a parser read and where it is that end a line of YAML, but none of editors."""

    def __init__(self) -> None:
        self._rest = ""  # a CR at the end of what was read; LF may follow
        self._lines = 0  # of YAML, in what was read
        self.odd = array("Q")
        """The lines of YAML, from 0, that end so: while there is none, nothing has to be forgotten."""
        self._place = self._dropped = 0  # how many of them were passed, here and before these

    def add(self, text: str) -> None:
        """Take more text into account."""
        text = self._rest + text
        self._rest = "\r" if text.endswith("\r") else ""
        if text.isascii() and "\r" not in text:
            self._lines += text.count("\n")
            return
        for match in _BREAK.finditer(text, 0, len(text) - len(self._rest)):
            if not match[0].endswith("\n"):
                self.odd.append(self._lines)
            self._lines += 1

    def forget(self, line: int) -> None:
        """Pass the breaks before a line of YAML, from 0; nobody asks for a line before it later."""
        if self.odd:
            self._place = bisect_left(self.odd, line, self._place)
            if self._place >= _MANY:
                del self.odd[: self._place]
                self._dropped, self._place = self._dropped + self._place, 0

    def line(self, line: int) -> int:
        """Return the line for editors, from 1, of a line of YAML up to which breaks were passed."""
        return line + 1 - self._dropped - self._place


# YAML scalars as Go reads them (go.yaml.in/yaml/v2, resolve.go), and as JSON has them (sigs.k8s.io/yaml).
#
# Plain scalars and keys have the meaning that they have in Go: ``y`` and ``on`` are booleans, ``0644`` is
# 420, ``22:22`` and ``2001-01-01`` are strings, ``1e3`` is a number.

_CONSTANTS: Final[dict[str, Any]] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
}
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_GO_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_BASES: Final = (16, 2, 8, 10)
_BINARY_WITH_SIGN: Final = re.compile(r"0b([-+][01]+)")
_TAGS: Final = {
    f"tag:yaml.org,2002:{name}": kinds
    for name, kinds in {
        "bool": (bool,),
        "int": (int,),
        "float": (float, int),
        "null": (type(None),),
        "timestamp": (str,),
    }.items()
}
_FLOAT_KEYS: Final = {"+Inf": ".inf", "-Inf": "-.inf", "NaN": ".nan"}
_BINARY: Final = "tag:yaml.org,2002:binary"
_SHORT: Final = 64
_FIRST_OF_NUMBERS: Final = "+-.0123456789"
_DOTS: Final = 2
"""No number has as many, and none has a colon."""
_BETWEEN_DIGITS: Final = re.compile("(?<=[0-9])_(?=[0-9])")


def resolve(text: str) -> Any:
    """Return the value of a plain scalar: bool, None, int, float, or the text itself."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _FIRST_OF_NUMBERS:
        return text
    # behind a leading point Go goes to ParseFloat at once, which takes an underscore between digits only
    plain = _BETWEEN_DIGITS.sub("", text) if text[0] == "." else text.replace("_", "")
    if (number := _go_integer(plain)) is not None:
        return number
    # ParseFloat fails where a float64 overflows, and then the scalar is a string
    if _FLOAT.fullmatch(plain) and math.isfinite(value := float(plain)):
        return value
    if (number := _binary_with_sign(plain)) is not None:
        return number
    return text


_resolved: Final = lru_cache(maxsize=1 << 14)(resolve)
"""The same of short texts: most are the keys and values of every object."""


def is_text(text: str) -> bool:
    """Return whether a plain scalar of ASCII characters is its own text: most are seen not to be numbers."""
    if text[0] in _FIRST_OF_NUMBERS and text.count(".") < _DOTS and ":" not in text:
        return type(resolve(text)) is str
    return text not in _CONSTANTS


def is_read_otherwise(text: str) -> bool:
    """Return whether a plain scalar is not its own text: to Go, or to YAML 1.2 where a number overflows."""
    if text[:1] in _FIRST_OF_NUMBERS:
        return type(resolve(text)) is not str or _FLOAT.fullmatch(text) is not None
    return text in _CONSTANTS


def _go_integer(text: str) -> int | None:
    """Return what ``strconv.ParseInt(text, 0, 64)`` or ``ParseUint`` returns; None if both reject it."""
    match = _GO_INTEGER.fullmatch(text)
    if match is None:
        return None
    digits, base = next(
        (group, base) for group, base in zip(match.groups()[1:], _BASES, strict=True) if group
    )
    # 64 binary digits fit an integer, and leading zeros make few more; Python would take any number of them
    if len(digits) > 70:
        return None
    value = int(match[1] + digits, base)
    # ParseUint takes no sign, so a plus leaves only the range of ParseInt
    return value if -(2**63) <= value < (2**63 if match[1] == "+" else 2**64) else None


def _binary_with_sign(text: str) -> int | None:
    """Return what ``strconv.ParseInt`` makes of ``-1`` in ``0b-1``, which resolve.go gives it with base 2."""
    match = _BINARY_WITH_SIGN.fullmatch(text)
    value = int(match[1], 2) if match and len(match[1]) <= 65 else None
    return value if value is not None and -(2**63) <= value < 2**63 else None


def to_json_number(value: float) -> int | Number:
    """Return a YAML float as it reads back from the JSON of encoding/json: ``1e3`` is the integer 1000.

    Raises InputError for infinities and NaN, which JSON does not have.
    """
    if not math.isfinite(value):
        raise InputError("a number that JSON does not have (infinity or NaN)")
    text = json_float(value)
    return int(text) if text.lstrip("-").isdecimal() and text != "-0" else Number(text)


def key_of(value: Any, event: yaml.Event) -> str:
    """Return the JSON key of a YAML key, as ``convertToJSONableObject`` writes it.

    Raises InputError, with the line and column of the event, for what Go does not take as a key.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    # convertToJSONableObject has no case for a uint64 as a key
    if isinstance(value, int) and value < 2**63:
        return str(value)
    if isinstance(value, float):
        # of 32 bits: sigs.k8s.io/yaml formats keys with 'g', -1, 32, so 0.1 stays 0.1 and 1e10 is 1e+10
        return _FLOAT_KEYS.get(text := format_float(value, 32), text)
    is_brace = isinstance(event, yaml.MappingStartEvent) and event.flow_style
    hint = _RENDER if is_brace else ""
    raise at(event.start_mark, f"a key that is neither text nor an int64 nor a float{hint}")


def scalar_value(event: yaml.ScalarEvent) -> Any:
    """Return a scalar's value in Go: only plain scalars, and those with a tag for it, are resolved.

    Raises InputError, with line and column, for one that does not fit its tag.
    """
    try:
        if event.implicit[0] and event.tag != "!":
            text = event.value
            return _resolved(text) if len(text) <= _SHORT else resolve(text)
        if event.tag in _TAGS:
            return _tagged(event.value, _TAGS[event.tag])
        if event.tag != _BINARY:
            return event.value
        # as Go decodes base64: line ends are ignored, any other character must be of the alphabet
        return clean(decode_text(base64.b64decode(event.value.replace("\n", ""), validate=True)))
    except (InputError, ValueError) as error:
        raise at(event.start_mark, str(error)) from None


def _tagged(text: str, kinds: tuple[type, ...]) -> Any:
    value = resolve(text)
    if type(value) not in kinds:
        raise InputError("a scalar that does not fit its tag")
    # !!float 1 is the float 1 and not an integer (resolve.go resolves the text, then the tag)
    return float(value) if float in kinds else value


def json_value(event: yaml.ScalarEvent) -> Any:
    """Return a scalar's value in JSON; errors as ``scalar_value``, also for infinities and NaN."""
    value = scalar_value(event)
    try:
        return to_json_number(value) if isinstance(value, float) else value
    except InputError as error:
        raise at(event.start_mark, str(error)) from None


# At which line a key or an element is.

Place = tuple[str | int, ...]
"""Keys and indices from the top of the document."""
_ENDS: Final = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def lines_of(text: str) -> Mapping[Place, int]:
    """Return the line, from 1, of each place in a text that is valid YAML: it is parsed once.

    A key that another document repeats has its last line.
    """
    lines: dict[Place, int] = {}
    events = Events([text])
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            lines.update(_value(events, next(events), ()))
    return lines


def line_of(text: str, place: Place) -> int:
    """Return the line, from 1, of a place in a text that is valid YAML, or of what is around it."""
    return line_in(lines_of(text), place)


def line_in(lines: Mapping[Place, int], place: Place) -> int:
    """Return the line of one of many places; an alias has the places of what it repeats elsewhere."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _value(events: Events, event: Any, place: Place) -> Iterator[tuple[Place, int]]:
    yield place, events.line(event)
    if isinstance(event, yaml.SequenceStartEvent):
        for number, element in enumerate(_until_end(events)):
            yield from _value(events, element, (*place, number))
    elif isinstance(event, yaml.MappingStartEvent):
        for key in _until_end(events):
            below = (*place, getattr(key, "value", None) or "")
            line = events.line(key)
            if isinstance(key, yaml.CollectionStartEvent):
                yield from _value(events, key, below)
            yield from _value(events, next(events), below)
            yield below, line


def _until_end(events: Events) -> Iterator[Any]:
    while not isinstance(event := next(events), _ENDS):
        yield event
