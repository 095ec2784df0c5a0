"""A plan as a RestartPlan."""

from __future__ import annotations

import hashcompat
from hashcompat.model.digest import DIGEST, SIGNATURE, Digest, signature
from hashcompat.model.items import Item
from hashcompat.model.plan import Hop, Plan, Suggestion, Summary
from hashcompat.report.asked import Excerpt, asked
from hashcompat.report.items import ALIKE, disputed_nodes, item_document, release_facts
from hashcompat.report.model import Document, Rows, Seals, document, time_text
from hashcompat.report.plandetails import details_document
from hashcompat.report.whence import source_document
from hashcompat.sources.files.quick import line


def plan_document(result: Plan | Excerpt) -> Document:
    """Return the document; the items are those that are shown, the summary counts all."""
    content, seals = sealed_plan(result)
    for (line_of_row,) in content["items"].texts(seals.line):
        seals.add(line_of_row)
    return {**content, **seals.members()}


def sealed_plan(result: Plan | Excerpt) -> tuple[Document, Seals]:
    """Return the document without its digest and signature, and what makes these."""
    shown = asked(result)
    content = _content(shown)
    return content, _Seals(content, shown.key)


def _content(shown: Excerpt) -> Document:
    plan = shown.plan
    details = plan.details if shown.details else None
    return document(
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
            "suggestion": _suggestion(plan.suggestion) if plan.suggestion else None,
            "tool": {"name": "hashcompat", "version": plan.tool or hashcompat.__version__},
            "createdAt": time_text(plan.created),
        },
        summary={
            **_summary(shown.summary),
            "recorded": plan.share.recorded,
            "reproduced": plan.share.reproduced,
        },
        **({"details": details_document(details)} if details else {}),
        items=Rows(shown.items, _item) if details else Rows(shown.items, item_document, ALIKE, shown.jobs),
    )


class _Seals:
    """The digest of a document, and its signature where there is a key to sign it with."""

    def __init__(self, content: Document, key: bytes) -> None:
        self._content, self._key, self._found = content, key, Digest()

    def line(self, row: Document) -> str:
        return line(row).decode(errors="surrogatepass")

    def add(self, line: str) -> None:
        self._found.add(line.encode(errors="surrogatepass"))

    def members(self) -> Document:
        digest = self._found.of(self._content)
        return {DIGEST: digest, SIGNATURE: signature(digest, self._key) if self._key else None}


def _item(item: Item) -> Document:
    return {**item_document(item), "difference": item.difference or None}


def _suggestion(suggestion: Suggestion) -> Document:
    return {
        "kubelet": suggestion.kubelet,
        "like": list(suggestion.likes),
        "strategy": "accept",
        "restartsSaved": suggestion.saves,
        "command": suggestion.command,
    }


def _hop(hop: Hop) -> Document:
    return {
        "from": hop.old,
        "to": hop.new,
        "findings": hop.findings,
        "unknown": hop.unknown,
        "parts": [_hop(part) for part in hop.parts],
    }


def _summary(counts: Summary) -> Document:
    return {
        "containers": counts.containers,
        **{verdict.value.lower(): number for verdict, number in counts.verdicts.items()},
        "pods": counts.pods,
        "podsAffected": counts.pods_affected,
        "nodesAffected": counts.nodes_affected,
        "compared": counts.compared,
        "notCompared": counts.not_compared,
    }
