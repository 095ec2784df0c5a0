"""Releases that a user added: newer than the program, known by their Go types alone; all else is taken from the newest known release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hashcompat.catalog import files
from hashcompat.catalog.types import Tree
from hashcompat.errors import InputError
from hashcompat.release import Release, parse_release


@dataclass(frozen=True, slots=True)
class Added:
    """One added release: its name, and the tree of its types."""

    release: Release
    tree: Tree

    @property
    def document(self) -> dict[str, Any]:
        """What the user's file holds."""
        return {"release": str(self.release.version), **self.tree}


def added_releases(directory: Path | None) -> Iterator[Added]:
    """Yield the releases in the user's directory, one a file, oldest first.

    Raises InputError, naming the file, for one that is damaged.
    """
    found = [_read(path) for path in directory.glob("*.json")] if directory else []
    yield from sorted(found, key=lambda added: added.release.version)


def _read(path: Path) -> Added:
    document = files.read_json(path)
    try:
        tree = {key: document[key] for key in ("package", "releases", "madeFrom", "root", "types")}
        return Added(parse_release(document["release"]), tree)
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{path}: no release that was added: {error}; remove the file and add it again"
        ) from None


def row_of(added: Added, newest: Mapping[str, Any], types: str) -> dict[str, Any]:
    """Return the row of releases.json for an added release: the newest one's, but for its types; ``basedOn`` names that one."""
    return {
        **newest,
        "minor": added.release.minor,
        "patches": [added.release.patch],
        "types": types,
        "basedOn": newest["minor"],
    }
