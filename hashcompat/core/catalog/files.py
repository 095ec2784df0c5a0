"""Where the release data is, how its JSON files are read, and tables of what releases do.

No other module knows data paths.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from packaging.version import Version

from hashcompat.core.catalog.releases import Range, parse_range, typed_rows
from hashcompat.core.errors import InputError
from hashcompat.core.release import Release

_PACKAGE = Path(__file__).resolve().parents[2]

Rows = TypeVar("Rows")

CONTAINER: Final = "container"
"""The kind of trees that container hashes are made over."""

POD: Final = "pod"
"""The kind of trees that static pods' UIDs are made over."""


class DataFiles(msgspec.Struct, frozen=True):
    """One directory of data: ``types/<kind>/<minor>.json``, ``tables/<name>.json``, pages in ``rules``."""

    directory: Path
    """The directory, as schemas/ in a source checkout."""

    def table(self, name: str) -> Any:
        """Read one of the tables; errors as read_json."""
        return read_json(self.directory / "tables" / f"{name}.json")

    def rows(self, name: str, kind: type[Rows], *at: str) -> Rows:
        """Read what is at some keys of a table as values of a type.

        Errors as read_json, which name the file and the place; further keys of a row are for people.
        """
        rows = self.table(name)
        for key in at:
            rows = rows[key]
        return fitted(f"{self.directory / 'tables' / name}.json", rows, kind)

    def tree(self, kind: str, name: str) -> Any:
        """Read one type tree; errors as read_json."""
        return read_json(self.directory / "types" / kind / f"{name}.json")

    @property
    def rules(self) -> Path:
        """The directory of the pages of rules."""
        return self.directory / "rules"

    def trees(self, kind: str) -> list[str]:
        """Name the trees of one kind, in the order of their names."""
        return sorted(path.stem for path in (self.directory / "types" / kind).glob("*.json"))


def digest(*directories: Path) -> str:
    """Return the SHA-256 of the JSON files in some directories, in hexadecimal; one that is missing has none.

    Raises InputError, naming the file, for one that cannot be read.
    """
    import hashlib  # noqa: PLC0415 - for fleets alone

    hasher = hashlib.sha256()
    for directory in directories:
        for path in sorted(directory.rglob("*.json")):
            try:
                content = path.read_bytes()
            except OSError as error:
                raise InputError(f"{path}: cannot read release data: {error.strerror}") from error
            hasher.update(f"{path.relative_to(directory).as_posix()} {len(content)}\n".encode() + content)
    return hasher.hexdigest()


def default_directory() -> Path:
    """Return the directory of the release data: in the installed package, or next to it in a checkout."""
    installed = _PACKAGE / "schemas"
    return installed if installed.is_dir() else _PACKAGE.parent / "schemas"


def user_directory() -> Path:
    """Return the directory of added releases: that of ``HASHCOMPAT_DATA``, or the system's for user data."""
    if chosen := os.environ.get("HASHCOMPAT_DATA"):
        return Path(chosen) / "releases"
    return _user_data() / "releases"


def _user_data() -> Path:
    """Return the system's directory for user data of this program.

    platformdirs knows it, and takes as long to import as a third of what a plan imports of this package; so
    it is asked only where the answer is not one of the two that Linux usually has (XDG Base Directory
    Specification 0.8).
    """
    data, home = os.environ.get("XDG_DATA_HOME", ""), os.environ.get("HOME", "")
    if sys.platform == "linux" and "ANDROID_ROOT" not in os.environ:
        if data.startswith("/"):
            return Path(data) / "hashcompat"
        if not data and home.startswith("/"):
            return Path(home) / ".local" / "share" / "hashcompat"
    from platformdirs import user_data_path  # noqa: PLC0415 - see above

    return user_data_path("hashcompat", appauthor=False)


def read_json(path: Path) -> Any:
    """Read one data file.

    Raises InputError, naming the file, when it is missing or damaged.
    """
    try:
        try:
            return msgspec.json.decode(path.read_bytes())
        except (msgspec.DecodeError, RecursionError):
            # Python says better what is wrong, and reads more: a user's file may hold it
            import json  # noqa: PLC0415 - no file of the package gets here

            return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot read release data: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: damaged release data: {error}") from error


# Tables of what releases do: in each respect a release is in exactly one row, which has the value.

Decided = TypeVar("Decided", bound=msgspec.Struct)


