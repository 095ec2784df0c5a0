"""Which release computes a recorded hash that its kubelet's own release does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError, NotStoredError
from hashcompat.kubelet.hashing import container_hash


def maker_of(
    recorded: int, spec: Mapping[str, Any], kubelet: Kubelet, catalog: Catalog, *, keep_empty: bool
) -> Kubelet | None:
    """Return the release nearest to a kubelet's that computes a recorded hash; None if no known one does.

    The nearest is the newest of the older ones, else the oldest of the newer ones.
    """
    for other in _other_ways(kubelet, catalog):
        try:
            found = container_hash(spec, other, keep_empty=keep_empty)
        except (DecodeError, NotStoredError):
            continue
        if recorded in found.candidates:
            return other
    return None


def _other_ways(kubelet: Kubelet, catalog: Catalog) -> Iterator[Kubelet]:
    """Yield a release for each other way of hashing, the nearest one first."""
    known = {kubelet.way}
    for name in catalog.known.outwards(kubelet.release):
        other = catalog.kubelet(name)
        if other.way not in known:
            known.add(other.way)
            yield other
