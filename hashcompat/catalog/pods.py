"""What decides the UID of a static pod, by release: the internal Pod's type tree, defaults and conversions (schemas/pods)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hashcompat.catalog import files
from hashcompat.catalog.defaults import Default, DefaultData, Minor, Row, field_keys, holds, minor_of
from hashcompat.catalog.types import TypeBuilder
from hashcompat.errors import InputError, UsageError
from hashcompat.go.codecs import PODS, WRAPPERS
from hashcompat.go.types import GoType, Struct


@dataclass(frozen=True, eq=False)
class PodTypes:
    """One tree of internal types; compared by identity, so that it can be the key of compiled functions."""

    name: str
    builder: TypeBuilder

    @cached_property
    def pod(self) -> Struct:
        """The hashed type."""
        return self.struct("Pod")

    def struct(self, name: str) -> Struct:
        """Return a struct by its name without the package."""
        found = self.builder.resolve(name)
        if not isinstance(found, Struct):
            raise InputError(f"pod types {self.name}: {name} is no struct")
        return found


@dataclass(frozen=True, slots=True)
class Conversion:
    """A step between the v1 and the internal pod; ``move`` fills the internal field behind ``keys`` from ``path``."""

    step: str
    path: str
    keys: tuple[str, ...] = ()
    type: GoType | None = None


class PodData:
    """The files of schemas/pods, read on demand."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.defaults = DefaultData(directory / "defaults.json")
        self._types: dict[Minor, PodTypes] = {}

    @cached_property
    def minors(self) -> list[Minor]:
        """The minors that a tree is named after: each holds until the next."""
        return sorted(minor_of(path.stem) for path in self._directory.glob("[0-9]*.json"))

    @cached_property
    def conversions(self) -> Mapping[str, Any]:
        """The rows of conversions.json."""
        rows: Mapping[str, Any] = files.read_json(self._directory / "conversions.json")
        return rows

    def types(self, minor: Minor) -> PodTypes:
        """Load the tree that holds for a minor."""
        known = [first for first in self.minors if first <= minor]
        if not known:
            raise UsageError(
                f"the internal pod of {minor[0]}.{minor[1]} is not known; the oldest known is that of 1.6"
            )
        if known[-1] not in self._types:
            name = "{}.{}".format(*known[-1])
            tree = files.read_json(self._directory / f"{name}.json")
            self._types[known[-1]] = PodTypes(
                name, TypeBuilder(_with_moved_keys(tree, self.conversions["fields"]), PODS, WRAPPERS)
            )
        return self._types[known[-1]]


@dataclass(frozen=True, eq=False)
class StaticPods:
    """What one minor does to a static pod's manifest up to its UID; ``digest`` and ``source`` are rows of rules.json."""

    data: PodData
    minor: Minor
    digest: str
    source: Mapping[str, str]

    @property
    def known(self) -> bool:
        """Whether there is a tree for this minor: from 1.6 on."""
        return any(first <= self.minor for first in self.data.minors)

    @cached_property
    def types(self) -> PodTypes:
        """The internal types.

        Raises UsageError where they are not known.
        """
        return self.data.types(self.minor)

    @cached_property
    def defaults(self) -> tuple[Default, ...]:
        """The defaults that hold, gates as they are by default, in the order in which they apply."""
        return self.data.defaults.of(self.minor, self.types.struct)

    @cached_property
    def conversions(self) -> tuple[Conversion, ...]:
        """The conversions that hold."""
        fields = [
            _field_conversion(row, self.types)
            for row in self.data.conversions["fields"]
            if holds(row, self.minor)
        ]
        values = [
            Conversion(row["source"], row["what"])
            for row in self.data.conversions["values"]
            if holds(row, self.minor)
        ]
        return (*fields, *values)


def _with_moved_keys(tree: Row, conversions: list[Row]) -> Row:
    """Give the internal fields without a namesake in v1 a key: the path in the manifest that feeds them."""
    paths = {row["internal"]: row["path"] for row in conversions}
    types = dict(tree["types"])
    for name in {internal.partition(".")[0] for internal in paths if internal} & types.keys():
        types[name] = [{"json": paths.get(f"{name}.{row['name']}"), **row} for row in types[name]]
    return {**tree, "types": types}


def _field_conversion(row: Row, types: PodTypes) -> Conversion:
    if row["internal"] is None:
        return Conversion(row["wire"], row["path"])
    struct, _, field = row["internal"].partition(".")
    keys, go_type = field_keys(types.struct(struct), field)
    return Conversion("move", row["path"], keys, go_type)
