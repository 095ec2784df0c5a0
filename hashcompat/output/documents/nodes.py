"""Documents of what happens on nodes: the impact of a plan, records that are rewritten, and joined pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from hashcompat.core.model.documents import ContainerVerdict, Document, Origin, Tool
from hashcompat.core.model.impact import Apart, Certainty, OwnerDown, Role, Step
from hashcompat.core.model.preflight import ManifestPin, RewrittenNode
from hashcompat.core.model.results import (
    Count,
    DigestText,
    Hash32,
    Number,
    Object,
    ReleaseName,
    ReleaseOrAuto,
    Sha256,
    SignatureText,
    Some,
    Text,
    Time,
)
from hashcompat.core.model.verdicts import Verdict


class Budgets(Object, frozen=True):
    """Which PodDisruptionBudgets were read."""

    found: Count
    """How many PodDisruptionBudgets were read."""
    missing: str
    """Why there may be others; empty where these are all."""


class Services(Object, frozen=True):
    """Which Services were read."""

    found: Count
    """How many Services that select pods were read."""
    missing: str
    """Why there may be others; empty where these are all."""


class ImpactSpec(Object, frozen=True):
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
    services: Services
    assumptions: Sequence[str]
    """What the plan takes as given because the input does not show it."""
    warnings: Sequence[str]
    """The warnings of the plan."""
    besides: Sequence[str]
    """What happens besides restarts, as the plan says."""
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""


class ImpactSummary(Object, frozen=True):
    """The counts of nodes, budgets and pods."""

    nodes: Count
    """Nodes that are in a batch; the steps are theirs."""
    clean: Count
    in_place: Count = msgspec.field(name="in-place")
    undecided: Count
    drain: Count
    left_out: Count
    """Nodes that are in no batch, and in no other count of nodes."""
    batches: Count
    batches_at_least: Count
    """How many batches of that size there are at the least, however they are chosen."""
    budgets_breached: Count
    """The budgets that a node or a batch breaches for sure."""
    owners_down: Count
    """The owners and Services of which a node or a batch restarts all at once, for sure."""
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


class BudgetEffect(Object, frozen=True):
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


class PodRef(Object, frozen=True):
    """A pod."""

    namespace: str
    pod: str


class OwnerRef(Object, frozen=True):
    """An owner."""

    namespace: str
    owner: str


class ImpactNode(Object, frozen=True):
    """One node."""

    node: str
    step: Step
    """How it is upgraded: in place (clean: nothing restarts), undecided, or drained first."""
    batch: Count
    """The number of its batch; 0 where it is left out."""
    role: Role
    """What it is to the cluster: nodes with etcd alone come first, then the control plane, one by one."""
    zone: str
    """Its zone, by its label; empty where it has none."""
    windows: bool
    left_out: str
    """Why it is in no batch; empty where it is in one."""
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


class BatchItem(Object, frozen=True):
    """Nodes whose kubelets are restarted at once."""

    batch: Number
    """Its number."""
    step: Step
    """How it is upgraded: in place (clean: nothing restarts), undecided, or drained first."""
    role: Role
    zone: str
    """The zone of all of its nodes; empty where they have none, or zones do not count."""
    nodes: Sequence[str]
    budgets: Sequence[BudgetEffect]
    """The PodDisruptionBudgets that are breached, or may be."""
    owners_down: Sequence[OwnerDown]
    """The owners of several replicas that all restart at once, or may."""
    besides: Sequence[str]
    """What only restarts and pods that are not Ready for a while do together."""
    apart: Sequence[Apart]
    """Why it is not one with an earlier batch, though there is room for both; empty where there is none."""


class SecondsToReady(Object, frozen=True):
    """How long these pods took from the start of a container until they were Ready."""

    median: Count | None
    most: Count | None


class OwnerItem(Object, frozen=True):
    """One owner of pods that restart, or may."""

    namespace: str
    owner: str
    """KIND/NAME; Pod/NAME of a pod that nothing controls, StaticPod/NAME of static pods of one component."""
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


class ImpactReport(Document, frozen=True):
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


class KeptFact(Object, frozen=True):
    """One thing that a page says of itself."""

    key: Text
    name: Text
    text: str


class KeptPage(Object, frozen=True):
    """One page."""

    file: Text
    """Its name, without the directory."""
    kind: str
    title: str
    verdict: str
    """What it comes to, in one word; empty where nothing is judged."""
    answer: str
    facts: Sequence[KeptFact]


class PageList(Document, frozen=True):
    """The pages in a directory, the worst first."""

    kind: Literal["PageList"]
    directory: str
    differing: Sequence[Text]
    """In what they differ that one change has in common."""
    others: Sequence[str]
    """Files of HTML that are no such pages."""
    items: Some[KeptPage]


class NormalizationSpec(Object, frozen=True):
    """What was asked, and what is rewritten where."""

    from_: ReleaseOrAuto
    """A release, or auto: what each node reports."""
    to: ReleaseName
    source: Origin
    """Where the pods were read."""
    nodes: Sequence[RewrittenNode]
    """The nodes with an item."""
    manifests: Sequence[ManifestPin]
    """The manifests of static pods that are given a uid."""
    warnings: Sequence[Text]
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""


class NormalizationSummary(Object, frozen=True):
    """How many containers there are, and how many records are rewritten."""

    containers: Count
    """Containers of the input."""
    killed_before: Count
    """Containers that restart or are killed with the records as they are."""
    killed_after: Count
    """Those that still do once the records are rewritten."""
    unknown: Count
    """Containers of which that is unknown."""
    records: Count
    """Records to rewrite."""
    manifests: Count
    """Manifests to give a uid."""


class RewrittenRecord(Object, frozen=True):
    """How the record of a container is rewritten."""

    container_id: Sha256
    """Its id in the runtime."""
    pod_uid: Text
    """The UID under which the kubelet runs its pod."""
    hash: Hash32
    """The recorded hash, which is that of the spec as it is now."""
    new_hash: Hash32
    """What the target kubelet computes of the same spec."""
    kubelet: Text
    """A release that computes the recorded hash of it."""


class NormalizationItem(ContainerVerdict, frozen=True):
    """One container."""

    after: Verdict
    """What becomes of it once the records are rewritten."""
    record: RewrittenRecord | None
    """How its record is rewritten; null where that stays as it is."""
    manifest: bool
    """Whether its static pod is kept by the uid that the manifest is given."""
    left_alone: Text | None
    """Why it is left alone; null where it is kept."""


class Normalization(Document, frozen=True):
    """Which records of nodes are rewritten so that the next kubelet keeps its containers."""

    kind: Literal["Normalization"]
    spec: NormalizationSpec
    summary: NormalizationSummary
    items: Sequence[NormalizationItem]
    """Every container that the target kubelet does not surely keep as it is."""
    digest: DigestText
    """The SHA-256 of all the rest, as docs/gate.md describes it."""
    signature: SignatureText | None
    """The HMAC-SHA256 of the digest; null where there is no key."""
