"""Keep records in little memory: equal texts once, and no more in all than one run may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import getsizeof
from typing import Any, Final

from msgspec import structs

from hashcompat.go import allowance
from hashcompat.model.records import Applied, Record

_ROW: Final = 300
"""Bytes in memory of a record besides its texts: the row, its numbers and times, its places in tables."""

_TEXT: Final = 100
"""Bytes in memory of the place of a text that may come again."""

_SHARED: Final = frozenset({"uid", "namespace", "pod", "container", "hash_version"})
"""What all containers of a pod, or of many pods, have in common."""


class Keeper:
    """Gives equal texts of all records one place in memory, and counts what the records take."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._allowance = allowance.of_records()

    def saw(self, characters: int) -> None:
        """Note that so much more was read: records may take what their files have, if that is more."""
        self._allowance.extend(characters)

    def kept(self, record: Record) -> Record:
        """Return an equal record that shares its names with those before it.

        Raises InputError where all records take more memory than those of one run may.
        """
        if isinstance(record, Applied):
            self._allowance.take(_ROW + _bytes_of([record.uid, record.container, record.resources]))
            return record
        texts = {
            name: text for name in record.__struct_fields__ if isinstance(text := getattr(record, name), str)
        }
        own = sum(getsizeof(text) for name, text in texts.items() if text and name not in _SHARED)
        new = {texts[name] for name in _SHARED & texts.keys() if texts[name] not in self._texts}
        self._allowance.take(_ROW + own + sum(getsizeof(text) + _TEXT for text in new))
        shared: dict[str, Any] = {name: self._once(texts[name]) for name in _SHARED & texts.keys()}
        return structs.replace(record, **shared)

    def _once(self, text: str) -> str:
        return self._texts.setdefault(text, text)


def _bytes_of(values: Iterable[Any]) -> int:
    """Return about how much memory values of JSON take, whatever they nest."""
    left, size = list(values), 0
    while left:
        value = left.pop()
        size += getsizeof(value)
        if isinstance(value, Mapping):
            left += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            left += value
    return size
