"""A cache of the latest: replicas are close together in a list, so a small one is enough."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

Key = TypeVar("Key", bound=Hashable)

Value = TypeVar("Value")

Argument = TypeVar("Argument")

KEPT: Final = 256
"""The number of distinct containers in the cache."""

LARGEST: Final = 1 << 22
"""Characters of all specs in the cache together: 256 usual ones have a quarter of it."""


class Latest(dict[Key, Value]):
    """A dict that is emptied when it is full, so that memory does not grow with the cluster."""

    def __init__(self, kept: int = KEPT, largest: int = LARGEST) -> None:
        super().__init__()
        self._kept, self._largest, self._size = kept, largest, 0

    def __setitem__(self, key: Key, value: Value) -> None:
        self.add(key, value)

    def add(self, key: Key, value: Value, size: int = 0) -> None:
        """Set a value that keeps a spec of ``size`` characters in memory."""
        if len(self) >= self._kept or self._size + size > self._largest:
            self.clear()
            self._size = 0
        self._size += size
        super().__setitem__(key, value)


def once(
    compute: Callable[[Argument], Value], key: Callable[[Argument], Hashable]
) -> Callable[[Argument], Value]:
    """Return a function that computes once for all, among the latest, that have the same key."""
    cache: Latest[Hashable, Value] = Latest()

    def run(argument: Argument) -> Value:
        asked = key(argument)
        if asked not in cache:
            cache[asked] = compute(argument)
        return cache[asked]

    return run
