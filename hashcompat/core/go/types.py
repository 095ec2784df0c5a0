"""Go types as frozen values, and the reader of Go's own type notation.

The Python values of each type:

=============  =========================================================================
Go type        Python value
=============  =========================================================================
bool, string   ``bool``, ``str`` (valid Unicode: no surrogates)
integers       ``int`` (``uintptr`` too)
floats         ``float``; complex types ``complex``
``[]uint8``    ``bytes`` or None
``[]T``        ``tuple`` or None (nil)
``[N]T``       ``tuple``
``map[K]V``    ``dict`` or None (nil)
``*T``         ``(value,)`` or None (nil)
struct         ``tuple`` in field order
interface      ``(type, value)`` or None (nil)
=============  =========================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashcompat.core.errors import UsageError
from hashcompat.core.regex import regex

INT_BITS: Final = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "int": 64}
UINT_BITS: Final = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "uint": 64, "uintptr": 64}
FLOATS: Final = frozenset({"float32", "float64", "complex64", "complex128"})
KINDS: Final = frozenset({"bool", "string", *INT_BITS, *UINT_BITS, *FLOATS})
_ALIASES: Final = {"byte": "uint8", "rune": "int32", "any": "interface {}"}


class Basic(msgspec.Struct, frozen=True):
    """A type whose values are scalars."""

    name: str
    """What reflection prints."""
    kind: str
    """The underlying Go kind."""


class Slice(msgspec.Struct, frozen=True):
    """``[]elem``; the zero value is nil."""

    name: str
    """The name that reflection prints."""
    elem: GoType
    """The elements' type."""


class Array(msgspec.Struct, frozen=True):
    """``[length]elem``."""

    name: str
    """The name that reflection prints."""
    length: int
    """The number of elements."""
    elem: GoType
    """The elements' type."""


class Map(msgspec.Struct, frozen=True):
    """``map[key]value``; the zero value is nil."""

    name: str
    """The name that reflection prints."""
    key: GoType
    """The keys' type."""
    value: GoType
    """The values' type."""


class Pointer(msgspec.Struct, frozen=True):
    """``*elem``; the zero value is nil."""

    name: str
    """The name that reflection prints."""
    elem: GoType
    """The type that it points to."""


class Interface(msgspec.Struct, frozen=True):
    """``interface {}``; the zero value is nil."""

    name: str
    """The name that reflection prints."""


class Field(msgspec.Struct, frozen=True):
    """One struct field in declaration order."""

    name: str
    """The Go name."""
    type: GoType
    """The Go type."""
    json: str = ""
    """The key in JSON; empty for a struct that is embedded inline."""
    omitempty: bool = False
    """Whether the key is left out of JSON for a zero value."""
    embedded: bool = False
    """Whether Go embeds the field."""


class Struct(msgspec.Struct, frozen=True):
    """A struct."""

    name: str
    """The name with its package, as reflection prints it: ``v1.Container``."""
    fields: tuple[Field, ...]
    """The fields in declaration order."""


class Coded(Struct, frozen=True):
    """A struct with an UnmarshalJSON and a MarshalJSON of its own (``resource.Quantity``)."""

    decode: Callable[[object], Any]
    """JSON -> a typed value of the struct."""
    encode: Callable[[Any], str | int]
    """A typed value of the struct -> JSON."""


GoType = Basic | Slice | Array | Map | Pointer | Interface | Struct
Resolver = Callable[[str], GoType]
STRING: Final = Basic("string", "string")
UINT8: Final = Basic("uint8", "uint8")
BYTES: Final = Slice("[]uint8", UINT8)
STRING_MAP: Final = Map("map[string]string", STRING, STRING)
# Python refuses to convert thousands of digits, and no array has a length of 19
_ARRAY = regex(r"\[(\d{1,18})\](.+)", re.DOTALL)


def parse_type(notation: str, resolve: Resolver) -> GoType:
    """Parse Go's type notation (``map[ResourceName]resource.Quantity``); ``resolve`` knows named types."""
    notation = _ALIASES.get(notation, notation)
    if notation in KINDS:
        return Basic(notation, notation)
    if notation in ("interface {}", "interface{}"):
        return Interface("interface {}")
    if notation.startswith("*"):
        pointed = parse_type(notation[1:], resolve)
        return Pointer(f"*{pointed.name}", pointed)
    if notation.startswith("[]"):
        elem = parse_type(notation[2:], resolve)
        return Slice(f"[]{elem.name}", elem)
    if notation.startswith("map["):
        return _parse_map(notation, resolve)
    if array := _ARRAY.fullmatch(notation):
        elem = parse_type(array[2], resolve)
        return Array(f"[{array[1]}]{elem.name}", int(array[1]), elem)
    return resolve(notation)


def _parse_map(notation: str, resolve: Resolver) -> Map:
    depth = 0
    for index in range(len("map"), len(notation)):
        # the key may have brackets of its own, as in map[[2]string]int
        depth += {"[": 1, "]": -1}.get(notation[index], 0)
        if depth == 0:
            key = parse_type(notation[len("map[") : index], resolve)
            value = parse_type(notation[index + 1 :], resolve)
            return Map(f"map[{key.name}]{value.name}", key, value)
    raise UsageError(f"not a Go type: {notation}")


def renamed(go_type: GoType, name: str) -> GoType:
    """Return a type under another name, as in ``type ResourceList map[...]``; the kind is the same."""
    match go_type:
        case Basic(_, kind):
            return Basic(name, kind)
        case Slice(_, elem):
            return Slice(name, elem)
        case Array(_, length, elem):
            return Array(name, length, elem)
        case Map(_, key, value):
            return Map(name, key, value)
        case Pointer(_, elem):
            return Pointer(name, elem)
        case Struct(_, fields):
            return Struct(name, fields)
    return Interface(name)


def zero_value(go_type: GoType) -> object:
    """Return Go's zero value of the type as a typed value."""
    match go_type:
        case Basic(_, "bool"):
            return False
        case Basic(_, "string"):
            return ""
        case Basic(_, kind):
            return 0 if kind not in FLOATS else 0j if kind.startswith("complex") else 0.0
        case Array(_, length, elem):
            return (zero_value(elem),) * length
        case Struct(_, fields):
            return tuple(zero_value(field.type) for field in fields)
    return None
