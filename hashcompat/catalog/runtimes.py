"""Container runtimes: the faults of their versions, and what their versions can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.catalog.releases import Range, parse_range
from hashcompat.regex import regex
from hashcompat.release import Release, parse_release

_VERSION: Final = regex(r"v?([0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4})")
"""What a version begins with; distributions append their own: ``1.6.20~ds1``, ``1.7.11-k3s2``."""


class RuntimeFault(msgspec.Struct, frozen=True):
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
        found = _read(version)
        return found is not None and self.versions.holds(found)


class RuntimeAbility(msgspec.Struct, frozen=True):
    """A row of abilities.json."""

    runtime: str
    """The runtime's name, as in ``containerd://1.6.12``."""
    versions: Range
    """Its versions that can do it; all others cannot."""
    can: str
    """What they can do: ``CRI v1``, ``CRI v1alpha2``, ``RuntimeConfig``."""
    source: str
    """The pull request."""


class Runtimes(msgspec.Struct, frozen=True):
    """What is known of container runtimes."""

    faults: tuple[RuntimeFault, ...] = ()
    """The faults of some versions."""
    abilities: tuple[RuntimeAbility, ...] = ()
    """What some versions can do."""

    def faults_of(self, reported: str) -> Iterator[RuntimeFault]:
        """Yield the faults of the runtime that a node reports."""
        return (fault for fault in self.faults if fault.concerns(reported))

    def can(self, reported: str, what: str) -> bool | None:
        """Return whether the runtime that a node reports can do something; None where that is not known."""
        name, _, version = reported.partition("://")
        found = _read(version)
        rows = [row for row in self.abilities if (row.runtime, row.can) == (name, what)]
        return any(row.versions.holds(found) for row in rows) if rows and found is not None else None


def _read(version: str) -> Release | None:
    """Return the version of a runtime without what a distribution appends; None for what is none."""
    found = _VERSION.match(version)
    return parse_release(found[1]) if found else None


def runtime_faults(rows: Iterable[Mapping[str, Any]]) -> tuple[RuntimeFault, ...]:
    """Read the rows of runtimes.json."""
    return tuple(
        RuntimeFault(
            row["runtime"], parse_range(row["versions"]), tuple(row["fixed"]), row["about"], row["source"]
        )
        for row in rows
    )


def runtime_abilities(rows: Iterable[Mapping[str, Any]]) -> tuple[RuntimeAbility, ...]:
    """Read the rows of abilities.json."""
    return tuple(
        RuntimeAbility(row["runtime"], parse_range(row["versions"]), row["can"], row["source"])
        for row in rows
    )
