"""A plan: the verdict of every container, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import hashcompat
from hashcompat.model.plan import Hop, Item, Plan, Suggestion, Summary, Verdict
from hashcompat.model.words import agree, count
from hashcompat.report.items import (
    hop_words,
    item_document,
    item_name,
    reason_words,
    release_facts,
    verdict_cell,
)
from hashcompat.report.model import Document, Prose, Report, Rows, Table, document

_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "FROM", "TO", "REASON")

_MORE_COLUMNS: Final = ("TYPE", "OWNER", "UID", "RELEASE", "FROM-HEX", "TO-HEX", "RULES")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A plan with some of its items shown; its summary counts all."""

    plan: Plan
    items: tuple[Item, ...]


def without_kept(plan: Plan) -> Excerpt:
    """Leave the containers out that are kept."""
    return Excerpt(plan, tuple(item for item in plan.items if item.verdict is not Verdict.KEEP))


def _whole(shown: Plan | Excerpt) -> Plan:
    return shown.plan if isinstance(shown, Excerpt) else shown


def _document(shown: Plan | Excerpt) -> Document:
    plan = _whole(shown)
    return document(
        "RestartPlan",
        spec={
            "from": plan.from_release,
            "to": plan.to_release,
            "releases": {read.name: release_facts(read) for read in plan.releases},
            "assumptions": list(plan.assumptions),
            "warnings": list(plan.warnings),
            "hops": [_hop(hop) for hop in plan.hops],
            "rollback": _hop(plan.rollback) if plan.rollback else None,
            "assumedPatch": plan.patch or None,
            "suggestion": _suggestion(plan.suggestion) if plan.suggestion else None,
            "tool": {"name": "hashcompat", "version": hashcompat.__version__},
        },
        summary={
            **_summary(plan.summary),
            "recorded": plan.share.recorded,
            "reproduced": plan.share.reproduced,
        },
        items=Rows(shown.items, item_document),
    )


def _suggestion(suggestion: Suggestion) -> Document:
    return {
        "kubelet": suggestion.kubelet,
        "like": list(suggestion.likes),
        "strategy": "accept",
        "restartsSaved": suggestion.saves,
        "command": suggestion.command,
    }


def _hop(hop: Hop) -> Document:
    return {"from": hop.old, "to": hop.new, "findings": hop.findings, "unknown": hop.unknown}


def _summary(counts: Summary) -> Document:
    return {
        "containers": counts.containers,
        **{verdict.value.lower(): number for verdict, number in counts.verdicts.items()},
        "pods": counts.pods,
        "podsAffected": counts.pods_affected,
        "nodesAffected": counts.nodes_affected,
    }


def _table(shown: Plan | Excerpt) -> Table:
    return Table(_COLUMNS, lambda: map(_cells, shown.items))


def _wide(shown: Plan | Excerpt) -> Table:
    rows = lambda: ([*_cells(item), *_more_cells(item)] for item in shown.items)  # noqa: E731
    return Table((*_COLUMNS, *_MORE_COLUMNS), rows)


def _cells(item: Item) -> list[object]:
    pod = item.pod
    names = [pod.node, pod.namespace, pod.name, item.container.name]
    return [*names, verdict_cell(item), item.hashes.from_, item.hashes.to, Prose(reason_words(item))]


def _more_cells(item: Item) -> list[object]:
    hexes = [None if value is None else f"{value:x}" for value in (item.hashes.from_, item.hashes.to)]
    ids = ",".join(dict.fromkeys(reason.id for reason in item.reasons))
    return [item.container.type.value, item.pod.owner, item.pod.uid, item.from_release, *hexes, ids]


def _names(shown: Plan | Excerpt) -> Iterator[str]:
    return map(item_name, shown.items)


def _notes(shown: Plan | Excerpt) -> Iterator[str]:
    """Yield what was reproduced, assumed and warned of, the steps and the way back, and the closing line."""
    plan = _whole(shown)
    yield from plan.notes
    if plan.share.recorded:
        yield f"Calibration: {plan.share}"
    yield from (f"Assumed: {assumption}" for assumption in plan.assumptions)
    yield from (f"Warning: {warning}" for warning in plan.warnings)
    if plan.hops:
        steps = ", ".join(f"{hop.old} -> {hop.new} {hop_words(hop)}" for hop in plan.hops)
        yield f"One minor at a time, it would restart: {steps}"
    if back := plan.rollback:
        yield f"The way back, {back.old} -> {back.new}, would restart {hop_words(back)}"
    if found := plan.suggestion:
        yield f"A patched kubelet would restart {found.saves} fewer: {found.command}"
    yield _closing(plan)


def _closing(plan: Plan) -> str:
    """Return how many containers are killed, where, and what is not known."""
    counts = plan.summary
    hit, killed = counts.findings, counts.verdicts[Verdict.KILL]
    way = f"{plan.from_release} -> {plan.to_release}"
    parts = [f"{way}: {hit} of {count(counts.containers, 'container')} {agree(hit, 'restart')}"]
    if hit:
        parts.append(f" in {counts.pods_affected} of {count(counts.pods, 'pod')}")
        parts.append(f" on {count(counts.nodes_affected, 'node')}" if counts.nodes_affected else "")
    if killed:
        parts.append(f"; {killed} of them {'is' if killed == 1 else 'are'} not started again")
    parts.append(f"; {counts.verdicts[Verdict.KEEP]} kept, {counts.unknown} unknown")
    return "".join(parts)


PLAN: Final[Report[Plan | Excerpt]] = Report(
    "RestartPlan", document=_document, table=_table, wide=_wide, names=_names, notes=_notes
)
