"""Names near a missing one, against the textbook's definition of the distance between two texts."""

from __future__ import annotations

from functools import cache
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.model.items import distance, near

TEXTS = st.text("ab1.", max_size=6)


@cache
def by_definition(text: str, other: str) -> int:
    """Return the optimal string alignment distance, by its recursion."""
    if not text or not other:
        return len(text) + len(other)
    steps = [
        by_definition(text[:-1], other) + 1,
        by_definition(text, other[:-1]) + 1,
        by_definition(text[:-1], other[:-1]) + (text[-1] != other[-1]),
    ]
    if text[-2:] == other[-2:][::-1] and min(len(text), len(other)) > 1:
        steps.append(by_definition(text[:-2], other[:-2]) + 1)
    return min(steps)


@given(TEXTS, TEXTS)
def test_the_distance_is_the_fewest_steps(text: str, other: str) -> None:
    assert distance(text, other) == by_definition(text, other) == distance(other, text)


NAMES = ["web", "web-old", "web-canary", "redis-0", "redis-1", "api-gvjfpqrhdz-fd56z", "kube-proxy-x7"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("wbe", ["web"]),
        ("WEB", ["web", "web-old", "web-canary"]),
        ("redis", ["redis-0", "redis-1"]),
        ("rediz-1", ["redis-1", "redis-0"]),
        ("api", ["api-gvjfpqrhdz-fd56z"]),
        ("kube-proxy-x7-and-more", ["kube-proxy-x7"]),
        ("w", []),
        ("nothing-of-the-kind", []),
        ("", []),
    ],
)
def test_near_names_come_first_and_others_not_at_all(wanted: str, expected: list[str]) -> None:
    assert near(wanted, NAMES) == expected
    assert near(wanted, reversed(NAMES)) == expected


def test_as_many_as_are_asked_for() -> None:
    assert near("web", [f"web-{number}" for number in range(9)], most=2) == ["web-0", "web-1"]


@given(st.text("abc-", min_size=3, max_size=12), st.integers(0, 11), st.sampled_from("abcx"))
def test_a_name_with_one_wrong_letter_is_near(name: str, at: int, letter: str) -> None:
    wrong = name[: at % len(name)] + letter + name[at % len(name) + 1 :]
    assert near(wrong, [*(f"{number:05}-other" for number in range(200)), name]) == [name]


@pytest.mark.usefixtures("untraced")
def test_a_large_cluster_takes_no_time() -> None:
    """Comparing each name letter by letter would take minutes."""
    names = [f"some-deployment-7d9f8c6b5-{number:06}" for number in range(40_000)]
    start = process_time()
    assert near("some-deploymnet-7d9f8c6b5-039999", names)[0] == names[-1]
    assert process_time() - start < 5
