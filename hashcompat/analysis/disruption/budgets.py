"""Budgets: which pods they select, how many of these are healthy, and how many have to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hashcompat.core.go.allowance import matched
from hashcompat.core.model.cluster import Amount, Budget, Requirement, Selector, Service
from hashcompat.core.model.impact import BudgetImpact, Certainty

# How many pods of a budget are healthy, and how many have to be.
#
# As pkg/controller/disruption/disruption.go counts them: ``countHealthyPods`` (Ready, and not being deleted)
# and ``getExpectedPodCount``; a percentage is rounded up (apimachinery pkg/util/intstr
# ``GetScaledValueFromIntOrPercent``), that of maxUnavailable too.


@dataclass(slots=True)
class BudgetSeen:
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

    @property
    def all(self) -> int:
        """How many restart, or may."""
        return self.certain + self.possible + self.unsure

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
        if not hits.all or (self.desired is not None and self.desired <= 0):
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


def health_of(budget: Budget, seen: BudgetSeen, scales: Mapping[tuple[str, str], int]) -> Health:
    """Return the health of a budget: what its status shows, unless the pods show more.

    The status counts the pods that the input lacks; where it lacks none, their own conditions are newer.
    """
    if budget.problem:
        return Health(budget)
    counted = budget.counted
    desired = counted.desired if counted else _desired(budget, seen, scales)
    # The controller saw pods that are not in the input, so its number is better than one made of the others.
    if counted and (seen.unsure or seen.pods < counted.expected):
        return Health(budget, desired, counted.healthy, counted.healthy)
    return Health(budget, desired, seen.ready, seen.ready + seen.unsure)


def _desired(budget: Budget, seen: BudgetSeen, scales: Mapping[tuple[str, str], int]) -> int | None:
    if budget.max_unavailable is None and not isinstance(budget.min_available, str):
        return budget.min_available or 0
    if budget.max_unavailable == "100%" or budget.min_available == "0%":
        return 0  # of any scale
    expected = _expected(seen, scales)
    if expected is None:
        return None
    if budget.max_unavailable is not None:
        # A maxUnavailable above the scale demands 0 and not less (getExpectedPodCount).
        return max(expected - scaled(budget.max_unavailable, expected), 0)
    return scaled(budget.min_available or 0, expected)


def _expected(seen: BudgetSeen, scales: Mapping[tuple[str, str], int]) -> int | None:
    """Return the scale of the pods' controllers; None where the input lacks one of them.

    A ReplicaSet of a Deployment counts as the Deployment, once for all of its ReplicaSets.
    """
    scales_by_owner: dict[tuple[str, str], int] = {}
    for owner, above in seen.owners.items():
        owner_key = next((key for key in (above, owner) if key in scales), None)
        if owner_key is None:
            return None
        # By key, since the several ReplicaSets of a Deployment would count its scale several times.
        scales_by_owner[owner_key] = scales[owner_key]
    return sum(scales_by_owner.values())


def scaled(amount: Amount, total: int) -> int:
    """Return a number of pods, of a percentage that of ``total``, rounded up."""
    return amount if isinstance(amount, int) else -(-int(amount.removesuffix("%")) * total // 100)


# Which budgets select a pod (apimachinery pkg/apis/meta/v1 ``LabelSelectorAsSelector``).

_KEPT: Final = 4096
"""Sets of labels whose budgets are remembered; the replicas of most owners share theirs."""


def matches(selector: Selector | None, labels: Mapping[str, Any]) -> bool:
    """Return whether labels meet every condition; none does without a selector."""
    return selector is not None and all(_meets(need, labels.get(need.key)) for need in selector)


def _meets(requirement: Requirement, value: object) -> bool:
    if requirement.operator == "In":
        return value in requirement.values
    # Labels without the key meet it too (apimachinery pkg/labels/selector.go, Requirement.Matches).
    if requirement.operator == "NotIn":
        return value not in requirement.values
    return (value is not None) == (requirement.operator == "Exists")


class Selectors:
    """The selectors of all budgets and Services.

    Those of a namespace that ask for a label's value are found by that, for they are most of them.
    """

    def __init__(self, budgets: Sequence[Budget | Service]) -> None:
        self._namespaces = {budget.namespace for budget in budgets}
        self._by_value: dict[tuple[str, str, str], list[int]] = {}
        self._without_value: dict[str, list[int]] = {}
        self._budgets = budgets
        for place, budget in enumerate(budgets):
            asked = (need for need in budget.selector or () if need.operator == "In" and need.values)
            # The requirement with the fewest values, since each of them becomes an entry.
            least = min(asked, key=lambda need: len(need.values), default=None)
            if least is None:
                self._without_value.setdefault(budget.namespace, []).append(place)
                continue
            for value in least.values:
                self._by_value.setdefault((budget.namespace, least.key, value), []).append(place)
        self._allowance = matched()
        self._places_by_labels: dict[tuple[str, frozenset[tuple[str, str]]], tuple[int, ...]] = {}

    def of(self, namespace: str, labels: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the places of those that select a pod.

        Raises InputError where more budgets are compared with pods than one run may compare.
        """
        if namespace not in self._namespaces:
            return ()
        plain = {key: value for key, value in labels.items() if isinstance(value, str)}
        key = namespace, frozenset(plain.items())
        places = self._places_by_labels.get(key)
        if places is None:
            if len(self._places_by_labels) >= _KEPT:
                # All at once: pods come owner by owner, so what is needed again is learned from the next
                # replica.
                self._places_by_labels.clear()
            likely = [*self._without_value.get(namespace, ())]
            for label in plain.items():
                likely += self._by_value.get((namespace, *label), ())
            self._allowance.take(len(likely))
            places = tuple(sorted(place for place in likely if matches(self._budgets[place].selector, plain)))
            self._places_by_labels[key] = places
        # Also where it was remembered: the caller goes through these places for every pod.
        self._allowance.take(len(places))
        return places
