"""Reads each pod by itself, for tests to compare."""

from __future__ import annotations

from typing import Any

from hashcompat.core.go.jsonpath import Text
from hashcompat.sources.replicas.stencils import Stencils


class Unlike(Stencils):
    """Knows no stencil."""

    def match(self, *_: object) -> None:
        """Find nothing."""

    def learn(self, _text: Text, value: Any, _line: int) -> Any:
        """Return an object as it is."""
        return value
