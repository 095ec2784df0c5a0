"""Documents of what is judged: a plan by a policy, and a fleet with the waves of its upgrade."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal

from msgspec import Meta

from hashcompat.analysis.gating import Outcome, Standing
from hashcompat.core.model import cluster as of_clusters
from hashcompat.core.model.documents import Document, OwnedContainer, Place, PlannedUpgrade, Reason, Tool
from hashcompat.core.model.results import Count, Number, Object, ReleaseName, RuleId, Some, Text, Time
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import FailOn
from hashcompat.core.policies.exceptions import Names

Limit = Annotated[str, Meta(pattern=r"^([0-9]+|[0-9]+(\.[0-9]+)?%)$")]
Percentage = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+)?%$")]


class JudgedPlan(PlannedUpgrade, frozen=True):
    """The plan that was judged."""

    tool: Tool
    """What made the plan."""
    created_at: Time | None
    """When the pods were read; null where that is not known."""
    assumptions: Sequence[str]
    """What the plan takes as given because the input does not show it: what a PASS rests on."""
    warnings: Sequence[str]
    """What upstream does not support, and what the plan left out."""


class Ignored(Object, frozen=True):
    """A key of a settings file that does not count."""

    key: str
    stricter: str
    """That flag or variable."""


class SettingsRead(Object, frozen=True):
    """One settings file."""

    file: str
    keys: Sequence[str]
    """The keys that count."""
    loosens: Sequence[str]
    """Those of them that let more pass than flags and variables alone."""
    ignored: Sequence[Ignored]
    """Keys that would loosen what a flag or variable says."""


class PolicySpec(Object, frozen=True):
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


class GateSpec(Object, frozen=True):
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


class GateSummary(Object, frozen=True):
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


class PolicyLine(Object, frozen=True):
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


class CoveredBy(Object, frozen=True):
    """An exception."""

    of: Names
    pattern: Text
    """NAMESPACE/KIND/NAME of owners, NAMESPACE/POD/CONTAINER of containers."""
    reason: Text
    expires: date
    """The last day, in UTC."""


class GateItem(OwnedContainer, frozen=True):
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


class GateReport(Document, frozen=True):
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


# The document of a fleet: its clusters, and the waves in which to upgrade them.


class FleetSpec(Object, frozen=True):
    """What was asked."""

    targets: Some[ReleaseName]
    tables: Text
    """The directory or URL of the tables."""
    tool: Tool
    created_at: Time | None
    """When it was made; null where that is not known."""


class FleetTarget(Object, frozen=True):
    """How many clusters there are of each kind, for one target release."""

    target: ReleaseName
    statuses: dict[str, Count]
    """How many inputs have each status: planned, unreadable and so on."""
    outcomes: dict[str, Count]
    """How many of the planned ones have each outcome by the policy."""
    restarts: Count
    """Containers that are killed."""


class FleetSummary(Object, frozen=True):
    """What it comes to."""

    outcome: Outcome
    decided_by: Text
    exit_code: Annotated[int, Meta(extra_json_schema={"enum": [0, 2, 3]})]
    """What the command exits with: 0 also where it only reports."""
    inputs: Count
    targets: Sequence[FleetTarget]


class WaveMember(Object, frozen=True):
    """A cluster in a wave."""

    cluster: Text
    source: Text
    """The file or URL of its snapshot."""
    cluster_uid: str
    """The UID of its namespace kube-system; empty where that is not known."""
    labels: dict[str, str]
    restarts: Count
    unknown: Count


class FleetWave(Object, frozen=True):
    """Clusters that are upgraded once the wave before is seen to be well."""

    number: Number
    canaries: bool
    group: str
    """The value of the label by which groups are in order; empty for a wave of all groups."""
    restarts: Count
    """Of all its clusters."""
    clusters: Some[WaveMember]
    """Fewest restarts first."""


class FleetLeftOut(Object, frozen=True):
    """A cluster that is in no wave."""

    cluster: Text
    source: Text
    reason: Text
    """failed, undecided, upgraded, no-canary, or the status of what was not planned: unreadable and so on."""
    why: str


class FleetWaves(Object, frozen=True):
    """The waves of one target release."""

    target: ReleaseName
    waves: Sequence[FleetWave]
    left_out: Sequence[FleetLeftOut]
    """The clusters that are in no wave, each with the reason."""


class FleetShare(Object, frozen=True):
    """How many clusters have something, for one target release."""

    target: ReleaseName
    clusters: Number
    containers: Number
    """Of these clusters."""


class FleetReason(Object, frozen=True):
    """A reason, over all clusters."""

    rule: RuleId
    path: str
    """The field below the container that causes it; empty if none does."""
    verdict: Verdict
    targets: Some[FleetShare]


class FleetOwner(Object, frozen=True):
    """An owner with containers that are killed, over all clusters."""

    namespace: str
    owner: str
    """KIND/NAME."""
    targets: Some[FleetShare]


class FleetItem(Object, frozen=True):
    """One cluster, for one target release."""

    cluster: Text
    target: ReleaseName
    verdict: of_clusters.Standing
    status: Text
    """As in the table clusters."""
    why: str
    """The line of the policy that decided, or why it was not planned."""
    source: Text
    cluster_uid: str
    taken: Time | None
    labels: dict[str, str]
    running: Sequence[str]
    """The kubelet releases that its nodes report, oldest first."""
    nodes: Count | None
    pods: Count | None
    containers: Count | None
    restarts: Count | None
    """Containers that are killed; null unless planned, as are the following."""
    unknown: Count | None
    pods_affected: Count | None
    nodes_affected: Count | None


class FleetReport(Document, frozen=True):
    """Many clusters, each for every target release."""

    kind: Literal["FleetReport"]
    spec: FleetSpec
    summary: FleetSummary
    waves: Sequence[FleetWaves]
    """One for each target; empty unless asked for."""
    reasons: Sequence[FleetReason]
    """The reasons that most clusters have first."""
    owners: Sequence[FleetOwner]
    """The owners that restart in most clusters first, 100 at the most."""
    items: Sequence[FleetItem]
    """A cluster for a target each."""
