"""What happens when the kubelets of some nodes are restarted at once, and the order of nodes that follows.

What each node is to the cluster, which are upgraded at once, and which are left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeVar

import msgspec
from msgspec import structs

from hashcompat.analysis.disruption.budgets import BudgetSeen, Health, Hits
from hashcompat.analysis.disruption.census import (
    NodeRestarts,
    NodeSeen,
    OwnerKey,
    OwnerSeen,
    is_replicated,
    is_static,
)
from hashcompat.analysis.disruption.packing import Conflict, Load, Resource, conflict, pack
from hashcompat.core.model.cluster import Service
from hashcompat.core.model.escape import count, name_path, owner_path
from hashcompat.core.model.impact import (
    Apart,
    Batch,
    BudgetImpact,
    Certainty,
    Effect,
    NodeImpact,
    OwnerDown,
    Role,
    Step,
)
from hashcompat.core.model.pods import Node

_NOWHERE: Final = NodeRestarts()


class Counts(msgspec.Struct, frozen=True):
    """What was counted."""

    healths: Sequence[Health]
    """The budgets, by their place."""
    services: Sequence[tuple[Service, BudgetSeen]]
    """The Services and the pods that they select; their places are behind those of the budgets."""
    owners: Mapping[OwnerKey, OwnerSeen]
    nodes: Mapping[str, NodeSeen]
    scales: Mapping[OwnerKey, int]
    objects: Mapping[str, Node]
    """The nodes as their status shows them."""
    zones: Mapping[str, int]
    """How many nodes each zone has; empty where zones do not count."""
    size: int
    """How many nodes there are."""

    def replicas(self, owner: OwnerKey) -> int:
        """Return how many replicas an owner has, or wants if these are more."""
        seen = self.owners[owner]
        return max(seen.replicas + seen.idle, self.scales.get(owner, 0))

    def running(self, owner: OwnerKey) -> int:
        """Return how many replicas of an owner run, those included that the input may lack."""
        return self.replicas(owner) - self.owners[owner].idle

    def capacity(self, resource: Resource) -> int:
        """Return how much of something may be away at once.

        Of the pods of a budget those that it lets go, of replicas, endpoints and nodes of a zone all but one.
        Static pods on half of the nodes or fewer are taken for members of a system, such as a database: of
        these one. Those on more nodes serve their own node each, such as kube-proxy in RKE2.
        """
        if isinstance(resource, str):
            return self.zones[resource] - 1
        if isinstance(resource, tuple):
            spare, few = self.running(resource) - 1, 2 * self.replicas(resource) <= self.size
            return min(spare, 1) if is_static(resource) and few else spare
        if resource >= len(self.healths):
            return self.services[resource - len(self.healths)][1].ready - 1
        health = self.healths[resource]
        return -1 if health.desired is None else health.least - health.desired

    def effect(self, names: Sequence[str], *, drained: bool = False, unready: bool = False) -> Effect:
        """Return what the restarts on some nodes do together: all in place, or those that a drain leaves.

        ``unready``: with the pods that are not Ready for a while though nothing of them restarts.
        """
        nodes = [self.nodes[name] for name in names if name in self.nodes]
        sums: dict[int, Hits] = {}
        for node in nodes:
            hits_of = node.staying if drained else node.hits
            for hits_by_place in (hits_of, node.unready_hits) if unready else (hits_of,):
                for place, hits in hits_by_place.items():
                    sums.setdefault(place, Hits()).add(hits)
        hit = (node.owners | node.unready_owners if unready else node.owners for node in nodes)
        keys = [key for key in sorted(set[OwnerKey]().union(*hit)) if is_static(key) or not drained]
        owners = list(filter(None, (self._owner(key, names, unready=unready) for key in keys)))
        budgets = [place for place in sorted(sums) if place < len(self.healths)]
        impacts = (self.healths[place].after(sums[place]) for place in budgets)
        down = {(owner.namespace, owner.name) for owner in owners}
        owners += self._services(sums, down)
        return Effect(tuple(filter(None, impacts)), tuple(owners))

    def together(self, names: Sequence[str], effect: Effect) -> Effect:
        """Return what restarts do only together with pods that are not Ready for a while."""
        if not any(self.nodes[name].unready for name in names if name in self.nodes):
            return Effect()
        combined = self.effect(names, unready=True)
        return Effect(
            tuple(_newly_certain(combined.budgets, effect.budgets)),
            tuple(_newly_certain(combined.owners, effect.owners)),
        )

    def _owner(self, key: OwnerKey, names: Sequence[str], *, unready: bool) -> OwnerDown | None:
        """Return an owner with several replicas, where all that run restart, or may."""
        replicas = self.running(key)
        if self.replicas(key) <= 1 or not is_replicated(key):
            return None
        places = [self.owners[key].nodes.get(name, _NOWHERE) for name in names]
        restarted = sum(place.restarted for place in places)
        if unready:
            restarted += sum(self.owners[key].unready[name] for name in names)
        if restarted + sum(place.unknown for place in places) < replicas:
            return None
        sure = Certainty.YES if restarted >= replicas else Certainty.UNKNOWN
        return OwnerDown(*key, sure, replicas)

    def _services(self, sums: Mapping[int, Hits], down: Container[OwnerKey]) -> Iterator[OwnerDown]:
        """Yield the Services with several endpoints that lose all, unless their one owner is down anyway."""
        for place, (service, seen) in enumerate(self.services, len(self.healths)):
            hits, ready = sums.get(place, Hits()), seen.ready + seen.unsure
            above = set(seen.owners.values())
            if ready < 2 or not hits.all or (len(above) == 1 and above.pop() in down):
                continue
            if hits.all >= seen.ready:
                sure = Certainty.YES if hits.certain >= ready else Certainty.UNKNOWN
                yield OwnerDown(service.namespace, f"Service/{service.name}", sure, ready)


Part = TypeVar("Part", BudgetImpact, OwnerDown)


def _newly_certain(parts: Iterable[Part], before: Iterable[Part]) -> Iterator[Part]:
    certain = {(part.namespace, part.name) for part in before if part.certainty is Certainty.YES}
    for part in parts:
        if part.certainty is Certainty.YES and (part.namespace, part.name) not in certain:
            yield part


# The order of nodes, which are upgraded at once, and which are left out.

_PLACES: Final = {step: place for place, step in enumerate(Step)}
_ROLES: Final = {role: place for place, role in enumerate(Role)}


def ordered(nodes: Iterable[NodeImpact]) -> list[NodeImpact]:
    """Return nodes by their role and step, those with the fewest restarts first."""
    return sorted(
        nodes,
        key=lambda node: (_ROLES[node.role], _PLACES[node.step], node.restarted, node.unknown, node.name),
    )


def together(nodes: Iterable[NodeImpact], cluster: Counts) -> tuple[Batch, ...]:
    """Return all nodes as one batch in place, whatever that breaches."""
    names = tuple(node.name for node in nodes)
    return (_batch(cluster, 1, Step.IN_PLACE, names),) if names else ()


def _batch(cluster: Counts, number: int, step: Step, names: tuple[str, ...]) -> Batch:
    # An eviction asks the budget, and waits; what no drain moves restarts all the same.
    drained = step is Step.DRAIN
    effect = cluster.effect(names, drained=drained)
    combined = Effect() if drained else cluster.together(names, effect)
    return Batch(number, step, names, effect, together=combined)


def batches(nodes: Sequence[NodeImpact], size: int, cluster: Counts) -> tuple[tuple[Batch, ...], int]:
    """Return nodes that are in order as batches, and how many any choice of them has at the least.

    Each is of one role, one step and one zone. Nodes of the control plane come one by one, as kubeadm
    upgrades them: a member of etcd has to be back before the next one leaves.
    """
    groups: list[Batch] = []
    at_least = 0
    for (role, step), of_step in groupby(nodes, attrgetter("role", "step")):
        members = list(of_step)
        # A node that restarts nothing is still away for a moment, so zones count for all.
        by_zone: dict[str, list[NodeImpact]] = {}
        for node in members:
            by_zone.setdefault(node.zone if node.zone in cluster.zones else "", []).append(node)
        begin, of_names, capacity = len(groups), dict[str, Load](), dict[Resource, int]()
        parts: list[tuple[str, tuple[Load, ...]]] = []
        for zone, of_zone in by_zone.items():
            loads = [Load(node.name, _uses(node, cluster, zone)) for node in of_zone]
            of_names |= {load.name: load for load in loads}
            capacity |= {resource: cluster.capacity(resource) for load in loads for resource in load.uses}
            packing = pack(loads, capacity, size if role is Role.WORKER else 1)
            at_least += packing.at_least
            parts += ((zone, batch) for batch in packing.batches)
        places = {node.name: place for place, node in enumerate(members)}
        for zone, part in sorted(parts, key=lambda part: places[part[1][0].name]):
            names = tuple(load.name for load in part)
            batch = _batch(cluster, len(groups) + 1, step, names)
            groups.append(structs.replace(batch, role=role, zone=zone))
        if role is Role.WORKER and size > 1:
            groups[begin:] = _explained(groups[begin:], of_names, capacity, size, cluster)
    return tuple(groups), at_least


def _explained(
    groups: Sequence[Batch],
    loads: Mapping[str, Load],
    capacity: Mapping[Resource, int],
    size: int,
    cluster: Counts,
) -> Iterator[Batch]:
    """Yield batches, each with why it is not one with the one before that is of its zone and has room."""
    before: dict[str, Batch] = {}
    for batch in groups:
        previous = before.get(batch.zone)
        if len(batch.nodes) < size:
            before[batch.zone] = batch
        if previous and len(previous.nodes) + len(batch.nodes) <= size:
            first, second = ([loads[name] for name in side.nodes] for side in (previous, batch))
            why = conflict(first, second, capacity)
            apart = Apart(previous.number, (why.second, why.first), _exceeded(why, cluster))
            yield structs.replace(batch, apart=(apart,))
        else:
            yield batch


def _exceeded(why: Conflict, cluster: Counts) -> str:
    """Say what two batches would use up together."""
    resource = why.resource
    if isinstance(resource, str):
        return f"all {cluster.zones[resource]} nodes of the zone {resource}"
    if isinstance(resource, tuple):
        return f"{why.used} of {cluster.running(resource)} running replicas of {owner_path(*resource)}"
    if resource < len(cluster.healths):
        budget = cluster.healths[resource].budget
        allowed = count(max(cluster.capacity(resource), 0), "healthy pod")
        name = name_path(budget.namespace, budget.name)
        return f"PodDisruptionBudget {name} lets {allowed} go, and {why.used} would restart"
    service, seen = cluster.services[resource - len(cluster.healths)]
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
    return {resource: number for resource, number in uses.items() if number}
