"""What is known of many clusters, each for every target release, and the waves in which they are upgraded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from hashcompat.core.model.results import Making


class Standing(StrEnum):
    """How a cluster counts for a target release; worst first."""

    FAIL = "FAIL"
    """Its plan fails the policy."""
    UNDECIDED = "UNDECIDED"
    """The policy does not decide, or nothing is known: unreadable, refused, lost."""
    PASS = "PASS"  # noqa: S105 - no password
    LEFT_OUT = "LEFT_OUT"
    """It does not count: superseded, or a node runs a newer release."""


class Upgrade(msgspec.Struct, frozen=True):
    """What one target release does to one cluster."""

    target: str
    standing: Standing
    status: str
    """As in the table ``clusters``: ``planned``, ``unreadable`` and so on."""
    why: str = ""
    """The line of the policy that decided, or why it was not planned."""
    restarts: int | None = None
    """Containers that are killed; None unless planned."""
    unknown: int | None = None
    pods_affected: int | None = None
    nodes_affected: int | None = None
    done: bool = False
    """Whether all of its nodes run the target release."""


class Cluster(msgspec.Struct, frozen=True):
    """One input: a cluster, as its file shows it."""

    name: str
    source: str
    uid: str = ""
    taken: datetime | None = None
    labels: Mapping[str, str] = {}
    running: tuple[str, ...] = ()
    """The kubelet releases that its nodes report, oldest first."""
    nodes: int | None = None
    pods: int | None = None
    containers: int | None = None
    upgrades: tuple[Upgrade, ...] = ()
    """In the order of the fleet's targets."""

    @property
    def standing(self) -> Standing:
        """How it counts for the target for which it counts worst."""
        order = [*Standing]
        return min((one.standing for one in self.upgrades), key=order.index)


class Shared(msgspec.Struct, frozen=True):
    """What clusters have in common: a reason, or an owner of containers that are killed."""

    names: tuple[str, ...]
    """Of a reason its rule, path and verdict, of an owner its namespace and ``KIND/NAME``."""
    clusters: Mapping[str, int]
    """How many clusters have it, by target."""
    containers: Mapping[str, int]
    """How many of their containers, by target."""

    @property
    def weight(self) -> tuple[int, int]:
        """How many clusters have it, and how many containers: for the target that has the most."""
        return max(self.clusters.values()), max(self.containers.values())


class Wave(msgspec.Struct, frozen=True):
    """Clusters that are upgraded one after another, or at once, once the wave before is seen to be well."""

    number: int
    """From 1."""
    group: str
    """The value of the label by which groups are in order; empty for a wave of all groups."""
    canaries: bool
    clusters: tuple[Cluster, ...]
    """Fewest restarts first."""


class LeftOut(msgspec.Struct, frozen=True):
    """A cluster that is in no wave."""

    cluster: Cluster
    reason: str
    """``failed``, ``undecided``, ``upgraded``, ``no-canary``, or the status of what was not planned."""
    why: str


class Waves(msgspec.Struct, frozen=True):
    """The waves of one target release."""

    target: str
    waves: tuple[Wave, ...]
    left_out: tuple[LeftOut, ...]


class Fleet(msgspec.Struct, frozen=True):
    """What a run over many clusters came to."""

    targets: tuple[str, ...]
    out: str
    """Where the tables are."""
    inputs: int
    statuses: Mapping[str, Mapping[str, int]]
    """How many inputs have each status, by target."""
    outcomes: Mapping[str, Mapping[str, int]]
    """How many of the planned ones have each outcome, by target."""
    restarts: Mapping[str, int]
    """How many containers are killed, by target."""
    standing: Standing
    why: str
    """What decided, in one line."""
    exit_code: int
    clusters: tuple[Cluster, ...] = ()
    """Empty where nothing shows them; and so are the following."""
    reasons: tuple[Shared, ...] = ()
    """Those that most clusters have first."""
    owners: tuple[Shared, ...] = ()
    """As many as are shown, those in most clusters first."""
    owners_more: int = 0
    """How many owners there are besides."""
    waves: tuple[Waves, ...] = ()
    """One for each target, where they are asked for."""
    making: Making = Making()
