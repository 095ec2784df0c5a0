"""Documents about releases and nodes: what differs, which are known, the matrix, checks and rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hashcompat.analysis.answers.comparison import DefaultDifference, KnownMinor, TypeDifference
from hashcompat.core.catalog.behaviour import EraChange
from hashcompat.core.model.documents import Document, Origin, Tool
from hashcompat.core.model.plan import Scope
from hashcompat.core.model.preflight import Finding, Status
from hashcompat.core.model.results import (
    CheckId,
    Count,
    DigestText,
    Minor,
    Object,
    ReleaseName,
    ReleaseOrAuto,
    Some,
    Text,
    Time,
    Upstream,
)


class ReleaseSide(Object, frozen=True):
    """One of two releases, with the steps of its hash."""

    release: ReleaseName
    read_as: Upstream
    """The upstream release that the name was read as."""
    era: Text
    types: Minor
    vendor_assumed: bool
    patch_assumed: bool
    steps: Some[Text]


class BehaviourDifference(Object, frozen=True):
    """Something that the kubelets of two releases do otherwise."""

    path: Text
    """The keys of behaviour.json."""
    from_: Any
    """Any JSON; null where that release has nothing there."""
    to: Any
    """Any JSON; null where that release has nothing there."""


class GateFacts(Object, frozen=True):
    """A feature gate in one release."""

    stage: Annotated[str, Meta(extra_json_schema={"enum": ["ALPHA", "BETA", "GA", "DEPRECATED"]})]
    on: bool
    """The default."""
    locked: bool
    needs: Sequence[Text]


class GateDifference(Object, frozen=True):
    """A feature gate that differs between two releases."""

    gate: Text
    from_: GateFacts | None
    """Null where the release does not know the gate."""
    to: GateFacts | None
    """Null where the release does not know the gate."""


class ReleaseDifference(Document, frozen=True):
    """What differs between two releases for any container: the type tree and the steps of the hash."""

    kind: Literal["ReleaseDifference"]
    from_: ReleaseSide
    to: ReleaseSide
    types: Sequence[TypeDifference]
    upstream: Sequence[EraChange]
    behaviour: Sequence[BehaviourDifference]
    """What kubelets do otherwise."""
    defaults: Sequence[DefaultDifference]
    """What API servers write into the containers of new pods, and drop from them."""
    gates: Sequence[GateDifference]
    static_pods: bool | None
    """Whether every static pod without a uid in its manifest restarts; null where that is not known."""


class ReleaseList(Document, frozen=True):
    """The known kubelet releases, a minor an item."""

    kind: Literal["ReleaseList"]
    items: Some[KnownMinor]


class PairField(Object, frozen=True):
    """A field of the Go types that differs between two releases."""

    path: Text
    field: Text
    added: bool | None
    """Whether the second release has it; null: both, with another Go type."""


class MatrixPair(Object, frozen=True):
    """An ordered pair of releases."""

    from_: ReleaseOrAuto
    to: ReleaseName
    scope: Scope
    """Which containers restart."""
    era: str
    """The two hash algorithms, where they differ; else empty."""
    fields: Sequence[PairField]
    """Fields of the Go types that only one of the two releases has."""
    if_set: bool
    """Whether only containers that set such a field restart."""
    go: bool
    """Whether containers with a backspace or form feed restart."""
    upstream: str
    """Pull requests behind the difference; empty where there is none."""
    static_pods: bool | None
    """Whether every static pod without a uid in its manifest restarts; null where that is not known."""
    resized: bool
    """Whether containers restart that have resources and the resizePolicy RestartContainer for these."""
    findings: Count | None
    """How many of the given pods' containers are killed, as a plan says; null without pods."""
    unknown: Count | None
    """How many of them are not decided; null without pods."""


class Path(Object, frozen=True):
    """A way through the releases."""

    releases: Some[ReleaseOrAuto]
    findings: Sequence[Count]
    """Containers killed by each step."""
    unknown: Sequence[Count]
    """Containers that are not decided at each step."""


