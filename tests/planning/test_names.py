"""A line shows the first few names of many, in their order, and counts the others."""

from __future__ import annotations

import pytest

from hashcompat.analysis.planning.reasons import FewNames, listed


@pytest.mark.parametrize(
    ("names", "shown", "number"),
    [
        ([], "", 0),
        (["b", "a"], "a, b", 2),
        (["d", "c", "b", "a"], "a, b, c, 1 more", 4),
        (["a", "a"], "a, a", 2),
        ([f"n{number:03}" for number in range(999, -1, -1)], "n000, n001, n002, 997 more", 1000),
    ],
)
def test_the_first_few_names_are_shown(names: list[str], shown: str, number: int) -> None:
    listing = FewNames()
    for name in names:
        listing.add(name)
    assert (str(listing), len(listing)) == (shown, number)


def test_a_pod_counts_once_for_its_containers() -> None:
    listing = FewNames()
    for name in ("", "", "p", "p", "q", "p"):
        listing.add(name, repeated=False)
    assert (str(listing), len(listing)) == (", p, p, 1 more", 4)


def test_names_may_come_one_by_one() -> None:
    assert listed(iter(["b", "a"]), 2) == "b, a"
    assert listed(iter("abcd"), 4) == "a, b, c, 1 more"
