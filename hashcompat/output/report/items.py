"""One container's verdict as documents, tables and texts show it."""

from __future__ import annotations

from typing import Final

from hashcompat.analysis.planning.options import AUTO
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Hop
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.rules import FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, FIELD_RETYPED
from hashcompat.output.report.model import Coloured

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


def verdict_cell(item: Item) -> Coloured:
    """Return the verdict in its colour."""
    return Coloured(item.verdict.value, COLOURS[item.verdict])


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
