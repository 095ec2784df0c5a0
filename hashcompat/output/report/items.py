"""One container's verdict as documents, tables and texts show it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final

from hashcompat.analysis.planning.options import AUTO
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Hop, Plan, ReleaseFacts
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.rules import FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, FIELD_RETYPED
from hashcompat.output.report.model import Coloured, Document, time_text
from hashcompat.output.report.rowtexts import Likeness, Own

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
_OBSERVED: Final = ("containerID", "startedAt", "restartCount", "running")
FIELD_WORDS: Final = {
    FIELD_ADDED: "new field",
    FIELD_REMOVED: "lost field",
    FIELD_DROPPED: "not known to both:",
    FIELD_RETYPED: "other Go type of",
}


def item_document(item: Item) -> Document:
    """Return one container's verdict as an item of a RestartPlan."""
    return _document(item, _own(item))


def _own(item: Item) -> Own:
    """Return what an item has as its own among those of replicas."""
    pod, seen = item.pod, item.observed
    line = item.line or None
    own = (
        pod.node,
        pod.name,
        pod.uid,
        item.recorded,
        item.from_hash,
        item.to_hash,
        *((line,) if pod.file else ()),
    )
    return (*own, seen.id, time_text(seen.started), seen.restarts, seen.running) if seen else own


def _likeness(item: Item) -> Hashable:
    """Return what items of replicas share: names, and values that live as long as the plan."""
    pod = item.pod
    return (
        # ids stand for values that live as long as the plan, and compare fastest
        id(item.prediction),
        id(item.container),
        pod.namespace,
        pod.owner,
        pod.workload,
        pod.file,
        item.observed is None,
    )


def _document(item: Item, own: Sequence[Any]) -> Document:
    pod, container, prediction = item.pod, item.container, item.prediction
    node, name, uid, recorded, old, new, *rest = own
    return {
        "node": node,
        "namespace": pod.namespace,
        "pod": name,
        "uid": uid,
        "container": container.name,
        "containerType": container.type._value_,
        "owner": pod.owner,
        "workload": pod.workload,
        "fromRelease": prediction.from_release,
        "verdict": prediction.verdict._value_,
        "podRecreated": prediction.pod_recreated,
        "hash": {"recorded": recorded, "from": old, "to": new},
        "calibrated": prediction.calibrated,
        "counted": prediction.compared,
        "creatorAssumed": bool(prediction.creator),
        "reasons": [
            {"id": reason.id, "path": reason.path, "field": reason.field, "text": reason.text}
            for reason in prediction.reasons
        ],
        "source": {"file": pod.file, "line": rest.pop(0)} if pod.file else None,
        "observed": dict(zip(_OBSERVED, rest, strict=True)) if rest else None,
    }


ALIKE: Final = Likeness(_likeness, _own, _document)
"""How the items of replicas are written together."""


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


def disputed_nodes(plan: Plan) -> list[Document]:
    """Return the nodes that report another release than the plan is given."""
    return [{"node": node.node, "kubelet": node.kubelet} for node in plan.disputed]


def release_facts(read: ReleaseFacts) -> Document:
    """Return how a release's name was read."""
    return {
        "readAs": read.read_as,
        "era": read.era,
        "types": read.types,
        "vendorAssumed": read.vendor_assumed,
        "patchAssumed": read.patch_assumed,
    }
