"""``intstr.IntOrString`` (apimachinery pkg/util/intstr): a number or a string under one JSON key."""

from __future__ import annotations

from typing import Final

from hashcompat.errors import DecodeError
from hashcompat.go.jsontext import Number, clean, integer, kind_of
from hashcompat.go.types import Basic, Field, Struct

TYPE: Final = Struct(
    "intstr.IntOrString",
    (
        Field("Type", Basic("intstr.Type", "int64")),
        Field("IntVal", Basic("int32", "int32")),
        Field("StrVal", Basic("string", "string")),
    ),
)

IntOrString = tuple[int, int, str]
"""Typed value of ``TYPE``: ``(0, number, "")`` or ``(1, 0, string)``."""


def from_json(value: object) -> IntOrString:
    """Decode as ``IntOrString.UnmarshalJSON``; null is the number 0."""
    if isinstance(value, str):
        return 1, 0, clean(value)
    if value is None:
        return 0, 0, ""
    if type(value) is int or isinstance(value, Number):
        return 0, integer(value, 32), ""
    raise DecodeError(f"want an integer or a string, got {kind_of(value)}")


def number_of(value: IntOrString) -> int | str:
    """Return what ``IntOrString.MarshalJSON`` writes: the number or the string."""
    return value[2] if value[0] else value[1]
