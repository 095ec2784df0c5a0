"""What the program knows: the releases by minor, and the range of them."""

from __future__ import annotations

import msgspec

import hashcompat
from hashcompat.core.catalog.lookup import Catalog


class KnownMinor(msgspec.Struct, frozen=True):
    """The known releases of one minor, and what they hash."""

    name: str
    """The minor, such as ``1.9``."""
    releases: tuple[str, ...]
    """Its releases, oldest first."""
    types: str
    """The first minor with these Go types."""
    made_from: str
    """The Go module or file that the types were made from."""
    era: str
    """The name of its era."""
    go: tuple[tuple[str, str], ...]
    """The Go releases that built it, each with the first release that it built."""
    user_added: bool
    """Whether ``hashcompat releases --add`` made it known."""


class ReleaseList(msgspec.Struct, frozen=True):
    """Every known release, oldest first."""

    minors: tuple[KnownMinor, ...]
    """One per minor."""


class Versions(msgspec.Struct, frozen=True):
    """The program's version, and the releases it knows."""

    tool: str
    """The program's version."""
    oldest: str
    """The oldest known release."""
    newest: str
    """The newest known release."""


def known_releases(catalog: Catalog) -> ReleaseList:
    """Return every release that a catalog knows."""
    return ReleaseList(
        tuple(
            KnownMinor(
                row.minor,
                tuple(row.names),
                row.types,
                catalog.schema(row.types).made_from,
                row.era,
                tuple((build.releases.since, build.go) for build in row.go),
                bool(row.based_on),
            )
            for row in catalog.known.rows
        )
    )


def versions(catalog: Catalog) -> Versions:
    """Return the program's version, with the oldest and the newest release that a catalog knows."""
    return Versions(hashcompat.__version__, catalog.known.oldest, catalog.known.newest)
