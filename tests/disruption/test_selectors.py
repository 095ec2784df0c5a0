"""Label selectors as API servers evaluate them."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.analysis.disruption import budgets
from hashcompat.analysis.disruption.budgets import Selectors, matches
from hashcompat.core.model.cluster import Budget, Requirement

LABELS = {"app": "web", "tier": ""}


@pytest.mark.parametrize(
    ("operator", "key", "values", "expected"),
    [
        ("In", "app", ("web", "api"), True),
        ("In", "app", ("api",), False),
        ("In", "none", ("web",), False),
        ("NotIn", "app", ("web",), False),
        ("NotIn", "app", ("api",), True),
        ("NotIn", "none", ("web",), True),
        ("Exists", "tier", (), True),
        ("Exists", "none", (), False),
        ("DoesNotExist", "tier", (), False),
        ("DoesNotExist", "none", (), True),
    ],
)
def test_a_requirement(operator: str, key: str, values: tuple[str, ...], expected: bool) -> None:
    assert matches((Requirement(key, operator, frozenset(values)),), LABELS) is expected


def test_all_requirements_have_to_hold() -> None:
    yes, no = Requirement("app", "Exists"), Requirement("app", "DoesNotExist")
    assert [matches(requirements, LABELS) for requirements in ((), (yes,), (yes, no), None)] == [
        True,
        True,
        False,
        False,
    ]


def test_budgets_select_in_their_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "_KEPT", 1)
    selectors = Selectors([Budget("a", "x", ()), Budget("b", "y", (Requirement("app", "Exists"),))])
    asked: list[tuple[str, dict[str, Any]]] = [
        ("a", {}),
        ("b", {}),
        ("b", LABELS),
        ("b", LABELS),
        ("b", {"app": 1}),
        ("c", LABELS),
    ]
    assert [selectors.of(namespace, labels) for namespace, labels in asked] == [(0,), (), (1,), (1,), (), ()]
