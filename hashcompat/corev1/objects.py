"""A manifest's JSON on its way to the internal pod: copying it, reaching into it, finding its objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from hashcompat.catalog.defaults import Default
from hashcompat.go.types import Coded, GoType, Pointer, Slice, Struct

Json = dict[str, Any]


class Site(msgspec.Struct, frozen=True):
    """Where a default applies."""

    row: Default
    """The default."""

    target: Json
    """An object that it applies to, which is changed in place."""

    host_network: bool = False
    """Whether the pod uses the host's network."""


def own(value: Any) -> Any:
    """Return a deep copy of maps and lists.

    Shared ones (YAML aliases) are copied for each place, so that a default set in one does not appear in
    another.
    """
    match value:
        case Mapping():
            return {key: own(item) for key, item in value.items()}
        case list() | tuple():
            return [own(item) for item in value]
    return value


def objects(go_type: GoType, value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Json]]:
    """Yield the Go name, the place and the JSON object of every struct of the tree that the JSON reaches.

    The place is the key below spec or status; an embedded struct is yielded with the object that contains it.
    A null in a list of structs is replaced by ``{}``, and a missing struct by value is added as ``{}``: Go
    decodes both to a zero value, which gets defaults like any other.
    """
    match go_type, value:
        case (Pointer(_, elem), _):
            yield from objects(elem, value, path)
        case (Struct(), dict()):
            yield go_type.name, path[1] if len(path) > 1 else "", value
            for field in go_type.fields:
                if field.json and _by_value(field.type) and value.get(field.json) is None:
                    value[field.json] = {}
                if not field.json:
                    yield from objects(field.type, value, path)
                elif field.json in value:
                    yield from objects(field.type, value[field.json], (*path, field.json))
        case (Slice(_, elem), list()):
            if isinstance(elem, Struct):
                value[:] = [{} if item is None else item for item in value]
            for item in value:
                yield from objects(elem, item, path)


def _by_value(go_type: GoType) -> bool:
    return isinstance(go_type, Struct) and not isinstance(go_type, Coded)


def list_address(status: Json) -> None:
    """Replace a status' ``podIPs`` by ``podIP`` where they differ.

    Source: ``Convert_v1_PodStatus_To_core_PodStatus``, and from 1.37 on ``SetDefaults_PodStatus``.
    """
    address, addresses = status.get("podIP"), status.get("podIPs") or [{}]
    if address and (addresses[0] or {}).get("ip") != address:
        status["podIPs"] = [{"ip": address}]
