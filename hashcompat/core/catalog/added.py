"""Releases that a user added: newer than the program, and known by their Go types alone.

Everything else is taken from the newest release that the program knows.
"""

from __future__ import annotations

import shlex
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog import files
from hashcompat.core.catalog.eras import Schema, Tree
from hashcompat.core.catalog.releases import ReleaseRow, oldest_first
from hashcompat.core.errors import HashcompatError, InputError
from hashcompat.core.go.jsontext import kind_of
from hashcompat.core.go.metav1 import DEFAULTS
from hashcompat.core.go.types import INT_BITS, UINT_BITS, Basic, Coded, GoType, Map, Pointer, Slice, Struct
from hashcompat.core.regex import regex
from hashcompat.core.release import Release, parse_release

_MOST_BYTES: Final = 1 << 20
"""Bytes of a file; the largest tree so far has 14 thousand."""

_HASHED: Final = ("name", "image")
"""The fields of a container that the newest era picks, by their keys in JSON."""


class Added(msgspec.Struct, frozen=True):
    """One added release."""

    release: Release
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

    Raises InputError, naming the file, for one that is damaged or too large, and for endless inputs such as
    devices.
    """
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    if not stat.S_ISREG(state.st_mode):
        raise InputError(f"{path}: not an added release: not a file")
    if state.st_size > _MOST_BYTES:
        raise InputError(f"{path}: not an added release: larger than {_MOST_BYTES:,} bytes")
    document = files.read_json(path)
    try:
        return added(document)
    except HashcompatError as error:
        raise InputError(f"{path}: not an added release: {error}") from None


def added(document: Any) -> Added:
    """Return an added release from what its file holds.

    Raises InputError with the path of what is wrong, UsageError for the name of no upstream release.
    """
    check_form(document)
    release = parse_release(document["release"], pre=True)
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
        stage=added.release.stage,
    )


# The form of a type tree, checked before a file that a user may have changed is believed.

_MOST_TYPES: Final = 50_000
"""Types below the root, each counted wherever it occurs: the largest tree so far has a few hundred."""

_NAME: Final = regex(r"[A-Za-z_][\w.]*")

_ROOT: Final = "Container"

_KEYS: Final[Mapping[str, type]] = {
    "release": str,
    "package": str,
    "releases": str,
    "madeFrom": str,
    "root": str,
    "types": dict,
}

_FIELD: Final[Mapping[str, type]] = {"name": str, "type": str}

_FIELD_OPTIONS: Final[Mapping[str, type]] = {"json": str, "omitempty": bool, "embedded": bool}

_WORDS: Final = {str: "a string", dict: "an object", bool: "true or false"}


def check_form(document: Any) -> None:
    """Check JSON to be a type tree as schemas/types/README.md describes it, with the name of its release.

    Raises InputError with the path of what is missing, unknown or of another type.
    """
    _check_members(document, "", _KEYS, {})
    for name, definition in document["types"].items():
        _check_name(f"types.{name}", name)
        if not isinstance(definition, list | str):
            raise InputError(f"types.{name}: want a list of fields or a string, got {kind_of(definition)}")
        for index, row in enumerate(definition if isinstance(definition, list) else ()):
            place = f"types.{name}[{index}]"
            _check_members(row, place, _FIELD, _FIELD_OPTIONS)
            _check_name(f"{place}.name", row["name"])
    _check_name("package", document["package"])
    if document["root"] != _ROOT:
        raise InputError(f"root: want {_ROOT}")


def _check_members(value: Any, place: str, wanted: Mapping[str, type], options: Mapping[str, type]) -> None:
    if not isinstance(value, dict):
        raise InputError(f"{place or '$'}: want an object, got {kind_of(value)}")
    lead = f"{place}." if place else ""
    for key in wanted:
        if key not in value:
            raise InputError(f"{lead}{key} is missing")
    members = {**wanted, **options}
    for key, item in value.items():
        if key not in members:
            raise InputError(f"{lead}{key} is not known to this program")
        if not isinstance(item, members[key]):
            raise InputError(f"{lead}{key}: want {_WORDS[members[key]]}, got {kind_of(item)}")


def _check_name(place: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(f"{place}: not a name of Go")


def check_types(schema: Schema) -> None:
    """Build every type of a tree.

    Raises InputError for one that is missing, contains itself, or that no container's JSON decodes into, and
    for a tree that is too large.
    """
    try:
        size = _size_of(schema.container, {})
    except RecursionError:
        raise InputError("types are nested too deep") from None
    if size > _MOST_TYPES:
        raise InputError(f"more than {_MOST_TYPES:,} types below {_ROOT}")


def _size_of(go_type: GoType, sizes: dict[int, int]) -> int:
    """Count the types below one, as often as they occur; ``sizes`` has the sizes by ``id``."""
    key = id(go_type)
    if key not in sizes:
        sizes[key] = 1 + _sum_below(go_type, lambda below: _size_of(below, sizes))
    return sizes[key]


def _sum_below(go_type: GoType, size_of: Callable[[GoType], int]) -> int:
    match go_type:
        case Coded():
            return 0
        case Struct(_, fields):
            return sum(size_of(field.type) for field in fields)
        case Pointer(_, elem) | Slice(_, elem) | Map(_, Basic(_, "string"), elem):
            return size_of(elem)
        case Basic(_, kind) if kind in ("bool", "string") or kind in INT_BITS or kind in UINT_BITS:
            return 0
    raise InputError(f"no container's JSON decodes into the Go type {go_type.name}")
