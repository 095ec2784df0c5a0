"""Which nodes of a rollout were started, are done or have failed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec


class Phase(StrEnum):
    """How far a node is."""

    STARTED = "started"
    """Its turn was taken, and what became of its containers was not decided yet."""

    DONE = "done"
    """Its containers are as the plan predicted."""

    FAILED = "failed"
    """Something happened there that the plan did not predict."""


class Turn(msgspec.Struct, frozen=True):
    """One node's turn."""

    phase: Phase
    id: str
    """A random name of the run that took it, so that a run knows its own."""

    holder: str
    """Who took it, in words for people: ``ci@runner-7``."""

    plan: str
    """The digest of the plan by which it was taken."""

    started: datetime
    """When it was taken, UTC."""

    ended: datetime | None = None
    """When it was decided, UTC; None until then."""

    reason: str = ""
    """What decided."""


class Rollout(msgspec.Struct, frozen=True):
    """The state that the pipelines of one rollout share."""

    turns: Mapping[str, Turn] = msgspec.field(default_factory=dict)
    """By the name of the node."""
