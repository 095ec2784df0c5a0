"""Where a runtime keeps its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from hashcompat.core.errors import InputError


class MeanwhileError(InputError):
    """What is to be changed is not what it was a moment ago."""


class Found(msgspec.Struct, frozen=True):
    """A container that a kubelet created, as its runtime keeps it."""

    id: str
    uid: str
    """The UID of its pod."""
    namespace: str
    pod: str
    container: str
    created: int
    """When it was created, in nanoseconds since 1970; 0 if the runtime does not say."""
    hash: str
    """The recorded hash as it is written; empty where there is none."""
    value: bytes
    """All that is kept in that place: an extension, or a file."""
    running: bool
    started: str = ""
    """When it started, as the runtime shows it."""
    type_url: str = ""
    """Of an extension, its type."""


class Place(Protocol):
    """The records of one runtime."""

    kind: str
    """``containerd`` or ``docker``."""

    def find(self, wanted: Iterable[str]) -> list[Found]:
        """Return all containers; of those that are wanted also whether they run, and since when."""

    def with_hash(self, value: bytes, old: str, new: str) -> bytes:
        """Return what is kept with another recorded hash; every other byte stays.

        Raises InputError where the hash in it is not the old one.
        """

    def replace(self, found: Found, value: bytes) -> None:
        """Replace what is kept of a container, whole or not at all. Raises InputError."""


def newest(found: Sequence[Found]) -> Mapping[tuple[str, str], str]:
    """Return the id of the newest container of each name in each pod, which is what a kubelet looks at."""
    rows = sorted(found, key=lambda one: one.created)
    return {(one.uid, one.container): one.id for one in rows}
