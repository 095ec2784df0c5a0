"""Walks over Go types: every struct below one type, and the fields of two types side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final

from hashcompat.go import jsonpath
from hashcompat.go.types import Array, Coded, Field, GoType, Map, Pointer, Slice, Struct


def types(root: GoType, *, coded: bool = False) -> Iterator[GoType]:
    """Yield every type below a type, itself first: fields, elements, what is pointed to, values of maps.

    A struct comes once. ``coded``: those with JSON methods of their own too, and what they are made of.
    """
    known: set[str] = set()
    todo = [root]
    while todo:
        go_type = todo.pop()
        if isinstance(go_type, Struct):
            if go_type.name in known or (isinstance(go_type, Coded) and not coded):
                continue
            known.add(go_type.name)
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


@dataclass(frozen=True, slots=True)
class Member:
    """A field of one of two types, and a value of it."""

    owner: Struct
    """The struct that declares the field, which may be embedded in the one that is walked."""
    field: Field
    """The field."""
    value: Any
    """The typed value of the field, or ANY."""

    @property
    def typed(self) -> tuple[GoType, Any]:
        """The field's type and value."""
        return self.field.type, self.value

    @property
    def type_name(self) -> str:
        """The declaring struct's name without the package."""
        return self.owner.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Pair:
    """One JSON key of two types; at least one of them has it."""

    path: str
    """The JSON path, with ``[*]`` for the elements of a list."""
    old: Member | None
    """The field of the first type, or None."""
    new: Member | None
    """The field of the second type, or None."""


def side_by_side(old: tuple[GoType, Any], new: tuple[GoType, Any], path: str = "") -> Iterator[Pair]:
    """Yield the JSON fields of two types, wherever both have what a field belongs to.

    ``old`` and ``new`` are a type and a typed value of it, or ANY for each possible value. Of two values both
    are followed: no further than a nil pointer, and element by element of lists of one length.
    """
    match old[0], new[0]:
        case (Coded(), _) | (_, Coded()):
            return
        case Struct() as ours, Struct() as theirs:
            yield from _fields(_members(ours, old[1]), _members(theirs, new[1]), path)
        case Pointer(_, old_elem), Pointer(_, new_elem) if old[1] is not None and new[1] is not None:
            yield from side_by_side((old_elem, _pointed(old[1])), (new_elem, _pointed(new[1])), path)
        case Slice(_, old_elem), Slice(_, new_elem):
            for old_item, new_item in _elements(old[1], new[1]):
                yield from side_by_side(
                    (old_elem, old_item), (new_elem, new_item), jsonpath.element(path, "*")
                )


def _fields(old: Mapping[str, Member], new: Mapping[str, Member], path: str) -> Iterator[Pair]:
    for key in dict.fromkeys([*new, *old]):
        pair = Pair(jsonpath.below(path, key), old.get(key), new.get(key))
        yield pair
        if pair.old is not None and pair.new is not None:
            yield from side_by_side(pair.old.typed, pair.new.typed, pair.path)


def _members(struct: Struct, value: Any) -> dict[str, Member]:
    return {
        field.json: Member(owner, field, ANY if value is ANY else at(value, place))
        for place, owner, field in json_fields(struct)
    }


def _pointed(value: Any) -> Any:
    return ANY if value is ANY else value[0]


def _elements(old: Any, new: Any) -> Iterable[tuple[Any, Any]]:
    match old is ANY, new is ANY:
        case True, True:
            return [(ANY, ANY)]
        case True, False:
            return zip(repeat(ANY), new or (), strict=False)
        case False, True:
            return zip(old or (), repeat(ANY), strict=False)
    return zip(old or (), new or (), strict=True)
