"""Documents as structs, each its writer, its reader and its JSON Schema; here those that are read again.

What an object of a document has, in which order and of which form, is said by its struct alone: commands fill
it in, ``schemas/documents`` is made of it, and what is saved and read again is checked by it. The docstring
below a field is the description of the schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import ClassVar, Final, Literal

from msgspec import UNSET, UnsetType

from hashcompat.core.model.plan import Details, DisputedNode, Hop
from hashcompat.core.model.pods import ContainerType, Source
from hashcompat.core.model.results import (
    Count,
    DigestText,
    Minor,
    Number,
    Object,
    ReleaseName,
    ReleaseOrAuto,
    RuleId,
    SignatureText,
    Some,
    Text,
    Time,
    Upstream,
)
from hashcompat.core.model.verdicts import Hashes, Verdict

API_VERSION: Final = "hashcompat.io/v1"


class Document(Object, frozen=True):
    """A whole document; its class has the name of its kind."""

    reaches: ClassVar[tuple[type[Object], ...]] = ()
    """Structs that a field names in words, for it has one of several: msgspec unites tagged ones alone."""
    api_version: Literal["hashcompat.io/v1"]
    kind: str


class Reason(Object, frozen=True):
    """Why a verdict is what it is."""

    id: RuleId
    path: str
    """JSON path below the container; empty where no field is behind the reason."""
    field: str
    """Go name of that field; empty where no field is behind the reason."""
    text: Text


class Place(Object, frozen=True):
    """Where a container is in the input."""

    file: Text
    """The file as given, or found in a directory; - for standard input, a URL without what may be secret
    in it."""
    line: Number | None
    """The line, from 1, of the decompressed text at which the container begins; null in a snapshot."""


class Seen(Object, frozen=True):
    """What the status reported of a container."""

    container_id: str
    """Its ID in the runtime, without the runtime's name; empty where the status does not show it."""
    started_at: Time | None
    """Null where the status does not show it."""
    restart_count: Count | None
    running: bool | None


class Origin(Object, frozen=True):
    """Where the pods were read."""

    kind: Source
    names: Sequence[str]
    """Files, directories and URLs, without user, password and query."""
    context: str
    """The kubeconfig context of a cluster; empty without one."""
    server: str
    """The URL of a cluster's API server; empty where it is not known."""
    cluster_uid: str
    """The UID of the cluster's namespace kube-system; empty where it is not known."""
    oldest: Time | None
    """When the oldest of the files was last written, which decides nothing; null where that is not known."""
    taken_at: Time | None
    """When it was taken, at the earliest: a cluster when its list began, files by the newest time in
    each, the oldest of them; null where that is not known."""


class ReleaseFacts(Object, frozen=True):
    """How the name of a release was read."""

    read_as: Upstream
    """The upstream release that the name was read as."""
    era: Text
    types: Minor
    vendor_assumed: bool
    patch_assumed: bool


class Suggestion(Object, frozen=True):
    """A patch of the kubelet that would save restarts."""

    kubelet: ReleaseName
    like: Some[ReleaseName]
    strategy: Literal["accept"]
    restarts_saved: Number
    command: Text


class Tool(Object, frozen=True):
    """What made the document."""

    name: Literal["hashcompat"]
    version: Text
    command: str
    """The command line that makes it again, without what only concerns its form; empty for the Python API."""
    newest_release: str
    """The newest release that its release data knows; empty where that is not known."""
    data_of: date | None
    """The day on which the last of the known releases was published; null where that is not known."""


class PlannedUpgrade(Object, frozen=True):
    """Of what a plan is."""

    from_: ReleaseOrAuto
    """A release, or auto: what each node reports."""
    to: ReleaseName
    source: Origin
    """Where the pods were read."""
    disputed_nodes: Sequence[DisputedNode]
    """Nodes that report another release than from; their pods are UNKNOWN unless overrideNodeReleases."""
    override_node_releases: bool
    """Whether from counts on these nodes all the same (--override-node-releases)."""


