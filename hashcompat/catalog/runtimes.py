"""Container runtimes whose own restart breaks pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.catalog.releases import Range, parse_range
from hashcompat.errors import UsageError
from hashcompat.release import parse_release


@dataclass(frozen=True, slots=True)
class RuntimeFault:
    """A row of runtimes.json."""

    runtime: str
    """The runtime's name, as in ``containerd://1.6.12``."""
    versions: Range
    """Its versions that have the fault."""
    fixed: tuple[str, ...]
    """Vendors' builds of such versions that do not."""
    about: str
    """The fault in words."""
    source: str
    """The issue."""

    def concerns(self, reported: str) -> bool:
        """Return whether a node that reports this runtime has the fault."""
        name, _, version = reported.partition("://")
        if name != self.runtime or version in self.fixed:
            return False
        try:
            return self.versions.holds(parse_release(version))
        except UsageError:
            return False


def runtime_faults(rows: Iterable[Mapping[str, Any]]) -> tuple[RuntimeFault, ...]:
    """Read the rows of runtimes.json."""
    return tuple(
        RuntimeFault(
            row["runtime"], parse_range(row["versions"]), tuple(row["fixed"]), row["about"], row["source"]
        )
        for row in rows
    )
