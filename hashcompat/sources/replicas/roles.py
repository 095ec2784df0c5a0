"""What a pod's strings are for: which are its own, which only its hashes depend on, and which decide.

Those of its status are not named: a status is read of each pod.

A ``Form`` is a JSON value with slots, where the values that are alike have other strings and numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final

import msgspec

from hashcompat.core.corev1.scheduling import OF_DAEMON_SETS, SYSTEM, is_token_mount
from hashcompat.core.go.jsonpath import EACH, Tree, tree_of
from hashcompat.sources.snapshots import WORKLOAD

Steps = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""
_ANY: Final = "*"
"""Stands for every key of an object, and for all that is below it."""


class Role(Enum):
    """What a string in a slot is for."""

    UNREAD = auto()
    """Nothing reads it."""
    OWN = auto()
    """It is read of each pod: a name, an address, a time, an id."""
    BLANK = auto()
    """It is part of a container's hash, and of nothing else that decides."""
    DECIDES = auto()
    """Verdicts may depend on it, so pods in which it differs are not replicas."""


_CONTAINERS: Final = ("containers", "initContainers")
_RUNNERS: Final = (
    *(("livenessProbe",), ("readinessProbe",)),
    *(("lifecycle", hook) for hook in ("postStart", "preStop")),
)
_ROLES: Final = {
    Role.UNREAD: (
        *(
            ("metadata", key)
            for key in (
                "resourceVersion",
                "generateName",
                "selfLink",
                "deletionTimestamp",
            )
        ),
        ("metadata", "annotations", _ANY),
        ("metadata", "managedFields", _ANY),
        ("metadata", "ownerReferences", EACH, "apiVersion"),
        *(("spec", "affinity", key, _ANY) for key in ("podAffinity", "podAntiAffinity")),
        ("spec", "topologySpreadConstraints", _ANY),
        *(
            ("spec", key)
            for key in (
                "serviceAccount",
                "serviceAccountName",
                "schedulerName",
                "subdomain",
                "priorityClassName",
            )
        ),
    ),
    Role.OWN: (
        *(("metadata", key) for key in ("name", "namespace", "uid", "creationTimestamp")),
        ("metadata", "labels", _ANY),
        *(("metadata", "ownerReferences", EACH, key) for key in ("kind", "name", "uid")),
        ("spec", "nodeName"),
        ("spec", "hostname"),
        ("spec", "volumes", _ANY),
        # Since 1.12 the DaemonSet controller pins each pod to its node by the affinity in its spec.
        (*OF_DAEMON_SETS, EACH, "matchFields", EACH, "values", EACH),
    ),
    Role.DECIDES: (
        ("metadata", "annotations", "kubernetes.io/created-by"),
        ("metadata", "annotations", WORKLOAD),
        ("metadata", "labels", SYSTEM),
    ),
    Role.BLANK: tuple(
        ("spec", key, EACH, *steps)
        for key in _CONTAINERS
        for steps in (
            *(("image",), ("workingDir",), ("command", EACH), ("args", EACH)),
            *(("env", EACH, "name"), ("env", EACH, "value")),
            *(
                ("env", EACH, "valueFrom", source, key)
                for source in ("configMapKeyRef", "secretKeyRef")
                for key in ("name", "key")
            ),
            *(("envFrom", EACH, source, "name") for source in ("configMapRef", "secretRef")),
            *(
                (*owner, *handler)
                for owner in _RUNNERS
                for handler in (("exec", "command", EACH), ("httpGet", "path"))
            ),
            *(("volumeMounts", EACH, key) for key in ("name", "mountPath", "subPath")),
        )
    ),
}
_TREE: Final = tree_of((path, role) for role, paths in _ROLES.items() for path in paths)


def role_of(steps: Steps) -> Role:
    """Return what the string at a place of a pod is for; what is not named here decides."""
    tree: Tree = _TREE
    for step in steps:
        key = EACH if isinstance(step, int) else step
        if key not in tree:
            return _mark(tree[_ANY]) if _ANY in tree else Role.DECIDES
        tree = tree[key]
    return _mark(tree)


def _mark(tree: Tree) -> Role:
    mark: Any = tree.mark
    return mark if isinstance(mark, Role) else Role.DECIDES


_SHARED: Final = frozenset({"apiVersion", "kind", "type", "status", "phase", "qosClass", "operation"})
"""Keys whose strings are those of many pods, or decide."""
_OF_SPEC: Final = frozenset({"nodeName", "hostname"})


def is_own_at_first(section: int, key: str, text: str, name: str) -> bool:
    """Return whether a string seems to be a pod's own, before another pod shows which are.

    ``section`` is 1 in the spec; ``name`` is the pod's.
    """
    if section != 1:
        return key not in _SHARED
    return key in _OF_SPEC or name in text or is_token_mount(text)


class Form(msgspec.Struct, frozen=True):
    """A JSON value with slots."""

    values: tuple[Any, ...]
    """It, and each object or list in it that has a slot somewhere, as in the first pod."""
    links: tuple[tuple[int, int, Any], ...]
    """The numbers of such a one and of the one that holds it, and its key or index there."""
    texts: tuple[tuple[int, Any, int], ...]
    """Where strings go: the number of the one that holds it, its key or index there, and the slot."""
    integers: tuple[tuple[int, Any, int], ...]
    """The same of integers."""

    def filled(self, values: Sequence[str] | Mapping[int, str]) -> Any:
        """Return the value with others in the slots; the rest is shared."""
        # Only what has slots is copied: all else is one object in every replica, which is most of the memory
        # saved.
        new = [value.copy() for value in self.values]
        for number, holder, step in self.links:
            new[holder][step] = new[number]
        for number, step, slot in self.texts:
            new[number][step] = values[slot]
        for number, step, slot in self.integers:
            new[number][step] = int(values[slot])
        return new[0]


class Places(dict[Any, Any]):
    """Where values go in a JSON value: by keys and indexes, to the numbers of the slots."""

    def form(self, value: Any) -> Form:
        """Return the form of a value."""
        values, links = [value], list[tuple[int, int, Any]]()
        texts, integers = list[tuple[int, Any, int]](), list[tuple[int, Any, int]]()
        todo = [(0, self)]
        for holder, places in todo:  # grows meanwhile
            for step, inner in places.items():
                there = values[holder][step]
                if type(inner) is Places:
                    links.append((len(values), holder, step))
                    todo.append((len(values), inner))
                    values.append(there)
                else:
                    (texts if type(there) is str else integers).append((holder, step, inner))
        return Form(tuple(values), tuple(links), tuple(texts), tuple(integers))

    def slots(self) -> Iterator[int]:
        """Yield the numbers."""
        return (slot for _, slot in self.leaves())

    def leaves(self) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Yield the keys and indexes of each, and its number."""
        for step, inner in self.items():
            if type(inner) is Places:
                yield from (((step, *steps), slot) for steps, slot in inner.leaves())
            else:
                yield (step,), inner

    def only(self, slots: Collection[int]) -> Places:
        """Return the places of some slots."""
        places = Places()
        for steps, slot in self.leaves():
            if slot in slots:
                places.put(steps, slot)
        return places

    def put(self, steps: tuple[str | int, ...], slot: int) -> None:
        """Add a place."""
        *above, last = steps
        places = self
        for step in above:
            places = places.setdefault(step, Places())
        places[last] = slot

    def at(self, *steps: str | int) -> Places:
        """Return the places in a value; none where none is in it."""
        places = self
        for step in steps:
            places = places.get(step, _NONE)
        return places


_NONE: Final = Places()
