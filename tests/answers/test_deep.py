"""Places where plain data differ, found by deepdiff."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.analysis.answers.comparison import ABSENT, ValueDifference, differences


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="the same"),
        pytest.param({"a": 1}, {"a": 2}, [("a", 1, 2)], id="another value"),
        pytest.param({"a": 1}, {"a": "1"}, [("a", 1, "1")], id="another type"),
        pytest.param({}, {"a": {"b": 1}}, [("a", ABSENT, {"b": 1})], id="more"),
        pytest.param({"a": None}, {}, [("a", None, ABSENT)], id="less"),
        pytest.param({"p": [{"n": 1}]}, {"p": [{"n": 2}]}, [("p[0].n", 1, 2)], id="in a list"),
        pytest.param({"p": [1]}, {"p": [1, 2]}, [("p[1]", ABSENT, 2)], id="a longer list"),
        pytest.param({"b": 1, "a": 1}, {"b": 2, "a": 2}, [("a", 1, 2), ("b", 1, 2)], id="sorted by path"),
        pytest.param(
            {"t": {"a": 1}},
            {"t": {"a": 2, "b": 1, "c": 1, "d": 1}},
            [("t.a", 1, 2), ("t.b", ABSENT, 1), ("t.c", ABSENT, 1), ("t.d", ABSENT, 1)],
            id="little in common",
        ),
    ],
)
def test_differences(old: Any, new: Any, expected: list[tuple[str, Any, Any]]) -> None:
    assert [
        (difference.place, difference.old, difference.new) for difference in differences(old, new)
    ] == expected


def test_a_path_keeps_its_steps() -> None:
    (difference,) = differences({"p": [{"a.b": 1}]}, {"p": [{"a.b": 2}]})
    assert difference == ValueDifference(("p", 0, "a.b"), 1, 2)


LONG = ["a"] * 4_000


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(LONG, LONG, [], id="the same"),
        pytest.param(LONG, ["b", *LONG[1:]], [("args[0]", "a", "b")], id="another element"),
        pytest.param([*LONG, 1], [*LONG, True], [("args[4000]", 1, True)], id="another type"),
        pytest.param(LONG, [*LONG, "b"], [("args[4000]", ABSENT, "b")], id="one more"),
    ],
)
def test_long_lists_are_compared_by_index(
    old: list[Any], new: list[Any], expected: list[tuple[str, Any, Any]]
) -> None:
    """What was inserted is looked for in short ones only: it takes the square of their length."""
    rows = differences({"args": old}, {"args": new})
    assert [(row.place, row.old, row.new) for row in rows] == expected


def test_what_was_inserted_is_found_in_a_short_list() -> None:
    (difference,) = differences({"args": ["a", "b"]}, {"args": ["c", "a", "b"]})
    assert (difference.place, difference.old, difference.new) == ("args[0]", ABSENT, "c")
