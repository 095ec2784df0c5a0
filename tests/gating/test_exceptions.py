"""Which containers an exception covers, and until when."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec import structs

from hashcompat.gating.exceptions import Exemption, Exemptions, Names, owner_of
from hashcompat.model.items import Item
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
