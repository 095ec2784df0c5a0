"""What the UID of a static pod depends on, by release: the internal Pod's types, defaults, conversions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.eras import Tree, TypeBuilder
from hashcompat.core.catalog.files import POD, DataFiles
from hashcompat.core.catalog.releases import Range, latest_minor_at, parse_range
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.metav1 import PODS, WRAPPERS
from hashcompat.core.go.types import GoType, Struct
from hashcompat.core.release import Release

if TYPE_CHECKING:
    from hashcompat.core.catalog.defaults import Default, DefaultTables


class PodTypes(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One tree of internal types; compared by identity, so that it can be the key of compiled functions."""

    name: str
    """The first minor that has the tree."""
    releases: Range
    """The releases that have it."""
    builder: TypeBuilder
    """What resolves the names of the tree."""

    @cached_property
    def pod(self) -> Struct:
        """The hashed type."""
        return self.struct("Pod")

    def struct(self, name: str) -> Struct:
        """Return a struct by its name without the package."""
        go_type = self.builder.resolve(name)
        if not isinstance(go_type, Struct):
            raise InputError(f"pod types {self.name}: {name} is not a struct")
        return go_type


class MovedField(msgspec.Struct, frozen=True):
    """A row of ``fields`` in conversions.json: a v1 field whose internal place or name differs."""

    internal: str | None
    """The internal field, ``PodSecurityContext.HostPID``; None if another step converts the v1 field."""
    wire: str
    """The v1 field, ``PodSpec.HostPID``."""
    path: str
    """The v1 field's path in a manifest."""
    releases: Range
    """The releases that convert so."""


class ConvertedValue(msgspec.Struct, frozen=True):
    """A row of ``values`` in conversions.json: what conversion changes in a value."""

    what: str
    """The path of the value, or what it is in words."""
    releases: Range
    """The releases that convert so."""
    source: str
    """The function that does it, which names the step."""


class ConversionTables(msgspec.Struct, frozen=True):
    """The rows of conversions.json."""

    fields: tuple[MovedField, ...]
    """Fields without one of the same name on the other side."""
    values: tuple[ConvertedValue, ...]
    """Values that are not simply copied."""


class Conversion(msgspec.Struct, frozen=True):
    """A step between the v1 and the internal pod."""

    step: str
    """The step's name; ``move`` fills an internal field from ``path``."""
    path: str
    """The path in the manifest that it concerns, or what it concerns in words."""
    keys: tuple[str, ...] = ()
    """The JSON keys of the internal field that is filled."""
    type: GoType | None = None
    """The type of that field."""


class PodData:
    """The pods' part of the release data, read on demand."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._types: dict[str, PodTypes] = {}

    @cached_property
    def minors(self) -> list[str]:
        """The minors that a tree is named after."""
        return self._data.trees(POD)

    @cached_property
    def defaults(self) -> DefaultTables:
        """The rows of defaults.json."""
        from hashcompat.core.catalog.defaults import default_tables  # noqa: PLC0415 - manifests alone need it

        return default_tables(self._data)

    @cached_property
    def conversions(self) -> ConversionTables:
        """The rows of conversions.json."""
        return self._data.rows("conversions", ConversionTables)

    def knows(self, release: Release) -> bool:
        """Return whether there is a tree for a release: from 1.6 to the newest that ships."""
        latest = self._latest(release)
        return latest is not None and latest.releases.holds(release)

    def types(self, release: Release) -> PodTypes:
        """Return the tree of a release, or of the newest one with a tree; UsageError for one before 1.6."""
        latest = self._latest(release)
        if latest is None:
            raise UsageError(
                f"the internal pod of {release.minor} is not known; the oldest known is that of 1.6"
            )
        return latest

    def _latest(self, release: Release) -> PodTypes | None:
        name = latest_minor_at(release, self.minors)
        if name is not None and name not in self._types:
            tree = _with_moved_keys(self._data.tree(POD, name), self.conversions.fields)
            releases = parse_range(tree["releases"])
            self._types[name] = PodTypes(name, releases, TypeBuilder(tree, PODS, WRAPPERS))
        return None if name is None else self._types[name]


class StaticPods(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What one release does to a static pod's manifest up to its UID."""

    data: PodData
    """Where the types, defaults and conversions come from."""
    release: Release
    gates: Gates
    digest: str
    """The digest's name: a row of behaviour.json."""
    source: Mapping[str, str]
    """What follows the pod in the digest, by kind of source: a row of behaviour.json."""

    @cached_property
    def is_known(self) -> bool:
        """Whether there is a tree for this release: from 1.6 on, and not for one that a user added."""
        return self.data.knows(self.release)

    @cached_property
    def types(self) -> PodTypes:
        """The internal types.

        Raises UsageError where they are unknown.
        """
        return self.data.types(self.release)

    @cached_property
    def defaults(self) -> tuple[Default, ...]:
        """The defaults that hold, in the order in which they apply."""
        return self.data.defaults.resolved(self.release, self.gates, self.types.struct)

    @cached_property
    def conversions(self) -> tuple[Conversion, ...]:
        """The conversions that hold."""
        tables = self.data.conversions
        fields = [_moved(row, self.types) for row in tables.fields if row.releases.holds(self.release)]
        values = [
            Conversion(row.source, row.what) for row in tables.values if row.releases.holds(self.release)
        ]
        return (*fields, *values)


def _with_moved_keys(tree: Tree, moved: Iterable[MovedField]) -> Tree:
    """Give internal fields without a v1 field of their name a key: the path in the manifest."""
    paths = {row.internal: row.path for row in moved if row.internal}
    types = dict(tree["types"])
    for name in {internal.partition(".")[0] for internal in paths} & types.keys():
        types[name] = [{"json": paths.get(f"{name}.{field['name']}"), **field} for field in types[name]]
    return {**tree, "types": types}


def _moved(row: MovedField, types: PodTypes) -> Conversion:
    from hashcompat.core.catalog.defaults import field_keys  # noqa: PLC0415 - manifests alone need it

    if row.internal is None:
        return Conversion(row.wire, row.path)
    struct, _, field = row.internal.partition(".")
    keys, go_type = field_keys(types.struct(struct), field)
    return Conversion("move", row.path, keys, go_type)
