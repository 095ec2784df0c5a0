"""Fields of features that are off, which an API server drops when it creates a pod (schemas/dropped.json).

Feature gates have their default values. Static pods do not pass through an API server and keep such fields.
Source: pkg/api/pod/util.go ``DropDisabledPodFields`` (up to 1.13 ``DropDisabledAlphaFields``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from hashcompat.model.pods import ContainerType

Json = Mapping[str, Any]

_Change = Callable[[Any], Any]

_DROPPED: Final = object()


def without_gated(
    container: Json,
    rows: Iterable[Mapping[str, Any]],
    container_type: ContainerType,
    image_volumes: frozenset[str],
) -> Json:
    """Return the container's JSON without what the rows drop; the same object if they drop nothing.

    A row drops ``path``, or sets it to ``becomes``, in containers of ``containerTypes``; it also drops
    ``emptied`` if that is now empty. ``of: imageVolumes`` restricts the row to mounts of ``image_volumes``.
    """
    for row in rows:
        container = _without(container, row, container_type, image_volumes)
    return container


def gates_at_work(
    container: Json,
    rows: Iterable[Mapping[str, Any]],
    container_type: ContainerType,
    image_volumes: frozenset[str],
) -> tuple[str, ...]:
    """Return the names of the feature gates whose fields the container sets."""
    found = [
        row["gate"]
        for row in rows
        if _without(container, row, container_type, image_volumes) is not container
    ]
    return tuple(dict.fromkeys(found))


def _without(
    container: Json, row: Mapping[str, Any], container_type: ContainerType, image_volumes: frozenset[str]
) -> Json:
    if container_type not in row.get("containerTypes", ContainerType):
        return container
    changed: Json = _at(container, row["path"].split("."), _change(row, image_volumes))
    if changed is not container and "emptied" in row:
        changed = _at(changed, row["emptied"].split("."), lambda parent: parent or _DROPPED)
    return changed


def image_volumes(pod_spec: Json) -> frozenset[str]:
    """Return the names of the pod's volumes with an image as their source."""
    volumes = pod_spec.get("volumes")
    found = [
        volume
        for volume in (volumes if isinstance(volumes, list) else [])
        if isinstance(volume, Mapping) and volume.get("image")
    ]
    return frozenset(name for volume in found if isinstance(name := volume.get("name"), str))


def _change(row: Mapping[str, Any], image_volumes: frozenset[str]) -> _Change:
    result = row.get("becomes", _DROPPED)

    def change(value: Any) -> Any:
        if row.get("of") == "imageVolumes":
            mounts_one = isinstance(value, Mapping) and value.get("name") in image_volumes
            return result if mounts_one else value
        return value if value == result else result

    return change


def _at(value: Any, path: list[str], change: _Change) -> Any:
    """Change the value at a path below a JSON object; ``[]`` after a key means each element of its list."""
    if not path:
        return change(value)
    if not isinstance(value, Mapping):
        return value
    key = path[0].removesuffix("[]")
    child = value.get(key)
    if child is None:
        return value
    inner = partial(_at, path=path[1:], change=change)
    changed = _each(child, inner) if path[0].endswith("[]") else inner(child)
    if changed is child:
        return value
    return {
        name: changed if name == key else item
        for name, item in value.items()
        if name != key or changed is not _DROPPED
    }


def _each(items: list[Any], change: _Change) -> Any:
    changed = [change(item) for item in items]
    if all(new is old for new, old in zip(changed, items, strict=True)):
        return items
    return [item for item in changed if item is not _DROPPED] or _DROPPED
