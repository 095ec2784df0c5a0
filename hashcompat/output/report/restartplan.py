"""A plan for programs: the RestartPlan, a case for each container, and a row with all that is known of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import msgspec

import hashcompat
from hashcompat.core.model import documents as docs
from hashcompat.core.model.documents import ContainerVerdict, Place, Seen
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.results import DIGEST, SIGNATURE, DocumentDigest, Making, signature
from hashcompat.core.model.verdicts import Hashes, Verdict
from hashcompat.core.rules import all_rules
from hashcompat.output.report.items import Provenance, reason_words, way_of
from hashcompat.output.report.model import (
    CaseResult,
    Document,
    Findings,
    Prose,
    ReportCase,
    Rows,
    Seals,
    Table,
    document,
    filled,
    time_text,
)
from hashcompat.output.report.planview import Excerpt, excerpt_of, times_of
from hashcompat.output.report.rowtexts import AlikeRows, OwnValues
from hashcompat.sources.files.saved import line


def plan_document(result: Plan | Excerpt) -> Document:
    """Return the document; the items are those that are shown, the summary counts all."""
    return sealed(*sealed_plan(result))


def sealed_plan(result: Plan | Excerpt) -> tuple[Document, Seals]:
    """Return the document without its digest and signature, and what makes these."""
    shown = excerpt_of(result)
    plan = shown.plan
    details, patch = plan.details if shown.details else None, plan.suggestion
    # with details each row has a difference of its own, so replicas share no text
    items = (
        Rows(shown.items, lambda item: {**item_document(item), "difference": item.difference or None})
        if details
        else Rows(shown.items, item_document, ALIKE, shown.jobs)
    )
    content = document(
        docs.RestartPlan,
        spec=filled(
            docs.PlanSpec,
            plan,
            from_=plan.from_release,
            to=plan.to_release,
            source=source_of(plan.origin),
            disputed_nodes=plan.disputed,
            override_node_releases=plan.overridden,
            releases={read.name: filled(docs.ReleaseFacts, read) for read in plan.releases},
            assumed_patch=plan.patch or None,
            suggestion=patch
            and docs.Suggestion(patch.kubelet, patch.likes, "accept", patch.saves, patch.command),
            tool=tool_of(plan.making),
            created_at=plan.created,
        ),
        summary=filled(
            docs.PlanSummary,
            shown.summary,
            **{verdict.value.lower(): number for verdict, number in shown.summary.verdicts.items()},
            recorded=plan.share.recorded,
            reproduced=plan.share.reproduced,
        ),
        **({"details": details} if details else {}),
        items=items,
    )
    return content, ItemSeals(content, shown.key)


def sealed(content: Document, seals: Seals) -> Document:
    """Return a document with what seals make of it."""
    for (line_of_row,) in content["items"].texts(seals.line):
        seals.add(line_of_row)
    return {**content, **seals.members()}


class ItemSeals:
    """The digest of a document, and its signature where there is a key to sign it with."""

    def __init__(self, content: Document, key: bytes) -> None:
        self._content, self._key, self._digest = content, key, DocumentDigest()

    def line(self, row: Document) -> str:
        """Return the line of a row."""
        return line(row).decode(errors="surrogatepass")

    def add(self, line: str) -> None:
        """Add the next line."""
        self._digest.add(line.encode(errors="surrogatepass"))

    def members(self) -> Document:
        """Return the digest and the signature, once all lines were added."""
        digest = self._digest.of(self._content)
        return {DIGEST: digest, SIGNATURE: signature(digest, self._key) if self._key else None}


def source_of(origin: Origin) -> docs.Origin:
    """Return where the pods of a plan come from, as documents have it."""
    place = origin.context, origin.server, origin.cluster
    return docs.Origin(origin.kind, origin.names, *place, origin.oldest, origin.taken)


def tool_of(making: Making) -> docs.Tool:
    """Return what made a result, as documents have it."""
    version = making.version or hashcompat.__version__
    return docs.Tool("hashcompat", version, making.command, making.newest, making.data_date)


def item_document(item: Item) -> Document:
    """Return one container's verdict as an item of a RestartPlan."""
    return _row(item, _own_values(item))


def _own_values(item: Item) -> OwnValues:
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


def container_verdict(item: Item) -> ContainerVerdict:
    """Return one container's verdict as documents have it."""
    return _verdict(item, _own_values(item))


