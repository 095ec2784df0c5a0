"""``inf.Dec``, the decimal numbers of resource.Quantity.

Source: gopkg.in/inf.v0; before 1.3 speter.net/go/exp/math/dec/inf, the same code.
"""

from __future__ import annotations

from typing import Final

from hashcompat.core.errors import DecodeError
from hashcompat.core.go.types import Basic, Field, Pointer, Slice, Struct

DEC: Final = Struct(
    "inf.Dec",
    (
        Field(
            "unscaled",
            Struct(
                "big.Int",
                (Field("neg", Basic("bool", "bool")), Field("abs", Slice("big.nat", Basic("uint", "uint")))),
            ),
        ),
        Field("scale", Basic("inf.Scale", "int32")),
    ),
)
POINTER: Final = Pointer("*inf.Dec", DEC)
Words = tuple[int, ...] | None
Dec = tuple[tuple[bool, Words], int]
"""Typed value of ``DEC``: ``((negative, 64-bit words), scale)``, which stands for unscaled / 10**scale."""
LARGEST_EXPONENT: Final = 10_000
"""Decimal places of a quantity; not far beyond, Go itself needs gigabytes for an ``inf.Dec``."""


def dec(unscaled: int, scale: int) -> Dec:
    """Return unscaled / 10**scale as a typed value."""
    return (unscaled < 0, words(abs(unscaled))), scale


def number(value: Dec) -> tuple[int, int]:
    """Return ``(unscaled, scale)`` of a typed value."""
    (negative, parts), scale = value
    natural = sum(word << (64 * index) for index, word in enumerate(parts or ()))
    return -natural if negative else natural, scale


def words(natural: int) -> Words:
    """Return the 64-bit words of a big.nat, least significant first; zero is a nil slice."""
    parts = []
    while natural:
        parts.append(natural & (2**64 - 1))
        natural >>= 64
    return tuple(parts) or None


def round_up(unscaled: int, scale: int, new_scale: int) -> int:
    """Rescale a positive decimal, rounding away from zero.

    Raises DecodeError where Go would not finish.
    """
    shift = new_scale - scale
    if shift > LARGEST_EXPONENT:
        raise DecodeError(f"a quantity whose exponent is too large: more than {LARGEST_EXPONENT:,}")
    if shift >= 0:
        return unscaled * int(10**shift)
    # 10**n has more bits than n, so the amount is below one unit: rounded up it is one, without the power
    if -shift > unscaled.bit_length():
        return 1
    return -(-unscaled // int(10**-shift))


def int32(value: int) -> int:
    """Convert to int32 as Go does: the upper bits are lost."""
    return (value + 2**31) % 2**32 - 2**31
