"""The order of nodes: what each is to the cluster, which are upgraded at once, and which are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from msgspec import structs

from hashcompat.analysis.disruption.budgets import Hits
from hashcompat.analysis.disruption.census import NodeSeen, is_replicated, is_static
from hashcompat.analysis.disruption.counts import Counts
from hashcompat.analysis.disruption.packing import Conflict, Load, Resource, conflict, pack
from hashcompat.core.model.escape import count, name_path, owner_path
from hashcompat.core.model.impact import Apart, Batch, Effect, NodeImpact, Role, Step

_PLACES: Final = {step: place for place, step in enumerate(Step)}
_ROLES: Final = {role: place for place, role in enumerate(Role)}


def ordered(nodes: Iterable[NodeImpact]) -> list[NodeImpact]:
    """Return nodes by their role and step, those with the fewest restarts first."""
    return sorted(
        nodes,
        key=lambda node: (_ROLES[node.role], _PLACES[node.step], node.restarted, node.unknown, node.name),
    )


def together(nodes: Iterable[NodeImpact], cluster: Counts) -> tuple[Batch, ...]:
    """Return the nodes of each step as one batch, whatever that breaches."""
    by_step = {step: tuple(node.name for node in nodes if node.step is step) for step in Step}
    steps = [(step, names) for step, names in by_step.items() if names]
    return tuple(_batch(cluster, number, step, names) for number, (step, names) in enumerate(steps, 1))


def _batch(cluster: Counts, number: int, step: Step, names: tuple[str, ...]) -> Batch:
    # An eviction asks the budget, and waits; what no drain moves restarts all the same.
    drained = step is Step.DRAIN
    effect = cluster.effect(names, drained=drained)
    return Batch(
        number, step, names, effect, together=Effect() if drained else cluster.together(names, effect)
    )


def batches(nodes: Sequence[NodeImpact], size: int, cluster: Counts) -> tuple[tuple[Batch, ...], int]:
    """Return nodes that are in order as batches, and how many any choice of them has at the least.

    Each is of one role, one step and one zone. Nodes of the control plane come one by one, as kubeadm
    upgrades them: a member of etcd has to be back before the next one leaves.
    """
    found: list[Batch] = []
    at_least = 0
    for (role, step), of_step in groupby(nodes, attrgetter("role", "step")):
        members = list(of_step)
        # A node that restarts nothing is still away for a moment, so zones count for all.
        by_zone: dict[str, list[NodeImpact]] = {}
        for node in members:
            by_zone.setdefault(node.zone if node.zone in cluster.zones else "", []).append(node)
        begin, of_names, capacity = len(found), dict[str, Load](), dict[Resource, int]()
        parts: list[tuple[str, tuple[Load, ...]]] = []
        for zone, of_zone in by_zone.items():
            loads = [Load(node.name, _uses(node, cluster, zone)) for node in of_zone]
            of_names |= {load.name: load for load in loads}
            capacity |= {one: cluster.capacity(one) for load in loads for one in load.uses}
            packing = pack(loads, capacity, size if role is Role.WORKER else 1)
            at_least += packing.at_least
            parts += ((zone, batch) for batch in packing.batches)
        places = {node.name: place for place, node in enumerate(members)}
        for zone, part in sorted(parts, key=lambda part: places[part[1][0].name]):
            names = tuple(load.name for load in part)
            batch = _batch(cluster, len(found) + 1, step, names)
            found.append(structs.replace(batch, role=role, zone=zone))
        if role is Role.WORKER and size > 1:
            found[begin:] = _explained(found[begin:], of_names, capacity, size, cluster)
    return tuple(found), at_least


def _explained(
    found: Sequence[Batch],
    loads: Mapping[str, Load],
    capacity: Mapping[Resource, int],
    size: int,
    cluster: Counts,
) -> Iterator[Batch]:
    """Yield batches, each with why it is not one with the one before that is of its zone and has room."""
    before: dict[str, Batch] = {}
    for batch in found:
        other = before.get(batch.zone)
        if len(batch.nodes) < size:
            before[batch.zone] = batch
        if other and len(other.nodes) + len(batch.nodes) <= size:
            first, second = ([loads[name] for name in one.nodes] for one in (other, batch))
            why = conflict(first, second, capacity)
            apart = Apart(other.number, why.other, why.one, _exceeded(why, cluster))
            yield structs.replace(batch, apart=(apart,))
        else:
            yield batch


def _exceeded(why: Conflict, cluster: Counts) -> str:
    """Say what two batches would use up together."""
    one = why.resource
    if isinstance(one, str):
        return f"all {cluster.zones[one]} nodes of the zone {one}"
    if isinstance(one, tuple):
        return f"{why.used} of {cluster.running(one)} running replicas of {owner_path(*one)}"
    if one < len(cluster.healths):
        budget = cluster.healths[one].budget
        allowed = count(max(cluster.capacity(one), 0), "healthy pod")
        name = name_path(budget.namespace, budget.name)
        return f"PodDisruptionBudget {name} lets {allowed} go, and {why.used} would restart"
    service, seen = cluster.services[one - len(cluster.healths)]
    name = owner_path(service.namespace, f"Service/{service.name}")
    return f"{why.used} of {count(seen.ready, 'endpoint')} of {name}"


def _uses(node: NodeImpact, cluster: Counts, zone: str) -> dict[Resource, int]:
    """Return what a node uses up while it is upgraded, drained if that is its step, or may be."""
    seen = cluster.nodes.get(node.name, NodeSeen())
    uses: dict[Resource, int] = {zone: 1} if zone else {}
    drained = node.step is Step.DRAIN
    for place, hits in (seen.staying if drained else seen.hits).items():
        uses[place] = hits.all
    for key in seen.owners:
        if is_replicated(key) and (is_static(key) or not drained):
            places = cluster.owners[key].nodes[node.name]
            uses[key] = places.restarted + places.unknown
    if not drained:
        # A pod that is not Ready for a while serves as little as one that restarts.
        for place, hits in seen.unready_hits.items():
            uses[place] = uses.get(place, 0) + hits.all
        for key in filter(is_replicated, seen.unready_owners):
            uses[key] = uses.get(key, 0) + cluster.owners[key].unready[node.name]
    if drained or node.step is Step.UNDECIDED:
        # Whatever it evicts is away for a while, whether or not it would have restarted.
        for place, number in seen.withdrawn.items():
            uses[place] = max(seen.staying.get(place, Hits()).all + number, uses.get(place, 0))
        uses |= {key: number for key, number in seen.evicted.items() if is_replicated(key)}
    return {one: number for one, number in uses.items() if number}
