"""What another release hashes of a container that its kubelet's own release does not."""

from __future__ import annotations

import msgspec

from hashcompat.answers.deep import differences
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.hashing import hashers
from hashcompat.model.hashes import Hash
from hashcompat.planning.creators import Subject, maker_of


class Origin(msgspec.Struct, frozen=True):
    """A release that computes a recorded hash, and what it hashes that the kubelet's own release does not."""

    release: str
    """The nearest such release: the newest of the older ones, else the oldest of the newer ones."""
    era: str
    """Its era."""
    fields: tuple[str, ...]
    """The places where what the two releases hash differs; empty where their eras differ."""


def origin_of(recorded: Hash, subject: Subject, kubelet: Kubelet, catalog: Catalog) -> Origin | None:
    """Return the release that computes a recorded hash of a container; None if no known release does."""
    other = maker_of(recorded, subject, kubelet, catalog)
    if other is None:
        return None
    fields = _fields(subject, other, kubelet)
    return Origin(str(other.release), other.era.name, fields)


def _fields(subject: Subject, one: Kubelet, other: Kubelet) -> tuple[str, ...]:
    if one.era is not other.era:
        return ()
    keep_empty, spec = subject.keep_empty, subject.spec
    trees = [hashers(kubelet, keep_empty=keep_empty)[0].tree(spec) for kubelet in (one, other)]
    return tuple(found.place for found in differences(*trees))
