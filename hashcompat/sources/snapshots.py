"""The hashes of containers in a snapshot: which kubelets hash one alike.

A hash is a number, or ``h`` and the number of one that the snapshot hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go.jsonpath import part
from hashcompat.go.jsontext import clean, kind_of
from hashcompat.model.hashes import Hash, HiddenHash, StoredHashes
from hashcompat.regex import regex
from hashcompat.shown import name
from hashcompat.sources.statuses import time_of

KIND: Final = "ClusterSnapshot"

HASHES: Final = "hashcompat.io/hashes"
"""A key of a snapshot's containers; anywhere else it is a field that Go does not know."""

WORKLOAD: Final = "hashcompat.io/workload"
"""The annotation of a snapshot's pods that names their workload, for the labels that show it are not kept."""

PUBLIC: Final = "same"
"""Stands for a hash in which no hidden value takes part: the one computed of what is in the snapshot."""

HIDDEN: Final = "hidden"
"""What the spec of a snapshot says of hashes over hidden values; otherwise they are kept."""

_NUMBER: Final = regex(r"h(0|[1-9][0-9]{0,8})")

_TEXT: Final = regex(r"[0-9a-f]{1,8}")

_LIMIT: Final = 1 << 32
"""Hashes have 32 bits."""


def text_of(value: Hash) -> int | str:
    """Return a hash as a snapshot holds it."""
    return f"h{value.number}" if isinstance(value, HiddenHash) else value


def document_of(stored: StoredHashes) -> dict[str, int | str]:
    """Return a container's stored hashes as a snapshot holds them."""
    return {f"{text:x}": _stored_text(one, stored) for text, one in stored.by_text.items()}


def _stored_text(value: Hash, stored: StoredHashes) -> int | str:
    return PUBLIC if stored.hidden and isinstance(value, int) else text_of(value)


def stored_hashes(value: object, place: str) -> StoredHashes:
    """Read a container's stored hashes.

    Raises InputError, which names the place, for what no snapshot has.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: want an object, got {kind_of(value)}; take a new snapshot")
    hidden = any(isinstance(one, str) for one in value.values())
    by_text: dict[int, Hash] = {}
    for text, one in value.items():
        found = int(text, 16) if one == PUBLIC and _TEXT.fullmatch(text) else hash_of(one)
        if found is None or not _TEXT.fullmatch(text) or isinstance(one, str) != hidden:
            raise InputError(f"{place}: {name(text)!r}: no hash of a snapshot; take a new one")
        by_text[int(text, 16)] = found
    return StoredHashes(by_text, hidden=hidden)


def warnings(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what plans of a snapshot do not show."""
    spec = document.get("spec")
    if isinstance(spec, Mapping) and spec.get("hashes") == HIDDEN:
        yield (
            "the snapshot hides values and the hashes over them: such a hash is shown as none"
            " (snapshot --with-hashes keeps them)"
        )


def taken_at(document: Mapping[str, Any], origin: str) -> datetime | None:
    """Return when a snapshot was taken, UTC; None where it does not say that, as older ones.

    Raises InputError, with ``origin``, for anything but a time.
    """
    text = part(document, "spec").get("takenAt")
    if text is None:
        return None
    is_time, found = time_of(text) if isinstance(text, str) else (False, None)
    if not is_time:
        raise InputError(
            f"{origin}: $.spec.takenAt: want a time such as 2026-01-31T12:00:00Z; take a new snapshot"
        )
    return found


def cluster_of(document: Mapping[str, Any], origin: str) -> str:
    """Return the UID of a snapshot's cluster; empty where it does not say that, as older ones.

    Raises InputError, with ``origin``, for anything but a string.
    """
    uid = part(document, "spec").get("clusterUID")
    if not isinstance(uid, str | None):
        raise InputError(
            f"{origin}: $.spec.clusterUID: want a string, got {kind_of(uid)}; take a new snapshot"
        )
    return clean(uid or "")


def hash_of(value: object) -> Hash | None:
    """Return what ``text_of`` makes a text of; None for anything else."""
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value)):
        return HiddenHash(int(match[1]))
    return value if type(value) is int and 0 <= value < _LIMIT else None
