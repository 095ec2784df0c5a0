"""Go types as frozen values, the reader of Go's own type notation, and walks over types.

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

A walk visits every struct below one type, or the fields of two types side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any, Final

import msgspec

from hashcompat.core.errors import UsageError
from hashcompat.core.go import jsonpath
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


class Array(msgspec.Struct, frozen=True):
    """``[length]elem``."""

    name: str
    """The name that reflection prints."""
    length: int
    elem: GoType


class Map(msgspec.Struct, frozen=True):
    """``map[key]value``; the zero value is nil."""

    name: str
    """The name that reflection prints."""
    key: GoType
    value: GoType


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
    type: GoType
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
    if isinstance(go_type, Struct):  # without the methods of another one
        return Struct(name, go_type.fields)
    return msgspec.structs.replace(go_type, name=name)


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


def types(root: GoType, *, coded: bool = False) -> Iterator[GoType]:
    """Yield every type below a type, itself first: fields, elements, what is pointed to, values of maps.

    A struct comes once. ``coded``: those with JSON methods of their own too, and what they are made of.
    """
    names: set[str] = set()
    todo = [root]
    while todo:
        go_type = todo.pop()
        if isinstance(go_type, Struct):
            # a type may contain itself, as v1.Fields of 1.14 does, and the walk would not end
            if go_type.name in names or (isinstance(go_type, Coded) and not coded):
                continue
            names.add(go_type.name)
        yield go_type
        todo += _parts(go_type)


def _parts(go_type: GoType) -> list[GoType]:
    match go_type:
        case Struct(_, fields):
            return [field.type for field in fields]
        case Slice(_, elem) | Array(_, _, elem) | Pointer(_, elem) | Map(_, _, elem):
            return [elem]
    return []


def structs(root: GoType, *, coded: bool = False) -> list[Struct]:
    """Return every struct below a type, each once, itself first; ``coded`` as for types."""
    return [go_type for go_type in types(root, coded=coded) if isinstance(go_type, Struct)]


def json_fields(struct: Struct) -> Iterator[tuple[tuple[int, ...], Struct, Field]]:
    """Yield a struct's JSON fields as index path, declaring struct and field; embedded ones are inlined."""
    for index, field in enumerate(struct.fields):
        if field.json:
            yield (index,), struct, field
        elif isinstance(field.type, Struct):
            for path, owner, inner in json_fields(field.type):
                yield (index, *path), owner, inner


def at(value: Any, path: tuple[int, ...]) -> Any:
    """Return the field value that an index path of json_fields leads to."""
    for index in path:
        value = value[index]
    return value


ANY: Final = object()
"""Stands for every value of a type: only the types are walked."""


class Member(msgspec.Struct, frozen=True):
    """A field of one of two types, and a value of it."""

    owner: Struct
    """The struct that declares the field, which may be embedded in the one that is walked."""
    field: Field
    value: Any
    """The typed value of the field, or ANY."""

    @property
    def type_name(self) -> str:
        """The declaring struct's name without the package."""
        return self.owner.name.rpartition(".")[2]


class MemberPair(msgspec.Struct, frozen=True):
    """One JSON key of two types; at least one of them has it."""

    path: str
    """The JSON path, with ``[*]`` for the elements of a list."""
    old: Member | None
    """The field of the first type, or None."""
    new: Member | None
    """The field of the second type, or None."""


Walk = Callable[[Any, Any], Iterator[MemberPair]]
"""Yields pairs of two typed values; ANY stands for every value of a type."""


def side_by_side(old: tuple[GoType, Any], new: tuple[GoType, Any]) -> Iterator[MemberPair]:
    """Yield the JSON fields of two types, wherever both have what a field belongs to.

    ``old`` and ``new`` are a type and a typed value of it, or ANY for each possible value. Of two values both
    are followed: no further than a nil pointer, and element by element of lists of one length.
    """
    return compile_walk(old[0], new[0], lambda _: True)(old[1], new[1])


def compile_walk(old: GoType, new: GoType, wanted: Callable[[MemberPair], bool]) -> Walk:
    """Return what yields the wanted ones of the pairs that ``side_by_side`` yields, for values of two types.

    ``wanted`` is asked once for each pair of fields, with ANY for their values. A value that leads to no
    wanted pair is never looked at.
    """
    return _walk(old, new, wanted, "") or (lambda _old, _new: iter(()))


def _walk(old: GoType, new: GoType, wanted: Callable[[MemberPair], bool], path: str) -> Walk | None:
    """Return the walk of two types below a path; None where it never yields anything."""
    match old, new:
        # what is inside has no JSON keys: a quantity is one text
        case (Coded(), _) | (_, Coded()):
            return None
        case Struct() as ours, Struct() as theirs:
            return _of_structs(ours, theirs, wanted, path)
        case Pointer(_, old_elem), Pointer(_, new_elem):
            return _walk_pairs(_pointed, _walk(old_elem, new_elem, wanted, path))
        case Slice(_, old_elem), Slice(_, new_elem):
            return _walk_pairs(_elements, _walk(old_elem, new_elem, wanted, jsonpath.element(path, "*")))
    return None


class _Place(msgspec.Struct, frozen=True):
    path: tuple[int, ...]
    owner: Struct
    field: Field

    def member(self, value: Any) -> Member:
        return Member(self.owner, self.field, ANY if value is ANY else at(value, self.path))


def _of_structs(old: Struct, new: Struct, wanted: Callable[[MemberPair], bool], path: str) -> Walk | None:
    olds, news = _places(old), _places(new)
    steps: list[tuple[str, _Place | None, _Place | None, bool, Walk | None]] = []
    # the newer type's order first, so that added fields stand among their neighbours
    for key in dict.fromkeys([*news, *olds]):
        before, after, place = olds.get(key), news.get(key), jsonpath.below(path, key)
        pair = MemberPair(place, before.member(ANY) if before else None, after.member(ANY) if after else None)
        below = _walk(before.field.type, after.field.type, wanted, place) if before and after else None
        if (is_wanted := wanted(pair)) or below:
            steps.append((place, before, after, is_wanted, below))

    def walk(ours: Any, theirs: Any) -> Iterator[MemberPair]:
        for place, before, after, is_wanted, below in steps:
            mine = before.member(ours) if before else None
            its = after.member(theirs) if after else None
            if is_wanted:
                yield MemberPair(place, mine, its)
            if below and mine and its:
                yield from below(mine.value, its.value)

    return walk if steps else None


def _places(struct: Struct) -> dict[str, _Place]:
    return {field.json: _Place(path, owner, field) for path, owner, field in json_fields(struct)}


def _walk_pairs(pairs: Callable[[Any, Any], Iterable[tuple[Any, Any]]], below: Walk | None) -> Walk | None:
    """Return the walk of the pairs in two values; None where that of such pairs never yields anything."""
    if below is None:
        return None

    def walk(ours: Any, theirs: Any) -> Iterator[MemberPair]:
        for old, new in pairs(ours, theirs):
            yield from below(old, new)

    return walk


def _pointed(old: Any, new: Any) -> Iterable[tuple[Any, Any]]:
    if old is None or new is None:
        return []
    return [(ANY if old is ANY else old[0], ANY if new is ANY else new[0])]


def _elements(old: Any, new: Any) -> Iterable[tuple[Any, Any]]:
    if old is ANY and new is ANY:
        return [(ANY, ANY)]
    ours, theirs = (repeat(ANY) if value is ANY else value or () for value in (old, new))
    return zip(ours, theirs, strict=old is not ANY and new is not ANY)
