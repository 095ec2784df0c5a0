"""``metav1.Time`` and ``metav1.FieldsV1``, which have their own UnmarshalJSON (pkg/apis/meta/v1).

Both are built from the fields of a type tree, because these are printed and differ by release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NoReturn

import msgspec

from hashcompat.errors import DecodeError, UndecidedError
from hashcompat.go.jsontext import ESCAPES, Number, clean, kind_of, quote
from hashcompat.go.types import Coded, Struct, zero_value
from hashcompat.regex import regex

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
