"""Types with their own JSON methods, by their name in a type tree (``codecs`` in schemas/types/container)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hashcompat.go import intstr, metav1, quantity, quantity_1_0, quantity_sum
from hashcompat.go.types import Coded, Struct

DEFAULTS: Final[Mapping[str, Coded]] = {coded.name: coded for coded in (quantity_sum.HELD_TYPE, intstr.TYPE)}
"""The types of a tree that names no codec, by Go type name.

Quantities may be computed ones, because kubelets compute some of those of static pods.
"""

CODECS: Final[Mapping[str, Coded]] = {
    "quantity-milli": quantity.MILLI_TYPE,
    "quantity-1.2": quantity_1_0.NANO_TYPE,
    "quantity-1.0": quantity_1_0.MILLI_TYPE,
    "intstr-1.0": intstr.WIDE_TYPE,
}
"""The types of old releases that decode or print differently, by codec name."""

PODS: Final[Mapping[str, Struct]] = {
    known.name: known for known in (*DEFAULTS.values(), metav1.LOCATION, metav1.FIELDS)
}
"""The types of the trees of pods (schemas/types/pod), by Go type name."""

WRAPPERS: Final[Mapping[str, Callable[[Struct], Coded]]] = {
    "v1.Time": metav1.time_type,
    "v1.FieldsV1": metav1.fields_type,
}
"""Types whose fields a tree lists, because they are printed, but that decode by their own methods."""