class Row(msgspec.Struct, frozen=True):
    """What some releases do in one respect."""

    releases: Range
    """The releases that do so."""
    value: Any
    """The value of the field that the respect is."""
    source: str
    """The pull request or Go file."""
    about: str
    """The same in words."""


class DataTable(msgspec.Struct, frozen=True):
    """The rows of one file, by the name that it gives a field."""

    file: str
    """The file's name, for messages."""
    rows: Mapping[str, Sequence[Row]]
    """The rows by respect."""

    def decide(self, made: type[Decided], release: Release, **fields: Any) -> Decided:
        """Return the values of all that a release does; ``fields`` are the fields that no row decides.

        Raises InputError where the rows do not decide every other field exactly once.
        """
        names = [name for name in made.__struct_fields__ if name not in fields]
        return made(**fields, **{name: self.value(camel(name), release) for name in names})

    def value(self, name: str, release: Release) -> Any:
        """Return what a release does in one respect; errors as ``decide``."""
        values = [row.value for row in self.rows.get(name, ()) if row.releases.holds(release)]
        if len(values) != 1:
            raise InputError(f"{self.file}: {name}: want one row for {release.upstream}, found {len(values)}")
        return values[0]


def read_table(file: str, document: Mapping[str, Sequence[Mapping[str, Any]]]) -> DataTable:
    """Read the rows of a file; raises InputError, which names the place, for rows that do not fit."""
    return DataTable(file, fitted(file, document, dict[str, list[Row]]))


def fitted(file: str, rows: Any, kind: type[Rows]) -> Rows:
    """Return rows of a file as values of a type; raises InputError, which names the file and the place."""
    try:
        return typed_rows(rows, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: damaged release data: {error}") from error


def named_rows(table: Mapping[str, list[Mapping[str, Any]]], key: str) -> dict[str, list[dict[str, Any]]]:
    """Return a table of lists by name with that name in each of their rows too, under a key."""
    return {name: [{key: name, **row} for row in rows] for name, rows in table.items()}


def camel(name: str) -> str:
    """Return the name that a file gives a field: ``cgroupV1`` for ``cgroup_v1``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


# Spans of releases: what the ranges of several rows cover together, in words for people.

Span = tuple[Version, Version]
"""The first release, and the first one after them."""

_FIRST: Final = Version("1.0")

_NEVER: Final = Version("999")

EVERY: Final = "every release"


def rows_at(table: Any, at: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the rows at some keys of a table: a list, the values of an object, or one row."""
    rows = table
    for key in at:
        rows = rows[key]
    if isinstance(rows, list):
        return rows
    return [rows] if "releases" in rows else list(rows.values())


def span(row: Mapping[str, Any]) -> Span:
    """Return the span of a row: its range, or its release and all after it."""
    held: Range = parse_range(row["releases"] if "releases" in row else f">={row['release']}")
    return Version(held.since) if held.since else _FIRST, Version(held.until) if held.until else _NEVER


def merged(spans: Iterable[Span]) -> list[Span]:
    """Join spans that touch or overlap, the oldest first."""
    joined: list[Span] = []
    for since, until in sorted(spans):
        if joined and since <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(until, joined[-1][1])
        else:
            joined.append((since, until))
    return joined


def common(spans: Iterable[Span], limits: Sequence[Span]) -> Iterator[Span]:
    """Yield what is in a span of both."""
    for since, until in spans:
        for limit in limits:
            overlap = max(since, limit[0]), min(until, limit[1])
            if overlap[0] < overlap[1]:
                yield overlap


def span_words(spans: Iterable[Span]) -> str:
    """Return spans in words: ``1.27 - 1.30``, ``1.24 and later``, ``up to 1.5``, ``every release``."""
    return _listed(_words(*ends) for ends in merged(spans))


def beginnings(spans: Iterable[Span]) -> str:
    """Name the releases in which spans begin, but not the first release of all: ``1.6, 1.16 and 1.31``."""
    return _listed(str(since) for since in sorted({since for since, _ in spans}) if since != _FIRST)


def _words(since: Version, until: Version) -> str:
    if until == _NEVER:
        return EVERY if since == _FIRST else f"{since} and later"
    *lead, number = until.release
    last = ".".join(map(str, (*lead, number - 1)))  # 1.15 for 1.16, 1.14.3 for 1.14.4
    return f"up to {last}" if since == _FIRST else f"{since} - {last}" if str(since) != last else last


def _listed(parts: Iterable[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
