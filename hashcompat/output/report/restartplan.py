"""A plan for programs: the RestartPlan, a case for each container, and a row with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import hashcompat
from hashcompat.core.model.digest import DIGEST, SIGNATURE, Digest, signature
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Details, Hop, Piece, Plan
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.rules.pages import every
from hashcompat.output.report.items import ALIKE, disputed_nodes, item_document, reason_words, release_facts
from hashcompat.output.report.model import (
    Case,
    Document,
    Findings,
    Outcome,
    Prose,
    Rows,
    Seals,
    Table,
    document,
    time_text,
)
from hashcompat.output.report.planview import Excerpt, excerpt_of, source_document, times_of
from hashcompat.sources.files.saved import line


def plan_document(result: Plan | Excerpt) -> Document:
    """Return the document; the items are those that are shown, the summary counts all."""
    content, seals = sealed_plan(result)
    for (line_of_row,) in content["items"].texts(seals.line):
        seals.add(line_of_row)
    return {**content, **seals.members()}


def sealed_plan(result: Plan | Excerpt) -> tuple[Document, Seals]:
    """Return the document without its digest and signature, and what makes these."""
    shown = excerpt_of(result)
    plan = shown.plan
    details = plan.details if shown.details else None
    content = document(
        "RestartPlan",
        spec={
            "from": plan.from_release,
            "to": plan.to_release,
            "source": source_document(plan.origin),
            "disputedNodes": disputed_nodes(plan),
            "overrideNodeReleases": plan.overridden,
            "releases": {read.name: release_facts(read) for read in plan.releases},
            "assumptions": list(plan.assumptions),
            "warnings": list(plan.warnings),
            "hops": [_hop(hop) for hop in plan.hops],
            "rollback": _hop(plan.rollback) if plan.rollback else None,
            "assumedPatch": plan.patch or None,
            "suggestion": {
                "kubelet": plan.suggestion.kubelet,
                "like": list(plan.suggestion.likes),
                "strategy": "accept",
                "restartsSaved": plan.suggestion.saves,
                "command": plan.suggestion.command,
            }
            if plan.suggestion
            else None,
            "tool": {"name": "hashcompat", "version": plan.tool or hashcompat.__version__},
            "createdAt": time_text(plan.created),
        },
        summary={
            "containers": shown.summary.containers,
            **{verdict.value.lower(): number for verdict, number in shown.summary.verdicts.items()},
            "pods": shown.summary.pods,
            "podsAffected": shown.summary.pods_affected,
            "nodesAffected": shown.summary.nodes_affected,
            "compared": shown.summary.compared,
            "notCompared": shown.summary.not_compared,
            "recorded": plan.share.recorded,
            "reproduced": plan.share.reproduced,
        },
        **({"details": details_document(details)} if details else {}),
        # with details each row has a difference of its own, so replicas share no text
        items=Rows(shown.items, _item) if details else Rows(shown.items, item_document, ALIKE, shown.jobs),
    )
    return content, ItemSeals(content, shown.key)


class ItemSeals:
    """The digest of a document, and its signature where there is a key to sign it with."""

    def __init__(self, content: Document, key: bytes) -> None:
        self._content, self._key, self._found = content, key, Digest()

    def line(self, row: Document) -> str:
        """Return the line of a row."""
        return line(row).decode(errors="surrogatepass")

    def add(self, line: str) -> None:
        """Add the next line."""
        self._found.add(line.encode(errors="surrogatepass"))

    def members(self) -> Document:
        """Return both, once all lines were added."""
        digest = self._found.of(self._content)
        return {DIGEST: digest, SIGNATURE: signature(digest, self._key) if self._key else None}


def _item(item: Item) -> Document:
    return {**item_document(item), "difference": item.difference or None}


def _hop(hop: Hop) -> Document:
    return {
        "from": hop.old,
        "to": hop.new,
        "findings": hop.findings,
        "unknown": hop.unknown,
        "parts": [_hop(part) for part in hop.parts],
    }


def details_document(details: Details) -> Document:
    """Return the details; an item's ``difference`` counts the differences from 1."""
    return {
        "differences": [
            {
                "from": difference.old,
                "to": difference.new,
                "fragment": _pieces(difference.pieces),
                "more": difference.more,
                "hashes": list(difference.hashes),
                "begins": [{"pieces": _pieces(pieces)} for pieces in difference.begins],
                "example": difference.example,
            }
            for difference in details.differences
        ],
        "omitted": details.omitted,
        "releases": list(details.releases),
        "passed": details.passed,
        "pairs": [
            {
                "from": pair.old,
                "to": pair.new,
                "scope": pair.scope.value,
                "findings": pair.findings,
                "unknown": pair.unknown,
            }
            for pair in details.pairs
        ],
    }


def _pieces(pieces: Iterable[Piece]) -> list[Document]:
    return [{"kind": piece.kind.value, "text": piece.text} for piece in pieces]


_OUTCOMES: Final[Mapping[Verdict, Outcome]] = {
    Verdict.RESTART: Outcome.FAILED,
    Verdict.KILL: Outcome.FAILED,
    Verdict.UNKNOWN: Outcome.UNDECIDED,
    Verdict.KEEP: Outcome.PASSED,
}
_STDIN: Final = "-"
"""The file of what was read from standard input, which nobody could open."""
_COLUMNS: Final = (
    *("NODE", "NAMESPACE", "POD", "CONTAINER", "TYPE", "OWNER", "WORKLOAD", "UID", "RELEASE", "VERDICT"),
    *("POD RECREATED", "RECORDED", "FROM", "TO", "RULES", "REASON", "FILE", "LINE"),
)


def findings_of(plan: Plan, items: Sequence[Item]) -> Findings:
    """Return some items of a plan as cases; the totals are those of all."""
    counts = plan.summary
    return Findings(
        "plan",
        title_of(plan),
        "containers",
        {verdict.value: number for verdict, number in counts.verdicts.items()},
        lambda: map(case_of, items),
        every,
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
    return f"kubelet {plan.from_release} -> {plan.to_release}{against}"


def case_of(item: Item) -> Case:
    """Return one container's verdict as a case."""
    pod, reasons = item.pod, item.reasons
    names = {"node": pod.node, "namespace": pod.namespace, "pod": pod.name, "container": item.container.name}
    return Case(
        _OUTCOMES[item.verdict],
        item.verdict.value,
        reasons[0].id if reasons else "",
        reason_words(item),
        name_path(pod.namespace, pod.name),
        name_path(item.container.name),
        names,
        *(("", 0) if pod.file == _STDIN else (pod.file, item.line)),
    )


def sheet_of(items: Sequence[Item]) -> Table:
    """Return a row for each item."""
    return Table(
        _COLUMNS,
        lambda: (
            (
                [
                    *_names(item),
                    item.verdict.value,
                    ("true" if item.pod_recreated else "false"),
                    *_hashes(item),
                    *_reasons(item),
                ]
            )
            for item in items
        ),
    )


def _names(item: Item) -> Iterator[object]:
    pod = item.pod
    yield from (pod.node, pod.namespace, pod.name, item.container.name, item.container.type.value)
    yield from (pod.owner, pod.workload, pod.uid, item.from_release)


def _hashes(item: Item) -> Iterator[object]:
    yield from (item.hashes.recorded, item.hashes.from_, item.hashes.to)


def _reasons(item: Item) -> Iterator[object]:
    yield ",".join(dict.fromkeys(reason.id for reason in item.reasons))
    yield Prose(reason_words(item))
    yield from (item.pod.file, item.line or None)
