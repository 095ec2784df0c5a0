"""The types with JSON methods of their own, by the name that a type tree gives them (``codecs`` in schemas/types)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat.go import intstr, quantity, quantity_1_0
from hashcompat.go.types import Coded

DEFAULTS: Final[Mapping[str, Coded]] = {coded.name: coded for coded in (quantity.TYPE, intstr.TYPE)}
"""What a Go type name stands for in a tree that does not say otherwise, by that name."""

CODECS: Final[Mapping[str, Coded]] = {
    "quantity-milli": quantity.MILLI_TYPE,
    "quantity-1.2": quantity_1_0.NANO_TYPE,
    "quantity-1.0": quantity_1_0.MILLI_TYPE,
    "intstr-1.0": intstr.WIDE_TYPE,
}
"""The others: types of old releases that decode or print in another way."""
