"""Releases that a user added: newer than the program, and known by their Go types alone.

Everything else is taken from the newest release that the program knows.
"""

from __future__ import annotations

import shlex
import stat
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.catalog import files
from hashcompat.catalog.releases import ReleaseRow, oldest_first
from hashcompat.catalog.types import Schema, Tree
from hashcompat.errors import HashcompatError, InputError
from hashcompat.go.codecs import DEFAULTS
from hashcompat.go.types import Basic
from hashcompat.release import Release, parse_release

_LARGEST: Final = 1 << 20
"""Bytes of a file; the largest tree so far has 14 thousand."""

_HASHED: Final = ("name", "image")
"""The fields of a container that the newest era picks, by their keys in JSON."""


class Added(msgspec.Struct, frozen=True):
    """One added release."""

    release: Release
    """Its name."""
    tree: Tree
    """The tree of its types."""

    @property
    def document(self) -> dict[str, Any]:
        """What the user's file holds."""
        return {"release": self.release.upstream, **self.tree}


class AddedReleases(msgspec.Struct, frozen=True):
    """What the user's directory holds."""

    releases: tuple[Added, ...] = ()
    """Those that can be read, oldest first."""
    damaged: tuple[str, ...] = ()
    """For each file that cannot, its name, what is wrong with it, and how to remove it."""


def added_releases(directory: Path | None) -> AddedReleases:
    """Read the releases in the user's directory, one per file; a damaged one hinders no other."""
    releases, damaged = list[Added](), list[str]()
    try:
        paths = sorted(directory.iterdir()) if directory else []
    except FileNotFoundError:
        paths = []
    except OSError as error:
        return AddedReleases(damaged=(f"{directory}: cannot read added releases: {error.strerror}",))
    for path in (path for path in paths if path.suffix == ".json"):
        try:
            releases.append(_read(path))
        except InputError as error:
            remove = f"rm {'-r ' if path.is_dir() else ''}{shlex.quote(str(path))}"
            damaged.append(f"{error}; ignored; remove it with: {remove}")
    return AddedReleases(tuple(oldest_first(releases)), tuple(damaged))


def _read(path: Path) -> Added:
    """Read one file, up to the last type of its tree.

    Raises InputError, naming the file, for one that is damaged.
    """
    _check_file(path)
    document = files.read_json(path)
    try:
        return added(document)
    except HashcompatError as error:
        raise InputError(f"{path}: not an added release: {error}") from None


def _check_file(path: Path) -> None:
    """Refuse endless inputs such as devices, and files that are too large."""
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    if not stat.S_ISREG(state.st_mode):
        raise InputError(f"{path}: not an added release: not a file")
    if state.st_size > _LARGEST:
        raise InputError(f"{path}: not an added release: larger than {_LARGEST:,} bytes")


def added(document: Any) -> Added:
    """Return an added release from what its file holds.

    Raises InputError with the path of what is wrong, UsageError for the name of no upstream release.
    """
    from hashcompat.catalog.treeform import check_form, check_types  # noqa: PLC0415 - most users add none

    check_form(document)
    release = parse_release(document["release"])
    tree = {key: value for key, value in document.items() if key != "release"}
    if release.vendor:
        raise InputError(f"release: {release} is not an upstream release")
    schema = Schema(release.minor, tree, DEFAULTS)
    check_types(schema)
    types = {field.json: field.type for field in schema.container.fields}
    for name in _HASHED:
        match types.get(name):
            case None:
                raise InputError(f"its container has no field {name}")
            case Basic(_, "string"):
                continue
            case _:
                raise InputError(f"the field {name} of its container is of another type than string")
    return Added(release, tree)


def row_of(added: Added, newest: ReleaseRow, types: str) -> ReleaseRow:
    """Return the row of an added release: the newest one's, with its own types."""
    return structs.replace(
        newest,
        minor=added.release.minor,
        patches=(added.release.patch,),
        dates=(),
        types=types,
        based_on=newest.minor,
    )
