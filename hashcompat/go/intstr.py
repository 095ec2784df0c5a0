"""``intstr.IntOrString`` (apimachinery pkg/util/intstr): a number or a string under one JSON key."""

from __future__ import annotations

from typing import Final

from hashcompat.errors import DecodeError
from hashcompat.go.jsontext import Number, clean, integer, kind_of
from hashcompat.go.types import Basic, Coded, Field

IntOrString = tuple[int, int, str]
"""Typed value of both types below: ``(0, number, "")`` or ``(1, 0, string)``."""


def from_json(value: object) -> IntOrString:
    """Decode as ``IntOrString.UnmarshalJSON``; null is the number 0."""
    return _decode(value, 32)


def wide_from_json(value: object) -> IntOrString:
    """Decode as ``util.IntOrString`` of 1.0 and 1.1 (pkg/util/util.go), whose number has 64 bits."""
    return _decode(value, 64)


def _decode(value: object, bits: int) -> IntOrString:
    if isinstance(value, str):
        return 1, 0, clean(value)
    if value is None:
        return 0, 0, ""
    if type(value) is int or isinstance(value, Number):
        return 0, integer(value, bits), ""
    raise DecodeError(f"want an integer or a string, got {kind_of(value)}")


def number_of(value: IntOrString) -> int | str:
    """Return what ``IntOrString.MarshalJSON`` writes: the number or the string."""
    return value[2] if value[0] else value[1]


TYPE: Final = Coded(
    "intstr.IntOrString",
    (
        Field("Type", Basic("intstr.Type", "int64")),
        Field("IntVal", Basic("int32", "int32")),
        Field("StrVal", Basic("string", "string")),
    ),
    from_json,
    number_of,
)
WIDE_TYPE: Final = Coded(
    "util.IntOrString",
    (
        Field("Kind", Basic("util.IntstrKind", "int")),
        Field("IntVal", Basic("int", "int")),
        Field("StrVal", Basic("string", "string")),
    ),
    wide_from_json,
    number_of,
)
