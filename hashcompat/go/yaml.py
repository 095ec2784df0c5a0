"""YAML scalars and documents as Kubernetes reads them (sigs.k8s.io/yaml over go.yaml.in/yaml/v2, resolve.go).

PyYAML parses; plain scalars and keys have the meaning that they have in Go: ``y`` and ``on`` are booleans,
``0644`` is 420, ``22:22`` and ``2001-01-01`` are strings, ``1e3`` is a number, duplicate keys are an error.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml

from hashcompat.errors import InputError
from hashcompat.go.jsontext import Number, clean, decode_text
from hashcompat.go.limits import (
    LONGEST,
    Meter,
    characters_in,
    document_meter,
    object_meter,
    too_deep,
    too_long,
)
from hashcompat.go.parts import ITEMS, Part
from hashcompat.go.strconv import format_float, json_float

DEEPEST: Final = 200
"""Levels of lists and objects: each is three calls deeper, and Python ends at 1,000."""

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
_MERGE: Final = "tag:yaml.org,2002:merge"
_BETWEEN_DIGITS: Final = re.compile("(?<=[0-9])_(?=[0-9])")
_MOST_ALIASED: Final = 0.99
_LEAST_ALIASED: Final = 0.10
_FEW_NODES: Final = 400_000
_MANY_NODES: Final = 4_000_000
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def resolve(text: str) -> Any:
    """Return the value of a plain scalar: bool, None, int, float, or the text itself."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    plain = _BETWEEN_DIGITS.sub("", text) if text[0] == "." else text.replace("_", "")
    if (number := _go_integer(plain)) is not None:
        return number
    if _FLOAT.fullmatch(plain) and math.isfinite(value := float(plain)):
        return value
    if (number := _binary_with_sign(plain)) is not None:
        return number
    return text


def _go_integer(text: str) -> int | None:
    """Return what ``strconv.ParseInt(text, 0, 64)`` or ``ParseUint`` returns; None if both reject it."""
    match = _GO_INTEGER.fullmatch(text)
    if match is None:
        return None
    digits, base = next(
        (group, base) for group, base in zip(match.groups()[1:], _BASES, strict=True) if group
    )
    if len(digits) > 70:
        return None
    value = int(match[1] + digits, base)
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


def _key(value: Any, event: yaml.Event) -> str:
    """Return the JSON key of a YAML key, as ``convertToJSONableObject`` writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value < 2**63:
        return str(value)
    if isinstance(value, float):
        return _FLOAT_KEYS.get(text := format_float(value, 32), text)
    raise _at(event.start_mark, "a key that is neither text nor an int64 nor a float")


def _scalar(event: Any) -> Any:
    """Return a scalar's value in Go: only plain scalars, and those with a tag for it, are resolved."""
    try:
        if event.implicit[0] and event.tag != "!":
            return resolve(event.value)
        if event.tag in _TAGS:
            return _tagged(event.value, _TAGS[event.tag])
        return _binary(event.value) if event.tag == _BINARY else event.value
    except (InputError, ValueError) as error:
        raise _at(event.start_mark, str(error)) from None


def _tagged(text: str, kinds: tuple[type, ...]) -> Any:
    value = resolve(text)
    if type(value) not in kinds:
        raise InputError("a scalar that does not fit its tag")
    return float(value) if float in kinds else value


def _binary(text: str) -> str:
    """Decode base64 as Go does: line ends are ignored, any other character must be of the alphabet."""
    return clean(decode_text(base64.b64decode(text.replace("\n", ""), validate=True)))


def _json_value(event: Any) -> Any:
    value = _scalar(event)
    try:
        return to_json_number(value) if isinstance(value, float) else value
    except InputError as error:
        raise _at(event.start_mark, str(error)) from None


def load_all(text: str) -> Iterator[Any]:
    """Yield the documents of a YAML stream as JSON values; empty documents are None.

    Raises InputError with line and column.
    """
    events = _events([text])
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            yield _Builder(events).value(next(events), object_meter())


