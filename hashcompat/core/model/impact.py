"""What the restarts of a plan mean for those who use the pods, and how far a rollout over the nodes is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from hashcompat.core.model.escape import owner_path
from hashcompat.core.model.plan import DisputedNode
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.results import Count, Making, Number, Object, Result

PodPlace = tuple[str, str]
"""The namespace and the name of a pod."""


class Certainty(StrEnum):
    """Whether something happens."""

    YES = "yes"
    UNKNOWN = "unknown"
    """It does if a container whose verdict is UNKNOWN restarts, or what it depends on is not shown."""


class Step(StrEnum):
    """How the kubelet of a node is upgraded; in this order."""

    CLEAN = "clean"
    """In place: no container restarts."""

    IN_PLACE = "in-place"
    """In place: what restarts breaches no budget and is started again."""

    UNDECIDED = "undecided"
    """In place or drained: that depends on what the input does not show."""

    DRAIN = "drain"
    """Drained first."""


STEP_WORDS: Final[Mapping[Step, str]] = {
    Step.CLEAN: "clean",
    Step.IN_PLACE: "in place",
    Step.UNDECIDED: "undecided",
    Step.DRAIN: "to drain",
}
"""What is done with nodes, after their number."""


class Role(StrEnum):
    """What a node is to the cluster; nodes are upgraded in this order."""

    ETCD = "etcd"
    """It has a member of etcd, and no API server."""

    CONTROL_PLANE = "control-plane"
    WORKER = "worker"


class Installer(StrEnum):
    """What installs the kubelets of a cluster."""

    KUBEADM = "kubeadm"
    K3S = "k3s"
    RKE2 = "rke2"
    TALOS = "talos"
    PACKAGE = "package"
    """The package manager of the node, or whatever else puts a kubelet there."""


class ApiServer(msgspec.Struct, frozen=True):
    """An API server: a static pod of one, or the one that whoever asks has named."""

    node: str
    """Empty for one that was named."""
    release: str
    behind: int
    """How many minors it is behind the target release; negative where it is newer."""


class BudgetImpact(msgspec.Struct, frozen=True):
    """What restarts at one time do to a PodDisruptionBudget."""

    namespace: str
    name: str
    certainty: Certainty
    """Whether fewer pods are healthy then than it demands."""
    desired: int | None
    """How many pods have to be healthy; None where that is not known."""
    healthy: int | None
    """How many are at the most, before; None where that is not known."""
    restarts: int
    """How many of them restart."""
    possible: int = 0
    """How many more may."""
    problem: str = ""
    """Why it cannot be evaluated; empty where it can."""

    @property
    def after(self) -> int | None:
        """How many are healthy at the most while they restart."""
        return None if self.healthy is None else max(self.healthy - self.restarts, 0)

    @property
    def short(self) -> int:
        """How many healthy pods are missing then."""
        return max((self.desired or 0) - (self.after or 0), 0)

    @property
    def short_before(self) -> int:
        """How many are missing already."""
        return max((self.desired or 0) - (self.healthy or 0), 0)


class OwnerDown(Object, frozen=True):
    """An owner whose replicas all restart at once, or may, or a Service whose endpoints do."""

    namespace: str
    name: str = msgspec.field(name="owner")
    """KIND/NAME; Service/NAME of a Service, StaticPod/NAME of static pods of one component."""
    certainty: Certainty = msgspec.field(name="down")
    """Whether all of its replicas restart at once."""
    replicas: Count
    """How many there are; of a Service the pods that are Ready."""

    @property
    def subject(self) -> str:
        """Say which replicas these are, as the subject of a sentence."""
        name = owner_path(self.namespace, self.name)
        single = f"the only running replica of {name}"
        what = "endpoints" if self.name.startswith("Service/") else "replicas"
        return f"all {self.replicas} {what} of {name}" if self.replicas > 1 else single


class Effect(msgspec.Struct, frozen=True):
    """What happens when some kubelets are restarted in place at once."""

    budgets: tuple[BudgetImpact, ...] = ()
    """Those that are breached, or may be."""
    owners: tuple[OwnerDown, ...] = ()
    """Those with several replicas that all restart, or may, and the Services with several endpoints."""

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self.budgets or self.owners)

    def has(self, certainty: Certainty) -> bool:
        """Return whether anything of it is as certain as that."""
        certainties = {part.certainty for part in self.budgets} | {part.certainty for part in self.owners}
        return certainty in certainties


class Pods(msgspec.Struct, frozen=True):
    """The pods of one node that need more than a restart, by what they are."""

    killed: tuple[PodPlace, ...] = ()
    """Those with a container that is not started again."""
    bare: tuple[PodPlace, ...] = ()
    """Those that restart, or may, and that no controller creates again."""
    static: tuple[PodPlace, ...] = ()
    """Static pods that restart, or may: no drain moves them."""
    single: tuple[PodPlace, ...] = ()
    """The owners, by namespace and ``Deployment/web``, whose only replica restarts, or may."""


class NodeImpact(msgspec.Struct, frozen=True):
    """One node."""

    name: str
    step: Step
    batch: int
    """The number of its batch, from 1; 0 where it is left out."""
    restarted: int
    """How many of its pods have a container that restarts or is killed."""
    unknown: int
    """How many others have one whose verdict is UNKNOWN."""
    effect: Effect
    """What its own restarts do."""
    pods: Pods
    reasons: tuple[str, ...] = ()
    """Why it is drained, or is not decided."""
    flags: tuple[str, ...] = ()
    """What ``kubectl drain`` needs for its pods."""
    drain_waits: tuple[str, ...] = ()
    """The budgets, ``namespace/name``, that allow no eviction of a pod of the node at present."""
    role: Role = Role.WORKER
    zone: str = ""
    """Its zone, by the label; empty where it has none."""
    kubelet: str = ""
    """The release that it reports, without the ``v``; empty where the input does not show it."""
    windows: bool = False
    cordoned: bool = False
    """Whether nothing is scheduled there now."""
    system: tuple[PodPlace, ...] = ()
    """Its static pods of etcd and of the API server."""
    left_out: str = ""
    """Why it is in no batch; empty where it is in one."""
    unready: int = 0
    """How many others of its pods are not Ready for a while, though nothing of them restarts."""
    seconds: int = 0
    """For how many seconds at most."""
    together: Effect = Effect()
    """What its restarts do together with those pods, where restarts alone do not."""


class Apart(Object, frozen=True):
    """Why a batch is not one with another one, though there is room for both."""

    batch: Number
    """The number of the other batch."""
    nodes: tuple[str, ...]
    """A node of each, which may not be upgraded at once."""
    why: str
    """What would be down then."""


class Batch(msgspec.Struct, frozen=True):
    """Nodes whose kubelets are restarted at once."""

    number: int
    step: Step
    nodes: tuple[str, ...]
    effect: Effect
    """What all of them do together; of nodes that are drained, what stays there does, for evictions keep to
    the budgets."""
    role: Role = Role.WORKER
    zone: str = ""
    """The zone of all of them; empty where they have none, or where zones do not count."""
    apart: tuple[Apart, ...] = ()
    """Why it is not one with another batch, though there is room for both."""
    together: Effect = Effect()
    """What they do together with pods that are not Ready for a while, where restarts alone do not."""


class RestartedOwner(msgspec.Struct, frozen=True):
    """An owner of pods that restart, or may."""

    namespace: str
    name: str
    """``Deployment/web``; a pod that nothing controls is its own owner, ``Pod/web``, and static pods of one
    component, on whatever nodes, have one, ``StaticPod/etcd``."""
    replicas: int
    """How many pods of it there are, or are wanted if these are more."""
    restarted: int
    unknown: int
    nodes: int
    """On how many nodes they are."""
    seconds: int | None
    """How long its pods took from the start of a container until they were Ready: the median, in seconds;
    None where no status shows it."""
    most_seconds: int | None
    """The longest of them."""
    grace_seconds: int
    """How long a container may take to stop, at the most."""
    unprobed: bool
    """Whether one of its containers has no readinessProbe, and so counts as ready once it is started."""
    single: bool
    """Whether it has one replica, so that nothing replaces it."""


class Impact(Result[NodeImpact], msgspec.Struct, frozen=True):
    """The impact of a plan."""

    from_release: str
    to_release: str
    size: int
    """How many nodes a batch has at the most."""
    nodes: tuple[NodeImpact, ...]
    """In the order in which to upgrade them; those that are left out come last."""
    batches: tuple[Batch, ...]
    owners: tuple[RestartedOwner, ...]
    budgets: int
    """How many PodDisruptionBudgets there are."""
    budgets_missing: str = ""
    """Why there may be others; empty where these are all."""
    services: int = 0
    """How many Services select pods."""
    services_missing: str = ""
    """Why there may be others; empty where these are all."""
    at_least: int = 0
    """How many batches of that size there are at the least, however they are chosen."""
    servers: tuple[ApiServer, ...] = ()
    """The static pods of the API server, by node."""
    installer: Installer = Installer.PACKAGE
    """What installs its kubelets."""
    unplaced: int = 0
    """How many pods that restart, or may, are on no node."""
    unseen: int = 0
    """How many pods of the plan that restart, or may, are not among the pods."""
    assumptions: tuple[str, ...] = ()
    """What the plan takes as given, one line each."""
    warnings: tuple[str, ...] = ()
    """The plan's."""
    disputed: tuple[DisputedNode, ...] = ()
    """The plan's nodes that report another release than it starts from."""
    overridden: bool = False
    """Whether the plan starts from that release all the same."""
    origin: Origin = msgspec.field(default_factory=Origin)
    """Where the pods come from."""
    running: tuple[str, ...] = ()
    """The current releases: the one that is given, or those that nodes report."""
    making: Making = Making()
    """What it was made by, and when the pods were read."""
    besides: tuple[str, ...] = ()
    """What happens besides restarts, as the plan says."""
    unplaced_effect: Effect = Effect()
    """What all nodes at once do together with the pods on no node; nothing where they go in batches."""

    def effects(self) -> Iterator[Effect]:
        """Yield what each node does, and each batch of several, and what restarts on no node."""
        yield from (node.effect for node in self.nodes)
        yield from (batch.effect for batch in self.batches if len(batch.nodes) > 1)
        yield self.unplaced_effect

    @property
    def breaches(self) -> tuple[BudgetImpact, ...]:
        """The budgets that the restarts of a node or of a batch breach, each time one of them does."""
        budgets = (budget for effect in self.effects() for budget in effect.budgets)
        return tuple(budget for budget in budgets if budget.certainty is Certainty.YES)

    @property
    def downs(self) -> tuple[OwnerDown, ...]:
        """The owners and Services of which a node or a batch restarts all, each time one of them does."""
        owners = (owner for effect in self.effects() for owner in effect.owners)
        return tuple(owner for owner in owners if owner.certainty is Certainty.YES)

    @property
    def is_found(self) -> bool:
        """Whether a budget is breached, an owner loses all replicas at once, or a container is gone."""
        lost = any(node.pods.killed for node in self.nodes)
        return lost or any(effect.has(Certainty.YES) for effect in self.effects())

    @property
    def is_undecided(self) -> bool:
        """Whether any of that depends on what the input does not show."""
        return bool(
            self.unseen
            or any(node.step is Step.UNDECIDED for node in self.nodes)
            or any(effect.has(Certainty.UNKNOWN) for effect in self.effects())
        )

    def _elements(self) -> tuple[NodeImpact, ...]:
        return self.nodes


# Which nodes of a rollout were started, are done or have failed.


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
