"""Sums and comparisons of ``resource.Quantity``, with Go's resulting representation, and its first form.

Kubelets compute quantities when they set defaults of pod-level resources. What they print then may be a
representation that no JSON decodes to. Source: pkg/api/resource/quantity.go and amount.go.
"""

from __future__ import annotations

from typing import Final

import msgspec

from hashcompat.core.errors import DecodeError
from hashcompat.core.go import quantity
from hashcompat.core.go.quantity import (
    BINARY_SI,
    DECIMAL_EXPONENT,
    DECIMAL_SI,
    FORMAT,
    MAX_INT64,
    TYPE,
    Quantity,
    canonical_text,
    decimal,
    from_json,
    interpret,
    raw_text,
    refuse_absurd,
    to_json,
)
from hashcompat.core.go.types import Coded, Field
from hashcompat.core.regex import regex

_WIDEST: Final = 10_000
"""Decimal places between two quantities; beyond this Go would compute for hours."""


class Held(msgspec.Struct, frozen=True):
    """A computed quantity, in place of its text in a JSON document."""

    quantity: Quantity
    """Its typed value, whose representation no text decodes to."""


def from_json_or_held(value: object) -> Quantity:
    """Decode as ``Quantity.UnmarshalJSON`` does, and return a computed quantity unchanged."""
    return value.quantity if isinstance(value, Held) else from_json(value)


HELD_TYPE: Final = Coded(TYPE.name, TYPE.fields, from_json_or_held, to_json)


def add(one: Quantity, other: Quantity) -> Quantity:
    """Add as ``Quantity.Add`` does.

    The cached text is lost, zero takes the format of the other operand, and an int64 may become an inf.Dec.
    """
    # ``q.IsZero()``: a zero has a format too, but Go takes that of what is added to it
    form = one[3] if decimal(one)[0] else other[3]
    if one[1][0] is None and other[1][0] is None and (amount := _add_int64(one[0], other[0])):
        return amount, (None,), "", form
    first, second, scale = _aligned(one, other)
    return (0, 0), ((quantity.dec(first + second, scale),),), "", form


def _add_int64(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    """Add as ``int64Amount.Add`` does, at the finer of both scales; return None on overflow."""
    if not one[0] or not other[0]:
        return one if one[0] or not other[0] else other
    scale = min(one[1], other[1])
    # 10**19 overflows an int64 whatever it is multiplied by; Go's scaling gives up there too
    if max(one[1], other[1]) - scale >= len(str(MAX_INT64)):
        return None
    terms = [value * 10 ** (own - scale) for value, own in (one, other)]
    total = sum(terms)
    return (
        (int(total), scale)
        if all(-MAX_INT64 - 1 <= number <= MAX_INT64 for number in (*terms, total))
        else None
    )


def larger_one(new: Quantity, known: Quantity) -> Quantity:
    """Return ``new`` if it is the larger number, otherwise ``known``.

    ``new.Cmp(known)`` converts ``new`` to an inf.Dec if ``known`` is one (``AsDec``), and keeps its text.
    """
    first, second, _ = _aligned(new, known)
    if first <= second:
        return known
    (value, scale), (dec,), text, form = new
    if dec is None and known[1][0] is not None:
        return (0, 0), ((quantity.dec(value, -scale),),), text, form
    return new


def _aligned(one: Quantity, other: Quantity) -> tuple[int, int, int]:
    """Return both unscaled numbers at the finer of their scales, and that scale, as ``inf.Dec`` does."""
    (first, first_scale), (second, second_scale) = decimal(one), decimal(other)
    # scales of an inf.Dec count places behind the point, so the larger one is the finer one
    scale = max(first_scale, second_scale)
    if abs(first_scale - second_scale) > _WIDEST:
        raise DecodeError(f"quantities whose scales differ too much to be added: by more than {_WIDEST}")
    return first * int(10 ** (scale - first_scale)), second * int(10 ** (scale - second_scale)), scale


# ``resource.Quantity`` of 1.0 - 1.2: only an ``inf.Dec`` and a format.
#
# The text is not cached, so equal amounts print the same, however they were written.
# Source: pkg/api/resource/quantity.go of those releases.

OldQuantity = tuple[tuple[quantity.Dec] | None, str]
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
    rounded = quantity.round_up(abs(unscaled), scale, _MILLI) if unscaled else 0
    return (quantity.dec(-rounded if unscaled < 0 else rounded, _MILLI),), form


def to_json_1_0(value: OldQuantity) -> str:
    """Return the text of ``Quantity.MarshalJSON`` without its quotes."""
    unscaled, scale = _number(value[0])
    return canonical_text(unscaled, scale, value[1] or DECIMAL_EXPONENT)


def _number(amount: tuple[quantity.Dec] | None) -> tuple[int, int]:
    return quantity.number(amount[0]) if amount else (0, 0)


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
    scale = quantity.int32(len(fraction) - (exponent if base == 10 else 0))
    if unscaled:
        unscaled, scale = quantity.round_up(unscaled, scale, finest), finest
    # up to 1.2 every format is capped; from 1.3 on only BinarySI is (``_parse_slow`` in quantity.py)
    if unscaled > MAX_INT64 * 10**finest:
        unscaled, scale = MAX_INT64, 0
    if form == BINARY_SI and 0 < unscaled < 10**scale:
        form = DECIMAL_SI
    return (quantity.dec(-unscaled if sign == "-" else unscaled, scale),), form


_FIELDS: Final = (Field("Amount", quantity.POINTER), Field("Format", FORMAT, embedded=True))
MILLI_TYPE_1_0: Final = Coded("resource.Quantity", _FIELDS, milli_from_json, to_json_1_0)
NANO_TYPE_1_0: Final = Coded("resource.Quantity", _FIELDS, nano_from_json, to_json_1_0)
