"""Typed values -> plain data by Go field name, for showing and comparing; nothing is hashed from it."""

from __future__ import annotations

from typing import Any

from hashcompat.go.types import Coded, GoType, Map, Pointer, Slice, Struct


def view(go_type: GoType, value: Any) -> Any:
    """Return a typed value as dicts, lists and scalars: nil is None, a quantity its JSON form."""
    if value is None:
        return None
    match go_type:
        case Coded():
            return go_type.encode(value)
        case Struct(_, fields):
            return {field.name: view(field.type, item) for field, item in zip(fields, value, strict=True)}
        case Pointer(_, elem):
            return view(elem, value[0])
        case Slice(_, elem):
            return [view(elem, item) for item in value]
        case Map(_, _, item_type):
            return {key: view(item_type, item) for key, item in value.items()}
    return value
