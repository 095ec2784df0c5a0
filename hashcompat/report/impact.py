"""The impact of a plan: who is hit, and the nodes in the order in which to upgrade them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import hashcompat
from hashcompat.model.escape import name_path, owner_path
from hashcompat.model.impact import Batch, BudgetImpact, Certainty, Effect, Impact, NodeImpact, Owner, Step
from hashcompat.model.words import count
from hashcompat.report.collapse import collapsed
from hashcompat.report.model import (
    Coloured,
    Document,
    Line,
    Prose,
    Report,
    Rows,
    Screen,
    Section,
    Table,
    document,
)
from hashcompat.report.runbook import runbook
from hashcompat.report.whence import overridden, source_document

_COLOURS: Final[Mapping[Step, str]] = {
    Step.CLEAN: "green",
    Step.IN_PLACE: "green",
    Step.UNDECIDED: "yellow",
    Step.DRAIN: "red",
}

_NODE: Final = ("BATCH", "NODE", "STEP", "RESTART", "UNKNOWN", "WHY")

_MORE: Final = ("KILLED", "BARE", "STATIC", "SINGLE", "DRAIN", "WAITS-FOR")

_BUDGET: Final = ("WHERE", "NAMESPACE", "BUDGET", "BREACHED", "HEALTHY", "RESTART", "LEFT", "DESIRED", "WHY")

_OWNER: Final = ("NAMESPACE", "OWNER", "REPLICAS", "RESTART", "UNKNOWN", "NODES", "READY-AFTER", "NOTE")


def _document(impact: Impact) -> Document:
    """Return the ImpactReport; its items are the nodes, in their order."""
    return document(
        "ImpactReport",
        spec={
            "from": impact.from_release,
            "to": impact.to_release,
            "batch": impact.size,
            "source": source_document(impact.origin),
            "budgets": {"found": impact.budgets, "missing": impact.budgets_missing},
            "assumptions": list(impact.assumptions),
            "warnings": list(impact.warnings),
            "tool": {"name": "hashcompat", "version": hashcompat.__version__},
        },
        summary=_summary(impact),
        items=Rows(impact.nodes, _node),
        batches=Rows(impact.batches, _batch),
        owners=Rows(impact.owners, _owner),
    )


def _summary(impact: Impact) -> Document:
    steps = Counter(node.step for node in impact.nodes)
    special = {
        name: sum(len(getattr(node.pods, name)) for node in impact.nodes)
        for name in ("killed", "bare", "static", "single")
    }
    return {
        "nodes": len(impact.nodes),
        **{step.value: steps[step] for step in Step},
        "batches": len(impact.batches),
        "budgetsBreached": len({(one.namespace, one.name) for one in impact.breaches}),
        **special,
        "unplaced": impact.unplaced,
        "unseen": impact.unseen,
    }


def _node(node: NodeImpact) -> dict[str, Any]:
    pods = node.pods
    return {
        "node": node.name,
        "step": node.step.value,
        "batch": node.batch,
        "podsRestarted": node.restarted,
        "podsUnknown": node.unknown,
        "reasons": list(node.reasons),
        **_effect(node.effect),
        "killed": _places(pods.killed, "pod"),
        "bare": _places(pods.bare, "pod"),
        "static": _places(pods.static, "pod"),
        "single": _places(pods.single, "owner"),
        "drainFlags": list(node.flags),
        "drainWaitsFor": list(node.drain_waits),
    }


def _places(places: Iterable[tuple[str, str]], noun: str) -> list[Document]:
    return [{"namespace": namespace, noun: name} for namespace, name in places]


def _effect(effect: Effect) -> Document:
    return {
        "budgets": [_budget(one) for one in effect.budgets],
        "ownersDown": [
            {
                "namespace": one.namespace,
                "owner": one.name,
                "down": one.certainty.value,
                "replicas": one.replicas,
            }
            for one in effect.owners
        ],
    }


def _budget(found: BudgetImpact) -> Document:
    return {
        "namespace": found.namespace,
        "name": found.name,
        "breached": found.certainty.value,
        "desiredHealthy": found.desired,
        "healthy": found.healthy,
        "restarts": found.restarts,
        "possible": found.possible,
        "healthyAfter": found.after,
        "short": found.short,
        "shortBefore": found.short_before,
        "problem": found.problem,
    }


def _batch(batch: Batch) -> dict[str, Any]:
    return {
        "batch": batch.number,
        "step": batch.step.value,
        "nodes": list(batch.nodes),
        **_effect(batch.effect),
    }


def _owner(owner: Owner) -> dict[str, Any]:
    return {
        "namespace": owner.namespace,
        "owner": owner.name,
        "replicas": owner.replicas,
        "podsRestarted": owner.restarted,
        "podsUnknown": owner.unknown,
        "nodes": owner.nodes,
        "secondsToReady": {"median": owner.seconds, "most": owner.most_seconds},
        "graceSeconds": owner.grace_seconds,
        "unprobed": owner.unprobed,
        "single": owner.single,
    }


def _table(impact: Impact) -> Table:
    return Table(_NODE, lambda: map(_cells, impact.nodes))


def _wide(impact: Impact) -> Table:
    return Table((*_NODE, *_MORE), lambda: ([*_cells(node), *_more(node)] for node in impact.nodes))


def _cells(node: NodeImpact) -> list[object]:
    step = Coloured(node.step.value, _COLOURS[node.step])
    why = Prose("; ".join(node.reasons)) if node.reasons else None
    return [node.batch, node.name, step, node.restarted, node.unknown, why]


def _more(node: NodeImpact) -> list[object]:
    pods = node.pods
    lists = ([name_path(*place) for place in places] for places in (pods.killed, pods.bare, pods.static))
    single = [owner_path(*owner) for owner in pods.single]
    cells = (*lists, single, node.flags, node.drain_waits)
    return [Prose(", ".join(cell)) if cell else None for cell in cells]


def _overview(impact: Impact, _: Screen) -> Iterator[Section]:
    """Yield the answer, what is breached, the owners, and the nodes."""
    yield Section([*_answer(impact)], fits=True)
    if any(map(bool, impact.effects())):
        yield Section(Table(_BUDGET, lambda: _budget_rows(impact)), fits=True)
    if impact.owners:
        yield Section(Table(_OWNER, lambda: map(_owner_cells, impact.owners)), fits=True)
    if impact.nodes:
        yield Section(_table(impact), fits=True)


def _answer(impact: Impact) -> Iterator[Line]:
    numbers = _summary(impact)
    steps = ", ".join(f"{numbers[step.value]} {_WORDS[step]}" for step in Step if numbers[step.value])
    yield [f"{count(len(impact.nodes), 'node')} in {_batches(impact)}: {steps or 'none'}"]
    breached = numbers["budgetsBreached"]
    if impact.budgets_missing and not impact.budgets:
        yield ["PodDisruptionBudgets: UNKNOWN"]
    else:
        yield [f"{breached} of {count(impact.budgets, 'PodDisruptionBudget')} breached by restarts in place"]


_WORDS: Final[Mapping[Step, str]] = {
    Step.CLEAN: "clean",
    Step.IN_PLACE: "in place",
    Step.UNDECIDED: "undecided",
    Step.DRAIN: "to drain",
}


def _batches(impact: Impact) -> str:
    number = len(impact.batches)
    return f"{number} {'batch' if number == 1 else 'batches'}"


def _budget_rows(impact: Impact) -> Iterator[list[object]]:
    for node in impact.nodes:
        yield from _effect_rows(node.name, node.effect)
    for batch in impact.batches:
        if len(batch.nodes) > 1:
            yield from _effect_rows(f"batch-{batch.number}", batch.effect)


def _effect_rows(where: str, effect: Effect) -> Iterator[list[object]]:
    for one in effect.budgets:
        restarts = Prose(f"{one.restarts} to {one.restarts + one.possible}") if one.possible else one.restarts
        numbers = [one.healthy, restarts, one.after, one.desired]
        why = Prose(one.problem) if one.problem else None
        yield [where, one.namespace, one.name, _sure(one.certainty), *numbers, why]
    for owner in effect.owners:
        numbers = [owner.replicas, owner.replicas, 0, None]
        yield [where, owner.namespace, owner.name, _sure(owner.certainty), *numbers, Prose("no replica left")]


def _sure(certainty: Certainty) -> Coloured:
    return Coloured(certainty.value, "red" if certainty is Certainty.YES else "yellow")


def _owner_cells(owner: Owner) -> list[object]:
    numbers = [owner.replicas, owner.restarted, owner.unknown, owner.nodes]
    took = None if owner.seconds is None else Prose(f"{owner.seconds} s")
    return [owner.namespace, owner.name, *numbers, took, Prose(", ".join(_remarks(owner))) or None]


def _remarks(owner: Owner) -> Iterator[str]:
    yield f"stops within {owner.grace_seconds} s"
    if owner.single:
        yield "the only replica"
    if owner.name.startswith("Pod/"):
        yield "nothing controls it"
    if owner.unprobed:
        yield "no readinessProbe"


def _names(impact: Impact) -> Iterator[str]:
    return (node.name for node in impact.nodes)


def _notes(impact: Impact) -> Iterator[str]:
    yield from (f"Assumed: {assumption}" for assumption in impact.assumptions)
    yield from (f"Warning: {warning}" for warning in collapsed(impact.warnings))
    if impact.budgets_missing:
        yield f"PodDisruptionBudgets are UNKNOWN: {impact.budgets_missing}"
    if impact.unplaced:
        yield f"On no node, and so in no batch: {count(impact.unplaced, 'pod')} that would restart"
    if impact.unseen:
        yield f"In the plan, but not among the pods: {count(impact.unseen, 'pod')}; give both of one time"
    yield f"{impact.from_release} -> {impact.to_release}: " + "; ".join(
        str(line[0]) for line in _answer(impact)
    )


IMPACT: Final[Report[Impact]] = Report(
    "ImpactReport",
    document=_document,
    overview=_overview,
    table=_table,
    wide=_wide,
    names=_names,
    pages=runbook,
    lead=overridden,
    notes=_notes,
    loosened=overridden,
)