class PlanSpec(PlannedUpgrade, frozen=True):
    """What was asked of a plan, and how it was read."""

    releases: dict[str, ReleaseFacts]
    """How each release that takes part was read."""
    assumptions: Sequence[Text]
    warnings: Sequence[Text]
    """Where the plan does not keep to upstream's version skew policy."""
    besides: Sequence[Text]
    """What happens besides restarts: readiness, phases, what may not start again."""
    hops: Sequence[Hop]
    """The same way one minor at a time; empty where that is no other way; from auto each node joins at
    the hop that leads on from its own release."""
    rollback: Hop | None
    """The way back, from auto to each node's own release; null where the release of no node is known."""
    assumed_patch: Text | None
    """How the kubelet is patched that the plan assumes, as options of hashcompat patch."""
    suggestion: Suggestion | None
    """A patch of the kubelet that would save restarts."""
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""


class PlanSummary(Object, frozen=True):
    """The counts of all items."""

    containers: Count
    restart: Count
    kill: Count
    keep: Count
    unknown: Count
    pods: Count
    pods_affected: Count
    nodes_affected: Count
    compared: Count
    """Containers that run on a node and are compared there: what percentages are of; of manifests alone
    all that would run."""
    not_compared: Count
    """The other containers: finished, not started, on no node, init and ephemeral ones."""
    recorded: Count
    """Containers whose recorded hash is known."""
    reproduced: Count
    """Those of them whose recorded hash is one that a known release computes."""


class NamedContainer(Object, frozen=True):
    """One container."""

    node: str
    namespace: Text
    pod: str
    uid: str
    container: str
    container_type: ContainerType


class OwnedContainer(NamedContainer, frozen=True):
    """One container, whose it is, and the release that it runs under."""

    owner: str
    """Kind/name of the controller; empty without one."""
    workload: str
    """Kind/name of the owner above the controller, such as a Deployment; else the controller; Node/name of a
    static pod."""
    from_release: str
    """The release that the container runs under; empty where it is not known."""


class ContainerVerdict(OwnedContainer, frozen=True):
    """One container with its verdict."""

    verdict: Verdict
    pod_recreated: bool
    hash: Hashes
    calibrated: bool | None
    """Whether the recorded hash is one that a known release computes; null where nothing can be compared."""
    counted: bool
    """Whether percentages count the container: it runs on a node, where the target kubelet compares or kills
    it."""
    creator_assumed: bool
    """Whether the verdict assumes which release created the container; assumptions of plans say which."""
    reasons: Sequence[Reason]
    source: Place | None
    """Where the container is in the input; null for a cluster, objects and the sample."""
    observed: Seen | None
    """What the status reported of the container; null where none lists it."""


class PlanItem(ContainerVerdict, frozen=True):
    """One container of a plan."""

    difference: Number | UnsetType | None = UNSET
    """The number of its difference in details, from 1; null for none; only with details."""


class RestartPlan(Document, kw_only=True, frozen=True):
    """The verdict for every container when kubelets go from one release to another."""

    kind: Literal["RestartPlan"]
    spec: PlanSpec
    summary: PlanSummary
    details: Details | UnsetType = UNSET
    """What --details adds."""
    items: Sequence[PlanItem]
    digest: DigestText
    """The SHA-256 of all the rest, as docs/gate.md describes it."""
    signature: SignatureText | None
    """The HMAC-SHA256 of the digest; null where there is no key."""


class Turn(Object, frozen=True):
    """One node of a rollout."""

    node: Text
    phase: Literal["started", "done", "failed"]
    """Started: its turn was taken and not decided; done: as the plan predicted; failed: not so."""
    id: str
    """A random name of the run that took the turn."""
    holder: str
    """Who took the turn, for people."""
    plan: str
    """The digest of the plan by which it was taken."""
    started_at: Time
    ended_at: Time | None
    """Null as long as it is started."""
    reason: str
    """What decided; empty as long as it is started."""


class RolloutState(Document, frozen=True):
    """Which nodes of a rollout were started, are done or have failed: what gate --state keeps."""

    kind: Literal["RolloutState"]
    items: Sequence[Turn]
