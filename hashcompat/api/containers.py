"""One container's hash and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hashcompat.api.options import release_of
from hashcompat.catalog.lookup import default_catalog
from hashcompat.kubelet import hashing
from hashcompat.kubelet.hashing import ContainerHash


def container_hash(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> ContainerHash:
    """Return the unsigned 32-bit hash that a kubelet release computes for a container's JSON, unchanged.

    With ``keep_empty`` empty lists and maps count, as in a manifest that a kubelet reads itself; in an API
    pod they are nil. Raises UsageError for an unknown release and DecodeError, with the path, for JSON that
    does not fit the Go types.
    """
    return hashing.container_hash(
        container, default_catalog().kubelet(release_of(kubelet)), keep_empty=keep_empty
    )


def container_text(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> str:
    """Return the exact text that a release hashes for a container's JSON; errors as container_hash."""
    hasher = hashing.hashers(default_catalog().kubelet(release_of(kubelet)), keep_empty=keep_empty)[0]
    return hasher.text(container)
