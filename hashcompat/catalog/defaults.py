"""What decoding a v1 object sets by itself, by release: rows of defaults.json, resolved against a type tree.

API servers do it to pods, and kubelets to static pods; the rows are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.catalog.gates import Gates
from hashcompat.catalog.releases import Range, parse_range
from hashcompat.catalog.types import Schema
from hashcompat.errors import InputError
from hashcompat.go.types import Field, GoType, Pointer, Struct
from hashcompat.go.walk import structs
from hashcompat.release import Release

Row = Mapping[str, Any]
Resolver = Callable[[str], Struct | None]
"""A struct by its name without the package, or None where the tree has none and its rows do not matter."""

_COMMON_TO_EPHEMERAL: Final = "EphemeralContainerCommon"
_OF_A_FIELD: Final = frozenset({"copy", "firstOf", "listOf", "pullPolicy"})
"""The verbs whose argument names a field of the same object."""


class DefaultRow(msgspec.Struct, frozen=True, eq=False):
    """What some releases set in fields of a v1 type: a row of defaults.json; compared by identity."""

    order: int
    """Rows with a lower number are applied first."""
    type: str
    """The v1 struct's Go name without the package."""
    fields: tuple[str, ...]
    """Paths of Go fields below the struct, such as ``Resources.Limits``."""
    when: str
    """The condition, in a word or in words."""
    value: Any
    """What is set, as JSON; a list that begins with a verb may have an argument."""
    releases: Range
    """The releases that do so."""
    gate: str | None
    """The feature gate that it depends on."""
    places: frozenset[str]
    """The lists below spec and status that it is confined to; empty: everywhere."""


class ImageParser(msgspec.Struct, frozen=True):
    """How some releases read an image's name to find its tag, which decides pull policies."""

    name: str
    """The name that corev1/defaults.py knows it by."""
    releases: Range
    """The releases that use it."""


class Default(msgspec.Struct, frozen=True):
    """One field's default: where it applies, when, and what happens."""

    id: str
    """The struct's and the field's Go names: ``Container.Resources.Requests``."""
    struct: Struct
    """The struct in whose objects the field is set."""
    keys: tuple[str, ...]
    """The JSON keys that lead from an object of the struct to the field."""
    type: GoType
    """The field's type."""
    when: str
    """The condition, in a word or in words."""
    operation: str
    """``set``, or the row's verb."""
    argument: Any
    """What is set, a field's keys, or a word."""
    places: frozenset[str]
    """The lists below spec and status that it is confined to; empty: everywhere."""
    parser: str
    """The release's way to read an image."""


class DefaultTables(msgspec.Struct, frozen=True):
    """The rows of defaults.json."""

    rows: tuple[DefaultRow, ...]
    """The defaults, in the order in which they apply."""
    parsers: tuple[ImageParser, ...]
    """The ways to read an image's name."""

    def held(self, release: Release, gates: Gates) -> tuple[DefaultRow, ...]:
        """Return the rows of a release in the order in which they apply."""
        return tuple(
            row
            for row in self.rows
            if row.releases.holds(release) and (row.gate is None or gates.is_on(row.gate))
        )

    def parser(self, release: Release) -> str:
        """Return how a release reads an image."""
        return next(parser.name for parser in self.parsers if parser.releases.holds(release))

    def resolved(self, release: Release, gates: Gates, resolve: Resolver) -> tuple[Default, ...]:
        """Return the defaults that hold in a release, resolved against the structs of a tree."""
        parser = self.parser(release)
        return tuple(
            default for row in self.held(release, gates) for default in _defaults(row, resolve, parser)
        )


def default_tables(document: Row) -> DefaultTables:
    """Read the rows of defaults.json."""
    return DefaultTables(
        tuple(sorted(map(_row, document["defaults"]), key=lambda row: row.order)),
        tuple(ImageParser(row["parser"], parse_range(row["releases"])) for row in document["imageParsers"]),
    )


def _row(row: Row) -> DefaultRow:
    return DefaultRow(
        order=row["order"],
        type=row["type"],
        fields=tuple(row["field"].split(", ")),
        when=row["when"],
        value=row["value"],
        releases=parse_range(row["releases"]),
        gate=row["gate"],
        places=frozenset(place.rpartition(" of ")[2].partition("[")[0] for place in row.get("where", ())),
    )


def container_structs(schema: Schema) -> Mapping[str, Struct]:
    """Return the structs below Container by their names without the package.

    What ephemeral containers share with others is Container.
    """
    found = {struct.name.rpartition(".")[2]: struct for struct in structs(schema.container)}
    return {**found, _COMMON_TO_EPHEMERAL: schema.container}


def _defaults(row: DefaultRow, resolve: Resolver, parser: str) -> Iterator[Default]:
    struct = resolve(row.type)
    if struct is None:
        return
    value = row.value
    has_verb = isinstance(value, list) and isinstance(value[0], str)
    operation, argument = (value[0], value[-1]) if has_verb else ("set", value)
    if operation in _OF_A_FIELD:
        argument, _ = field_keys(struct, argument)
    for field in row.fields:
        keys, go_type = field_keys(struct, field)
        name = f"{row.type}.{field}"
        yield Default(name, struct, keys, go_type, row.when, operation, argument, row.places, parser)


def field_keys(struct: Struct, path: str) -> tuple[tuple[str, ...], GoType]:
    """Return the JSON keys of a path of Go fields (``Resources.Limits``), and the type of the last field."""
    keys: list[str] = []
    go_type: GoType = struct
    for name in path.split("."):
        field = _field(go_type, name)
        keys += [field.json] if field.json else []
        go_type = field.type
    return tuple(keys), go_type


def _field(go_type: GoType, name: str) -> Field:
    struct = go_type.elem if isinstance(go_type, Pointer) else go_type
    found = [field for field in struct.fields if field.name == name] if isinstance(struct, Struct) else []
    if not found:
        raise InputError(f"{go_type.name} has no field {name}, which defaults.json or conversions.json names")
    return found[0]
