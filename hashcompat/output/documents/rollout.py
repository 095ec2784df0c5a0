"""The documents of a rollout: a plan judged by a policy, and the order of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hashcompat.analysis.gating import Outcome, Standing
from hashcompat.core.model.documents import (
    Count,
    DisputedNode,
    Document,
    Number,
    Object,
    Origin,
    OwnedContainer,
    Place,
    Reason,
    ReleaseName,
    ReleaseOrAuto,
    Some,
    Text,
    Time,
    Tool,
)
from hashcompat.core.model.impact import Certainty, Role, Step
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import FailOn
from hashcompat.core.policies.exceptions import Names

Limit = Annotated[str, Meta(pattern=r"^([0-9]+|[0-9]+(\.[0-9]+)?%)$")]
Percentage = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+)?%$")]


class JudgedPlan(Object):
    """The plan that was judged."""

    from_: ReleaseOrAuto
    """A release, or auto: what each node reports."""
    to: ReleaseName
    source: Origin
    """Where the pods were read."""
    disputed_nodes: Sequence[DisputedNode]
    """Nodes that report another release than from; their pods are UNKNOWN unless overrideNodeReleases."""
    override_node_releases: bool
    """Whether from counts on these nodes all the same (--override-node-releases)."""
    tool: Tool
    """What made the plan."""
    created_at: Time | None
    """When the pods were read; null where that is not known."""
    assumptions: Sequence[str]
    """What the plan takes as given because the input does not show it: what a PASS rests on."""
    warnings: Sequence[str]
    """What upstream does not support, and what the plan left out."""


class Ignored(Object):
    """A key of a settings file that does not count."""

    key: str
    stricter: str
    """That flag or variable."""


class SettingsRead(Object):
    """One settings file."""

    file: str
    keys: Sequence[str]
    """The keys that count."""
    loosens: Sequence[str]
    """Those of them that let more pass than flags and variables alone."""
    ignored: Sequence[Ignored]
    """Keys that would loosen what a flag or variable says."""


class PolicySpec(Object):
    """The policy as it was settled."""

    max_restarts: Limit | None
    """A number, or a part of all; null for no limit."""
    max_per_owner: Limit | None
    """A number, or a part of all; null for no limit."""
    max_per_node: Limit | None
    """A number, or a part of all; null for no limit."""
    fail_on: Sequence[FailOn]
    strict: bool
    plan_max_age: Text | None
    max_age: Text | None
    """How old what the plan is made of may be; null for any age."""
    cluster_uid: Text | None
    report_only: bool
    files: Sequence[SettingsRead]
    """The settings files that were read, the nearest one first."""


class GateSpec(Object):
    """What was judged, and by what."""

    plan: JudgedPlan
    """The plan that was judged."""
    policy: PolicySpec
    after: bool
    """Whether it compares the plan with what was seen after the upgrade (--after)."""
    tool: Tool
    """What judged it."""
    created_at: Time | None
    """When it was judged; null where that is not known."""


class GateSummary(Object):
    """The outcome, and how many containers count as what."""

    outcome: Outcome
    exit_code: Annotated[int, Meta(extra_json_schema={"enum": [0, 2, 3]})]
    """What the command exits with: 0 also where it only reports."""
    decided_by: Text
    """The line of the policy that decided."""
    containers: Count
    compared: Count
    """Containers that run on a node and are compared there: what percentages are of; of manifests alone
    all that would run."""
    not_compared: Count
    """The other containers: finished, not started, on no node, init and ephemeral ones."""
    violation: Count
    undecided: Count
    allowed: Count
    excepted: Count
    baseline: Count
    surprise: Count
    unpredicted: Count
    changed: Count
    as_predicted: Count


class PolicyLine(Object):
    """One line of the policy."""

    policy: Text
    about: str
    """The owner, the node; empty for everything."""
    found: Count
    allowed: Count
    limit: Percentage | None
    """The part that is allowed; null for a number."""
    compared: Count | None
    """How many containers that is a part of; null for a number."""
    outcome: Outcome
    text: Text


class CoveredBy(Object):
    """An exception."""

    of: Names
    pattern: Text
    """NAMESPACE/KIND/NAME of owners, NAMESPACE/POD/CONTAINER of containers."""
    reason: Text
    expires: date
    """The last day, in UTC."""


class GateItem(OwnedContainer):
    """One container, and how it counts."""

    verdict: Verdict
    """KEEP only after the upgrade."""
    pod_recreated: bool
    reasons: Sequence[Reason]
    source: Place | None
    """Where the container is in the input; null for a cluster, objects and the sample."""
    standing: Standing
    """How it counts."""
    exception: CoveredBy | None
    """The exception that covers it; null for none."""
    seen: str
    """What became of it, after the upgrade; empty before."""


class GateReport(Document):
    """A plan, judged by a policy."""

    kind: Literal["GateReport"]
    spec: GateSpec
    summary: GateSummary
    checks: Sequence[PolicyLine]
    """Each line of the policy; of limits for owners and nodes those that are exceeded, or the fullest one."""
    warnings: Sequence[Text]
    """What is wrong with exceptions; after the upgrade the pods that the plan does not know."""
    items: Sequence[GateItem]
    """The containers that are not kept; after the upgrade all of its nodes."""


# The document of an impact: the nodes in the order in which to upgrade them.


class Budgets(Object):
    """Which PodDisruptionBudgets were read."""

    found: Count
    """How many PodDisruptionBudgets were read."""
    missing: str
    """Why there may be others; empty where these are all."""


class Services(Object):
    """Which Services were read."""

    found: Count
    """How many Services that select pods were read."""
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


class ImpactSummary(Object):
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
    """An owner whose replicas all restart at once, or may, or a Service whose endpoints do."""

    namespace: str
    owner: str
    """KIND/NAME; Service/NAME of a Service, StaticPod/NAME of static pods of one component."""
    down: Certainty
    """Whether all of its replicas restart at once."""
    replicas: Count
    """How many there are; of a Service the pods that are Ready."""


class Apart(Object):
    """Why a batch is not one with another one, though there is room for both."""

    batch: Number
    """The number of the other batch."""
    nodes: Sequence[str]
    """A node of each, which may not be upgraded at once."""
    why: str
    """What would be down then."""


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


class BatchItem(Object):
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


class SecondsToReady(Object):
    """How long these pods took from the start of a container until they were Ready."""

    median: Count | None
    most: Count | None


class OwnerItem(Object):
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


class KeptFact(Object):
    """One thing that a page says of itself."""

    key: Text
    name: Text
    text: str


class KeptPage(Object):
    """One page."""

    file: Text
    """Its name, without the directory."""
    kind: str
    title: str
    verdict: str
    """What it comes to, in one word; empty where nothing is judged."""
    answer: str
    facts: Sequence[KeptFact]


class PageList(Document):
    """The pages in a directory, the worst first."""

    kind: Literal["PageList"]
    directory: str
    differing: Sequence[Text]
    """In what they differ that one change has in common."""
    others: Sequence[str]
    """Files of HTML that are no such pages."""
    items: Some[KeptPage]
