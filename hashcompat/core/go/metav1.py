"""Types with their own JSON methods besides Quantity: ``metav1.Time``, ``FieldsV1`` and ``IntOrString``.

Those of metav1 (pkg/apis/meta/v1) are built from the fields of a type tree, because these are printed and
differ by release. ``metav1.Duration`` is read by Go's ``time.ParseDuration``, that of Go 1.26.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NoReturn

import msgspec

from hashcompat.core.errors import DecodeError, UndecidedError
from hashcompat.core.go import quantity
from hashcompat.core.go.jsontext import ESCAPES, Number, clean, integer, kind_of, quote
from hashcompat.core.go.types import Basic, Coded, Field, Struct, zero_value
from hashcompat.core.regex import regex

LOCATION: Final = Struct("time.Location", ())
"""Represents ``time.Location``: a nil pointer to it is printed, and nothing else is ever decoded."""


class RawJson(msgspec.Struct, frozen=True):
    """The bytes of a JSON value.

    A reader of JSON text puts this in place of ``fieldsV1``, whose text a kubelet keeps unchanged.
    """

    data: bytes
    """The value's text as it was in the file, UTF-8."""


def _refuse_fields(value: object) -> NoReturn:  # noqa: ARG001 - a decoder by its signature
    raise UndecidedError("managed fields in the form of 1.14 and 1.15")


FIELDS: Final = Coded("v1.Fields", (), _refuse_fields, lambda _: "")
"""Represents the recursive ``v1.Fields`` of 1.14 and 1.15: null is printed, nothing else is decoded."""
_RFC3339: Final = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_ESCAPED_BY_GO_RELEASE: Final = ("\\u0008", "\\u000c")


def time_type(struct: Struct) -> Coded:
    """Return ``v1.Time`` with its decoder: null is the zero time; any other time raises UndecidedError.

    ``UnmarshalJSON`` converts times to local time, so spew prints a ``*time.Location`` with the zones of the
    host.
    """
    zero = zero_value(struct)

    def decode(value: object) -> Any:
        if value is None:
            # ``UnmarshalJSON`` sets the zero time for null; its nil location prints the same on every host
            return zero
        if not isinstance(value, str) or not is_time(value):
            raise DecodeError("want a time such as 2026-01-31T12:00:00Z")
        raise UndecidedError("a time, whose text contains the time zone of the host")

    return Coded(struct.name, struct.fields, decode, lambda _: "")


def is_time(text: str) -> bool:
    """Return whether a text is a time as RFC 3339 writes it."""
    try:
        datetime.fromisoformat(text[:19])
    except ValueError:
        return False
    return _RFC3339.fullmatch(text) is not None


def fields_type(struct: Struct) -> Coded:
    """Return ``v1.FieldsV1`` with its decoder: its only field, ``Raw``, keeps the JSON text unchanged.

    That text is compact and sorted for a YAML manifest, which is first converted to JSON (apimachinery
    pkg/util/yaml ``ToJSON``); for a JSON manifest pass RawJson. The decoder raises UndecidedError for the two
    characters whose escapes depend on the Go that built the kubelet.
    """

    def decode(value: object) -> tuple[bytes]:
        if isinstance(value, RawJson):
            return (value.data,)
        text = _compact(value)
        if any(escape in text for escape in _ESCAPED_BY_GO_RELEASE):
            raise UndecidedError("a backspace or form feed, whose escape depends on the kubelet's Go release")
        return (text.encode(),)

    return Coded(struct.name, struct.fields, decode, lambda value: value[0].decode(errors="replace"))


def _compact(value: object) -> str:
    """Return what encoding/json ``Marshal`` writes for a JSON value: no space, sorted keys, HTML escaped."""
    if isinstance(value, Mapping):
        # Python orders strings by code points and Go by UTF-8 bytes, which is the same order
        members = (f"{_quoted(key)}:{_compact(value[key])}" for key in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_compact, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float | Number):
        return str(value)
    raise DecodeError(f"want JSON, got {kind_of(value)}")


def _quoted(text: str) -> str:
    return quote(clean(text), ESCAPES["before-go1.22"])


# ``intstr.IntOrString`` (apimachinery pkg/util/intstr): a number or a string under one JSON key.

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


INT_OR_STRING: Final = Coded(
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


# Types with their own JSON methods, by their name in a type tree (``codecs`` in schemas/types/container).

DEFAULTS: Final[Mapping[str, Coded]] = {coded.name: coded for coded in (quantity.HELD_TYPE, INT_OR_STRING)}
"""The types of a tree that names no codec, by Go type name.

Quantities may be computed ones, because kubelets compute some of those of static pods.
"""
CODECS: Final[Mapping[str, Coded]] = {
    "quantity-milli": quantity.MILLI_TYPE,
    "quantity-1.2": quantity.NANO_TYPE_1_0,
    "quantity-1.0": quantity.MILLI_TYPE_1_0,
    "intstr-1.0": WIDE_TYPE,
}
"""The types of old releases that decode or print differently, by codec name."""
PODS: Final[Mapping[str, Struct]] = {known.name: known for known in (*DEFAULTS.values(), LOCATION, FIELDS)}
"""The types of the trees of pods (schemas/types/pod), by Go type name."""
WRAPPERS: Final[Mapping[str, Callable[[Struct], Coded]]] = {
    "v1.Time": time_type,
    "v1.FieldsV1": fields_type,
}
"""Types whose fields a tree lists, because they are printed, but that decode by their own methods."""
_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # U+00B5, the micro sign
    "μs": 1_000,  # U+03BC, the Greek letter mu
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
"""Nanoseconds."""
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)")
_MOST: Final = 1 << 63
_DIGITS: Final = 19
"""What has more of them is beyond 64 bits, or of a fraction below a nanosecond."""


def parse_duration(text: str) -> int | None:
    """Return the nanoseconds of a duration as Go writes it (``1m30s``, ``-1.5h``); None for what is none."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("-", "+") else text
    # the one number that needs no unit
    if rest == "0":
        return 0
    total, place = 0, 0
    while part := _PART.match(rest, place):
        whole, fraction, unit = part[1].lstrip("0"), (part[2] or "")[:_DIGITS], part[3]
        if not (part[1] or part[2]) or unit not in _UNITS or len(whole) > _DIGITS:
            return None
        # Go cuts off what is below a nanosecond in each part by itself
        total += int(whole or "0") * _UNITS[unit] + int(fraction or "0") * _UNITS[unit] // 10 ** len(fraction)
        place = part.end()
    # -1<<63 is a duration and 1<<63 is none, so the most depends on the sign
    if not rest or place < len(rest) or total > _MOST - (sign > 0):
        return None
    return sign * total