class RestartMatrix(Document, frozen=True):
    """Every ordered pair of some releases: which containers restart, and why."""

    kind: Literal["RestartMatrix"]
    releases: Some[ReleaseOrAuto]
    warnings: Sequence[str]
    """Upstream's version skew policy, quoted where the cheapest way breaks it."""
    source: Origin | None
    """Where the pods were read; null without pods."""
    tool: Tool
    created_at: Time | None
    """When the pods were read; null where that is not known."""
    items: Sequence[MatrixPair]
    cheapest_path: Path | None
    """The way from the first release to the last that kills least; null without pods."""
    shortest_path: Path | None
    """The way of fewest steps in which every kubelet is within the version skew policy; null without
    pods, and where there is none."""
    groups: Sequence[Some[ReleaseOrAuto]]
    """The releases, neighbours together that no pair distinguishes: of the same counts, or of the same
    scope without pods."""


class Version(Document, frozen=True):
    """This program's version and the range of known kubelet releases."""

    kind: Literal["Version"]
    version: Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+")]
    oldest_kubelet: ReleaseName
    newest_kubelet: ReleaseName


# The documents of preflight and of the rules and checks themselves.


class PreflightSpec(Object, frozen=True):
    """What was checked."""

    to: str
    """The release of the kubelet that will be started."""
    from_: dict[str, str | None]
    """The release of the kubelet that runs now, by node; null where it is unknown."""
    ignored: Sequence[str]
    """The checks whose errors count as warnings."""
    left_out: Sequence[LeftOut]
    """The checks that were not made, each with what it needs besides."""
    source: Origin
    """Where the nodes were read."""
    tool: Tool
    created_at: Time | None
    """When the nodes were read; null where that is not known."""


class LeftOut(Object, frozen=True):
    """A check that was not made."""

    id: CheckId
    needs: str


class PreflightSummary(Object, frozen=True):
    """How many findings have each status."""

    error: Count = msgspec.field(name="ERROR")
    unknown: Count = msgspec.field(name="UNKNOWN")
    warn: Count = msgspec.field(name="WARN")
    info: Count = msgspec.field(name="INFO")
    ok: Count = msgspec.field(name="OK")


class PreflightGroup(Object, frozen=True):
    """Findings that are equal but for their nodes."""

    id: CheckId
    status: Status
    object: str
    """What it is about; empty for the whole node."""
    text: Text
    advice: str
    """What to do; empty where there is nothing to do."""
    nodes: Some[str]
    """Every node that has it."""


class PreflightReport(Document, frozen=True):
    """What the checks of nodes found, before their kubelets are restarted."""

    kind: Literal["PreflightReport"]
    spec: PreflightSpec
    summary: PreflightSummary
    """How many findings have each status."""
    items: Sequence[Finding]
    groups: Sequence[PreflightGroup]
    """The findings that are not OK, those once that are equal but for their nodes."""
    digest: DigestText
    """The SHA-256 of all the rest, as docs/gate.md describes it."""


class RuleStep(Object, frozen=True):
    """Something to do, or to know."""

    text: Text
    command: Text | None
    """One line for a shell, in which words in capitals are to be replaced; null where there is nothing to
    run."""


class RuleSince(Object, frozen=True):
    """The releases in which it can occur; null for a check, whose meaning names them."""

    releases: Text
    note: Text
    """Which kubelet's or API server's releases they are."""


class RuleItem(Object, frozen=True):
    """One rule or check."""

    id: Annotated[str, Meta(pattern="^(HC|PF-)[0-9]{3}$")]
    name: Text
    meaning: Text
    source: str
    """Where Kubernetes says so; empty where the rule is this program's own."""
    effect: str
    """What follows for whoever is on call; empty for a check, whose meaning has it."""
    confirm: Some[RuleStep]
    """How to see on a node or in the cluster that it is so; the commands change nothing."""
    avoid: Some[RuleStep]
    """How to keep it from happening, or how to turn UNKNOWN into a verdict."""
    since: RuleSince | None
    """The releases in which it can occur; null for a check, whose meaning names them."""
    links: Sequence[Annotated[str, Meta(pattern="^https://")]]
    """Upstream's pull requests, issues and files."""
    page: Annotated[str, Meta(pattern="#(hc|pf-)[0-9]{3}$")]
    """Where the page of the rule is: an address, or a path in the source tree."""


class RuleList(Document, frozen=True):
    """The rules behind verdicts by their stable ids."""

    kind: Literal["RuleList"]
    items: Some[RuleItem]
