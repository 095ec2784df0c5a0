"""What the program knows: the releases by minor, and the range of them."""

from __future__ import annotations

from dataclasses import dataclass

import hashcompat
from hashcompat.catalog.lookup import Catalog


@dataclass(frozen=True, slots=True)
class KnownMinor:
    """The known releases of one minor, and what they hash."""

    name: str
    releases: tuple[str, ...]
    types: str
    """The first minor with these Go types."""
    made_from: str
    """The Go module or file that the types were made from."""
    era: str
    go: tuple[tuple[str, str], ...]
    """The Go releases that built it, each with the release since which it does."""
    user_added: bool
    """Whether ``hashcompat releases --add`` made it known."""


@dataclass(frozen=True, slots=True)
class ReleaseList:
    """Every known release, oldest first."""

    minors: tuple[KnownMinor, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """The program's version, and the releases it knows."""

    tool: str
    oldest: str
    newest: str


def known_releases(catalog: Catalog) -> ReleaseList:
    """Return every release that a catalog knows."""
    return ReleaseList(tuple(_minor(name, catalog) for name in catalog.rows))


def _minor(name: str, catalog: Catalog) -> KnownMinor:
    row = catalog.rows[name]
    return KnownMinor(
        name,
        tuple(f"{name}.{patch}" for patch in row["patches"]),
        row["types"],
        catalog.schema(row["types"]).made_from,
        row["era"],
        tuple((since, go) for since, go in row.get("go", [])),
        "basedOn" in row,
    )


def versions(catalog: Catalog) -> Versions:
    """Return the program's version, with the oldest and the newest release that a catalog knows."""
    known = catalog.releases()
    return Versions(hashcompat.__version__, known[0], known[-1])
