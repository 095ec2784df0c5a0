"""Releases that a user added: newer than the program, and known by their Go types alone.

Everything else is taken from the newest release that the program knows.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hashcompat.catalog import files
from hashcompat.catalog.releases import ReleaseRow, oldest_first
from hashcompat.catalog.types import Schema, Tree
from hashcompat.errors import HashcompatError, InputError
from hashcompat.go.codecs import DEFAULTS
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


@dataclass(frozen=True, slots=True)
class AddedReleases:
    """What the user's directory holds."""

    releases: tuple[Added, ...] = ()
    """Those that can be read, oldest first."""
    damaged: tuple[str, ...] = ()
    """For each file that cannot, its name, what is wrong with it, and how to remove it."""


def added_releases(directory: Path | None) -> AddedReleases:
    """Read the releases in the user's directory, one per file; a damaged one hinders no other."""
    releases, damaged = list[Added](), list[str]()
    for path in sorted(directory.glob("*.json")) if directory else ():
        try:
            releases.append(_read(path))
        except InputError as error:
            damaged.append(f"{error}; going on without it: remove it with: rm {shlex.quote(str(path))}")
    return AddedReleases(tuple(oldest_first(releases)), tuple(damaged))


def _read(path: Path) -> Added:
    """Read one file, up to the last type of its tree.

    Raises InputError, naming the file, for one that is damaged.
    """
    document = files.read_json(path)
    try:
        tree = {key: document[key] for key in ("package", "releases", "madeFrom", "root", "types")}
        added = Added(parse_release(document["release"]), tree)
        Schema(added.release.minor, tree, DEFAULTS).container  # noqa: B018 - builds every type
    except (HashcompatError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: not an added release: {_words(error)}") from None
    return added


def _words(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def row_of(added: Added, newest: ReleaseRow, types: str) -> ReleaseRow:
    """Return the row of an added release: the newest one's, with its own types."""
    return replace(
        newest,
        minor=added.release.minor,
        patches=(added.release.patch,),
        dates=(),
        types=types,
        based_on=newest.minor,
    )
