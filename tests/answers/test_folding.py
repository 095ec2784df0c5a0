"""Neighbours of a matrix in one group: only where nothing distinguishes them, in either direction."""

from __future__ import annotations

from itertools import permutations

from hashcompat.analysis.answers.matrix import folded


def values(releases: str, **given: int) -> dict[tuple[str, str], int]:
    """Return 1 for each pair, but for those given: ``ab=0`` from a to b."""
    return {pair: given.get("".join(pair), 1) for pair in permutations(releases, 2)}


def test_neighbours_that_keep_everything_and_have_equal_rows_and_columns_are_one_group() -> None:
    assert folded("abc", values("abc", ab=0, ba=0), 0) == (("a", "b"), ("c",))
    assert folded("abcd", values("abcd", bc=0, cb=0, cd=0, dc=0, bd=0, db=0), 0) == (("a",), ("b", "c", "d"))


def test_one_difference_is_enough_to_keep_two_apart() -> None:
    for difference in ({"ab": 1}, {"ba": 1}, {"ac": 2}, {"bc": 2}, {"ca": 2}, {"cb": 2}):
        groups = folded("abc", values("abc", **{"ab": 0, "ba": 0, **difference}), 0)
        assert groups == (("a",), ("b",), ("c",)), difference


def test_only_neighbours_are_in_a_group() -> None:
    assert folded("abc", values("abc", ac=0, ca=0), 0) == (("a",), ("b",), ("c",))


def test_to_auto_leads_no_pair() -> None:
    counts = {pair: 0 for pair in permutations(["auto", "a", "b"], 2) if pair[1] != "auto"}
    assert folded(["auto", "a", "b"], counts, 0) == (("auto",), ("a", "b"))
    assert folded(["auto", "a", "b"], {**counts, ("auto", "a"): 1}, 0) == (("auto",), ("a",), ("b",))
