"""What happens when the kubelets of some nodes are restarted at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from hashcompat.disruption.census import NodeSeen as Node
from hashcompat.disruption.census import OwnerKey, OwnerSeen, Places, is_replicated
from hashcompat.disruption.health import Health, Hits
from hashcompat.model.impact import BudgetImpact, Certainty, Effect, OwnerImpact

_NOWHERE = Places()


class Cluster(msgspec.Struct, frozen=True):
    """What was counted."""

    healths: Sequence[Health]
    """The budgets, by their place."""

    owners: Mapping[OwnerKey, OwnerSeen]
    nodes: Mapping[str, Node]
    scales: Mapping[OwnerKey, int]

    def replicas(self, owner: OwnerKey) -> int:
        """Return how many replicas an owner has, or wants if these are more."""
        seen = self.owners[owner]
        return max(seen.replicas + seen.idle, self.scales.get(owner, 0))

    def running(self, owner: OwnerKey) -> int:
        """Return how many of these run, those included that the input may lack."""
        return self.replicas(owner) - self.owners[owner].idle

    def effect(self, names: Sequence[str]) -> Effect:
        """Return what the restarts on some nodes do together, if all are made in place."""
        nodes = [self.nodes[name] for name in names if name in self.nodes]
        return Effect(tuple(self._budgets(nodes)), tuple(self._owners(nodes, names)))

    def _budgets(self, nodes: Sequence[Node]) -> Iterator[BudgetImpact]:
        sums: dict[int, Hits] = {}
        for node in nodes:
            for place, hits in node.hits.items():
                sums.setdefault(place, Hits()).add(hits)
        for place in sorted(sums):
            if found := self.healths[place].after(sums[place]):
                yield found

    def _owners(self, nodes: Sequence[Node], names: Sequence[str]) -> Iterator[OwnerImpact]:
        """Yield the owners with several replicas, where all that run restart, or may."""
        for key in sorted({key for node in nodes for key in node.owners}):
            replicas = self.running(key)
            if self.replicas(key) > 1 and is_replicated(key):
                places = [self.owners[key].nodes.get(name, _NOWHERE) for name in names]
                restarted = sum(place.restarted for place in places)
                unknown = sum(place.unknown for place in places)
                if restarted + unknown >= replicas:
                    sure = Certainty.YES if restarted >= replicas else Certainty.UNKNOWN
                    yield OwnerImpact(*key, sure, replicas)
