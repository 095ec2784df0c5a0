"""The document of an impact: the nodes in the order in which to upgrade them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from hashcompat.core.model.documents import (
    Count,
    Document,
    Number,
    Object,
    Origin,
    Time,
    Tool,
)
from hashcompat.core.model.impact import Certainty, Step


class Budgets(Object):
    """Which PodDisruptionBudgets were read."""

    found: Count
    """How many PodDisruptionBudgets were read."""
    missing: str
    """Why there may be others; empty where these are all."""


class ImpactSpec(Object):
    """What was asked."""

    from_: str
    """The current release, or auto."""
    to: str
    """The target release."""
    batch: Number
    """How many nodes a batch has at the most."""
    source: Origin
    """Where the pods were read."""
    budgets: Budgets
    assumptions: Sequence[str]
    """What the plan takes as given because the input does not show it."""
    warnings: Sequence[str]
    """The warnings of the plan."""
    besides: Sequence[str]
    """What happens besides restarts, as the plan says."""
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""


class ImpactSummary(Object):
    """The counts of nodes, budgets and pods."""

    nodes: Count
    clean: Count
    in_place: Count = msgspec.field(name="in-place")
    undecided: Count
    drain: Count
    batches: Count
    budgets_breached: Count
    """The budgets that a node or a batch breaches for sure."""
    killed: Count
    """Pods with a container that is not started again."""
    bare: Count
    """Pods that restart, or may, and that no controller creates again."""
    static: Count
    """Static pods that restart, or may."""
    single: Count
    """Owners whose only replica restarts, or may."""
    unplaced: Count
    """Pods that restart, or may, and are on no node."""
    unseen: Count
    """Pods of the plan that restart, or may, and are not among the pods."""


class BudgetEffect(Object):
    """A PodDisruptionBudget that is breached, or may be."""

    namespace: str
    name: str
    breached: Certainty
    """Whether fewer pods are healthy then than the budget demands; unknown where that depends on what is
    not shown."""
    desired_healthy: Count | None
    """How many pods have to be healthy; null where that is not known."""
    healthy: Count | None
    """How many are at the most, before; null where that is not known."""
    restarts: Count
    """How many of them restart."""
    possible: Count
    """How many more may."""
    healthy_after: Count | None
    """How many are healthy at the most while they restart."""
    short: Count
    """How many healthy pods are missing then."""
    short_before: Count
    """How many are missing already."""
    problem: str
    """Why the budget cannot be evaluated; empty where it can."""


class OwnerDown(Object):
    """An owner whose replicas all restart at once, or may."""

    namespace: str
    owner: str
    """KIND/NAME."""
    down: Certainty
    """Whether all of its replicas restart at once."""
    replicas: Count
    """How many there are."""


class PodRef(Object):
    """A pod."""

    namespace: str
    pod: str


class OwnerRef(Object):
    """An owner."""

    namespace: str
    owner: str


class ImpactNode(Object):
    """One node."""

    node: str
    step: Step
    """How it is upgraded: in place (clean: nothing restarts), undecided, or drained first."""
    batch: Number
    """The number of its batch."""
    pods_restarted: Count
    """Its pods with a container that restarts or is killed."""
    pods_unknown: Count
    """Its other pods with a container whose verdict is UNKNOWN."""
    reasons: Sequence[str]
    """Why it is drained, or is not decided."""
    budgets: Sequence[BudgetEffect]
    """The PodDisruptionBudgets that are breached, or may be."""
    owners_down: Sequence[OwnerDown]
    """The owners of several replicas that all restart at once, or may."""
    killed: Sequence[PodRef]
    """Pods with a container that is not started again."""
    bare: Sequence[PodRef]
    """Pods that restart, or may, and that no controller creates again."""
    static: Sequence[PodRef]
    """Static pods that restart, or may."""
    single: Sequence[OwnerRef]
    """Owners whose only replica restarts, or may."""
    drain_flags: Sequence[str]
    """What kubectl drain needs for its pods."""
    drain_waits_for: Sequence[str]
    """The budgets, NAMESPACE/NAME, that allow no eviction of its pods at present."""
    pods_unready: Count
    """Its other pods that are not Ready for a while, though nothing of them restarts."""
    unready_seconds: Count
    """For how many seconds at most."""
    besides: Sequence[str]
    """What only restarts and those pods together do: budgets that are short of healthy pods, and owners
    without a Ready replica."""


class BatchItem(Object):
    """Nodes whose kubelets are restarted at once."""

    batch: Number
    """Its number."""
    step: Step
    """How it is upgraded: in place (clean: nothing restarts), undecided, or drained first."""
    nodes: Sequence[str]
    budgets: Sequence[BudgetEffect]
    """The PodDisruptionBudgets that are breached, or may be."""
    owners_down: Sequence[OwnerDown]
    """The owners of several replicas that all restart at once, or may."""
    besides: Sequence[str]
    """What only restarts and pods that are not Ready for a while do together."""


class SecondsToReady(Object):
    """How long these pods took from the start of a container until they were Ready."""

    median: Count | None
    most: Count | None


class OwnerItem(Object):
    """One owner of pods that restart, or may."""

    namespace: str
    owner: str
    """KIND/NAME; Pod/NAME of a pod that nothing controls."""
    replicas: Count
    """How many pods it has, or wants if these are more."""
    pods_restarted: Count
    pods_unknown: Count
    nodes: Count
    """On how many nodes these are."""
    seconds_to_ready: SecondsToReady
    """How long these pods took from the start of a container until they were Ready; null where no status
    shows it."""
    grace_seconds: Count
    """How long a container may take to stop."""
    unprobed: bool
    """Whether a container has no readinessProbe, and so counts as ready once it is started."""
    single: bool
    """Whether it has one replica."""


class ImpactReport(Document):
    """What the restarts of a plan breach, and the nodes in the order in which to upgrade them."""

    kind: Literal["ImpactReport"]
    spec: ImpactSpec
    summary: ImpactSummary
    items: Sequence[ImpactNode]
    """The nodes, in the order in which to upgrade them."""
    batches: Sequence[BatchItem]
    """Nodes whose kubelets are restarted at once."""
    owners: Sequence[OwnerItem]
    """The owners of pods that restart, or may."""
