"""Reads each pod by itself, for tests to compare."""

from __future__ import annotations

from typing import Any

from hashcompat.go.pattern import Text
from hashcompat.sources.files.alike import Alike


class Unlike(Alike):
    """Knows no pattern."""

    def match(self, *_: object) -> None:
        """Find nothing."""

    def learn(self, _text: Text, value: Any, _line: int) -> Any:
        """Return an object as it is."""
        return value
