"""Fields of features that are off, which an API server drops when it creates a pod (dropped.json).

Static pods do not pass through an API server and keep such fields.
Source: pkg/api/pod/util.go ``DropDisabledPodFields`` (up to 1.13 ``DropDisabledAlphaFields``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hashcompat.catalog.apiserver import Dropped
from hashcompat.go import jsonpath
from hashcompat.model.pods import ContainerType

Json = Mapping[str, Any]


def without_gated(
    container: Json,
    rows: Iterable[Dropped],
    container_type: ContainerType,
    image_volumes: frozenset[str],
) -> Json:
    """Return the container's JSON without what the rows drop; the same object if they drop nothing.

    ``image_volumes`` names the pod's volumes of images, to which some rows are confined.
    """
    for row in rows:
        container = _without(container, row, container_type, image_volumes)
    return container


def gates_at_work(
    container: Json,
    rows: Iterable[Dropped],
    container_type: ContainerType,
    image_volumes: frozenset[str],
) -> tuple[str, ...]:
    """Return the names of the feature gates whose fields the container sets."""
    found = [
        row.gate for row in rows if _without(container, row, container_type, image_volumes) is not container
    ]
    return tuple(dict.fromkeys(found))


def _without(
    container: Json, row: Dropped, container_type: ContainerType, image_volumes: frozenset[str]
) -> Json:
    keys = jsonpath.keys(row.path)
    if container_type not in row.container_types or keys[0].removesuffix(jsonpath.EACH) not in container:
        return container
    changed: Json = jsonpath.changed(container, keys, _change(row, image_volumes))
    if changed is not container and row.emptied:
        changed = jsonpath.changed(changed, jsonpath.keys(row.emptied), _unless_empty)
    return changed


def _unless_empty(parent: Any) -> Any:
    return jsonpath.GONE if parent == {} else parent


def image_volumes(pod_spec: Json) -> frozenset[str]:
    """Return the names of the pod's volumes with an image as their source."""
    volumes = pod_spec.get("volumes")
    found = [
        volume
        for volume in (volumes if isinstance(volumes, list) else [])
        if isinstance(volume, Mapping) and volume.get("image")
    ]
    return frozenset(name for volume in found if isinstance(name := volume.get("name"), str))


def _change(row: Dropped, image_volumes: frozenset[str]) -> jsonpath.Change:
    result = jsonpath.GONE if row.becomes is None else row.becomes

    def change(value: Any) -> Any:
        if row.of == "imageVolumes":
            mounts_one = isinstance(value, Mapping) and value.get("name") in image_volumes
            return result if mounts_one else value
        return value if value is None or value == result else result

    return change
