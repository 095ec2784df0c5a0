"""What a budget demands and has, as the disruption controller counts it."""

from __future__ import annotations

import pytest

from hashcompat.analysis.disruption.budgets import BudgetSeen, Health, Hits, health_of, scaled
from hashcompat.core.model.cluster import Amount, Budget, Counted
from hashcompat.core.model.impact import BudgetImpact, Certainty

SET, DEPLOYMENT = ("ns", "ReplicaSet/web-1"), ("ns", "Deployment/web")
OLDER = ("ns", "ReplicaSet/web-0")
SEEN = BudgetSeen(5, 5, 0, {SET: DEPLOYMENT, OLDER: DEPLOYMENT})


@pytest.mark.parametrize(
    ("amount", "total", "expected"),
    [(3, 10, 3), ("50%", 7, 4), ("50%", 8, 4), ("1%", 3, 1), ("0%", 3, 0), ("100%", 3, 3), ("34%", 3, 2)],
)
def test_a_percentage_is_rounded_up(amount: Amount, total: int, expected: int) -> None:
    assert scaled(amount, total) == expected


@pytest.mark.parametrize(
    ("budget", "scales", "expected"),
    [
        (Budget("ns", "b", min_available=2), {}, 2),
        (Budget("ns", "b"), {}, 0),
        (Budget("ns", "b", min_available="50%"), {}, None),
        (Budget("ns", "b", min_available="50%"), {DEPLOYMENT: 5}, 3),
        (Budget("ns", "b", max_unavailable=1), {DEPLOYMENT: 5}, 4),
        (Budget("ns", "b", max_unavailable="50%"), {DEPLOYMENT: 5}, 2),
        (Budget("ns", "b", max_unavailable=9), {DEPLOYMENT: 5}, 0),
        (Budget("ns", "b", max_unavailable=1), {SET: 4, OLDER: 2}, 5),
        (Budget("ns", "b", max_unavailable=1), {SET: 4}, None),
        (Budget("ns", "b", max_unavailable="100%"), {}, 0),
        (Budget("ns", "b", min_available="0%"), {}, 0),
        (Budget("ns", "b", max_unavailable=1, counted=Counted(5, 4, 5)), {}, 4),
        (Budget("ns", "b", min_available=1, problem="odd"), {}, None),
    ],
)
def test_how_many_have_to_be_healthy(
    budget: Budget, scales: dict[tuple[str, str], int], expected: int | None
) -> None:
    assert health_of(budget, SEEN, scales).desired == expected


@pytest.mark.parametrize(
    ("seen", "counted", "expected"),
    [
        (BudgetSeen(3, 2), None, (2, 2)),
        (BudgetSeen(3, 2, 1), None, (2, 3)),
        (BudgetSeen(3, 2), Counted(3, 1, 3), (2, 2)),
        (BudgetSeen(1, 1), Counted(3, 1, 3), (3, 3)),
        (BudgetSeen(3, 0, 3), Counted(3, 1, 3), (3, 3)),
    ],
)
def test_how_many_are(seen: BudgetSeen, counted: Counted | None, expected: tuple[int, int]) -> None:
    health = health_of(Budget("ns", "b", min_available=1, counted=counted), seen, {})
    assert (health.least, health.most) == expected


YES, MAYBE = Certainty.YES, Certainty.UNKNOWN


@pytest.mark.parametrize(
    ("health", "hits", "expected"),
    [
        ((2, 3, 3), Hits(), None),
        ((2, 3, 3), Hits(1), None),
        ((2, 3, 3), Hits(2), YES),
        ((2, 3, 3), Hits(1, 1), MAYBE),
        ((2, 3, 3), Hits(0, 2), MAYBE),
        ((2, 1, 3), Hits(1), MAYBE),
        ((2, 1, 1), Hits(1), YES),
        ((2, 1, 1), Hits(0, 1), MAYBE),
        ((2, 2, 4), Hits(0, 0, 1), MAYBE),
        ((0, 0, 0), Hits(0, 0, 1), None),
        ((0, 0, 1), Hits(1, 1), None),
        ((None, 3, 3), Hits(1), MAYBE),
        ((None, 3, 3), Hits(), None),
    ],
)
def test_a_budget_is_breached_where_too_few_are_left(
    health: tuple[int | None, int, int], hits: Hits, expected: Certainty | None
) -> None:
    breach = Health(Budget("ns", "b"), *health).after(hits)
    assert (breach and breach.certainty) == expected


def test_by_how_much_it_is_breached() -> None:
    breach = Health(Budget("ns", "b"), 4, 3, 3).after(Hits(2))
    assert breach == BudgetImpact("ns", "b", YES, 4, 3, 2)
    assert (breach.after, breach.short, breach.short_before) == (1, 3, 1)
    unknown = Health(Budget("ns", "b", problem="odd")).after(Hits(1))
    assert unknown is not None
    assert (unknown.after, unknown.problem) == (None, "odd")
    assert [Health(Budget("ns", "b"), desired, 3, 3).allowed for desired in (None, 1, 3, 5)] == [
        None,
        2,
        0,
        0,
    ]


def test_hits_of_several_nodes_add_up() -> None:
    hits = Hits(1, 2, 3)
    hits.add(Hits(10, 20, 30))
    assert hits == Hits(11, 22, 33)
