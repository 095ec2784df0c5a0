"""Fields of a Kubernetes object, whose types are checked as they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.errors import InputError
from hashcompat.go.allowance import LONGEST_NAME
from hashcompat.go.jsontext import clean, kind_of


@dataclass(frozen=True, slots=True)
class Fields:
    """An object in the input."""

    value: Mapping[str, Any]
    """The object as given."""

    origin: str
    """The file and the document in it."""

    path: str
    """Its place in the document (``$.items[3].metadata``)."""

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
