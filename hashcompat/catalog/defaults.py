"""What decoding a v1 object sets by itself, by release: rows of schemas/pods/defaults.json, resolved against a type tree.

API servers do it to pods, and kubelets to static pods; the rows are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from hashcompat.catalog import files
from hashcompat.catalog.types import Schema
from hashcompat.errors import InputError
from hashcompat.go.types import Field, GoType, Pointer, Slice, Struct

Minor = tuple[int, int]
Row = Mapping[str, Any]
Resolver = Callable[[str], Struct | None]
"""A struct by its name without the package, or None where the tree has none and its rows do not matter."""

_COMMON_TO_EPHEMERAL: Final = "EphemeralContainerCommon"


@dataclass(frozen=True, slots=True)
class Default:
    """One field's default: where it applies, when, and what happens (a row of defaults.json for one field).

    ``keys`` lead from an object of ``struct`` to the field in JSON. ``operation`` is ``set`` or the row's
    verb, ``argument`` what it sets, a field's keys, or a word. ``places`` are the lists below spec and status
    that it is confined to, if any. ``parser`` names the release's way to read an image, which decides pull
    policies.
    """

    id: str
    struct: Struct
    keys: tuple[str, ...]
    type: GoType
    when: str
    operation: str
    argument: Any
    places: frozenset[str]
    parser: str


@dataclass(frozen=True, eq=False)
class ApiServer:
    """What the API servers of some releases do to a manifest's container when a pod is created; compared by identity.

    ``schema`` is the newest tree: a field is dropped by the kubelet that does not know it, not here.
    ``written`` are rows of apiserver.json, ``dropped`` those of dropped.json.
    """

    schema: Schema
    defaults: tuple[Default, ...]
    written: tuple[Row, ...]
    dropped: tuple[Row, ...] = ()

    def does_as(self, other: ApiServer) -> bool:
        """Tell whether another API server does the same to every manifest."""
        return self.defaults is other.defaults and (self.written, self.dropped) == (
            other.written,
            other.dropped,
        )


class DefaultData:
    """The rows of defaults.json, read on demand."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, minor: Minor, resolve: Resolver) -> tuple[Default, ...]:
        """Return the defaults that hold in a minor, gates as they are by default, in the order in which they apply."""
        rows = [
            row for row in self._document["defaults"] if holds(row, minor) and self._on(row["gate"], minor)
        ]
        parser = next(row["parser"] for row in self._document["imageParsers"] if holds(row, minor))
        return tuple(
            default
            for row in sorted(rows, key=lambda row: row["order"])
            for default in _defaults(row, resolve, parser)
        )

    @cached_property
    def _document(self) -> Row:
        document: Row = files.read_json(self._path)
        return document

    def _on(self, gate: str | None, minor: Minor) -> bool:
        if gate is None:
            return True
        told = next(row["defaults"] for row in self._document["gates"] if row["gate"] == gate)
        return bool([row["on"] for row in told if minor_of(row["since"]) <= minor][-1])


def container_structs(schema: Schema) -> Mapping[str, Struct]:
    """Return the structs below Container by their names without the package; what ephemeral containers share with it is Container."""
    found = {struct.name.rpartition(".")[2]: struct for struct in _structs(schema.container)}
    return {**found, _COMMON_TO_EPHEMERAL: schema.container}


def _structs(go_type: GoType) -> Iterator[Struct]:
    match go_type:
        case Pointer(_, elem) | Slice(_, elem):
            yield from _structs(elem)
        case Struct(_, fields):
            yield go_type
            for field in fields:
                yield from _structs(field.type)


def holds(row: Row, minor: Minor) -> bool:
    """Tell whether a row's range of minors includes this one."""
    return minor_of(row["since"]) <= minor and (row["until"] is None or minor <= minor_of(row["until"]))


def minor_of(text: str) -> Minor:
    """Read ``1.9`` as something that compares as releases do."""
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def _defaults(row: Row, resolve: Resolver, parser: str) -> Iterator[Default]:
    struct = resolve(row["type"])
    if struct is None:
        return
    value: Any = row["value"]
    operation, argument = (value[0], value[-1]) if isinstance(value, list) else ("set", value)
    places = frozenset(place.rpartition(" of ")[2].partition("[")[0] for place in row.get("where", ()))
    if operation in ("copy", "pullPolicy"):
        argument, _ = field_keys(struct, argument)
    for field in row["field"].split(", "):
        keys, go_type = field_keys(struct, field)
        yield Default(
            f"{row['type']}.{field}", struct, keys, go_type, row["when"], operation, argument, places, parser
        )


def field_keys(struct: Struct, path: str) -> tuple[tuple[str, ...], GoType]:
    """Return the JSON keys that a path of Go fields (``Resources.Limits``) stands for, and the last field's type."""
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
        raise InputError(f"{go_type.name} has no field {name}, which the rows of schemas/pods name")
    return found[0]
