"""go-spew's text of values of every kind: go-spew itself printed golden/values/values.jsonl.

The file holds type and value besides the text, so that the typed value is rebuilt here and printed again
(golden/README.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hashcompat.core.compile.spew import spew
from hashcompat.core.go.types import (
    FLOATS,
    Array,
    Basic,
    Field,
    GoType,
    Interface,
    Map,
    Pointer,
    Slice,
    Struct,
    parse_type,
    renamed,
)
from tests.helpers.support import rows

RECORDS = rows("values.jsonl")

DEEPEST = 3


class Types:
    """The named types of one record."""

    def __init__(self, record: dict[str, Any]) -> None:
        self._package = record["package"]
        self._definitions = record["types"]
        self._open: list[str] = []

    def read(self, notation: str) -> GoType:
        return parse_type(notation, self._named)

    def _named(self, name: str) -> GoType:
        """Build a named type; one that contains itself is unrolled as deep as the values of the file go."""
        full_name = name if name.startswith("struct {") else f"{self._package}.{name}"
        if self._open.count(name) > DEEPEST:
            return Struct(full_name, ())
        self._open.append(name)
        built = self._built(full_name, self._definitions[name])
        self._open.pop()
        return built

    def _built(self, full_name: str, definition: Any) -> GoType:
        if isinstance(definition, str):
            return renamed(self.read(definition), full_name)
        return Struct(
            full_name, tuple(Field(row["name"], self.read(row["type"]), row["json"]) for row in definition)
        )

    def value(self, go_type: GoType, encoded: Any) -> Any:
        """Rebuild a typed value (core/go/types.py says which Python value stands for which Go type)."""
        match go_type:
            case Basic(_, kind):
                return _scalar(kind, encoded)
            case Struct(_, fields):
                return tuple(self.value(field.type, encoded[field.name]) for field in fields)
            case Array(_, _, elem):
                return tuple(self.value(elem, item) for item in encoded)
        return None if encoded is None else self._reference(go_type, encoded)

    def _reference(self, go_type: GoType, encoded: Any) -> Any:
        match go_type:
            case Slice(_, Basic(_, "uint8")):
                return bytes(encoded)
            case Slice(_, elem):
                return tuple(self.value(elem, item) for item in encoded)
            case Map(_, key, item):
                return {self.value(key, name): self.value(item, held) for name, held in encoded}
            case Pointer(_, elem):
                return (self.value(elem, encoded["ptr"]),)
            case Interface():
                held = self.read(encoded["type"])
                return held, self.value(held, encoded["value"])
        raise AssertionError(go_type)


def _scalar(kind: str, encoded: Any) -> Any:
    read: Callable[[Any], Any] = {"bool": bool, "string": str}.get(kind, int)
    if kind in FLOATS:
        return complex(*map(float, encoded)) if kind.startswith("complex") else float(encoded)
    return read(encoded)


def test_texts_are_those_of_go_spew() -> None:
    for record in RECORDS:
        types = Types(record)
        go_type = types.read(record["typeSpec"])
        value = types.value(go_type, record["value"])
        assert spew(go_type, value) == record["sharpv"], record["name"]


def test_there_are_values_of_every_kind() -> None:
    kinds = {record["name"].partition("-")[0] for record in RECORDS}
    assert {
        "bool",
        "string",
        "uintptr",
        "float32",
        "complex64",
        "bytes",
        "array",
        "map",
        "pointer",
        "interface",
        "struct",
    } <= kinds
