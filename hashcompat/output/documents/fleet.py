"""The document of a fleet: every cluster for every target release, and the waves of its upgrade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from hashcompat.analysis.gating import Outcome
from hashcompat.core.model.documents import (
    Count,
    Document,
    Number,
    Object,
    ReleaseName,
    RuleId,
    Some,
    Text,
    Time,
    Tool,
)
from hashcompat.core.model.fleet import Standing
from hashcompat.core.model.verdicts import Verdict


class FleetSpec(Object):
    """What was asked."""

    targets: Some[ReleaseName]
    tables: Text
    """The directory or URL of the tables."""
    tool: Tool
    created_at: Time | None
    """When it was made; null where that is not known."""


class FleetTarget(Object):
    """How many clusters there are of each kind, for one target release."""

    target: ReleaseName
    statuses: dict[str, Count]
    """How many inputs have each status: planned, unreadable and so on."""
    outcomes: dict[str, Count]
    """How many of the planned ones have each outcome by the policy."""
    restarts: Count
    """Containers that are killed."""


class FleetSummary(Object):
    """What it comes to."""

    outcome: Outcome
    decided_by: Text
    exit_code: Annotated[int, Meta(extra_json_schema={"enum": [0, 2, 3]})]
    """What the command exits with: 0 also where it only reports."""
    inputs: Count
    targets: Sequence[FleetTarget]


class WaveMember(Object):
    """A cluster in a wave."""

    cluster: Text
    source: Text
    """The file or URL of its snapshot."""
    cluster_uid: str
    """The UID of its namespace kube-system; empty where that is not known."""
    labels: dict[str, str]
    restarts: Count
    unknown: Count


class FleetWave(Object):
    """Clusters that are upgraded once the wave before is seen to be well."""

    number: Number
    canaries: bool
    group: str
    """The value of the label by which groups are in order; empty for a wave of all groups."""
    restarts: Count
    """Of all its clusters."""
    clusters: Some[WaveMember]
    """Fewest restarts first."""


class FleetLeftOut(Object):
    """A cluster that is in no wave."""

    cluster: Text
    source: Text
    reason: Text
    """failed, undecided, upgraded, no-canary, or the status of what was not planned: unreadable and so on."""
    why: str


class FleetWaves(Object):
    """The waves of one target release."""

    target: ReleaseName
    waves: Sequence[FleetWave]
    left_out: Sequence[FleetLeftOut]
    """The clusters that are in no wave, each with the reason."""


class FleetShare(Object):
    """How many clusters have something, for one target release."""

    target: ReleaseName
    clusters: Number
    containers: Number
    """Of these clusters."""


class FleetReason(Object):
    """A reason, over all clusters."""

    rule: RuleId
    path: str
    """The field below the container that causes it; empty if none does."""
    verdict: Verdict
    targets: Some[FleetShare]


class FleetOwner(Object):
    """An owner with containers that are killed, over all clusters."""

    namespace: str
    owner: str
    """KIND/NAME."""
    targets: Some[FleetShare]


class FleetItem(Object):
    """One cluster, for one target release."""

    cluster: Text
    target: ReleaseName
    verdict: Standing
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


class FleetReport(Document):
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