def parts(chunks: Iterable[str]) -> Iterator[Part]:
    """Yield the parts of the YAML documents in a text, except of empty ones; errors as ``load_all``."""
    events = _events(chunks)
    number = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            number += 1
            yield from _Builder(events).parts(next(events), number)


def _events(chunks: Iterable[str]) -> Iterator[Any]:
    stream = _Utf8(chunks)
    try:
        for event in yaml.parse(stream, Loader=_LOADER):
            stream.waiting = 0
            yield event
    except yaml.YAMLError as error:
        stream.check()
        raise _invalid(error) from None
    stream.check()


def _invalid(error: yaml.YAMLError) -> InputError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return InputError(f"not valid YAML: {str(error).splitlines()[0]}")
    problem = " ".join(filter(None, (error.context, error.problem)))
    return _at(error.problem_mark or error.context_mark, f"not valid YAML: {problem}")


class _Utf8:
    """Passes text to the parser in C, which needs UTF-8.

    A lone surrogate represents a byte that is not UTF-8; the text ends there, and ``check`` raises the error,
    as it does where the parser finds no end of a scalar or comment.
    """

    waiting = 0
    """Characters since the parser's last event."""

    def __init__(self, chunks: Iterable[str]) -> None:
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
        return data

    def check(self) -> None:
        """Raise InputError if the text ended early."""
        if self._problem:
            raise InputError(f"line {self._lines + 1}: {self._problem}")


def _at(mark: Any, problem: str) -> InputError:
    place = f"line {mark.line + 1} column {mark.column + 1}: " if mark else ""
    return InputError(f"{place}{problem}")


@dataclass(frozen=True, slots=True)
class _Anchored:
    """A value that aliases can repeat."""

    value: Any
    nodes: int
    characters: int
    height: int
    """The levels of lists and mappings in it, itself included."""


