"""A type tree of schemas/types/container as Go types: the ``Container`` of a range of releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.types import Coded, Field, GoType, Struct, parse_type, renamed

Tree = Mapping[str, Any]


class Schema(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One distinct type tree; compared by identity, so that it can be the key of compiled functions."""

    name: str
    """The first minor that has the tree."""
    tree: Tree
    """The file's content: schemas/types/README.md describes it."""
    foreign: Mapping[str, Struct]
    """The types of other packages; ``ResourceList/resource.Quantity`` is that type in ResourceList only."""

    @property
    def package(self) -> str:
        """The name that go-spew prints before each type."""
        return str(self.tree["package"])

    @property
    def types(self) -> Mapping[str, Any]:
        """The fields of each struct, or the underlying type of anything else, by the type's name."""
        types: Mapping[str, Any] = self.tree["types"]
        return types

    @property
    def made_from(self) -> str:
        """The Kubernetes tag and file that the tree was made from."""
        return str(self.tree["madeFrom"])

    @cached_property
    def container(self) -> Struct:
        """The root type."""
        root = TypeBuilder(self.tree, self.foreign).resolve(str(self.tree["root"]))
        if not isinstance(root, Struct):
            raise InputError(f"schema {self.name}: the root type is not a struct")
        return root


class TypeBuilder:
    """Resolves the names of one tree, each once; ``wrappers`` replace the decoding of some structs."""

    def __init__(
        self,
        tree: Tree,
        foreign: Mapping[str, Struct],
        wrappers: Mapping[str, Callable[[Struct], Coded]] | None = None,
    ) -> None:
        self._types: Mapping[str, Any] = tree["types"]
        self._package = tree["package"]
        self._wrappers = wrappers or {}
        self._done: dict[str, GoType] = dict(foreign)
        self._begun: set[str] = set()

    def resolve(self, name: str) -> GoType:
        """Return the type of that name, as the tree spells it."""
        if name not in self._done:
            if name not in self._types:
                raise InputError(f"the type tree names {name}, which neither it nor this program knows")
            if name in self._begun:
                raise InputError(f"the type {name} contains itself, so no text of it would end")
            self._begun.add(name)
            self._done[name] = self._build(name)
        return self._done[name]

    def resolve_within(self, outer: str, name: str) -> GoType:
        """Resolve a name in the definition of ``outer``, where another codec may hold than elsewhere."""
        return self._done.get(f"{outer}/{name}") or self.resolve(name)

    def _build(self, name: str) -> GoType:
        definition = self._types[name]
        full_name = name if "." in name else f"{self._package}.{name}"
        if isinstance(definition, str):
            return renamed(parse_type(definition, lambda inner: self.resolve_within(name, inner)), full_name)
        struct = Struct(full_name, tuple(self._field(row) for row in definition))
        return self._wrappers[name](struct) if name in self._wrappers else struct

    def _field(self, row: Mapping[str, Any]) -> Field:
        go_type = parse_type(row["type"], self.resolve)
        return Field(
            row["name"], go_type, row.get("json", ""), row.get("omitempty", False), row.get("embedded", False)
        )


def reachable_fields(schema: Schema) -> dict[str, dict[str, str]]:
    """Return ``{type: {field: Go type}}`` of the whole tree, the form in which two releases are compared."""
    return {
        name: {row["name"]: row["type"] for row in rows} if isinstance(rows, list) else {"": rows}
        for name, rows in schema.types.items()
    }
