"""In which order nodes are upgraded, how, and in which batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

from hashcompat.disruption.census import NodeSeen, is_replicated
from hashcompat.disruption.effects import Cluster
from hashcompat.model.escape import name_path
from hashcompat.model.impact import Batch, Certainty, Effect, NodeImpact, Pods, Step
from hashcompat.model.words import agree, count

_PLACES: Final = {step: place for place, step in enumerate(Step)}


def ordered(nodes: Iterable[NodeImpact]) -> list[NodeImpact]:
    """Return nodes by their step, those with the fewest restarts first."""
    key = lambda node: (_PLACES[node.step], node.restarted, node.unknown, node.name)  # noqa: E731
    return sorted(nodes, key=key)


def batches(nodes: Iterable[NodeImpact], size: int, cluster: Cluster) -> Iterator[Batch]:
    """Yield nodes that are in order as batches, each of one step and of ``size`` nodes at the most."""
    number = 0
    for step, group in groupby(nodes, attrgetter("step")):
        names_of_step = [node.name for node in group]
        for start in range(0, len(names_of_step), size):
            number += 1
            names = tuple(names_of_step[start : start + size])
            yield Batch(number, step, names, Effect() if step is Step.DRAIN else cluster.effect(names))


def node_impact(name: str, cluster: Cluster, budgets_missing: str) -> NodeImpact:
    """Return the impact of one node, in no batch yet."""
    node = cluster.nodes.get(name, NodeSeen())
    effect = cluster.effect([name])
    step, reasons = _step(node, effect, budgets_missing)
    waits = (cluster.healths[place] for place in sorted(node.budgets))
    return NodeImpact(
        name,
        step,
        0,
        node.restarted,
        node.unknown,
        effect,
        _pods(node, cluster),
        tuple(reasons),
        tuple(sorted(node.flags)),
        tuple(name_path(one.budget.namespace, one.budget.name) for one in waits if one.allowed == 0),
    )


def _step(node: NodeSeen, effect: Effect, budgets_missing: str) -> tuple[Step, list[str]]:
    if why := list(_for_sure(node, effect)):
        return Step.DRAIN, why
    if why := list(_perhaps(node, effect, budgets_missing)):
        return Step.UNDECIDED, why
    return (Step.IN_PLACE if node.restarted or node.unknown else Step.CLEAN), []


def _for_sure(node: NodeSeen, effect: Effect) -> Iterator[str]:
    """Yield why a node is to be drained."""
    for budget in effect.budgets:
        if budget.certainty is Certainty.YES:
            name = name_path(budget.namespace, budget.name)
            missing = f"{budget.after} of {budget.desired} healthy pods"
            already = f", {budget.short_before} too few already" if budget.short_before else ""
            yield f"PodDisruptionBudget {name}: {missing}{already}"
    for owner in effect.owners:
        if owner.certainty is Certainty.YES:
            yield f"{owner.all_of_it} at once"
    if node.killed:
        yield f"{count(len(node.killed), 'pod')} with a container that is not started again"


def _perhaps(node: NodeSeen, effect: Effect, budgets_missing: str) -> Iterator[str]:
    """Yield why a node may have to be drained."""
    for budget in effect.budgets:
        why = budget.problem or f"{budget.possible} may restart or be unhealthy"
        yield f"PodDisruptionBudget {name_path(budget.namespace, budget.name)} may be breached: {why}"
    for owner in effect.owners:
        yield f"{owner.all_of_it} may restart at once"
    if node.maybe_killed:
        number = node.maybe_killed
        yield f"{count(number, 'pod')} that {agree(number, 'restart')} may not be started again"
    if budgets_missing and (node.restarted or node.unknown):
        yield "PodDisruptionBudgets are not known"


def _pods(node: NodeSeen, cluster: Cluster) -> Pods:
    single = (key for key in node.owners if is_replicated(key) and cluster.replicas(key) == 1)
    lists = (node.killed, node.bare, node.static, single)
    return Pods(*(tuple(sorted(found)) for found in lists))
