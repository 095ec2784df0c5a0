"""What API servers and kubelets write into objects and drop from them, by release.

Decoding a v1 object sets defaults by itself: rows of defaults.json, resolved against a type tree. API
servers do it to pods, and kubelets to static pods; the rows are the same. What an API server does besides
are rows of apiserver.json, dropped.json and profiles.json.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.files import DataFiles
from hashcompat.core.catalog.releases import Range, parse_range
from hashcompat.core.errors import InputError
from hashcompat.core.go.types import GoType, Pointer, Struct, structs
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.release import Release

Row = Mapping[str, Any]
Resolver = Callable[[str], Struct | None]
"""A struct by its name without the package, or None where the tree has none and its rows do not matter."""

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

    name: str = msgspec.field(name="parser")
    """The name that core/corev1/defaults.py knows it by."""
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


def default_tables(data: DataFiles) -> DefaultTables:
    """Read the rows of defaults.json."""
    return DefaultTables(
        tuple(sorted(map(_row, data.table("defaults")["defaults"]), key=lambda row: row.order)),
        data.rows("defaults", tuple[ImageParser, ...], "imageParsers"),
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
    by_name = {struct.name.rpartition(".")[2]: struct for struct in structs(schema.container)}
    return {**by_name, "EphemeralContainerCommon": schema.container}


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
        holder = go_type.elem if isinstance(go_type, Pointer) else go_type
        fields = holder.fields if isinstance(holder, Struct) else ()
        field = next((field for field in fields if field.name == name), None)
        if field is None:
            raise InputError(
                f"{go_type.name} has no field {name}, which defaults.json or conversions.json names"
            )
        keys += [field.json] if field.json else []
        go_type = field.type
    return tuple(keys), go_type


# What API servers of each release write into pods and drop from them (apiserver.json, dropped.json).


class ReadDefault(msgspec.Struct, frozen=True):
    """A default that an API server writes besides what decoding sets: a row of apiserver.json."""

    path: str
    """The field's path below the container; it is written where its parent is set and it is not."""
    value: Any
    """What is written, as JSON."""
    gate: str | None
    """The feature gate that it depends on."""
    source: str
    """The pull request or Go file."""
    releases: Range
    """The API servers that write it."""
    at_creation: bool = False
    """Whether it is written once, as the pod is created; else on every read, stored pods included."""
    container_types: frozenset[str] = frozenset(ContainerType)
    """The types of containers that get it."""
    merge_key: str = ""
    """If set, ``value`` is a list, and its items are added that the container lacks, by this key."""
    merge_where: str = ""
    """With ``merge_key``: only those items are added whose key is set in the object at this path."""


class Dropped(msgspec.Struct, frozen=True, rename="camel"):
    """A field of a feature; API servers drop it from new pods while its gate is off (dropped.json)."""

    path: str
    """The field's path below the container; ``[]`` after a key means each element of its list."""
    gate: str
    """The feature gate that keeps the field."""
    releases: Range
    """The API servers that drop it while the gate is off, or before they know it."""
    source: str
    """The function in pkg/api/pod/util.go."""
    becomes: Any = None
    """What is written instead; None: nothing."""
    emptied: str = ""
    """The path of the object that is dropped too where nothing else is in it."""
    of: str = ""
    """``imageVolumes`` where only mounts of image volumes are concerned."""
    container_types: frozenset[str] = frozenset(ContainerType)
    """The types of containers that lose it."""


class Profile(msgspec.Struct, frozen=True, rename="camel"):
    """An annotation that becomes a field of a new pod's containers: a row of profiles.json."""

    annotation: str
    """The annotation's key, to which the container's name is added."""
    field: str
    """The field below ``securityContext``."""
    types: Mapping[str, str]
    """The field's ``type`` by the annotation's value; any API server reads ``localhost/PROFILE`` too."""
    not_on: str
    """The pod's operating system where it is left alone; empty for none."""
    unless_of_pod: bool
    """Whether it is left out where the pod's own field is the same."""
    releases: Range
    """The API servers that do so."""


class PodCreation(msgspec.Struct, frozen=True, eq=False):
    """What an API server does to a container when it creates the pod; compared by identity."""

    schema: Schema
    """The newest tree: a field is dropped by the kubelet that does not know it, not here."""
    defaults: tuple[Default, ...]
    """What decoding sets, in the order in which it applies."""
    written: tuple[ReadDefault, ...]
    """What else is written, on creation and on reading."""
    dropped: tuple[Dropped, ...] = ()
    """What is dropped because its gate is off."""
    profiles: tuple[Profile, ...] = ()
    """The annotations that become fields."""

    def does_as(self, other: PodCreation) -> bool:
        """Return whether another API server does the same to every manifest."""
        mine, theirs = ((creation.written, creation.dropped, creation.profiles) for creation in (self, other))
        return self.defaults is other.defaults and mine == theirs


class ApiServerTables(msgspec.Struct, frozen=True):
    """The rows of apiserver.json and dropped.json."""

    written: tuple[ReadDefault, ...]
    """Every default that some API server writes by itself."""
    dropped: tuple[Dropped, ...]
    """Every field that some API server drops."""
    profiles: tuple[Profile, ...] = ()
    """Every annotation that some API server turns into a field."""

    @property
    def on_read(self) -> list[ReadDefault]:
        """What any API server writes on reading a pod."""
        return [row for row in self.written if not row.at_creation]

    def read_by(self, server: Release, since: Release, gates: Gates) -> tuple[ReadDefault, ...]:
        """Return what an API server writes on reading a pod, but one of the release ``since`` does not.

        ``gates`` are those of the one that reads; what depends on one it writes whatever the other one did.
        """
        return tuple(
            row
            for row in self.on_read
            if row.releases.holds(server)
            and (gates.is_on(row.gate) if row.gate else not row.releases.holds(since))
        )

    def written_by(self, server: Release, gates: Gates) -> tuple[ReadDefault, ...]:
        """Return what an API server writes into a new pod."""
        return tuple(
            row
            for row in self.written
            if row.releases.holds(server) and (row.gate is None or gates.is_on(row.gate))
        )

    def dropped_by(self, server: Release, gates: Gates) -> tuple[Dropped, ...]:
        """Return what an API server drops from a new pod because a gate is off."""
        return tuple(row for row in self.dropped if row.releases.holds(server) and not gates.is_on(row.gate))

    def profiles_by(self, server: Release) -> tuple[Profile, ...]:
        """Return the annotations that an API server turns into fields of a new pod."""
        return tuple(row for row in self.profiles if row.releases.holds(server))


def api_server_tables(data: DataFiles) -> ApiServerTables:
    """Read the rows of apiserver.json, of dropped.json and of profiles.json."""
    return ApiServerTables(
        tuple(map(read_default, data.table("apiserver"))),
        data.rows("dropped", tuple[Dropped, ...]),
        data.rows("profiles", tuple[Profile, ...]),
    )


def read_default(row: Row) -> ReadDefault:
    """Build the default that a row of apiserver.json describes."""
    merge = row.get("merge") or {}
    return ReadDefault(
        path=row["path"],
        value=row["value"],
        gate=row["gate"],
        source=row["source"],
        releases=parse_range(row["releases"]),
        at_creation=row.get("on") == "creation",
        container_types=frozenset(row.get("containerTypes", ContainerType)),
        merge_key=merge.get("key", ""),
        merge_where=merge.get("where", ""),
    )
