"""The form of a type tree, checked before a file that a user may have changed is believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashcompat.catalog.types import Schema
from hashcompat.errors import InputError
from hashcompat.go.jsontext import kind_of
from hashcompat.go.types import INT_BITS, UINT_BITS, Basic, Coded, GoType, Map, Pointer, Slice, Struct
from hashcompat.regex import regex

_LARGEST: Final = 50_000
"""Types below the root, each counted wherever it occurs: the largest tree so far has a few hundred."""

_NAME: Final = regex(r"[A-Za-z_][\w.]*")

_ROOT: Final = "Container"

_KEYS: Final[Mapping[str, type]] = {
    "release": str,
    "package": str,
    "releases": str,
    "madeFrom": str,
    "root": str,
    "types": dict,
}

_FIELD: Final[Mapping[str, type]] = {"name": str, "type": str}

_FIELD_OPTIONS: Final[Mapping[str, type]] = {"json": str, "omitempty": bool, "embedded": bool}

_WORDS: Final = {str: "a string", dict: "an object", bool: "true or false"}


def check_form(document: Any) -> None:
    """Check JSON to be a type tree as schemas/types/README.md describes it, with the name of its release.

    Raises InputError with the path of what is missing, unknown or of another type.
    """
    _check_members(document, "", _KEYS, {})
    for name, definition in document["types"].items():
        _check_name(f"types.{name}", name)
        if not isinstance(definition, list | str):
            raise InputError(f"types.{name}: want a list of fields or a string, got {kind_of(definition)}")
        for index, row in enumerate(definition if isinstance(definition, list) else ()):
            place = f"types.{name}[{index}]"
            _check_members(row, place, _FIELD, _FIELD_OPTIONS)
            _check_name(f"{place}.name", row["name"])
    _check_name("package", document["package"])
    if document["root"] != _ROOT:
        raise InputError(f"root: want {_ROOT}")


def _check_members(value: Any, place: str, wanted: Mapping[str, type], options: Mapping[str, type]) -> None:
    """Check an object's keys and the types of their values."""
    if not isinstance(value, dict):
        raise InputError(f"{place or '$'}: want an object, got {kind_of(value)}")
    lead = f"{place}." if place else ""
    for key in wanted:
        if key not in value:
            raise InputError(f"{lead}{key} is missing")
    known = {**wanted, **options}
    for key, item in value.items():
        if key not in known:
            raise InputError(f"{lead}{key} is not known to this program")
        if not isinstance(item, known[key]):
            raise InputError(f"{lead}{key}: want {_WORDS[known[key]]}, got {kind_of(item)}")


def _check_name(place: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(f"{place}: not a name of Go")


def check_types(schema: Schema) -> None:
    """Build every type of a tree.

    Raises InputError for one that is missing, contains itself, or that no container's JSON decodes into, and
    for a tree that is too large.
    """
    try:
        size = _size_of(schema.container, {})
    except RecursionError:
        raise InputError("types are nested too deep") from None
    if size > _LARGEST:
        raise InputError(f"more than {_LARGEST:,} types below {_ROOT}")


def _size_of(go_type: GoType, known: dict[int, int]) -> int:
    """Count the types below one, as often as they occur; ``known`` has the sizes by ``id``."""
    key = id(go_type)
    if key not in known:
        known[key] = 1 + _sum_below(go_type, lambda below: _size_of(below, known))
    return known[key]


def _sum_below(go_type: GoType, size_of: Callable[[GoType], int]) -> int:
    match go_type:
        case Coded():
            return 0
        case Struct(_, fields):
            return sum(size_of(field.type) for field in fields)
        case Pointer(_, elem) | Slice(_, elem) | Map(_, Basic(_, "string"), elem):
            return size_of(elem)
        case Basic(_, kind) if kind in ("bool", "string") or kind in INT_BITS or kind in UINT_BITS:
            return 0
    raise InputError(f"no container's JSON decodes into the Go type {go_type.name}")
