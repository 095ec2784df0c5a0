"""Which budgets select a pod (apimachinery pkg/apis/meta/v1 ``LabelSelectorAsSelector``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hashcompat.go.allowance import matched
from hashcompat.model.budgets import Budget, Requirement, Selector

_KEPT: Final = 4096
"""Sets of labels whose budgets are remembered; the replicas of most owners share theirs."""


def matches(selector: Selector | None, labels: Mapping[str, Any]) -> bool:
    """Return whether labels meet every condition; none does without a selector."""
    return selector is not None and all(_meets(one, labels.get(one.key)) for one in selector)


def _meets(requirement: Requirement, value: object) -> bool:
    if requirement.operator == "In":
        return value in requirement.values
    if requirement.operator == "NotIn":
        return value not in requirement.values
    return (value is not None) == (requirement.operator == "Exists")


class Selectors:
    """The selectors of all budgets."""

    def __init__(self, budgets: Sequence[Budget]) -> None:
        self._by_namespace: dict[str, _Namespace] = {}
        for number, budget in enumerate(budgets):
            self._by_namespace.setdefault(budget.namespace, _Namespace()).add(number, budget)
        self._taken = matched()
        self._known: dict[tuple[str, frozenset[tuple[str, str]]], tuple[int, ...]] = {}

    def of(self, namespace: str, labels: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the places of the budgets that select a pod.

        Raises InputError where more budgets are compared with pods than one run may compare.
        """
        budgets = self._by_namespace.get(namespace)
        if budgets is None:
            return ()
        plain = {key: value for key, value in labels.items() if isinstance(value, str)}
        key = namespace, frozenset(plain.items())
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            likely = budgets.likely(plain)
            self._taken.take(len(likely))
            found = tuple(sorted(number for number, one in likely if matches(one.selector, plain)))
            self._known[key] = found
        self._taken.take(len(found))
        return found


class _Namespace:
    """The budgets of a namespace: those that ask for a label's value by that, for they are most of them."""

    def __init__(self) -> None:
        self._by_value: dict[tuple[str, str], list[tuple[int, Budget]]] = {}
        self._others: list[tuple[int, Budget]] = []

    def add(self, number: int, budget: Budget) -> None:
        """Add a budget with its place."""
        asked = (one for one in budget.selector or () if one.operator == "In" and one.values)
        least = min(asked, key=lambda one: len(one.values), default=None)
        if least is None:
            self._others.append((number, budget))
            return
        for value in least.values:
            self._by_value.setdefault((least.key, value), []).append((number, budget))

    def likely(self, labels: Mapping[str, str]) -> list[tuple[int, Budget]]:
        """Return the budgets that may select a pod with some labels, each once."""
        return [*self._others, *(one for label in labels.items() for one in self._by_value.get(label, ()))]
