"""What every report says: a verdict in words, and of what, when, where and by what the report was made.

Whoever opens a file a week later has neither the terminal nor the pipeline in which it was made. Each format
takes the same facts: for people under their names, for programs by their keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

import msgspec

from hashcompat.core.catalog.releases import goes_back, span
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Hop
from hashcompat.core.model.pods import Origin, Source
from hashcompat.core.model.results import Fact, Making
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.rules import FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, FIELD_RETYPED

if TYPE_CHECKING:
    from hashcompat.core.model.impact import Impact
    from hashcompat.core.model.plan import Plan
    from hashcompat.core.model.preflight import Normalization

COLOURS: Final = {
    Verdict.RESTART: "red",
    Verdict.KILL: "red",
    Verdict.UNKNOWN: "yellow",
    Verdict.KEEP: "green",
}
SEVERITY: Final = {
    verdict: place
    for place, verdict in enumerate((Verdict.KILL, Verdict.RESTART, Verdict.UNKNOWN, Verdict.KEEP))
}
"""The order of verdicts, the worst first."""
FIELD_WORDS: Final = {
    FIELD_ADDED: "new field",
    FIELD_REMOVED: "lost field",
    FIELD_DROPPED: "known to one kubelet only:",
    FIELD_RETYPED: "other Go type of",
}


def item_name(item: Item) -> str:
    """Return NAMESPACE/POD/CONTAINER, as ``explain`` takes it."""
    return name_path(item.pod.namespace, item.pod.name, item.container.name)


def reason_words(item: Item) -> str:
    """Say in a few words why; fields of one kind of reason together."""
    fields: dict[str, list[str]] = {}
    for reason in item.reasons:
        fields.setdefault(FIELD_WORDS.get(reason.id, reason.text), []).append(reason.field)
    parts = (" ".join([words, ", ".join(dict.fromkeys(names))]).strip() for words, names in fields.items())
    return "; ".join(parts) or "same hash"


def hop_ends(hop: Hop) -> str:
    """Name the releases of a step; that of each node is what ``auto`` means."""
    if hop.old == AUTO:
        return f"to {hop.new}"
    return f"{hop.old} -> {'what each node runs now' if hop.new == AUTO else hop.new}"


def hop_words(hop: Hop) -> str:
    """Say how many containers a step kills, and how many are not decided."""
    return f"{hop.findings}" + (f" (and {hop.unknown} unknown)" if hop.unknown else "")


def counted(hop: Hop) -> str:
    """Write findings, and behind ``+`` what is not decided, with a question mark."""
    return f"{hop.findings}+{hop.unknown}?" if hop.unknown else str(hop.findings)


# Of what, when, where and by what a report was made.

_UNKNOWN: Final = "unknown"
_KINDS: Final[Mapping[Source, str]] = {
    Source.CLUSTER: "the live cluster",
    Source.SNAPSHOT: "a snapshot",
    Source.SAMPLE: "the built-in sample",
    Source.OBJECTS: "objects in memory",
}


class Provenance(msgspec.Struct, frozen=True):
    """Of what, when, where and by what a result was made."""

    upgrade: str = ""
    """``1.34.1 - 1.34.6 -> 1.36.6``; empty for a result that is about no upgrade."""
    origin: Origin | None = None
    """Where the objects come from that it is about; None without any."""
    making: Making = Making()
    plan: Making | None = None
    """What the plan was made by that it judges; None where it judges none."""

    def facts(self) -> Iterator[Fact]:
        """Yield the facts, those first that a reader has to check first."""
        if self.upgrade:
            yield Fact("upgrade", "Upgrade", f"kubelet {self.upgrade}")
        if self.origin:
            yield Fact("input_taken", "Data taken", _time(self.origin.taken))
        if self.plan:
            yield Fact("plan_created", "Plan made", _time(self.plan.at))
        yield Fact("report_made", "Report made", _time(self.making.at))
        if self.origin:
            yield Fact("cluster", "Cluster", cluster_of(self.origin) or _UNKNOWN)
            named = filter(None, (_KINDS.get(self.origin.kind, ""), *self.origin.names))
            yield Fact("source", "Source", ", ".join(named) or _UNKNOWN)
        if self.plan and self.plan.command and self.plan.command != self.making.command:
            yield Fact("plan_command", "Plan's command", self.plan.command)
        yield Fact("command", "Command", self.making.command or "none: made by the Python API")
        yield Fact("tool", "Made by", self.making.tool)
        data = "; ".join(filter(None, (self.making.data, self.making.stale)))
        yield Fact("release_data", "Release data", data or _UNKNOWN)


def _time(time: datetime | None) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}" if time else _UNKNOWN


def cluster_of(origin: Origin) -> str:
    """Name the cluster by all that is known of it; empty where nothing is."""
    context = f"context {origin.context}" if origin.context else ""
    uid = f"kube-system UID {origin.cluster}" if origin.cluster else ""
    return ", ".join(filter(None, (context, origin.server, uid)))


def way_of(made: Plan | Impact | Normalization) -> str:
    """Return the releases of what is about one upgrade, as ``upgrade_of`` does."""
    return upgrade_of(made.from_release, made.running, made.to_release)


def upgrade_of(old: str, running: tuple[str, ...], new: str) -> str:
    """Return the releases that run and the target; ``auto`` is never one of them."""
    current = span(running) if old == AUTO else old
    back = [goes_back(name, new) for name in (running if old == AUTO else (old,))]
    return f"{current or 'unknown releases'} -> {new}{' (a downgrade)' if back and all(back) else ''}"
