"""PodDisruptionBudgets of both versions, what is wrong with them, and the scales of controllers."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.model.cluster import Budget, Counted, Requirement
from hashcompat.sources.budgets import NOT_IN_INPUT, budgets_of, is_budget, of_budget, scale_of, size_of

WEB = Requirement("app", "In", frozenset({"web"}))
COUNTS = {"currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 3}


def budget(spec: object, version: str = "policy/v1", **more: Any) -> Budget:
    return of_budget({"kind": "PodDisruptionBudget", "apiVersion": version, "spec": spec, **more})


@pytest.mark.parametrize(
    ("selector", "version", "expected"),
    [
        ({"matchLabels": {"app": "web"}}, "policy/v1", (WEB,)),
        ({"matchLabels": {"app": "web"}}, "", (WEB,)),
        ({}, "policy/v1", ()),
        ({"matchLabels": {}, "matchExpressions": []}, "policy/v1", ()),
        ({}, "policy/v1beta1", None),
        (None, "policy/v1", None),
        (None, "policy/v1beta1", None),
        (
            {
                "matchExpressions": [
                    {"key": "app", "operator": "NotIn", "values": ["a", "b"]},
                    {"key": "tier", "operator": "Exists"},
                ]
            },
            "policy/v1beta1",
            (Requirement("app", "NotIn", frozenset({"a", "b"})), Requirement("tier", "Exists")),
        ),
    ],
)
def test_an_empty_selector_is_everything_in_v1_and_nothing_before(
    selector: object, version: str, expected: object
) -> None:
    assert budget({"selector": selector}, version) == Budget("default", "", expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ({"selector": []}, "spec.selector is not an object"),
        ({"selector": {"matchLabels": {"a": 1}}}, "matchLabels has a value that is not a string"),
        ({"selector": {"matchExpressions": ["a"]}}, "matchExpressions has one"),
        ({"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "matchExpressions has one"),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}},
            "matchExpressions has one",
        ),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": [1]}]}},
            "matchExpressions has one",
        ),
        ({"minAvailable": "half"}, "spec.minAvailable is neither"),
        ({"minAvailable": True}, "spec.minAvailable is neither"),
        ({"maxUnavailable": -1}, "spec.maxUnavailable is neither"),
        ({"maxUnavailable": "1000%"}, "spec.maxUnavailable is neither"),
    ],
)
def test_what_no_api_server_accepts_is_a_problem_of_the_budget(spec: object, says: str) -> None:
    pdb = budget(spec, metadata={"namespace": "ns", "name": "b"})
    assert (pdb.namespace, pdb.name, says in pdb.problem) == ("ns", "b", True)
    assert pdb.selector == (() if "selector" in says or "match" in says else None)


def test_an_empty_selector_of_an_unknown_version_is_a_problem() -> None:
    assert "no apiVersion" in budget({"selector": {}}, "").problem


def test_the_rest_of_a_budget() -> None:
    spec = {"minAvailable": "50%", "maxUnavailable": 1}
    pdb = budget(spec, status=COUNTS)
    assert pdb == Budget("default", "", None, "50%", 1, Counted(2, 1, 3))


@pytest.mark.parametrize(
    ("status", "generation", "expected"),
    [
        (COUNTS, None, Counted(2, 1, 3)),
        ({**COUNTS, "observedGeneration": 2}, 2, Counted(2, 1, 3)),
        ({**COUNTS, "observedGeneration": 1}, 2, None),
        ({**COUNTS, "expectedPods": "3"}, None, None),
        ({}, None, None),
    ],
)
def test_a_status_counts_if_it_is_that_of_the_spec(
    status: object, generation: int | None, expected: object
) -> None:
    metadata = {"generation": generation} if generation else {}
    assert budget({}, status=status, metadata=metadata).counted == expected


def test_only_the_kind_of_the_policy_group_is_a_budget() -> None:
    versions = ("policy/v1", "policy/v1beta1", "", "other/v1")
    answers = [is_budget({"kind": "PodDisruptionBudget", "apiVersion": version}) for version in versions]
    assert (answers, is_budget({"kind": "Pod"})) == ([True, True, True, False], False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "Deployment", "apiVersion": "apps/v1", "spec": {"replicas": 3}}, 3),
        ({"kind": "StatefulSet", "apiVersion": "apps/v1", "spec": {"replicas": 0}}, 0),
        ({"kind": "Deployment", "apiVersion": "other/v1", "spec": {"replicas": 3}}, None),
        ({"kind": "Deployment", "apiVersion": "apps/v1", "spec": {}}, None),
        ({"kind": "DaemonSet", "apiVersion": "apps/v1", "spec": {"replicas": 3}}, None),
    ],
)
def test_a_scale_is_what_a_controller_wants(value: dict[str, Any], expected: int | None) -> None:
    scale = scale_of({**value, "metadata": {"name": "web"}})
    assert scale == (None if expected is None else (("default", f"{value['kind']}/web"), expected))


def test_copies_count_once_and_those_that_differ_have_a_problem() -> None:
    pdb, other = Budget("ns", "b", (WEB,)), Budget("ns", "b", ())
    assert budgets_of([pdb, pdb], {}, listed=False).budgets == (pdb,)
    (merged,) = budgets_of([pdb, other], {}, listed=False).budgets
    assert "two that differ" in merged.problem


def test_no_budget_means_none_only_where_they_are_listed() -> None:
    assert budgets_of([], {}, listed=False).missing == NOT_IN_INPUT
    assert budgets_of([], {}, listed=True).missing == ""


def test_the_size_of_a_budget_grows_with_its_selector() -> None:
    long = Requirement("k" * 4000, "In", frozenset({"v"}))
    sizes = [size_of(Budget("ns", "b", selector)) for selector in (None, (), (WEB,), (WEB, WEB, long))]
    assert sizes == [3, 3, 4, 17]
