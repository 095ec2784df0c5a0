"""What becomes of a container, why, and what was hashed; hashes are numbers, or hidden by a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """What the new kubelet does to a container; UNKNOWN never counts as unchanged."""

    RESTART = "RESTART"
    """It kills the container and creates it again."""

    KILL = "KILL"
    """It kills the container and does not start it again."""

    KEEP = "KEEP"
    """It leaves the container as it is."""

    UNKNOWN = "UNKNOWN"
    """The input does not determine what it does."""

    __hash__ = str.__hash__  # that of Enum is a function in Python, and plans count verdicts


FINDINGS = frozenset({Verdict.RESTART, Verdict.KILL})
"""The verdicts that an upgrade is stopped for."""


class Reason(msgspec.Struct, frozen=True, gc=False):
    """Why a verdict is what it is."""

    id: str
    """The id of the rule, ``HC004``."""

    text: str
    """The reason in a few words, with the names and releases of this case."""

    path: str = ""
    """The field that causes it, below the container (``volumeMounts[*].subPathExpr``); empty if none does."""

    field: str = ""
    """The Go name of that field."""


class Hashes(msgspec.Struct, frozen=True, gc=False):
    """A container's hashes, unsigned 32-bit numbers; None where a hash is unknown or hidden by a snapshot."""

    recorded: int | None = None
    """The hash that a kubelet recorded when it created the container."""

    from_: int | None = None
    """The hash that the current release computes."""

    to: int | None = None
    """The hash that the target release computes."""


# Hashes as values: numbers, and those that a snapshot hides.


class HiddenHash(msgspec.Struct, frozen=True):
    """A hash that a snapshot hides: of one container, two are equal where the hashes are.

    Those of two containers have nothing to do with each other, and nothing compares them.
    """

    number: int
    """Which of the container's hashes it is, from 1; 0 for a recorded one of no container in the snapshot."""


Hash = int | HiddenHash
"""An unsigned 32-bit hash, or one that a snapshot hides."""


class StoredHashes(msgspec.Struct, frozen=True):
    """What a snapshot stores about the hashes of a container with hidden values."""

    by_text: Mapping[int, Hash]
    """The hash of the container with its values, by that of the container as the snapshot has it."""

    hidden: bool
    """Whether hashes are hidden; otherwise all of them are numbers."""

    def covers(self, recorded: Hash) -> bool:
        """Return whether a recorded hash can be compared with the container's.

        A hidden one can where this snapshot hides hashes too, and a number where it is one of no hidden value
        or where none is hidden.
        """
        if isinstance(recorded, HiddenHash):
            return self.hidden and recorded.number > 0
        return not self.hidden or recorded in self.by_text.values()


def comparable(recorded: Hash | None, stored: StoredHashes | None) -> bool:
    """Return whether a recorded hash can be compared with those that kubelets compute of a container.

    ``stored`` is what the container's snapshot stores of it; None where it is as its kubelet sees it. That
    nothing was recorded (None) is the same for all of them.
    """
    if recorded is None:
        return True
    return not isinstance(recorded, HiddenHash) if stored is None else stored.covers(recorded)


def number_of(value: Hash | None) -> int | None:
    """Return a hash as a report shows it: None for a hidden one."""
    return value if isinstance(value, int) else None
