"""Where an object holds a pod template: the workload kinds by their API, any other kind by its structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.go.jsonpath import part, text

Place = tuple[str, ...]
"""The keys from an object down to its pod template."""

USUAL: Final[Place] = ("spec", "template")

_PLACES: Final[Mapping[str, Place]] = {
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"), USUAL),
    **dict.fromkeys(("ReplicationController", "Job"), USUAL),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "PodTemplate": ("template",),
}

_GROUPS: Final = frozenset({"", "apps", "batch", "extensions"})
"""The API groups of those kinds; another group may have a kind of the same name and any structure."""

_WITHOUT_PODS: Final = frozenset({"Pod", "Node", "ControllerRevision"})
"""Kinds without a pod template of their own; a ControllerRevision is the history of one."""

_NOT_SEARCHED: Final = frozenset({"metadata", "status"})


def group_of(value: Mapping[str, Any]) -> str:
    """Return the API group of an object, empty for the core group and where ``apiVersion`` is missing."""
    return text(value, "apiVersion").rpartition("/")[0]


def is_workload(value: Mapping[str, Any]) -> bool:
    """Return whether an object is of a workload kind of Kubernetes' own, by its API group too."""
    kind = value.get("kind")
    return isinstance(kind, str) and kind in _PLACES and group_of(value) in _GROUPS


def place_of(value: Mapping[str, Any]) -> Place | None:
    """Return where an object holds the pod template that is read; None for an object without one.

    Of a kind that is not known, only ``spec.template`` is read, and only where an API server would accept its
    containers: each needs a name.
    """
    kind = value.get("kind")
    if kind in _WITHOUT_PODS:
        return None
    if is_workload(value):
        return _PLACES[value["kind"]]
    containers = _containers(part(value, "spec").get("template"))
    return USUAL if containers and all(text(one, "name") for one in containers) else None


def unread_places(value: Mapping[str, Any]) -> list[str]:
    """Return the JSON paths of the pod templates that are not read (``$.spec.groups[*].template``)."""
    place = place_of(value)
    if value.get("kind") in _WITHOUT_PODS or (place and value.get("kind") in _PLACES):
        return []
    read = "$." + ".".join(place) if place else ""
    return sorted(path for path in set(_templates(value)) if path != read)


def _templates(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of everything named a template that has containers; visit each value once."""
    todo: list[tuple[str, Any]] = [
        (f"$.{key}", child) for key, child in value.items() if key not in _NOT_SEARCHED
    ]
    seen = set[int]()  # YAML aliases can repeat one value without end
    while todo:
        path, child = todo.pop()
        if not isinstance(child, Mapping | list) or id(child) in seen:
            continue
        seen.add(id(child))
        if path.lower().endswith("template") and _containers(child):
            yield path
        elif isinstance(child, list):
            todo += [(f"{path}[*]", item) for item in child]
        else:
            todo += [(f"{path}.{key}", item) for key, item in child.items()]


def _containers(template: object) -> list[Mapping[str, Any]]:
    """Return the containers of a pod template, none where it is not a pod template."""
    containers = part(template, "spec").get("containers") if isinstance(template, Mapping) else None
    if not isinstance(containers, list) or not all(isinstance(one, Mapping) for one in containers):
        return []
    return containers
