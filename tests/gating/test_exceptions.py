"""Which containers an exception covers, and until when."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.model.items import Item
from hashcompat.core.policies import exceptions
from hashcompat.core.policies.exceptions import Exemption, Exemptions, Names, owner_of
from tests.helpers.plans import item

DAY = date(2026, 1, 31)
OWNED = item(owner="Deployment/web", pod="web-1", namespace="shop")


def of(pattern: str, names: Names = Names.OWNER, expires: date = DAY) -> Exemption:
    return Exemption(names, pattern, "known", expires)


@pytest.mark.parametrize(
    ("pattern", "names", "covers"),
    [
        ("shop/Deployment/web", Names.OWNER, True),
        ("shop/Deployment/*", Names.OWNER, True),
        ("*/*/*", Names.OWNER, True),
        ("shop/Deployment/we?", Names.OWNER, True),
        ("shop/Deployment/[vw]eb", Names.OWNER, True),
        ("shop/*", Names.OWNER, False),
        ("*", Names.OWNER, False),
        ("shop/deployment/web", Names.OWNER, False),
        ("shop/Deployment/we", Names.OWNER, False),
        ("other/Deployment/web", Names.OWNER, False),
        ("shop/ReplicaSet/web-5", Names.OWNER, True),
        ("shop/web-1/c", Names.CONTAINER, True),
        ("shop/web-*/c", Names.CONTAINER, True),
        ("shop/web-1/d", Names.CONTAINER, False),
        ("shop/Deployment/web", Names.CONTAINER, False),
    ],
)
def test_patterns_match_part_by_part(pattern: str, names: Names, covers: bool) -> None:
    given = structs.replace(OWNED, pod=structs.replace(OWNED.pod, owner="ReplicaSet/web-5"))
    assert (Exemptions([of(pattern, names)], DAY).find(given) is not None) == covers


@pytest.mark.parametrize(
    ("pattern", "covers"), [("shop/Pod/x", True), ("*/*/*", True), ("shop/Pod/y", False)]
)
def test_a_pod_that_nothing_controls_is_its_own_owner(pattern: str, covers: bool) -> None:
    bare = item(owner="", pod="x", namespace="shop")
    assert owner_of(bare.pod) == "Pod/x"
    assert (Exemptions([of(pattern)], DAY).find(bare) is not None) == covers


def test_a_slash_in_a_name_is_no_border_of_parts() -> None:
    """Names that no API server accepts cannot pass for others."""
    given = structs.replace(OWNED, pod=structs.replace(OWNED.pod, namespace="a/b", name="c"))
    assert Exemptions([of("a/b/c", Names.CONTAINER)], DAY).find(given) is None


@pytest.mark.parametrize(("today", "covers"), [(DAY, True), (date(2026, 2, 1), False)])
def test_the_last_day_counts_to_its_end(today: date, covers: bool) -> None:
    rows = Exemptions([of("shop/Deployment/web")], today)
    assert (rows.find(OWNED) is not None) == covers
    assert list(rows.used.values()) == [1]


def test_one_that_is_valid_comes_before_one_that_expired() -> None:
    old, new = of("shop/*/*", expires=date(2025, 1, 1)), of("shop/Deployment/*")
    assert Exemptions([old, new], DAY).find(OWNED) == new


def test_a_pod_alone_is_its_own_owner() -> None:
    alone: Item = item(owner="")
    assert owner_of(alone.pod) == "Pod/web-1"
    assert Exemptions([of("shop/Deployment/*")], DAY).find(alone) is None
    assert str(of("a/b/c")) == "owner a/b/c"


def compared(rows: list[Exemption], items: list[Item]) -> int:
    """Return how many names were compared with patterns."""
    made = Exemptions(rows, DAY)
    for entry in items:
        made.find(entry)
    return sum(table._compared for table in made._tables.values())


def many(number: int) -> list[Item]:
    names = range(number)
    return [item(owner=f"Deployment/web-{name}", pod=f"web-{name}", namespace=f"n{name}") for name in names]


@pytest.mark.parametrize("names", Names)
@pytest.mark.parametrize(
    ("pattern", "each"),
    [("n{}/{}/{}", 0), ("n{}/*/*", 1), ("n{}/[D-w]*/*", 1)],
)
def test_plain_parts_are_looked_up_and_not_compared(names: Names, pattern: str, each: int) -> None:
    """Four times the exceptions and findings take four times the comparisons, not sixteen times."""
    for size in (50, 200):
        rows = [of(pattern.format(number, "web", number), names) for number in range(size)]
        assert compared(rows, many(size)) == each * size


def test_there_is_an_end_to_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exceptions, "MOST_COMPARED", 99)
    rows = [of(f"*/*/x{number}*", Names.CONTAINER) for number in range(10)]
    with pytest.raises(InputError, match="more than 99 comparisons of patterns with names; write"):
        compared(rows, many(10))
    assert compared(rows, many(9)) == 90


@pytest.mark.parametrize("text", ["[" * 20_000, "*" * 17, "?*[a]" * 6, "x" * 1025])
def test_a_pattern_that_takes_long_to_compare_is_refused(text: str) -> None:
    """The reader of files refuses it with its line, and the judge whoever made it."""
    with pytest.raises(InputError, match="owner: want at most"):
        Exemptions([of(f"a/b/{text}")], DAY)


@pytest.mark.parametrize("text", ["*a" * 15 + "*", "*[a-z]" * 8, "?" * 16, "[" * 16])
def test_the_longest_pattern_is_compared_without_trying_again(text: str) -> None:
    """Each attempt that failed would double what is left to try: this test would not end."""
    row = of(f"shop/{text}b/c", Names.CONTAINER)
    name = structs.replace(OWNED, pod=structs.replace(OWNED.pod, name="a" * 1024))
    assert Exemptions([row], DAY).find(name) is None


def test_of_several_the_first_one_counts_whichever_parts_are_plain() -> None:
    rows = [of("shop/Deployment/*"), of("shop/*/web"), of("shop/Deployment/web"), of("*/*/*")]
    for start in range(len(rows)):
        assert Exemptions(rows[start:], DAY).find(OWNED) == rows[start]
