"""What of a pod is its own, so that its replicas have other texts there: names, addresses, times, ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashcompat.corev1.daemonsets import OF_DAEMON_SETS
from hashcompat.corev1.tokenmounts import is_token_mount
from hashcompat.go.jsonpath import EACH, Tree, is_object, mapping, tree_of
from hashcompat.go.pattern import Own, is_plain

Steps = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

_TIMES: Final = ("containerID", "startedAt", "finishedAt")

_STATES: Final = tuple(
    (*state, key)
    for state in (("state", "running"), ("state", "terminated"), ("lastState", "terminated"))
    for key in _TIMES
)

_ALWAYS: Final = (
    *(("metadata", key) for key in ("name", "uid", "resourceVersion", "creationTimestamp")),
    ("metadata", "managedFields", EACH, "time"),
    ("spec", "nodeName"),
    (*OF_DAEMON_SETS, EACH, "matchFields", EACH, "values", EACH),
    *(("status", key) for key in ("podIP", "hostIP", "startTime")),
    *(("status", key, EACH, "ip") for key in ("podIPs", "hostIPs")),
    ("status", "conditions", EACH, "lastTransitionTime"),
    *(
        ("status", key, EACH, *steps)
        for key in ("containerStatuses", "initContainerStatuses")
        for steps in (("containerID",), ("restartCount",), *_STATES)
    ),
)
"""What is a pod's own even where two pods have the same there."""

_DIFFERING: Final = (
    *(
        ("metadata", "labels", key)
        for key in (
            "statefulset.kubernetes.io/pod-name",
            "apps.kubernetes.io/pod-index",
            "batch.kubernetes.io/job-completion-index",
        )
    ),
    *(
        ("metadata", "annotations", key)
        for key in (
            *(f"cni.projectcalico.org/{key}" for key in ("containerID", "podIP", "podIPs")),
            *(f"ovn.kubernetes.io/{key}" for key in ("ip_address", "mac_address")),
        )
    ),
    ("spec", "hostname"),
    ("spec", "volumes", EACH, "name"),
    *(
        ("spec", key, EACH, *steps)
        for key in ("containers", "initContainers")
        for steps in (
            ("args", EACH),
            ("command", EACH),
            ("env", EACH, "value"),
            ("image",),
            ("volumeMounts", EACH, "name"),
        )
    ),
    *(
        ("status", key, EACH, name)
        for key in ("containerStatuses", "initContainerStatuses")
        for name in ("image", "imageID")
    ),
)
"""What counts as a pod's own where two replicas differ: nothing but hashes depends on it (planning/kinds)."""


_ROOT: Final = tree_of(
    (path, always) for paths, always in ((_ALWAYS, True), (_DIFFERING, False)) for path in paths
)
"""The paths of what may be a pod's own, each with whether it always is."""


class Found(msgspec.Struct, frozen=True):
    """A place of a pod's own string or number."""

    path: Steps
    own: Own


def own_of(value: Mapping[str, Any], name: str, other: Mapping[str, Any] | None) -> list[Found]:
    """Return what is the own of a pod with a name, as JSON, in the order of its text.

    ``other`` is a replica of it, if there is one yet. Without it, the pod's name and that of its token mount
    show what else may be its own.
    """
    search = _Search(name)
    search.into(value, other, _ROOT, ())
    return search.found


class _Search:
    """Goes through a pod, and keeps what it finds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.found: list[Found] = []

    def into(self, value: Any, other: Any, tree: Tree, steps: Steps) -> None:
        """Look into a value of the pod and into the one there in its replica, if there is any."""
        if is_object(value):
            there = mapping(other)
            for key in value:
                if key in tree:
                    self.into(value[key], there.get(key), tree[key], (*steps, key))
        elif isinstance(value, list):
            alike = isinstance(other, list) and len(other) == len(value)
            for index, one in enumerate(value if EACH in tree else ()):
                self.into(one, other[index] if alike else None, tree[EACH], (*steps, index))
        elif not tree and (tree.mark or self._differs(value, other)):
            self._leaf(value, steps)

    def _differs(self, value: Any, other: Any) -> bool:
        if not isinstance(value, str):
            return False
        return (isinstance(other, str) and other != value) or self._name in value or is_token_mount(value)

    def _leaf(self, value: Any, steps: Steps) -> None:
        if isinstance(value, str) and is_plain(value):
            self.found.append(Found(steps, Own("", value)))
        elif type(value) is int and 0 <= value < 10**9:
            self.found.append(Found(steps, Own(str(steps[-1]), str(value))))
