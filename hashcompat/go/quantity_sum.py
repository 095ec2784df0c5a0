"""Sums and comparisons of ``resource.Quantity`` in the representation that Go ends in (pkg/api/resource/quantity.go, amount.go).

Kubelets compute quantities where they default pod-level resources; what they print then has no JSON that
would decode to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hashcompat.errors import DecodeError
from hashcompat.go import inf
from hashcompat.go.quantity import MAX_INT64, TYPE, Quantity, decimal, from_json, to_json
from hashcompat.go.types import Coded

_WIDEST: Final = 10_000
"""Decimal places between two quantities; beyond it Go would compute for hours."""


@dataclass(frozen=True, slots=True)
class Held:
    """A computed quantity that stands in a JSON document where its text would stand."""

    quantity: Quantity


def from_json_or_held(value: object) -> Quantity:
    """Decode as ``Quantity.UnmarshalJSON``, and take a computed quantity as it is."""
    return value.quantity if isinstance(value, Held) else from_json(value)


HELD_TYPE: Final = Coded(TYPE.name, TYPE.fields, from_json_or_held, to_json)


def add(one: Quantity, other: Quantity) -> Quantity:
    """Apply ``Quantity.Add``: the text is lost, zero takes the format of what is added, and int64 may give way to inf.Dec."""
    form = one[3] if decimal(one)[0] else other[3]
    if one[1][0] is None and other[1][0] is None and (amount := _add_int64(one[0], other[0])):
        return amount, (None,), "", form
    first, second, scale = _aligned(one, other)
    return (0, 0), ((inf.dec(first + second, scale),),), "", form


def _add_int64(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    """Add as ``int64Amount.Add``, at the finer of both scales; None when that overflows."""
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
    """Return ``new`` where it is the larger number, else ``known``.

    ``new.Cmp(known)`` leaves ``new`` an inf.Dec where ``known`` is one (``AsDec``); its text stays.
    """
    first, second, _ = _aligned(new, known)
    if first <= second:
        return known
    (value, scale), (dec,), text, form = new
    if dec is None and known[1][0] is not None:
        return (0, 0), ((inf.dec(value, -scale),),), text, form
    return new


def _aligned(one: Quantity, other: Quantity) -> tuple[int, int, int]:
    """Return both numbers at the finer of their scales, as ``inf.Dec`` adds and compares them."""
    (first, first_scale), (second, second_scale) = decimal(one), decimal(other)
    scale = max(first_scale, second_scale)
    if abs(first_scale - second_scale) > _WIDEST:
        raise DecodeError("quantities too far apart to be added")
    return first * int(10 ** (scale - first_scale)), second * int(10 ** (scale - second_scale)), scale