class _Builder:
    """Builds one document from parser events.

    This bounds size and depth, as if each alias were written out, and needs no tree between events and
    values.
    """

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, _Anchored] = {}
        self._nodes, self._aliased = 0, 0  # decoded so far, and those of them from aliases
        self._characters = 0  # of scalars so far, aliases included
        self._depth, self._deepest = 0, 0
        self._open = 0  # anchored values around this one
        self._meters: tuple[Meter, ...] = ()
        self._kept = document_meter()

    def value(self, event: Any, *meters: Meter) -> Any:
        """Return the value that begins with ``event``; errors as ``load_all``.

        ``meters`` add up its size; by default those of the value around it.
        """
        outer, self._meters = self._meters, meters or self._meters
        value = self._aliased_value(event) if isinstance(event, yaml.AliasEvent) else self._own_value(event)
        self._meters = outer
        return value

    def _own_value(self, event: Any) -> Any:
        nodes, characters, deepest = self._nodes, self._characters, self._deepest
        anchored = event.anchor is not None
        self._open += anchored
        self._depth += 1
        self._deepest = self._depth
        if self._depth > DEEPEST:
            raise _at(event.start_mark, str(too_deep(DEEPEST)))
        if isinstance(event, yaml.CollectionStartEvent):
            self._count(event, 1, 0)
            value = self._collection(event)
        else:
            self._count(event, 1, characters_in(event.value))
            value = _json_value(event)
        self._depth -= 1
        self._open -= anchored
        if anchored:
            size = self._nodes - nodes, self._characters - characters
            self._anchors[event.anchor] = _Anchored(value, *size, self._deepest - self._depth)
            if not self._open:
                self._measure(event, self._kept, size[1], size[0])
        self._deepest = max(deepest, self._deepest)
        return value

    def _count(self, event: Any, nodes: int, characters: int) -> None:
        self._nodes += nodes
        self._characters += characters
        for meter in self._meters:
            self._measure(event, meter, characters, nodes)

    @staticmethod
    def _measure(event: Any, meter: Meter, characters: int, nodes: int) -> None:
        try:
            meter.add(characters, nodes)
        except InputError as error:
            raise _at(event.start_mark, str(error)) from None

    def _aliased_value(self, event: Any) -> Any:
        """Return what an alias repeats; raise InputError for a document of little else (decode.go)."""
        known = self._anchors.get(event.anchor)
        if known is None:
            raise _at(event.start_mark, "an alias of an anchor that is not defined before it")
        if self._depth + known.height > DEEPEST:
            raise _at(event.start_mark, str(too_deep(DEEPEST)))
        self._deepest = max(self._deepest, self._depth + known.height)
        self._count(event, known.nodes + 1, known.characters)
        self._aliased += known.nodes
        many = self._aliased > 100 and self._nodes > 1000
        if many and self._aliased / self._nodes > _allowed_ratio(self._nodes):
            raise _at(event.start_mark, "excessive aliasing: nearly all of the document is aliases")
        return known.value

    def _collection(self, start: yaml.CollectionStartEvent) -> Any:
        if isinstance(start, yaml.MappingStartEvent):
            return self._mapping()
        return [self.value(event) for event in self._elements()]

    def parts(self, event: Any, number: int) -> Iterator[Part]:
        """Yield the elements of ``items``, then the document without them; nothing for an empty document."""
        if not isinstance(event, yaml.MappingStartEvent) or event.anchor is not None:
            if (value := self.value(event, object_meter())) is not None:
                yield Part(number, value)
            return
        members: dict[str, Any] = {}
        whole = document_meter()
        self._meters = (whole,)
        for key, start in self._members(members):
            if not isinstance(start, yaml.SequenceStartEvent) or start.anchor is not None:
                members[key] = self.value(start, object_meter(), whole)
            elif key != ITEMS:
                members[key] = [self.value(event, object_meter(), whole) for event in self._elements()]
            else:
                for index, each in enumerate(self._elements()):
                    value = self.value(each, object_meter())
                    yield Part(number, value, index, members.get("kind"))
        yield Part(number, members)

    def _elements(self) -> Iterator[Any]:
        """Yield the event that begins each element; whoever takes it reads the element."""
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield event

    def _mapping(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, event in self._members(result):
            result[key] = self.value(event)
        return result

    def _members(self, result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield each key with the event that begins its value; add what merge keys bring to ``result``."""
        own: set[str] = set()
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if _is_merge(event):
                result.update(self._merged(event))
                continue
            key = self._key_text(event)
            if key in own:
                raise _at(event.start_mark, f"the key {key!r} appears twice in one mapping")
            own.add(key)
            yield key, next(self._events)

    def _merged(self, key: Any) -> dict[str, Any]:
        """Return what a merge key adds; earlier mappings take precedence (decode.go ``merge``)."""
        event = next(self._events)
        value = self.value(event)
        # Go accepts a list here, but not an alias of one.
        listed = isinstance(value, list) and not isinstance(event, yaml.AliasEvent)
        mappings = value if listed else [value]
        if not all(isinstance(mapping, dict) for mapping in mappings):
            raise _at(key.start_mark, "a merge key needs a mapping or a list of mappings")
        result: dict[str, Any] = {}
        for mapping in reversed(mappings):
            result.update(mapping)
        return result

    def _key_text(self, event: Any) -> str:
        """Return the text of the key that begins with ``event``; infinities are valid only as keys."""
        if not isinstance(event, yaml.ScalarEvent) or event.anchor is not None:
            return _key(self.value(event), event)
        self._count(event, 1, len(event.value))
        return _key(_scalar(event), event)


def _allowed_ratio(nodes: int) -> float:
    """Return which share of a document may come from aliases (decode.go ``allowedAliasRatio``)."""
    over = min(max(nodes - _FEW_NODES, 0) / (_MANY_NODES - _FEW_NODES), 1)
    return _MOST_ALIASED - (_MOST_ALIASED - _LEAST_ALIASED) * over


def _is_merge(event: Any) -> bool:
    return (
        isinstance(event, yaml.ScalarEvent)
        and event.value == "<<"
        and (event.implicit[0] or event.tag == _MERGE)
    )
