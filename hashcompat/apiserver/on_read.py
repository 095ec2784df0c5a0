"""Defaults that an API server writes whenever it reads a pod, stored ones included, or creates it: rows of schemas/apiserver.json.

They reach old pods with the API server's upgrade, before any kubelet changes (kubernetes/kubernetes#63814).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.model.pods import ContainerType

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReadDefault:
    """One row: ``value`` goes to ``path`` where its parent is set and it is not.

    ``container_types`` are those whose containers get it. With ``merge_key`` the value is a list of which
    each item is added that the container lacks and that stands under ``merge_where``.
    """

    path: str
    value: Any
    gate: str | None
    source: str
    container_types: frozenset[str] = frozenset(ContainerType)
    merge_key: str = ""
    merge_where: str = ""


def default_from_row(row: Mapping[str, Any]) -> ReadDefault:
    """Build the default that a row describes."""
    merge = row.get("merge") or {}
    types = frozenset(row.get("containerTypes", ContainerType))
    return ReadDefault(
        row["path"],
        row["value"],
        row["gate"],
        row["source"],
        types,
        merge.get("key", ""),
        merge.get("where", ""),
    )


def as_read(container: Json, defaults: Iterable[ReadDefault]) -> Json:
    """Return the container's JSON as an API server with these defaults gives it back; the same object where nothing changes."""
    for default in defaults:
        container = (
            _merged(container, default)
            if default.merge_key
            else _set(container, default.path.split("."), default.value)
        )
    return container


def _set(value: Json, path: list[str], default: Any) -> Json:
    key, *rest = path
    child = value.get(key)
    if not rest:
        return value if child else {**value, key: default}
    if not isinstance(child, Mapping):
        return value
    changed = _set(child, rest, default)
    return value if changed is child else {**value, key: changed}


def added_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of what ``after``, a container's JSON with more defaults, has in other words than ``before``."""
    match before, after:
        case Mapping(), Mapping():
            for key, item in after.items():
                yield from added_paths(before.get(key), item, f"{path}.{key}".lstrip("."))
        case list(), list() if len(before) == len(after):
            for index, (one, other) in enumerate(zip(before, after, strict=True)):
                yield from added_paths(one, other, f"{path}[{index}]")
        case _ if before != after:
            yield path


def as_unread(container: Json, default: ReadDefault) -> Json:
    """Return the container's JSON without a default that may have been written on reading; the same object where it is not there."""
    return _unset(container, default.path.split("."), default.value)


def _unset(value: Json, path: list[str], default: Any) -> Json:
    key, *rest = path
    child = value.get(key)
    if not rest:
        return {name: item for name, item in value.items() if name != key} if child == default else value
    if not isinstance(child, Mapping):
        return value
    changed = _unset(child, rest, default)
    return value if changed is child else {**value, key: changed}


def _merged(container: Json, default: ReadDefault) -> Json:
    place: Any = container
    for key in default.merge_where.split("."):
        place = place.get(key) if isinstance(place, Mapping) else None
    present = list(container.get(default.path) or ())
    known = {item.get(default.merge_key) for item in present if isinstance(item, Mapping)}
    added = [
        item
        for item in default.value
        if item[default.merge_key] in (place or ()) and item[default.merge_key] not in known
    ]
    return {**container, default.path: [*present, *added]} if added else container
