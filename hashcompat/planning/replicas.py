"""What replicas share is worked out once; they stand close together in a list, so few of them are remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.model.pods import Pod
from hashcompat.planning.prepare import HashOf, Prepared
from hashcompat.planning.view import Spec

Key = TypeVar("Key", bound=Hashable)

Value = TypeVar("Value")

KEPT: Final = 256
"""Distinct containers that are remembered."""


class Latest(dict[Key, Value]):
    """A dict that starts anew when it is full, so that memory does not grow with the cluster."""

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= KEPT:
            self.clear()
        super().__setitem__(key, value)


def once_a_spec(compute: Callable[[Prepared], Value]) -> Callable[[Prepared], Value]:
    """Return a function that computes once for all replicas of a container: they share the spec that was hashed."""
    known: Latest[Hashable, tuple[Prepared, Value]] = Latest()

    def run(prepared: Prepared) -> Value:
        key = id(prepared.old_spec), prepared.case.old
        if key not in known:
            known[key] = prepared, compute(prepared)  # the spec has to live as long as its id is a key
        return known[key][1]

    return run


def remembering(hash_of: HashOf) -> HashOf:
    """Return the function for containers that stay alive: each is hashed once by each kubelet, however many plans meet it."""
    known: dict[tuple[int, Kubelet], tuple[Spec, ContainerHash]] = {}

    def run(pod: Pod, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        key = id(spec), kubelet
        if key not in known:
            known[key] = spec, hash_of(pod, spec, kubelet)  # the spec has to live as long as its id is a key
        return known[key][1]

    return run
