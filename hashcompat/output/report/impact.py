"""The impact of a plan: who is hit, and the nodes in the order in which to upgrade them.

The runbook, at the end, is what to type for that, node by node and in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, starmap
from typing import Final

from hashcompat.core.model.escape import count, name_path, owner_path
from hashcompat.core.model.impact import (
    STEP_WORDS,
    Batch,
    BudgetImpact,
    Certainty,
    Effect,
    Impact,
    NodeImpact,
    OwnerDown,
    RestartedOwner,
    Role,
    Step,
)
from hashcompat.output.documents import nodes as docs
from hashcompat.output.report.items import Provenance, way_of
from hashcompat.output.report.model import (
    Block,
    Coloured,
    Document,
    Headline,
    Line,
    Prose,
    Ranking,
    Report,
    Rows,
    Screen,
    Section,
    Table,
    coloured,
    document,
    filled,
    later,
    plain,
)
from hashcompat.output.report.notes import BESIDES, collapsed
from hashcompat.output.report.planview import overridden
from hashcompat.output.report.restartplan import source_of, tool_of
from hashcompat.output.report.runbook import runbook

_COLOURS: Final[Mapping[Step, str]] = {
    Step.CLEAN: "green",
    Step.IN_PLACE: "green",
    Step.UNDECIDED: "yellow",
    Step.DRAIN: "red",
}
_NODE: Final = ("BATCH", "NODE", "STEP", "RESTART", "UNKNOWN", "WHY")
_MORE: Final = ("ZONE", "KILLED", "BARE", "STATIC", "SINGLE", "DRAIN", "WAITS-FOR", "NOT-READY", "BESIDES")
_BUDGET: Final = ("WHERE", "NAMESPACE", "BUDGET", "BREACHED", "HEALTHY", "RESTART", "LEFT", "DESIRED", "WHY")
_APART: Final = ("BATCH", "NOT-WITH", "NODE", "OTHER", "WHY")
_OWNER: Final = ("NAMESPACE", "OWNER", "REPLICAS", "RESTART", "UNKNOWN", "NODES", "READY-AFTER", "NOTE")


def _document(impact: Impact) -> Document:
    """Return the ImpactReport; its items are the nodes, in their order."""
    return document(
        docs.ImpactReport,
        spec=filled(
            docs.ImpactSpec,
            impact,
            from_=impact.from_release,
            to=impact.to_release,
            batch=impact.size,
            source=source_of(impact.origin),
            budgets=docs.Budgets(impact.budgets, impact.budgets_missing),
            services=docs.Services(impact.services, impact.services_missing),
            tool=tool_of(impact.making),
            created_at=impact.making.at,
        ),
        summary=_summary(impact),
        items=Rows(impact.nodes, lambda node: plain(_node(node))),
        batches=Rows(impact.batches, lambda batch: plain(_batch(batch))),
        owners=Rows(impact.owners, lambda owner: plain(_owner(owner))),
    )


def _summary(impact: Impact) -> docs.ImpactSummary:
    kept = [node for node in impact.nodes if not node.left_out]
    steps = Counter(node.step.value.replace("-", "_") for node in kept)
    return docs.ImpactSummary(
        nodes=len(kept),
        **{name: steps[name] for name in ("clean", "in_place", "undecided", "drain")},
        left_out=len(impact.nodes) - len(kept),
        batches=len(impact.batches),
        batches_at_least=impact.at_least,
        budgets_breached=len(_names_of(impact.breaches)),
        owners_down=len(_names_of(impact.downs)),
        **{
            name: sum(len(getattr(node.pods, name)) for node in impact.nodes)
            for name in ("killed", "bare", "static", "single")
        },
        unplaced=impact.unplaced,
        unseen=impact.unseen,
    )


def _names_of(parts: Iterable[BudgetImpact | OwnerDown]) -> set[tuple[str, str]]:
    return {(part.namespace, part.name) for part in parts}


def _node(node: NodeImpact) -> docs.ImpactNode:
    pods = node.pods
    return filled(
        docs.ImpactNode,
        node,
        node=node.name,
        pods_restarted=node.restarted,
        pods_unknown=node.unknown,
        budgets=tuple(map(_budget, node.effect.budgets)),
        owners_down=node.effect.owners,
        killed=tuple(starmap(docs.PodRef, pods.killed)),
        bare=tuple(starmap(docs.PodRef, pods.bare)),
        static=tuple(starmap(docs.PodRef, pods.static)),
        single=tuple(starmap(docs.OwnerRef, pods.single)),
        drain_flags=node.flags,
        drain_waits_for=node.drain_waits,
        pods_unready=node.unready,
        unready_seconds=node.seconds,
        besides=tuple(_together(node.together)),
    )


def _budget(budget: BudgetImpact) -> docs.BudgetEffect:
    healthy = {"desired_healthy": budget.desired, "healthy_after": budget.after}
    return filled(docs.BudgetEffect, budget, breached=budget.certainty, **healthy)


def _batch(batch: Batch) -> docs.BatchItem:
    return filled(
        docs.BatchItem,
        batch,
        batch=batch.number,
        budgets=tuple(map(_budget, batch.effect.budgets)),
        owners_down=batch.effect.owners,
        besides=tuple(_together(batch.together)),
    )


def _owner(owner: RestartedOwner) -> docs.OwnerItem:
    return filled(
        docs.OwnerItem,
        owner,
        owner=owner.name,
        pods_restarted=owner.restarted,
        pods_unknown=owner.unknown,
        seconds_to_ready=docs.SecondsToReady(owner.seconds, owner.most_seconds),
    )


def _together(effect: Effect) -> Iterator[str]:
    """Say what restarts and pods that are not Ready for a while do together."""
    for budget in effect.budgets:
        name = name_path(budget.namespace, budget.name)
        yield f"PodDisruptionBudget {name}: {budget.after} of {budget.desired} healthy pods for a while"
    for owner in effect.owners:
        yield f"{owner.subject} not Ready at once"


def _besides(impact: Impact) -> Iterator[str]:
    """Yield what happens besides restarts, of all pods and then node by node and batch by batch."""
    yield from collapsed(impact.besides)
    for node in impact.nodes:
        if lines := [*_together(node.together)]:
            yield f"{node.name}: {'; '.join(lines)}, up to {node.seconds} s"
    for batch in impact.batches:
        if len(batch.nodes) > 1 and (lines := [*_together(batch.together)]):
            yield f"batch {batch.number}: {'; '.join(lines)}"


def _table(impact: Impact) -> Table:
    return Table(_NODE, lambda: map(_cells, impact.nodes))


def _cells(node: NodeImpact) -> list[object]:
    why = Prose("; ".join(lines)) if (lines := [*_why(node)]) else None
    return [node.batch or None, node.name, coloured(node.step, _COLOURS), node.restarted, node.unknown, why]


def _why(node: NodeImpact) -> Iterator[str]:
    """Yield why a node has its place and its step."""
    if node.left_out:
        yield f"left out: {node.left_out}"
    elif node.role is not Role.WORKER:
        yield "etcd, one by one" if node.role is Role.ETCD else "control plane, one by one"
    yield from node.reasons


def _more(node: NodeImpact) -> list[object]:
    pods = node.pods
    lists = ([name_path(*place) for place in places] for places in (pods.killed, pods.bare, pods.static))
    single = [owner_path(*owner) for owner in pods.single]
    cells = (*lists, single, node.flags, node.drain_waits)
    besides = "; ".join(_together(node.together))
    more = [Prose(", ".join(cell)) if cell else None for cell in cells]
    return [node.zone or None, *more, node.unready, Prose(besides) if besides else None]


def _overview(impact: Impact, _: Screen) -> Iterator[Section]:
    """Yield the answer, what is breached, the owners, and the nodes."""
    yield Section([*_answer(impact)], fits=True)
    if any(_affected(impact)):
        yield Section(Table(_BUDGET, lambda: _effect_rows(impact)), fits=True)
    if impact.owners:
        yield Section(Table(_OWNER, lambda: map(_owner_cells, impact.owners)), fits=True)
    if impact.nodes:
        yield Section(_table(impact), fits=True)
    if any(batch.apart for batch in impact.batches):
        apart = [
            [batch.number, clash.batch, *clash.nodes, Prose(clash.why)]
            for batch in impact.batches
            for clash in batch.apart
        ]
        yield Section(Table(_APART, lambda: apart), "Why there are so many batches", fits=True)


def _order(impact: Impact) -> str:
    """Say how many nodes and batches there are."""
    numbers = Counter(node.step for node in impact.nodes if not node.left_out)
    steps = [f"{numbers[step]} {STEP_WORDS[step]}" for step in Step if numbers[step]]
    left = sum(bool(node.left_out) for node in impact.nodes)
    least = "" if impact.at_least >= len(impact.batches) else f" (at least {impact.at_least})"
    if not impact.batches:
        return f"no node is upgraded{f': {left} left out' if left else ''}"
    nodes = f"{count(len(impact.nodes) - left, 'node')} in {count(len(impact.batches), 'batch')}{least}"
    return f"{nodes}: {', '.join(steps)}{f'; {left} left out' if left else ''}"


def _in_place(impact: Impact) -> str:
    """Say what the rows of the table of breaches add up to."""
    return f"restarted in place: {_affects([effect for _, effect in _affected(impact)], impact)}"


def _answer(impact: Impact) -> Iterator[Line]:
    """Yield how the nodes are upgraded, and what that breaches."""
    order = _order(impact)
    yield [f"{order[0].upper()}{order[1:]}"]
    if first := sum(node.role is not Role.WORKER and not node.left_out for node in impact.nodes):
        yield [
            "The node of the control plane comes first"
            if first == 1
            else f"The {first} nodes of the control plane come first, one by one"
        ]
    yield [f"R{_in_place(impact)[1:]}"]
    if any(effect.has(sure) for batch in impact.batches for effect in [batch.effect] for sure in Certainty):
        yield [f"In these batches: {_affects([batch.effect for batch in impact.batches], impact)}"]
    elif impact.batches and any(_affected(impact)):
        yield ["In these batches, with the drains, no budget is breached and no owner loses all replicas"]


def _affects(effects: Sequence[Effect], impact: Impact) -> str:
    """Say how many budgets are breached and how many owners are down; what may be, is not counted twice."""
    parts: list[tuple[BudgetImpact | OwnerDown, ...]] = [
        tuple(budget for effect in effects for budget in effect.budgets),
        tuple(owner for effect in effects for owner in effect.owners),
    ]
    sure = [_names_of(part for part in group if part.certainty is Certainty.YES) for group in parts]
    perhaps = [_names_of(group) - certain for group, certain in zip(parts, sure, strict=True)]
    if impact.budgets_missing and not impact.budgets:
        text = "PodDisruptionBudgets UNKNOWN"
    else:
        text = f"{len(sure[0])} of {count(impact.budgets, 'PodDisruptionBudget')} breached"
        text += f", {len(perhaps[0])} more may be" if perhaps[0] else ""
    text += f"; {_downs(sure[1])}" if sure[1] else "; no owner loses all replicas"
    return text + (f", {_downs(perhaps[1])} may" if perhaps[1] else "")


def _downs(names: set[tuple[str, str]]) -> str:
    services = sum(name.startswith("Service/") for _, name in names)
    owners = len(names) - services
    parts = [count(owners, "owner")] if owners else []
    parts += [count(services, "Service")] if services else []
    return f"{' and '.join(parts)} {'loses' if len(names) == 1 else 'lose'} all replicas at once"


def _affected(impact: Impact) -> Iterator[tuple[str, Effect]]:
    """Yield what each node does alone, and each batch of several; those that do nothing are left out."""
    yield from ((node.name, node.effect) for node in impact.nodes if node.effect)
    for batch in impact.batches:
        if batch.effect and len(batch.nodes) > 1:
            yield f"batch-{batch.number}", batch.effect


def _effect_rows(impact: Impact) -> Iterator[list[object]]:
    for where, effect in _affected(impact):
        for budget in effect.budgets:
            most = budget.restarts + budget.possible
            restarts = Prose(f"{budget.restarts} to {most}") if budget.possible else budget.restarts
            numbers = [budget.healthy, restarts, budget.after, budget.desired]
            why = Prose(budget.problem) if budget.problem else None
            yield [where, budget.namespace, budget.name, _sure(budget.certainty), *numbers, why]
        for owner in effect.owners:
            cells = [_sure(owner.certainty), owner.replicas, owner.replicas, 0, None]
            yield [where, owner.namespace, owner.name, *cells, Prose("no replica left")]


def _sure(certainty: Certainty) -> Coloured:
    return Coloured(certainty.value, "red" if certainty is Certainty.YES else "yellow")


def _owner_cells(owner: RestartedOwner) -> list[object]:
    numbers = [owner.replicas, owner.restarted, owner.unknown, owner.nodes]
    took = None if owner.seconds is None else Prose(f"{owner.seconds} s")
    remarks = (
        (f"stops within {owner.grace_seconds} s", True),
        ("the only replica", owner.single),
        ("nothing controls it", owner.name.startswith("Pod/")),
        ("no readinessProbe", owner.unprobed),
    )
    note = Prose(", ".join(text for text, is_so in remarks if is_so))
    return [owner.namespace, owner.name, *numbers, took, note]


def _notes(impact: Impact) -> Iterator[str]:
    yield from (f"Assumed: {assumption}" for assumption in impact.assumptions)
    yield from (f"Warning: {warning}" for warning in collapsed(impact.warnings))
    yield from (f"{BESIDES}: {line}" for line in _besides(impact))
    yield from _missing(impact)
    if impact.unplaced:
        yield f"On no node, and so in no batch: {count(impact.unplaced, 'pod')} that would restart"
    if impact.unseen:
        yield f"In the plan, but not among the pods: {count(impact.unseen, 'pod')}; give both of one time"
    yield f"{way_of(impact)}: {_order(impact)}; {_in_place(impact)}"


def _missing(impact: Impact) -> Iterator[str]:
    """Yield what is not known of budgets and Services, in one line where the reason is the same."""
    missing = {"PodDisruptionBudgets": impact.budgets_missing, "Services": impact.services_missing}
    for why in dict.fromkeys(filter(None, missing.values())):
        yield f"{' and '.join(what for what, text in missing.items() if text == why)} are UNKNOWN: {why}"


def _pages(impact: Impact) -> Iterator[Block]:
    besides = [f"{BESIDES}: {line}" for line in _besides(impact)]
    warnings = [f"Warning: {line}" for line in collapsed(impact.warnings)]
    return runbook(impact, way_of(impact), [*warnings, *besides, *_missing(impact)])


def _ranking(impact: Impact) -> Ranking:
    rows = [
        (owner_path(owner.namespace, owner.name), owner.restarted + owner.unknown) for owner in impact.owners
    ]
    return Ranking("Top owners", sorted((row for row in rows if row[1]), key=lambda row: -row[1]))


def _headline(impact: Impact) -> Headline:
    """Return whether something is breached, and the first thing that is."""
    unsure = (reason for node in impact.nodes if node.step is Step.UNDECIDED for reason in node.reasons)
    said = [*islice(_breaks(impact), 1)] or [*islice(unsure, 1)]
    text = "; ".join([*said, str(next(_answer(impact))[0])])
    if impact.is_found:
        return Headline("BREACH", text, "red")
    if impact.is_undecided:
        return Headline("UNDECIDED", text, "yellow")
    return Headline("NO BREACH", text, "green")


def _breaks(impact: Impact) -> Iterator[str]:
    """Yield what surely happens that nobody wants: budgets, owners, and pods that are not started again."""
    places = [
        *((node.name, node.effect) for node in impact.nodes),
        *((f"batch {batch.number}", batch.effect) for batch in impact.batches if len(batch.nodes) > 1),
    ]
    for where, effect in places:
        for budget in effect.budgets:
            if budget.certainty is Certainty.YES:
                yield f"{where} breaches PodDisruptionBudget {name_path(budget.namespace, budget.name)}"
        for owner in effect.owners:
            if owner.certainty is Certainty.YES:
                yield f"{where} leaves no replica of {owner_path(owner.namespace, owner.name)}"
    for node in impact.nodes:
        if node.pods.killed:
            yield f"{node.name}: {count(len(node.pods.killed), 'pod')} not started again"


IMPACT: Final[Report[Impact]] = Report(
    "ImpactReport",
    document=_document,
    overview=_overview,
    table=_table,
    wide=lambda impact: Table(
        (*_NODE, *_MORE), lambda: ([*_cells(node), *_more(node)] for node in impact.nodes)
    ),
    names=lambda impact: (node.name for node in impact.nodes if not node.left_out),
    pages=_pages,
    title="Impact of an upgrade",
    page=lambda result: later("resultpages", "impact_page")(IMPACT, result),
    headline=_headline,
    ranking=_ranking,
    provenance=lambda impact: Provenance(way_of(impact), impact.origin, impact.making),
    lead=overridden,
    notes=_notes,
    loosened=overridden,
)
