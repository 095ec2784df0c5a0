"""A pod whose text was not decoded, because it has the pattern of another one's.

Apart from ``shapes``, which makes patterns: an input without replicas needs none of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from hashcompat.go.pattern import Values
    from hashcompat.sources.shapes import Shape


class Replica(msgspec.Struct, frozen=True):
    """A pod as its shape, and what is its own."""

    shape: Shape
    values: Values
    line: int
    """The line at which its text begins, from 1."""

    @property
    def uid(self) -> str:
        """The pod's uid."""
        hole = self.shape.uid
        return self.values[hole] if hole is not None else str(self.shape.value["metadata"]["uid"])
