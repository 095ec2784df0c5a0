"""Which release computes a recorded hash that its kubelet's own release does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError, NotStoredError
from hashcompat.kubelet.hashing import container_hash
from hashcompat.model.hashes import Hash, StoredHashes


class Subject(msgspec.Struct, frozen=True):
    """What a kubelet saw of a container whose hash is recorded."""

    spec: Mapping[str, Any]
    """The container's JSON."""
    keep_empty: bool
    """Whether empty lists and maps count."""
    stored: StoredHashes | None = None
    """What a snapshot stores of its hashes."""


def maker_of(recorded: Hash, subject: Subject, kubelet: Kubelet, catalog: Catalog) -> Kubelet | None:
    """Return the release nearest to a kubelet's that computes a recorded hash; None if no known one does.

    The nearest is the newest of the older ones, else the oldest of the newer ones.
    """
    for other in _other_ways(kubelet, catalog):
        try:
            found = container_hash(subject.spec, other, keep_empty=subject.keep_empty, stored=subject.stored)
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
