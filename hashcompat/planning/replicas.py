"""What replicas share is computed once; they are close together in a list, so a small cache is enough."""

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
"""The number of distinct containers in the cache."""


class Latest(dict[Key, Value]):
    """A dict that is emptied when it is full, so that memory does not grow with the cluster."""

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= KEPT:
            self.clear()
        super().__setitem__(key, value)


def once_a_spec(compute: Callable[[Prepared], Value]) -> Callable[[Prepared], Value]:
    """Return a function that computes once for all replicas of a container, which share the hashed spec."""
    known: Latest[Hashable, tuple[Prepared, Value]] = Latest()

    def run(prepared: Prepared) -> Value:
        key = id(prepared.old_spec), prepared.case.old
        if key not in known:
            known[key] = prepared, compute(prepared)  # the spec has to live as long as its id is a key
        return known[key][1]

    return run


def remembering(hash_of: HashOf) -> HashOf:
    """Return a function that hashes each container once per kubelet, for containers that stay in memory."""
    known: dict[tuple[int, Kubelet], tuple[Spec, ContainerHash]] = {}

    def run(pod: Pod, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        key = id(spec), kubelet
        if key not in known:
            known[key] = spec, hash_of(pod, spec, kubelet)  # the spec has to live as long as its id is a key
        return known[key][1]

    return run
