"""Eras: how the hash is computed over the types, as a chain of named steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Era:
    """A row of schemas/eras.json."""

    name: str
    steps: tuple[str, ...]
    since: str
    source: str
    about: str

    @property
    def whole(self) -> bool:
        """Whether the whole container is hashed, not some fields that a first step picks."""
        return not self.steps[0].startswith("pick")


def era_from_row(name: str, row: dict[str, Any]) -> Era:
    """Build the era that a row describes."""
    return Era(name, tuple(row["steps"]), row["since"], row["pr"] or "", row["about"])
