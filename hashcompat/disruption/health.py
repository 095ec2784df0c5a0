"""How many pods of a budget are healthy, and how many have to be.

As pkg/controller/disruption/disruption.go counts them: ``countHealthyPods`` (Ready, and not being deleted)
and ``getExpectedPodCount``; a percentage is rounded up (apimachinery pkg/util/intstr
``GetScaledValueFromIntOrPercent``), that of maxUnavailable too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from hashcompat.model.budgets import Amount, Budget
from hashcompat.model.impact import BudgetImpact, Certainty


@dataclass(slots=True)
class Seen:
    """The pods of a budget, counted one by one; those that have finished are none."""

    pods: int = 0
    ready: int = 0
    unsure: int = 0
    """Those whose status does not show whether they are Ready."""

    owners: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """What is above each of their controllers: by namespace and name, as that is."""


@dataclass(slots=True)
class Hits:
    """The pods of a budget that restart at one time."""

    certain: int = 0
    """Healthy pods that restart."""

    possible: int = 0
    """Healthy pods that may, for a verdict is UNKNOWN."""

    unsure: int = 0
    """Pods that restart, or may, and whose health is not shown."""

    def add(self, other: Hits) -> None:
        """Count those of another node too."""
        self.certain += other.certain
        self.possible += other.possible
        self.unsure += other.unsure


class Health(msgspec.Struct, frozen=True):
    """What a budget demands, and what it has."""

    budget: Budget
    desired: int | None = None
    """How many pods have to be healthy; None where that cannot be computed."""

    least: int = 0
    """How many are healthy for sure."""

    most: int = 0
    """How many are healthy at the most."""

    @property
    def allowed(self) -> int | None:
        """How many evictions are allowed at present, as far as that is known for sure."""
        return None if self.desired is None else max(self.least - self.desired, 0)

    def after(self, hits: Hits) -> BudgetImpact | None:
        """Return what restarts do to the budget; None where they do not breach it."""
        if not (hits.certain or hits.possible or hits.unsure):
            return None
        name = self.budget.namespace, self.budget.name
        possible = hits.possible + hits.unsure
        if self.desired is None:
            why = self.budget.problem or "how many replicas its pods' controllers want is not shown"
            return BudgetImpact(*name, Certainty.UNKNOWN, None, None, hits.certain, possible, why)
        if hits.certain and self.most - hits.certain < self.desired:
            certainty = Certainty.YES
        elif self.least - hits.certain - possible < self.desired:
            certainty = Certainty.UNKNOWN
        else:
            return None
        return BudgetImpact(*name, certainty, self.desired, self.most, hits.certain, possible)


def health_of(budget: Budget, seen: Seen, scales: Mapping[tuple[str, str], int]) -> Health:
    """Return the health of a budget: what its status shows, unless the pods show more.

    The status counts the pods that the input lacks; where it lacks none, their own conditions are newer.
    """
    if budget.problem:
        return Health(budget)
    counted = budget.counted
    desired = counted.desired if counted else _desired(budget, seen, scales)
    if counted and (seen.unsure or seen.pods < counted.expected):
        return Health(budget, desired, counted.healthy, counted.healthy)
    return Health(budget, desired, seen.ready, seen.ready + seen.unsure)


def _desired(budget: Budget, seen: Seen, scales: Mapping[tuple[str, str], int]) -> int | None:
    if budget.max_unavailable is None and not isinstance(budget.min_available, str):
        return budget.min_available or 0
    expected = _expected(seen, scales)
    if expected is None:
        return None
    if budget.max_unavailable is not None:
        return max(expected - scaled(budget.max_unavailable, expected), 0)
    return scaled(budget.min_available or 0, expected)


def _expected(seen: Seen, scales: Mapping[tuple[str, str], int]) -> int | None:
    """Return the scale of the pods' controllers; None where the input lacks one of them.

    A ReplicaSet of a Deployment counts as the Deployment, once for all of its ReplicaSets.
    """
    known: dict[tuple[str, str], int] = {}
    for owner, above in seen.owners.items():
        found = next((one for one in (above, owner) if one in scales), None)
        if found is None:
            return None
        known[found] = scales[found]
    return sum(known.values())


def scaled(amount: Amount, total: int) -> int:
    """Return a number of pods, of a percentage that of ``total``, rounded up."""
    return amount if isinstance(amount, int) else -(-int(amount.removesuffix("%")) * total // 100)
