"""What was counted, and what happens when the kubelets of some nodes are restarted at once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from hashcompat.analysis.disruption.budgets import BudgetSeen, Health, Hits
from hashcompat.analysis.disruption.census import (
    NodeSeen,
    OwnerKey,
    OwnerSeen,
    Places,
    is_replicated,
    is_static,
)
from hashcompat.analysis.disruption.packing import Resource
from hashcompat.core.model.budgets import Service
from hashcompat.core.model.impact import BudgetImpact, Certainty, Effect, OwnerImpact
from hashcompat.core.model.pods import Node

_NOWHERE: Final = Places()


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
        """Return how many of these run, those included that the input may lack."""
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
            others, few = self.running(resource) - 1, 2 * self.replicas(resource) <= self.size
            return min(others, 1) if is_static(resource) and few else others
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
            for found in (hits_of, node.unready_hits) if unready else (hits_of,):
                for place, hits in found.items():
                    sums.setdefault(place, Hits()).add(hits)
        hit = (node.owners | node.unready_owners if unready else node.owners for node in nodes)
        keys = [key for key in sorted(set[OwnerKey]().union(*hit)) if is_static(key) or not drained]
        owners = list(filter(None, (self._owner(key, names, unready=unready) for key in keys)))
        budgets = [place for place in sorted(sums) if place < len(self.healths)]
        impacts = (self.healths[place].after(sums[place]) for place in budgets)
        down = {(one.namespace, one.name) for one in owners}
        owners += self._services(sums, down)
        return Effect(tuple(filter(None, impacts)), tuple(owners))

    def together(self, names: Sequence[str], effect: Effect) -> Effect:
        """Return what restarts do only together with pods that are not Ready for a while."""
        if not any(self.nodes[name].unready for name in names if name in self.nodes):
            return Effect()
        both = self.effect(names, unready=True)
        return Effect(
            tuple(_newly_certain(both.budgets, effect.budgets)),
            tuple(_newly_certain(both.owners, effect.owners)),
        )

    def _owner(self, key: OwnerKey, names: Sequence[str], *, unready: bool) -> OwnerImpact | None:
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
        return OwnerImpact(*key, sure, replicas)

    def _services(self, sums: Mapping[int, Hits], down: Container[OwnerKey]) -> Iterator[OwnerImpact]:
        """Yield the Services with several endpoints that lose all, unless their one owner is down anyway."""
        for place, (service, seen) in enumerate(self.services, len(self.healths)):
            hits, ready = sums.get(place, Hits()), seen.ready + seen.unsure
            above = set(seen.owners.values())
            if ready < 2 or not hits.all or (len(above) == 1 and above.pop() in down):
                continue
            if hits.all >= seen.ready:
                sure = Certainty.YES if hits.certain >= ready else Certainty.UNKNOWN
                yield OwnerImpact(service.namespace, f"Service/{service.name}", sure, ready)


Part = TypeVar("Part", BudgetImpact, OwnerImpact)


def _newly_certain(parts: Iterable[Part], before: Iterable[Part]) -> Iterator[Part]:
    known = {(one.namespace, one.name) for one in before if one.certainty is Certainty.YES}
    for one in parts:
        if one.certainty is Certainty.YES and (one.namespace, one.name) not in known:
            yield one
