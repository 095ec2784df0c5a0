"""Tables of what releases do: in each respect a release is in exactly one row, which has the value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from hashcompat.catalog.releases import Range, parse_range
from hashcompat.errors import InputError
from hashcompat.release import Release

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


class Table(msgspec.Struct, frozen=True):
    """The rows of one file, by the name that it gives a field."""

    file: str
    """The file's name, for messages."""
    rows: Mapping[str, Sequence[Row]]
    """The rows by respect."""

    def decide(self, made: type[Decided], release: Release, **given: Any) -> Decided:
        """Return the values of all that a release does; ``given`` are the fields that no row decides.

        Raises InputError where the rows do not decide every other field exactly once.
        """
        names = [name for name in made.__struct_fields__ if name not in given]
        return made(**given, **{name: self._value(camel(name), release) for name in names})

    def _value(self, name: str, release: Release) -> Any:
        found = [row.value for row in self.rows.get(name, ()) if row.releases.holds(release)]
        if len(found) != 1:
            raise InputError(f"{self.file}: {name}: want one row for {release.upstream}, found {len(found)}")
        return found[0]


def read_table(file: str, document: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Read the rows of a file."""
    return Table(file, {name: [_row(row) for row in rows] for name, rows in document.items()})


def _row(row: Mapping[str, Any]) -> Row:
    return Row(parse_range(row["releases"]), row["value"], row["source"], row["about"])


def camel(name: str) -> str:
    """Return the name that a file gives a field: ``cgroupV1`` for ``cgroup_v1``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
