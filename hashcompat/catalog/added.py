"""Releases that a user added: newer than the program, and known by their Go types alone.

Everything else is taken from the newest release that the program knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hashcompat.catalog import files
from hashcompat.catalog.releases import ReleaseRow, oldest_first
from hashcompat.catalog.types import Tree
from hashcompat.errors import InputError
from hashcompat.release import Release, parse_release


@dataclass(frozen=True, slots=True)
class Added:
    """One added release."""

    release: Release
    """Its name."""
    tree: Tree
    """The tree of its types."""

    @property
    def document(self) -> dict[str, Any]:
        """What the user's file holds."""
        return {"release": self.release.upstream, **self.tree}


def added_releases(directory: Path | None) -> Iterator[Added]:
    """Yield the releases in the user's directory, one per file, oldest first.

    Raises InputError, naming the file, for one that is damaged.
    """
    yield from oldest_first(map(_read, directory.glob("*.json")) if directory else ())


def _read(path: Path) -> Added:
    document = files.read_json(path)
    try:
        tree = {key: document[key] for key in ("package", "releases", "madeFrom", "root", "types")}
        return Added(parse_release(document["release"]), tree)
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: not an added release: {error}; remove the file and add it again") from None


def row_of(added: Added, newest: ReleaseRow, types: str) -> ReleaseRow:
    """Return the row of an added release: the newest one's, but for its types."""
    return replace(
        newest,
        minor=added.release.minor,
        patches=(added.release.patch,),
        types=types,
        based_on=newest.minor,
    )
