"""Where objects hold pod templates, and which workload is above a pod's controller.

A pod names its direct controller alone. What made that one is shown by its name, where a controller of
Kubernetes makes such names: only a name that fits exactly counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.core.go.jsonpath import part, text
from hashcompat.core.regex import regex

_HASH_LABELS: Final = {"pod-template-hash": "Deployment", "rollouts-pod-template-hash": "Rollout"}
"""What follows the owner in a ReplicaSet's name (pkg/controller/deployment/sync.go ``getNewReplicaSet``)."""
_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
"""The characters of encoded hashes (k8s.io/apimachinery/pkg/util/rand ``SafeEncodeString``)."""
_JOB: Final = regex("(.{1,52})-([1-9][0-9]{7}|[1-9][0-9]{9})")
"""CRONJOB-TIME; the name of a CronJob has at most 52 characters (pkg/apis/batch/validation)."""
_MINUTES: Final = range(26_700_000, 100_000_000)
"""Minutes since 1970, from October 2020 on: names of 1.20 and newer (cronjob/utils.go ``getJobName``)."""
_SECONDS: Final = range(1_460_000_000, 10_000_000_000)
"""Seconds since 1970, from April 2016 on: names of 1.4 and newer (cronjob/utils.go ``getTimeHash``)."""


def workload_of(owner: str, labels: Mapping[str, Any], static_on: str = "") -> str:
    """Return the workload of a pod: ``Deployment/web`` above ``ReplicaSet/web-474k6w5gmh``, else its owner.

    ``labels`` are the pod's; ``static_on`` is the node of a static pod, which stands for a missing owner.
    """
    kind, _, name = owner.partition("/")
    if kind == "ReplicaSet":
        return maker_of(name, labels) or owner
    match = _JOB.fullmatch(name) if kind == "Job" else None
    if match and _is_time(int(match[2])):
        return f"CronJob/{match[1]}"
    return owner or (f"Node/{static_on}" if static_on else "")


def maker_of(replica_set: str, labels: Mapping[str, Any]) -> str:
    """Return what made a ReplicaSet, by a label that its pods have too; empty where none fits its name."""
    for label, kind in _HASH_LABELS.items():
        for ending in _endings(text(labels, label)):
            name = replica_set.removesuffix(ending)
            if name and name != replica_set:
                return f"{kind}/{name}"
    return ""


def _endings(value: str) -> Iterator[str]:
    """Yield what a ReplicaSet's name may end in: from 1.8 to 1.11 the label is a number, encoded in names."""
    if value:
        yield f"-{value}"
    if value.isdecimal() and value.isascii():
        yield "-" + "".join(_SAFE[ord(char) % len(_SAFE)] for char in value)


def _is_time(number: int) -> bool:
    """Return whether a number is the time of a schedule; in seconds it is that of a full minute."""
    return number in _MINUTES or (number in _SECONDS and number % 60 == 0)


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
