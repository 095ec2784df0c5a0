"""Hashes in a snapshot, computed before values were hidden, under a key of the container that Go ignores.

The hash of the text with hidden values is the key, and the true hash is the value. So each type tree, era and
default that changes the text has its own entry, and a kubelet that the snapshot does not cover finds none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.errors import NotStoredError

KEY: Final = "hashcompat.io/hashes"


def true_hash(container: Mapping[str, Any], computed: int) -> int:
    """Return the hash of a container with its values, from the hash that was computed with them hidden.

    For a container that is not from a snapshot the two are the same. Raises NotStoredError for a snapshot
    that does not cover this kubelet.
    """
    stored = container.get(KEY)
    if stored is None:
        return computed
    found = stored.get(f"{computed:x}") if isinstance(stored, Mapping) else None
    if not isinstance(found, int):
        raise NotStoredError("the snapshot contains no hash of this container for this kubelet")
    return found


def without_stored(container: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a container's JSON without the hashes that a snapshot adds."""
    return (
        {name: value for name, value in container.items() if name != KEY} if KEY in container else container
    )
