"""Defaults that an API server sets when it creates a pod or reads a stored one (schemas/apiserver.json).

So an upgrade of the API server changes existing pods, before any kubelet changes
(kubernetes/kubernetes#63814).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.model.pods import ContainerType

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReadDefault:
    """One default, which is set if the field is unset and its parent is set."""

    path: str
    """The field below the container, ``securityContext.procMount``."""

    value: Any
    """The JSON value of the default."""

    gate: str | None
    """The feature gate that the default depends on; None if it does not."""

    source: str
    """The pull request or Go file."""

    container_types: frozenset[str] = frozenset(ContainerType)
    """The types of containers that get the default."""

    merge_key: str = ""
    """If set, ``value`` is a list, and its items are added that the container lacks, by this key."""

    merge_where: str = ""
    """With ``merge_key``: only those items are added whose key is set in the object at this path."""


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
    """Return the container's JSON with these defaults; the same object if nothing changes."""
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
    """Yield the paths where ``after``, a container's JSON with more defaults, differs from ``before``."""
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
    """Return the container's JSON without a default; the same object if the value is not that default."""
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
