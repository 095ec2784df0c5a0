"""The document of what changed between two plans or two snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from hashcompat.analysis.answers.changes import What
from hashcompat.core.model.documents import Count, Document, Number, Object, Time
from hashcompat.core.model.verdicts import Verdict


class ComparedFile(Object):
    """One of the two that are compared."""

    file: str
    """Where it was read from; empty for a value in memory."""
    made: Time | None
    """When the plan was made or the snapshot taken, UTC; null where it does not say so."""
    cluster_uid: str
    """Empty where that is unknown."""
    tool: str
    """The version of the program that made a plan; empty for a snapshot."""


class VerdictCount(Object):
    """How many containers went from one verdict to another."""

    from_: Verdict | None
    to: Verdict | None
    containers: Number


class ChangesSummary(Object):
    """How many items there are of each kind of change."""

    appeared: Count
    gone: Count
    changed: Count
    same: Count
    verdicts: Sequence[VerdictCount]
    """How many containers went from one verdict to another; empty for snapshots."""


class Edited(Object):
    """A place in which the two differ."""

    path: Annotated[str, Meta(pattern=r"^\$\.")]
    """Elements that have names by these: $.items[node-a/shop/web-1/api].verdict."""
    from_: Any
    """Any JSON; null where that document has nothing there."""
    to: Any
    """Any JSON; null where that document has nothing there."""


class VerdictChange(Object):
    """The verdicts of one container in both plans."""

    from_: Verdict | None
    to: Verdict | None


class ChangedItem(Object):
    """A container or an object that changed."""

    change: What
    kind: Annotated[
        str,
        Meta(extra_json_schema={"enum": ["Container", "Node", "Pod", "Recorded", "Sandbox", "Applied"]}),
    ]
    """Container in a plan."""
    node: str
    namespace: str
    pod: str
    container: str
    verdict: VerdictChange | None
    """Null for snapshots."""
    changes: Sequence[Edited]
    """What differs where both have it."""


class DocumentDifference(Document):
    """What changed between two plans, or between two snapshots."""

    kind: Literal["DocumentDifference"]
    of: Annotated[str, Meta(extra_json_schema={"enum": ["RestartPlan", "ClusterSnapshot"]})]
    from_: ComparedFile
    to: ComparedFile
    summary: ChangesSummary
    changes: Sequence[Edited]
    """What differs outside the items."""
    items: Sequence[ChangedItem]
