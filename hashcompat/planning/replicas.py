"""What replicas share is computed once; they are close together in a list, so a small cache is enough."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.model.pods import Container, Pod
from hashcompat.planning.prepare import HashOf, Prepared
from hashcompat.planning.view import Spec

Key = TypeVar("Key", bound=Hashable)

Value = TypeVar("Value")

KEPT: Final = 256
"""The number of distinct containers in the cache."""

LARGEST: Final = 1 << 22
"""Characters of all specs in the cache together: 256 usual ones have a quarter of it."""


class Latest(dict[Key, Value]):
    """A dict that is emptied when it is full, so that memory does not grow with the cluster."""

    def __init__(self, kept: int = KEPT) -> None:
        super().__init__()
        self._kept, self._size = kept, 0

    def __setitem__(self, key: Key, value: Value) -> None:
        self.add(key, value)

    def add(self, key: Key, value: Value, size: int = 0) -> None:
        """Set a value that keeps a spec of ``size`` characters in memory."""
        if len(self) >= self._kept or self._size + size > LARGEST:
            self.clear()
            self._size = 0
        self._size += size
        super().__setitem__(key, value)


def once_a_spec(compute: Callable[[Prepared], Value]) -> Callable[[Prepared], Value]:
    """Return a function that computes once for all replicas of a container, which share the hashed spec."""
    known: Latest[Hashable, Value] = Latest()

    def run(prepared: Prepared) -> Value:
        key = prepared.group, prepared.case.old
        if key not in known:
            known[key] = compute(prepared)
        return known[key]

    return run


class Remembering:
    """Hashes each container once per kubelet, as long as nobody makes it forget: its specs stay in memory."""

    def __init__(self, hash_of: HashOf) -> None:
        self._hash_of = hash_of
        self._known: dict[tuple[int, Kubelet], tuple[Spec, ContainerHash]] = {}

    def __call__(self, pod: Pod, container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        """Return the hash of a container's spec under a kubelet."""
        key = id(spec), kubelet  # the spec has to live as long as its id is a key
        if key not in self._known:
            self._known[key] = spec, self._hash_of(pod, container, spec, kubelet)
        return self._known[key][1]

    def forget(self) -> None:
        """Release the specs and their hashes."""
        self._known.clear()
