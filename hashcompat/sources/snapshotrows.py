"""What a snapshot holds besides Kubernetes objects: the records of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from hashcompat.errors import InputError
from hashcompat.go.jsontext import kind_of
from hashcompat.model.hashes import Hash
from hashcompat.model.records import Applied, Record, Recorded, Sandbox
from hashcompat.sources.documents import time_of
from hashcompat.sources.snapshots import hash_of


def records(document: Mapping[str, Any], origin: str) -> Iterator[Record]:
    """Yield what the snapshot's nodes recorded.

    Raises InputError, with the path, for a row that no snapshot has.
    """
    for key, read in (("recorded", _recorded), ("sandboxes", _sandbox), ("applied", _applied)):
        rows = document.get(key)
        if not isinstance(rows, list | None):
            raise InputError(f"{origin}: $.{key}: want a list, got {kind_of(rows)}; take a new snapshot")
        for index, row in enumerate(rows or ()):
            try:
                yield read(_Row(row))
            except (KeyError, TypeError) as error:
                raise _error(f"{origin}: $.{key}[{index}]", str(error)) from None
            except (ValueError, OverflowError):  # the last of times
                raise _error(f"{origin}: $.{key}[{index}]", "not a time") from None


def _error(place: str, why: str) -> InputError:
    return InputError(f"{place}: no row of a snapshot: {why}; take a new one")


class _Row:
    """A row, whose values are checked for their types as they are taken."""

    def __init__(self, values: object) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(f"want an object, got {kind_of(values)}")
        self._values = values

    def text(self, key: str, default: str | None = None) -> str:
        found = self._values[key] if default is None else self._values.get(key, default)
        if not isinstance(found, str):
            raise TypeError(f"{key}: want a string, got {kind_of(found)}")
        return found

    def is_null(self, key: str) -> bool:
        return self._values[key] is None

    def truth(self, key: str) -> bool:
        found = self.truth_or_none(key)
        if found is None:
            raise TypeError(f"{key}: want true or false, got null")
        return found

    def truth_or_none(self, key: str) -> bool | None:
        found = self._values[key]
        if not isinstance(found, bool | None):
            raise TypeError(f"{key}: want true or false, got {kind_of(found)}")
        return found

    def flag(self, key: str) -> bool:
        return key in self._values and self.truth(key)

    def count(self, key: str) -> int | None:
        found = self._values.get(key)
        if found is not None and type(found) is not int:
            raise TypeError(f"{key}: want an integer, got {kind_of(found)}")
        return found

    def hash(self, key: str) -> Hash | None:
        found = hash_of(self._values[key])
        if found is None and self._values[key] is not None:
            raise TypeError(f"{key}: a hash is a number, or h and a number")
        return found

    def time(self, key: str) -> datetime | None:
        found = self._values.get(key)
        return None if found is None else time_of(self.text(key)).astimezone(UTC)

    def object(self, key: str) -> Mapping[str, Any]:
        found = self._values[key]
        if not isinstance(found, Mapping):
            raise TypeError(f"{key}: want an object, got {kind_of(found)}")
        return found


def _recorded(row: _Row) -> Recorded:
    return Recorded(
        row.text("uid"),
        row.text("namespace"),
        row.text("pod"),
        row.text("container"),
        row.hash("hash"),
        running=row.truth_or_none("running"),
        attempt=row.count("attempt"),
        hash_version=row.text("hashVersion", ""),
        without_resources=row.hash("hashWithoutResources"),
        id=row.text("id", ""),
        created=row.time("created"),
        any_year=row.flag("createdInAnyYear"),
        docker=row.flag("docker"),
    )


def _sandbox(row: _Row) -> Sandbox:
    return Sandbox(
        row.text("uid"),
        row.text("namespace"),
        row.text("pod"),
        row.truth("ready"),
        row.count("attempt") or 0,
        row.truth_or_none("hostNetwork"),
        None if row.is_null("ip") else row.text("ip"),
        row.count("created"),
        docker=row.flag("docker"),
    )


def _applied(row: _Row) -> Applied:
    return Applied(row.text("uid"), row.text("container"), row.object("resources"))
