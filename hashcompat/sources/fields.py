"""Fields of a Kubernetes object, whose types are checked as they are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import LONGEST_NAME
from hashcompat.core.go.jsontext import clean, kind_of
from hashcompat.core.go.parts import Lines


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
        """Return the objects in the list below a key, none for what is empty; errors as ``object``."""
        items = self.value.get(key) or []
        if not isinstance(items, list):
            raise self.error(key, f"want a list, got {kind_of(items)}")
        for index, item in enumerate(items):
            if not isinstance(item, Mapping):
                raise self.error(f"{key}[{index}]", f"want an object, got {kind_of(item)}")
        return [Fields(item, self.origin, f"{self.path}.{key}[{index}]") for index, item in enumerate(items)]

    def string(self, key: str) -> str:
        """Return the name below a key, an empty one for null; errors as ``object``, and for a long one."""
        child = self.value.get(key)
        if not isinstance(child, str | None):
            raise self.error(key, f"want a string, got {kind_of(child)}")
        if child and len(child) > LONGEST_NAME:
            raise self.error(key, f"more than {LONGEST_NAME:,} characters")
        return clean(child) if child else ""

    def error(self, key: str, problem: str) -> InputError:
        """Return the error for a problem with what is below a key."""
        return InputError(f"{self.origin}: {self.path}.{key}: {problem}")
