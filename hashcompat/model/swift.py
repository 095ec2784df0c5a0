"""Frozen dataclasses that are made a hundred thousand times, in a fraction of the time."""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass
from typing import Any, TypeVar, cast

Frozen = TypeVar("Frozen")


def swift(frozen: type[Frozen]) -> type[Frozen]:
    """Return what makes the same values as a frozen dataclass with slots, faster.

    A frozen dataclass sets each field of itself by a call. This is its twin that is not frozen, with the same
    slots, so a value can become one of the frozen class as soon as its fields are set.
    """

    def freeze(made: Any) -> None:
        made.__class__ = frozen

    twin = make_dataclass(
        f"_{frozen.__name__}",
        [
            (one.name, Any, field(default=one.default, default_factory=one.default_factory))
            for one in fields(cast("Any", frozen))
        ],
        namespace={"__post_init__": freeze},
        slots=True,
        eq=False,
    )
    return cast("type[Frozen]", twin)
