"""The documents of preflight and of the rules and checks themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hashcompat.core.model.documents import (
    CheckId,
    Count,
    Document,
    Object,
    Origin,
    Some,
    Text,
    Time,
    Tool,
)
from hashcompat.core.model.preflight import Status


class PreflightSpec(Object):
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


class LeftOut(Object):
    """A check that was not made."""

    id: CheckId
    needs: str


class PreflightSummary(Object):
    """How many findings have each status."""

    error: Count = msgspec.field(name="ERROR")
    unknown: Count = msgspec.field(name="UNKNOWN")
    warn: Count = msgspec.field(name="WARN")
    info: Count = msgspec.field(name="INFO")
    ok: Count = msgspec.field(name="OK")


class PreflightItem(Object):
    """One finding."""

    id: CheckId
    node: str
    status: Status
    object: str
    """What it is about; empty for the whole node."""
    text: Text
    advice: str
    """What to do; empty where there is nothing to do."""


class PreflightGroup(Object):
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


class PreflightReport(Document):
    """What the checks of nodes found, before their kubelets are restarted."""

    kind: Literal["PreflightReport"]
    spec: PreflightSpec
    summary: PreflightSummary
    """How many findings have each status."""
    items: Sequence[PreflightItem]
    groups: Sequence[PreflightGroup]
    """The findings that are not OK, those once that are equal but for their nodes."""


class RuleStep(Object):
    """Something to do, or to know."""

    text: Text
    command: Text | None
    """One line for a shell, in which words in capitals are to be replaced; null where there is nothing to
    run."""


class RuleSince(Object):
    """The releases in which it can occur; null for a check, whose meaning names them."""

    releases: Text
    note: Text
    """Which kubelet's or API server's releases they are."""


class RuleItem(Object):
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


class RuleList(Document):
    """The rules behind verdicts by their stable ids."""

    kind: Literal["RuleList"]
    items: Some[RuleItem]
