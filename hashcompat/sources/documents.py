"""JSON in memory: types are checked as values are taken, with the place of each.

``JsonObject`` is of the documents that this program saved, ``Fields`` of Kubernetes objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.allowance import LONGEST_NAME, values_in
from hashcompat.core.go.jsonpath import Lines, is_object
from hashcompat.core.go.jsontext import clean, kind_of, no_text
from hashcompat.sources.content import RefusedError

Word = TypeVar("Word", bound=StrEnum)


class JsonObject(msgspec.Struct, frozen=True):
    """One object; every method raises InputError, with the path, for what no such document has."""

    value: Mapping[str, Any]
    path: str
    """Its place in the document (``$.items[3].hash``)."""

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; where there is a default it may be missing or null."""
        value = self.value.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value if value.isascii() else clean(value)

    def number(self, key: str, default: int | None = None) -> int:
        """Return an integer that counts something; where there is a default it may be missing or null."""
        value = self.value.get(key)
        if value is None and default is not None:
            return default
        if type(value) is not int or value < 0:
            raise self._wrong(key, "an integer from 0")
        return value

    def integer_or_none(self, key: str) -> int | None:
        """Return any integer, or None where it is missing or null."""
        value = self.value.get(key)
        if value is not None and type(value) is not int:
            raise self._wrong(key, "an integer")
        return value

    def hash(self, key: str) -> int | None:
        """Return an unsigned integer of 32 bits, or None for null."""
        value = self.value.get(key)
        if key in self.value and (value is None or (type(value) is int and 0 <= value < 1 << 32)):
            return value
        raise self._wrong(key, "an integer of 32 bits or null")

    def truth(self, key: str) -> bool:
        """Return a boolean."""
        value = self.value.get(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def truth_or_none(self, key: str) -> bool | None:
        """Return a boolean, or None for null."""
        return None if key in self.value and self.value[key] is None else self.truth(key)

    def word(self, key: str, words: type[Word]) -> Word:
        """Return one of some words."""
        try:
            word: Word = _word(words, self.text(key))
        except ValueError:
            raise self._wrong(key, f"one of {', '.join(words)}") from None
        return word

    def row(self, key: str) -> JsonObject:
        """Return an object."""
        return row_of(self.value.get(key), f"{self.path}.{key}")

    def row_or_none(self, key: str) -> JsonObject | None:
        """Return an object, or None where it is missing or null."""
        return None if self.value.get(key) is None else self.row(key)

    def rows(self, key: str, default: list[Any] | None = None) -> list[JsonObject]:
        """Return the objects in a list, which may be missing where there is a default."""
        rows = self._list(key) if default is None or key in self.value else default
        return [row_of(row, f"{self.path}.{key}[{index}]") for index, row in enumerate(rows)]

    def time_or_none(self, key: str) -> datetime | None:
        """Return a time of ISO 8601 with its zone, in UTC; None where it is missing or null."""
        if self.value.get(key) is None:
            return None
        try:
            return time_of(self.text(key))
        except ValueError as error:
            raise self._wrong(key, str(error)) from None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the strings in a list."""
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            raise self._wrong(key, "a list of strings")
        return tuple(map(clean, values))

    def texts_or_none(self, key: str) -> tuple[str, ...] | None:
        """Return the strings in a list, or None where it is missing or null."""
        return None if self.value.get(key) is None else self.texts(key)

    def map_keys(self, key: str, read: Callable[[JsonObject, str], Any]) -> list[Any]:
        """Return what a function makes of an object and of each of its keys."""
        row = self.row(key)
        return [read(row, name) for name in row.value]

    def _list(self, key: str) -> list[Any]:
        value = self.value.get(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return value

    def _wrong(self, key: str, wanted: str) -> InputError:
        kind = kind_of(self.value[key]) if key in self.value else "nothing"
        return InputError(f"{self.path}.{key}: want {wanted}, got {kind}")


def time_of(text: str) -> datetime:
    """Return a time of ISO 8601 with its zone, in UTC; raises ValueError, with what is wanted, for others."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("a time") from None
    if time.tzinfo is None:
        raise ValueError("a time with its zone")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time of the years 1 to 9999, in UTC") from None


def row_of(value: object, path: str) -> JsonObject:
    """Return an object of a document; raises InputError, with the path, for anything else."""
    if type(value) is not dict and not isinstance(value, Mapping):
        raise InputError(f"{path}: want an object, got {kind_of(value)}")
    return JsonObject(value, path)


@lru_cache(64)
def _word(words: type[Word], text: str) -> Word:
    """Return one of some words; to ask an enumeration takes ten times as long."""
    return words(text)


MOST_VALUES: Final = 2_000_000
"""Values of one such text, each of about 100 bytes in memory; a page of 500 pods has 200,000."""


def loads(text: str) -> Any:
    """Return the one document of a text; errors as ``load_all``, also for other than one document."""
    check_values(text)
    return jsontext.loads(text)


def load_all(text: str) -> Iterator[Any]:
    """Return the documents of a text.

    Raises RefusedError for so many values that they would not fit into memory; the iterator raises InputError
    for what is not JSON.
    """
    check_values(text)
    return jsontext.load_all(text)


def check_values(text: str) -> None:
    """Raise RefusedError for a text of so many values that they would not fit into memory."""
    if values_in(text) > MOST_VALUES:
        raise RefusedError(f"JSON of more than {MOST_VALUES:,} values, the most that is read at once")


class InFile(msgspec.Struct, frozen=True):
    """The file that an object is in, and where."""

    file: str = ""
    """Its name as given; empty for an object that is in none."""
    lines: Lines | None = None
    """Where the objects in the object's lists begin; None where that is not known."""

    def lines_of(self, key: str, rows: Sequence[Any]) -> Sequence[int]:
        """Return the line of each object in a list of the object, from 1; 0 where it is not known."""
        return self.lines(key, rows) if self.lines else [0] * len(rows)


IN_NO_FILE: Final = InFile()


class Fields(msgspec.Struct, frozen=True):
    """An object in the input."""

    value: Mapping[str, Any]
    """The object as given."""
    origin: str
    """The file and the document in it."""
    path: str
    """Its place in the document (``$.items[3].metadata``)."""
    where: InFile = IN_NO_FILE
    """The file with the document, as far as it is known; not of a part of an object."""

    def object(self, key: str) -> Fields:
        """Return the object below a key, an empty one for null.

        Raises InputError, with the place, for anything else there.
        """
        child = self.value.get(key)
        if not isinstance(child, Mapping | None):
            raise self.error(key, f"want an object, got {kind_of(child)}")
        return Fields(child or {}, self.origin, f"{self.path}.{key}")

    def objects(self, key: str) -> list[Fields]:
        """Return the objects in the list below a key, none for null; errors as ``object``."""
        rows = enumerate(self.rows(key))
        return [Fields(item, self.origin, f"{self.path}.{key}[{index}]") for index, item in rows]

    def rows(self, key: str) -> list[Mapping[str, Any]]:
        """Return what ``objects`` does, as given."""
        items = self.value.get(key)
        if items is None:
            return []
        if not isinstance(items, list):
            raise self.error(key, f"want a list, got {kind_of(items)}")
        for index, item in enumerate(items):
            if not is_object(item):
                raise self.error(f"{key}[{index}]", f"want an object, got {kind_of(item)}")
        return items

    def truth(self, key: str) -> bool | None:
        """Return the boolean below a key, None for null; errors as ``object``."""
        child = self.value.get(key)
        if not isinstance(child, bool | None):
            raise self.error(key, f"want true or false, got {kind_of(child)}")
        return child

    def string(self, key: str) -> str:
        """Return the name below a key, an empty one for null; errors as ``object``, and for a long one."""
        child = self.value.get(key)
        if not isinstance(child, str | None):
            raise self.error(key, no_text(child))
        if child and len(child) > LONGEST_NAME:
            raise self.error(key, f"more than {LONGEST_NAME:,} characters")
        return clean(child) if child else ""

    def error(self, key: str, problem: str) -> InputError:
        """Return the error for a problem with what is below a key."""
        return InputError(f"{self.origin}: {self.path}.{key}: {problem}")
