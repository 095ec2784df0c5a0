"""The types with JSON methods of their own, by the name that a type tree gives them (``codecs`` in schemas/types)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hashcompat.go import intstr, metav1, quantity, quantity_1_0, quantity_sum
from hashcompat.go.types import Coded, Struct

DEFAULTS: Final[Mapping[str, Coded]] = {coded.name: coded for coded in (quantity_sum.HELD_TYPE, intstr.TYPE)}
"""What a Go type name stands for in a tree that does not say otherwise, by that name; kubelets compute quantities of static pods."""

CODECS: Final[Mapping[str, Coded]] = {
    "quantity-milli": quantity.MILLI_TYPE,
    "quantity-1.2": quantity_1_0.NANO_TYPE,
    "quantity-1.0": quantity_1_0.MILLI_TYPE,
    "intstr-1.0": intstr.WIDE_TYPE,
}
"""The others: types of old releases that decode or print in another way."""

PODS: Final[Mapping[str, Struct]] = {
    known.name: known for known in (*DEFAULTS.values(), metav1.LOCATION, metav1.FIELDS)
}
"""What a name stands for in the trees of pods (schemas/pods)."""

WRAPPERS: Final[Mapping[str, Callable[[Struct], Coded]]] = {
    "v1.Time": metav1.time_type,
    "v1.FieldsV1": metav1.fields_type,
}
"""Types that a tree does expand, for printing, but that decode by methods of their own."""
