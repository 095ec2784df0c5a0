"""The types with JSON methods of their own: how each decodes and encodes, by Go type name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hashcompat.go import intstr, quantity
from hashcompat.go.types import Struct


@dataclass(frozen=True, slots=True)
class Codec:
    """A Go type whose UnmarshalJSON and MarshalJSON replace the field-by-field rules."""

    type: Struct
    decode: Callable[[object], Any]
    encode: Callable[[Any], str | int]


CODECS: Final = {
    codec.type.name: codec
    for codec in (
        Codec(quantity.TYPE, quantity.from_json, quantity.to_json),
        Codec(intstr.TYPE, intstr.from_json, intstr.number_of),
    )
}
