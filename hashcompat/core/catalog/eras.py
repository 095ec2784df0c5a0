"""Eras: the types that are hashed, how the hash is computed over them, and where kubelets do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from hashcompat.core.catalog.releases import Range, parse_range
from hashcompat.core.errors import InputError
from hashcompat.core.go.types import Coded, Field, GoType, Struct, parse_type, renamed
from hashcompat.core.release import Release


class Era(msgspec.Struct, frozen=True, eq=False):
    """A row of eras.json; compared by identity, so that it can be the key of compiled functions.

    Its properties answer what follows from the steps; only ``kubelet/hashing`` compiles them.
    """

    name: str
    """The key in eras.json, such as ``json-spew-fnv32a``."""
    steps: tuple[str, ...]
    """The steps in their order, each a name and its arguments; the last one is the digest."""
    releases: Range
    """The upstream releases that hash so."""
    source: str
    """The pull request that brought it, or empty."""
    about: str
    """What is hashed, in words."""

    @property
    def digest(self) -> str:
        """The digest's name, such as ``fnv32a``."""
        return self.steps[-1]

    @property
    def picked(self) -> tuple[str, ...]:
        """The JSON keys of the only fields that are hashed; none where the whole container is."""
        verb, *fields = self.steps[0].split()
        return tuple(fields) if verb == "pick" else ()

    @property
    def whole(self) -> bool:
        """Whether the whole container is hashed, not some fields of it."""
        return not self.picked

    @property
    def hashes_json(self) -> bool:
        """Whether JSON is hashed, so that unset fields leave no trace and Go's encoding/json counts."""
        return "json" in self.steps

    @property
    def prints_unset_fields(self) -> bool:
        """Whether type names and unset fields are hashed, so that every change of a type changes hashes."""
        return self.whole and not self.hashes_json

    def described(self) -> list[str]:
        """Return the steps as documents show them."""
        return list(self.steps)


def era_from_row(name: str, row: Mapping[str, Any]) -> Era:
    """Build the era that a row describes."""
    return Era(name, tuple(row["steps"]), parse_range(row["releases"]), row["pr"] or "", row["about"])


# Where a kubelet's source computes and compares container hashes, release by release: rows of patch.json.


class Function(msgspec.Struct, frozen=True):
    """A function of Kubernetes' source, in some releases."""

    file: str
    """The file's path in Kubernetes' source."""
    name: str
    releases: Range
    """The releases that have it so."""
    sha256: str
    """The SHA-256 of its text, from ``func`` to the closing brace's line, in hexadecimal digits."""


class Assertion(msgspec.Struct, frozen=True):
    """A test file of Kubernetes that asserts hashes."""

    file: str
    """The file's path in Kubernetes' source."""
    releases: Range
    """The releases that have it so."""
    containers: tuple[Mapping[str, Any], ...]
    """The containers' JSON, in the order in which their hashes are asserted."""


class Import(msgspec.Struct, frozen=True):
    """The import path under which some releases have a package."""

    releases: Range
    path: str = msgspec.field(name="value")


class PatchTables(msgspec.Struct, frozen=True):
    """The rows of patch.json."""

    functions: tuple[Function, ...]
    """The functions that a patch touches."""
    assertions: tuple[Assertion, ...]
    """The tests that assert hashes."""
    imports: Mapping[str, tuple[Import, ...]]
    """The import paths of a package by its name in patch.json: ``log``, ``version``, ``versionUtil``."""


class PatchedSource(msgspec.Struct, frozen=True):
    """One release's source, as far as a patch needs to know it."""

    functions: tuple[Function, ...]
    """The functions of this release."""
    other_functions: tuple[Function, ...]
    """Those of all other releases."""
    assertions: tuple[Assertion, ...]
    """The tests of this release that assert hashes."""
    log: str
    """The import path of the package with which this release logs."""
    version: str
    """The import path of the package with which it knows its own version."""
    version_util: str
    """The import path of the package with which it compares versions."""

    def function(self, name: str) -> Function | None:
        """Return a function of this release, or None where it has none of that name."""
        return next((function for function in self.functions if function.name == name), None)


def site_of(release: Release, tables: PatchTables) -> PatchedSource:
    """Return what patch.json has about a release.

    Raises InputError where the rows do not name exactly one import path per package.
    """
    mine = tuple(function for function in tables.functions if function.releases.holds(release))
    return PatchedSource(
        functions=mine,
        other_functions=tuple(function for function in tables.functions if function not in mine),
        assertions=tuple(row for row in tables.assertions if row.releases.holds(release)),
        log=_import("log", release, tables),
        version=_import("version", release, tables),
        version_util=_import("versionUtil", release, tables),
    )


def _import(name: str, release: Release, tables: PatchTables) -> str:
    paths = [row.path for row in tables.imports[name] if row.releases.holds(release)]
    if len(paths) != 1:
        raise InputError(
            f"patch.json: imports.{name}: want one row for {release.upstream}, found {len(paths)}"
        )
    return paths[0]


# A type tree of schemas/types/container as Go types: the ``Container`` of a range of releases.

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
        fields = [
            Field(
                row["name"],
                parse_type(row["type"], self.resolve),
                row.get("json", ""),
                row.get("omitempty", False),
                row.get("embedded", False),
            )
            for row in definition
        ]
        struct = Struct(full_name, tuple(fields))
        return self._wrappers[name](struct) if name in self._wrappers else struct


def reachable_fields(schema: Schema) -> dict[str, dict[str, str]]:
    """Return ``{type: {field: Go type}}`` of the whole tree, the form in which two releases are compared."""
    return {
        name: {row["name"]: row["type"] for row in rows} if isinstance(rows, list) else {"": rows}
        for name, rows in schema.types.items()
    }
