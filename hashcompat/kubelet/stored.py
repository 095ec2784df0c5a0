"""The hash of a container whose values a snapshot hides, by the hash of what is in the snapshot.

So each type tree, era and default that changes the text has its own entry, and a kubelet that the snapshot
does not cover finds none.
"""

from __future__ import annotations

from hashcompat.errors import NotStoredError
from hashcompat.model.hashes import Hash, StoredHashes


def true_hash(stored: StoredHashes | None, computed: int) -> Hash:
    """Return the hash of a container with its values, from the hash that was computed with them hidden.

    Where nothing is stored the two are the same. Raises NotStoredError for a snapshot that
    does not cover this kubelet.
    """
    if stored is None:
        return computed
    found = stored.by_text.get(computed)
    if found is None:
        raise NotStoredError("the snapshot does not show how this kubelet hashes this container")
    return found
