"""Which budgets select a pod (apimachinery pkg/apis/meta/v1 ``LabelSelectorAsSelector``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
        self._by_namespace: dict[str, list[tuple[int, Budget]]] = {}
        for number, budget in enumerate(budgets):
            self._by_namespace.setdefault(budget.namespace, []).append((number, budget))
        self._known: dict[tuple[str, frozenset[tuple[str, str]]], tuple[int, ...]] = {}

    def of(self, namespace: str, labels: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the places of the budgets that select a pod."""
        budgets = self._by_namespace.get(namespace)
        if not budgets:
            return ()
        plain = {key: value for key, value in labels.items() if isinstance(value, str)}
        key = namespace, frozenset(plain.items())
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = tuple(number for number, one in budgets if matches(one.selector, plain))
            self._known[key] = found
        return found
