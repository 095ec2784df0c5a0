"""What becomes of a container, why, and what was hashed."""

from __future__ import annotations

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
