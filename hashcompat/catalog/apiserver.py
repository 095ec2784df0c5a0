"""What API servers of each release write into pods and drop from them (apiserver.json, dropped.json)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hashcompat.catalog.defaults import Default
from hashcompat.catalog.gates import Gates
from hashcompat.catalog.releases import Range, parse_range
from hashcompat.catalog.types import Schema
from hashcompat.model.pods import ContainerType
from hashcompat.release import Release

Row = Mapping[str, Any]


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


class Dropped(msgspec.Struct, frozen=True):
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


class Profile(msgspec.Struct, frozen=True):
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


class ApiServer(msgspec.Struct, frozen=True, eq=False):
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

    def does_as(self, other: ApiServer) -> bool:
        """Return whether another API server does the same to every manifest."""
        mine, others = ((one.written, one.dropped, one.profiles) for one in (self, other))
        return self.defaults is other.defaults and mine == others


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


def api_server_tables(written: list[Row], dropped: list[Row], profiles: list[Row]) -> ApiServerTables:
    """Read the rows of apiserver.json, of dropped.json and of profiles.json."""
    return ApiServerTables(
        tuple(map(read_default, written)), tuple(map(dropped_field, dropped)), tuple(map(profile, profiles))
    )


def profile(row: Row) -> Profile:
    """Build what a row of profiles.json describes."""
    return Profile(
        row["annotation"],
        row["field"],
        row["types"],
        row["notOn"],
        row["unlessOfPod"],
        parse_range(row["releases"]),
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


def dropped_field(row: Row) -> Dropped:
    """Build what a row of dropped.json describes."""
    return Dropped(
        path=row["path"],
        gate=row["gate"],
        releases=parse_range(row["releases"]),
        source=row["source"],
        becomes=row.get("becomes"),
        emptied=row.get("emptied", ""),
        of=row.get("of", ""),
        container_types=frozenset(row.get("containerTypes", ContainerType)),
    )
