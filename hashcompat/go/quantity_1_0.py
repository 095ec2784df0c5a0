"""``resource.Quantity`` of 1.0 - 1.2: only an ``inf.Dec`` and a format.

The text is not cached, so equal amounts print the same, however they were written.
Source: pkg/api/resource/quantity.go of those releases.
"""

from __future__ import annotations

from typing import Final

from hashcompat.errors import DecodeError
from hashcompat.go import inf
from hashcompat.go.quantity import (
    BINARY_SI,
    DECIMAL_EXPONENT,
    DECIMAL_SI,
    FORMAT,
    MAX_INT64,
    canonical_text,
    interpret,
    raw_text,
    refuse_absurd,
)
from hashcompat.go.types import Coded, Field
from hashcompat.regex import regex

OldQuantity = tuple[tuple[inf.Dec] | None, str]
"""Typed value of the types below: ``((amount,), format)``."""

_SPLIT: Final = regex(r"([+-]?)(?:([0-9]++)\.?+([0-9]*+)|\.([0-9]++))([eEinumkKMGTP]*+[-+]?[0-9]*+)")
_MILLI: Final = 3
_NANO: Final = 9


def milli_from_json(value: object) -> OldQuantity:
    """Decode as 1.0 and 1.1 do: amounts are rounded up to milli, and there are no suffixes below it."""
    return _parse(raw_text(value), _MILLI)


def nano_from_json(value: object) -> OldQuantity:
    """Decode as 1.2 does: parsed to nano, then rounded up to milli on the way into the internal ResourceList.

    The second step also changes the scale of zero to milli. In 1.2 every quantity is part of a ResourceList.
    Source: pkg/api/v1/conversion.go ``Convert_v1_ResourceList_To_api_ResourceList``.
    """
    amount, form = _parse(raw_text(value), _NANO)
    unscaled, scale = _number(amount)
    rounded = inf.round_up(abs(unscaled), scale, _MILLI) if unscaled else 0
    return (inf.dec(-rounded if unscaled < 0 else rounded, _MILLI),), form


def to_json(value: OldQuantity) -> str:
    """Return the text of ``Quantity.MarshalJSON`` without its quotes."""
    unscaled, scale = _number(value[0])
    return canonical_text(unscaled, scale, value[1] or DECIMAL_EXPONENT)


def _number(amount: tuple[inf.Dec] | None) -> tuple[int, int]:
    return inf.number(amount[0]) if amount else (0, 0)


def _parse(text: str, finest: int) -> OldQuantity:
    """Parse as ``ParseQuantity``: round up to ``finest``, cap at 2^63-1, fractions below 1 as DecimalSI."""
    refuse_absurd(text)
    match = _SPLIT.fullmatch(text)
    if match is None or (finest == _MILLI and match[5] in ("n", "u")):
        raise DecodeError("not a quantity; want a number with a suffix such as m, k, Mi or e3")
    sign, whole, fraction, bare_fraction, suffix = match.groups(default="")
    fraction += bare_fraction
    base, exponent, form = interpret(suffix)
    unscaled = int(whole + fraction) << (exponent if base == 2 else 0)
    scale = inf.int32(len(fraction) - (exponent if base == 10 else 0))
    if unscaled:
        unscaled, scale = inf.round_up(unscaled, scale, finest), finest
    if unscaled > MAX_INT64 * 10**finest:
        unscaled, scale = MAX_INT64, 0
    if form == BINARY_SI and 0 < unscaled < 10**scale:
        form = DECIMAL_SI
    return (inf.dec(-unscaled if sign == "-" else unscaled, scale),), form


_FIELDS: Final = (Field("Amount", inf.POINTER), Field("Format", FORMAT, embedded=True))
MILLI_TYPE: Final = Coded("resource.Quantity", _FIELDS, milli_from_json, to_json)
NANO_TYPE: Final = Coded("resource.Quantity", _FIELDS, nano_from_json, to_json)