def _row(item: Item, own: Sequence[Any]) -> Document:
    row: Document = msgspec.to_builtins(_verdict(item, own))
    return row


def _verdict(item: Item, own: Sequence[Any]) -> ContainerVerdict:
    pod, container, prediction = item.pod, item.container, item.prediction
    node, name, uid, recorded, old, new, *rest = own
    place = Place(pod.file, rest.pop(0)) if pod.file else None
    return ContainerVerdict(
        node=node,
        namespace=pod.namespace,
        pod=name,
        uid=uid,
        container=container.name,
        container_type=container.type,
        owner=pod.owner,
        workload=pod.workload,
        from_release=prediction.from_release,
        verdict=prediction.verdict,
        pod_recreated=prediction.pod_recreated,
        hash=Hashes(recorded, old, new),
        calibrated=prediction.calibrated,
        counted=prediction.compared,
        creator_assumed=bool(prediction.creator),
        reasons=[
            docs.Reason(reason.id, reason.path, reason.field, reason.text) for reason in prediction.reasons
        ],
        source=place,
        observed=Seen(*rest) if rest else None,
    )


ALIKE: Final = AlikeRows(_likeness, _own_values, _row)
"""How the items of replicas are written together."""


_OUTCOMES: Final[Mapping[Verdict, CaseResult]] = {
    Verdict.RESTART: CaseResult.FAILED,
    Verdict.KILL: CaseResult.FAILED,
    Verdict.UNKNOWN: CaseResult.UNDECIDED,
    Verdict.KEEP: CaseResult.PASSED,
}
_STDIN: Final = "-"
"""The file of what was read from standard input, which nobody could open."""
_COLUMNS: Final = (
    *("NODE", "NAMESPACE", "POD", "CONTAINER", "TYPE", "OWNER", "WORKLOAD", "UID", "RELEASE", "VERDICT"),
    *("POD RECREATED", "RECORDED", "FROM", "TO", "RULES", "REASON", "FILE", "LINE"),
)


def findings_of(result: Plan | Excerpt) -> Findings:
    """Return the items that are shown as cases; the totals are those of all."""
    shown = excerpt_of(result)
    plan, counts = shown.plan, shown.plan.summary
    return Findings(
        "plan",
        title_of(plan),
        "containers",
        {verdict.value: number for verdict, number in counts.verdicts.items()},
        lambda: map(case_of, shown.items),
        all_rules,
        {
            "pods": counts.pods,
            "pods_affected": counts.pods_affected,
            "nodes_affected": counts.nodes_affected,
            "containers_compared": counts.compared,
            "containers_not_compared": counts.not_compared,
        },
        times_of(plan),
    )


def title_of(plan: Plan) -> str:
    """Name the upgrade; also in formats that have no place for warnings, what was overridden for it."""
    against = ", against what nodes report" if plan.overridden else ""
    return f"kubelet {way_of(plan)}{against}"


def provenance_of(plan: Plan) -> Provenance:
    """Return of what, when, where and by what a plan was made."""
    return Provenance(way_of(plan), plan.origin, plan.making)


def case_of(item: Item) -> ReportCase:
    """Return one container's verdict as a case."""
    pod, reasons = item.pod, item.reasons
    names = {"node": pod.node, "namespace": pod.namespace, "pod": pod.name, "container": item.container.name}
    return ReportCase(
        _OUTCOMES[item.verdict],
        item.verdict.value,
        reasons[0].id if reasons else "",
        reason_words(item),
        name_path(pod.namespace, pod.name),
        name_path(item.container.name),
        names,
        *(("", 0) if pod.file == _STDIN else (pod.file, item.line)),
    )


def sheet_of(result: Plan | Excerpt) -> Table:
    """Return a row for each item that is shown."""
    return Table(_COLUMNS, lambda: map(_cells, excerpt_of(result).items))


def _cells(item: Item) -> list[object]:
    pod, container, hashes = item.pod, item.container, item.hashes
    return [
        *(pod.node, pod.namespace, pod.name, container.name, container.type.value),
        *(pod.owner, pod.workload, pod.uid, item.from_release, item.verdict.value),
        *("true" if item.pod_recreated else "false", hashes.recorded, hashes.from_, hashes.to),
        *(",".join(dict.fromkeys(reason.id for reason in item.reasons)), Prose(reason_words(item))),
        *(pod.file, item.line or None),
    ]
