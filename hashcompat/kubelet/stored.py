"""Hashes that were computed before values were hidden: a container of a snapshot carries them under a key that no Go type knows.

Which hash belongs to which kubelet is told by the text itself: what a kubelet would hash with the values
hidden has a hash too, and that one leads to the true one. So whatever changes the text (another type tree,
era, default) finds its own entry or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.errors import NotStoredError

KEY: Final = "hashcompat.io/hashes"


def true_hash(container: Mapping[str, Any], computed: int) -> int:
    """Return the hash of a container's JSON with its values, given the one that was computed without them.

    Raises NotStoredError for a container of a snapshot that was made without this kind of kubelet.
    """
    stored = container.get(KEY)
    if stored is None:
        return computed
    found = stored.get(f"{computed:x}") if isinstance(stored, Mapping) else None
    if not isinstance(found, int):
        raise NotStoredError("the snapshot holds no hash of this container for this kubelet")
    return found


def without_stored(container: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a container's JSON as Kubernetes knows it."""
    return (
        {name: value for name, value in container.items() if name != KEY} if KEY in container else container
    )
