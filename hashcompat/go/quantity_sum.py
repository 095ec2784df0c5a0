"""Sums and comparisons of ``resource.Quantity``, with Go's resulting representation.

Kubelets compute quantities when they set defaults of pod-level resources. What they print then may be a
representation that no JSON decodes to. Source: pkg/api/resource/quantity.go and amount.go.
"""

from __future__ import annotations

from typing import Final

import msgspec

from hashcompat.errors import DecodeError
from hashcompat.go import inf
from hashcompat.go.quantity import MAX_INT64, TYPE, Quantity, decimal, from_json, to_json
from hashcompat.go.types import Coded

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
    form = one[3] if decimal(one)[0] else other[3]
    if one[1][0] is None and other[1][0] is None and (amount := _add_int64(one[0], other[0])):
        return amount, (None,), "", form
    first, second, scale = _aligned(one, other)
    return (0, 0), ((inf.dec(first + second, scale),),), "", form


def _add_int64(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    """Add as ``int64Amount.Add`` does, at the finer of both scales; return None on overflow."""
    if not one[0] or not other[0]:
        return one if one[0] or not other[0] else other
    scale = min(one[1], other[1])
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
        return (0, 0), ((inf.dec(value, -scale),),), text, form
    return new


def _aligned(one: Quantity, other: Quantity) -> tuple[int, int, int]:
    """Return both unscaled numbers at the finer of their scales, and that scale, as ``inf.Dec`` does."""
    (first, first_scale), (second, second_scale) = decimal(one), decimal(other)
    scale = max(first_scale, second_scale)
    if abs(first_scale - second_scale) > _WIDEST:
        raise DecodeError(f"quantities whose scales differ too much to be added: by more than {_WIDEST}")
    return first * int(10 ** (scale - first_scale)), second * int(10 ** (scale - second_scale)), scale
