"""Eras: how the hash is computed over the types, as a chain of named steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hashcompat.catalog.releases import Range, parse_range


class Era(msgspec.Struct, frozen=True, eq=False):
    """A row of eras.json; compared by identity, so that it can be the key of compiled functions.

    Its properties answer what follows from the steps; only ``kubelet/hashing`` compiles them.
    """

    name: str
    """The key in eras.json, such as ``json-spew-fnv32a``."""
    steps: tuple[str, ...]
    """The steps in their order, each a name and its arguments; the last one is the digest."""
    releases: Range
    """The upstream releases that hash so."""
    source: str
    """The pull request that brought it, or empty."""
    about: str
    """What is hashed, in words."""

    @property
    def digest(self) -> str:
        """The digest's name, such as ``fnv32a``."""
        return self.steps[-1]

    @property
    def picked(self) -> tuple[str, ...]:
        """The JSON keys of the only fields that are hashed; none where the whole container is."""
        verb, *fields = self.steps[0].split()
        return tuple(fields) if verb == "pick" else ()

    @property
    def whole(self) -> bool:
        """Whether the whole container is hashed, not some fields of it."""
        return not self.picked

    @property
    def hashes_json(self) -> bool:
        """Whether JSON is hashed, so that unset fields leave no trace and Go's encoding/json counts."""
        return "json" in self.steps

    @property
    def prints_unset_fields(self) -> bool:
        """Whether type names and unset fields are hashed, so that every change of a type changes hashes."""
        return self.whole and not self.hashes_json

    def described(self) -> list[str]:
        """Return the steps as documents show them."""
        return list(self.steps)


def era_from_row(name: str, row: Mapping[str, Any]) -> Era:
    """Build the era that a row describes."""
    return Era(name, tuple(row["steps"]), parse_range(row["releases"]), row["pr"] or "", row["about"])
