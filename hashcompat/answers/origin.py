"""What another release hashes of a container that its kubelet's own release does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.answers.deep import differences
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.hashing import hashers
from hashcompat.planning.origin import maker_of


@dataclass(frozen=True, slots=True)
class Origin:
    """A release that computes a recorded hash, and what it hashes that the kubelet's own release does not."""

    release: str
    """The nearest such release: the newest of the older ones, else the oldest of the newer ones."""
    era: str
    """Its era."""
    fields: tuple[str, ...]
    """The places where what the two releases hash differs; empty where their eras differ."""


def origin_of(
    recorded: int, spec: Mapping[str, Any], kubelet: Kubelet, catalog: Catalog, *, keep_empty: bool
) -> Origin | None:
    """Return the release that computes a recorded hash of a container; None if no known release does."""
    other = maker_of(recorded, spec, kubelet, catalog, keep_empty=keep_empty)
    if other is None:
        return None
    fields = _fields(spec, other, kubelet, keep_empty=keep_empty)
    return Origin(str(other.release), other.era.name, fields)


def _fields(spec: Mapping[str, Any], one: Kubelet, other: Kubelet, *, keep_empty: bool) -> tuple[str, ...]:
    if one.era is not other.era:
        return ()
    trees = [hashers(kubelet, keep_empty=keep_empty)[0].tree(spec) for kubelet in (one, other)]
    return tuple(found.place for found in differences(*trees))
