"""One container's verdict as documents, tables and texts show it."""

from __future__ import annotations

from typing import Final

from hashcompat.model.escape import name_path
from hashcompat.model.plan import Hop, Item, Observed, Reason, ReleaseFacts, Verdict
from hashcompat.planning.options import AUTO
from hashcompat.report.model import Coloured, Document, time_text
from hashcompat.rules import FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, FIELD_RETYPED

COLOURS: Final = {
    Verdict.RESTART: "red",
    Verdict.KILL: "red",
    Verdict.UNKNOWN: "yellow",
    Verdict.KEEP: "green",
}

FIELD_WORDS: Final = {
    FIELD_ADDED: "new field",
    FIELD_REMOVED: "lost field",
    FIELD_DROPPED: "not known to both:",
    FIELD_RETYPED: "other Go type of",
}


def item_document(item: Item) -> Document:
    """Return one container's verdict as an item of a RestartPlan."""
    return {
        "node": item.pod.node,
        "namespace": item.pod.namespace,
        "pod": item.pod.name,
        "uid": item.pod.uid,
        "container": item.container.name,
        "containerType": item.container.type._value_,
        "owner": item.pod.owner,
        "workload": item.pod.workload,
        "fromRelease": item.from_release,
        "verdict": item.verdict._value_,
        "podRecreated": item.pod_recreated,
        "hash": {"recorded": item.recorded, "from": item.from_hash, "to": item.to_hash},
        "calibrated": item.calibrated,
        "creatorAssumed": bool(item.creator),
        "reasons": [_reason(reason) for reason in item.reasons],
        "source": {"file": item.pod.file, "line": item.line or None} if item.pod.file else None,
        "observed": _observed(item.observed) if item.observed else None,
    }


def _observed(found: Observed) -> Document:
    return {
        "containerID": found.id,
        "startedAt": time_text(found.started),
        "restartCount": found.restarts,
        "running": found.running,
    }


def _reason(reason: Reason) -> Document:
    return {"id": reason.id, "path": reason.path, "field": reason.field, "text": reason.text}


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


def release_facts(read: ReleaseFacts) -> Document:
    """Return how a release's name was read."""
    return {
        "readAs": read.read_as,
        "era": read.era,
        "types": read.types,
        "vendorAssumed": read.vendor_assumed,
        "patchAssumed": read.patch_assumed,
    }
