"""The impact of a plan: what its restarts mean for those who use the pods.

A kubelet that restarts a container in place asks nobody: a PodDisruptionBudget guards evictions alone
(pkg/registry/core/pod/storage/eviction.go), so what it promises can be breached, and this says where.

``make`` returns all that ``hashcompat impact`` prints. The stages, in order: ``census`` (what the plan does
to each pod, and the pods one by one; nothing of a single pod is kept but names that need a person),
``budgets`` (which pods a budget selects, what it demands and has), and here what restarts at one time do
together, how each node is upgraded, and in which order and batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeVar

import msgspec
from msgspec import structs

from hashcompat.analysis.disruption.budgets import Health, Hits, health_of
from hashcompat.analysis.disruption.census import (
    Census,
    NodeSeen,
    OwnerKey,
    OwnerSeen,
    Places,
    fates,
    is_replicated,
    median,
)
from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import agree, count, name_path
from hashcompat.core.model.impact import (
    Batch,
    BudgetImpact,
    Certainty,
    Effect,
    Impact,
    NodeImpact,
    Owner,
    OwnerImpact,
    Pods,
    Step,
)
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory, Pod


def make(
    plan: Plan,
    inventory: Inventory,
    size: int = 1,
    nodes: Iterable[str] | None = None,
    unready: Callable[[Pod], int] = lambda _: 0,
) -> Impact:
    """Return the impact of a plan, with its nodes in batches of ``size``.

    ``inventory`` has all pods of the namespaces that the plan is about, those included that it leaves out:
    they count as replicas. Its pods are read once. ``nodes`` are those to order, by default all that have
    pods or that the inventory shows. ``unready`` returns for how many seconds a Ready pod that is kept is not
    Ready when the kubelet starts (``core.kubelet.alike.unready``). Raises UsageError for a size below 1, and
    what reading raises.
    """
    if size < 1:
        raise UsageError(f"a batch has at least one node, not {size}")
    restarts = fates(plan.items)
    census = Census(inventory.budgets, restarts, unready)
    for pod in inventory.pods:
        census.add(pod)
    healths = tuple(
        health_of(budget, seen, inventory.budgets.scales)
        for budget, seen in zip(inventory.budgets.found, census.seen, strict=True)
    )
    cluster = Counts(healths, census.owners, census.nodes, inventory.budgets.scales)
    # A node without pods is upgraded too, so it belongs in a batch.
    known = {*census.nodes, *(node.name for node in inventory.nodes)} if nodes is None else set(nodes)
    missing = inventory.budgets.missing
    # What is on no node restarts with none of them; it is counted by itself below.
    impacts = ordered(node_impact(name, cluster, missing) for name in sorted(known - {""}))
    groups = tuple(batches(impacts, size, cluster))
    numbers = {name: batch.number for batch in groups for name in batch.nodes}
    unplaced = census.nodes.get("")
    return Impact(
        plan.from_release,
        plan.to_release,
        size,
        tuple(structs.replace(node, batch=numbers[node.name]) for node in impacts),
        groups,
        tuple(_owner(key, cluster) for key in sorted(cluster.owners) if cluster.owners[key].nodes),
        len(inventory.budgets.found),
        missing,
        unplaced.restarted + unplaced.unknown if unplaced else 0,
        len(restarts) - len(census.met),
        plan.assumptions,
        plan.warnings,
        plan.disputed,
        plan.overridden,
        plan.origin,
        plan.running,
        plan.making,
        plan.besides,
    )


def without_others(inventory: Inventory) -> Inventory:
    """Return an inventory that is taken to have all budgets."""
    return structs.replace(inventory, budgets=structs.replace(inventory.budgets, missing=""))


def _owner(key: OwnerKey, cluster: Counts) -> Owner:
    seen: OwnerSeen = cluster.owners[key]
    replicas = cluster.replicas(key)
    return Owner(
        *key,
        replicas,
        sum(place.restarted for place in seen.nodes.values()),
        sum(place.unknown for place in seen.nodes.values()),
        len(seen.nodes.keys() - {""}),
        median(seen.times),
        max(seen.times, default=None),
        seen.grace,
        seen.unprobed,
        is_replicated(key) and replicas == 1,
    )


# What happens when the kubelets of some nodes are restarted at once.

_NOWHERE = Places()


class Counts(msgspec.Struct, frozen=True):
    """What was counted."""

    healths: Sequence[Health]
    """The budgets, by their place."""

    owners: Mapping[OwnerKey, OwnerSeen]
    nodes: Mapping[str, NodeSeen]
    scales: Mapping[OwnerKey, int]

    def replicas(self, owner: OwnerKey) -> int:
        """Return how many replicas an owner has, or wants if these are more."""
        seen = self.owners[owner]
        return max(seen.replicas + seen.idle, self.scales.get(owner, 0))

    def running(self, owner: OwnerKey) -> int:
        """Return how many of these run, those included that the input may lack."""
        return self.replicas(owner) - self.owners[owner].idle

    def effect(self, names: Sequence[str], *, unready: bool = False) -> Effect:
        """Return what the restarts on some nodes do together, if all are made in place.

        ``unready``: with the pods that are not Ready for a while though nothing of them restarts.
        """
        nodes = [self.nodes[name] for name in names if name in self.nodes]
        return Effect(
            tuple(self._budgets(nodes, unready=unready)), tuple(self._owners(nodes, names, unready=unready))
        )

    def together(self, names: Sequence[str], effect: Effect) -> Effect:
        """Return what restarts do only together with pods that are not Ready for a while."""
        if not any(self.nodes[name].unready for name in names if name in self.nodes):
            return Effect()
        both = self.effect(names, unready=True)
        return Effect(
            tuple(_newly_certain(both.budgets, effect.budgets)),
            tuple(_newly_certain(both.owners, effect.owners)),
        )

    def _budgets(self, nodes: Sequence[NodeSeen], *, unready: bool) -> Iterator[BudgetImpact]:
        sums: dict[int, Hits] = {}
        for node in nodes:
            for found in (node.hits, node.unready_hits) if unready else (node.hits,):
                for place, hits in found.items():
                    sums.setdefault(place, Hits()).add(hits)
        for place in sorted(sums):
            if impact := self.healths[place].after(sums[place]):
                yield impact

    def _owners(
        self, nodes: Sequence[NodeSeen], names: Sequence[str], *, unready: bool
    ) -> Iterator[OwnerImpact]:
        """Yield the owners with several replicas, where all that run restart, or may."""
        hit = (node.owners | node.unready_owners if unready else node.owners for node in nodes)
        for key in sorted(set[OwnerKey]().union(*hit)):
            replicas = self.running(key)
            if self.replicas(key) > 1 and is_replicated(key):
                places = [self.owners[key].nodes.get(name, _NOWHERE) for name in names]
                restarted = sum(place.restarted for place in places)
                if unready:
                    restarted += sum(self.owners[key].unready[name] for name in names)
                unknown = sum(place.unknown for place in places)
                if restarted + unknown >= replicas:
                    sure = Certainty.YES if restarted >= replicas else Certainty.UNKNOWN
                    yield OwnerImpact(*key, sure, replicas)


Part = TypeVar("Part", BudgetImpact, OwnerImpact)


def _newly_certain(parts: Iterable[Part], before: Iterable[Part]) -> Iterator[Part]:
    known = {(one.namespace, one.name) for one in before if one.certainty is Certainty.YES}
    for one in parts:
        if one.certainty is Certainty.YES and (one.namespace, one.name) not in known:
            yield one


_PLACES: Final = {step: place for place, step in enumerate(Step)}


def ordered(nodes: Iterable[NodeImpact]) -> list[NodeImpact]:
    """Return nodes by their step, those with the fewest restarts first."""
    key = lambda node: (_PLACES[node.step], node.restarted, node.unknown, node.name)  # noqa: E731
    return sorted(nodes, key=key)


def batches(nodes: Iterable[NodeImpact], size: int, cluster: Counts) -> Iterator[Batch]:
    """Yield nodes that are in order as batches, each of one step and of ``size`` nodes at the most."""
    number = 0
    for step, group in groupby(nodes, attrgetter("step")):
        names_of_step = [node.name for node in group]
        for start in range(0, len(names_of_step), size):
            number += 1
            names = tuple(names_of_step[start : start + size])
            # Drained nodes do nothing together: an eviction asks the budget, and waits.
            effect = Effect() if step is Step.DRAIN else cluster.effect(names)
            together = Effect() if step is Step.DRAIN else cluster.together(names, effect)
            yield Batch(number, step, names, effect, together)


def node_impact(name: str, cluster: Counts, budgets_missing: str) -> NodeImpact:
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
        tuple(
            name_path(health.budget.namespace, health.budget.name) for health in waits if health.allowed == 0
        ),
        node.unready,
        node.seconds,
        cluster.together([name], effect),
    )


def _step(node: NodeSeen, effect: Effect, budgets_missing: str) -> tuple[Step, list[str]]:
    # What is sure goes first: a node that is drained anyway needs no list of what may happen besides.
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


def _pods(node: NodeSeen, cluster: Counts) -> Pods:
    single = (key for key in node.owners if is_replicated(key) and cluster.replicas(key) == 1)
    lists = (node.killed, node.bare, node.static, single)
    return Pods(*(tuple(sorted(places)) for places in lists))
