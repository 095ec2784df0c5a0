"""Which plans are not judged, and why."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from hashcompat.analysis.gating.judge import (
    check_age,
    check_cluster,
    check_input_age,
    check_preflight,
    check_seals,
    releases_of,
)
from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.preflight import Preflight
from hashcompat.core.model.results import Making, signature
from hashcompat.core.policies import Policy
from tests.helpers.plans import item, plan

KEY = b"0123456789abcdef"
NOW = datetime(2026, 1, 2, tzinfo=UTC)
INPUT = Policy(max_input_age=timedelta(hours=24), max_input_age_text="24h")
DAY = Policy(max_age=timedelta(hours=24), max_age_text="24h")


def refused(why: str) -> AbstractContextManager[object]:
    return pytest.raises(InputError, match=why) if why else nullcontext()


@pytest.mark.parametrize(
    ("digest", "signed", "key", "why"),
    [
        ("sha256:1", "", b"", ""),
        ("", "", b"", "digest: missing"),
        ("sha256:1", "", KEY, "signature: missing"),
        ("sha256:1", signature("sha256:1", KEY), KEY, ""),
        ("sha256:1", signature("sha256:2", KEY), KEY, "not made with this key"),
        ("sha256:1", signature("sha256:1", b"another key of 16"), KEY, "not made with this key"),
        ("sha256:1", "\ud800é", KEY, "not made with this key"),
    ],
)
def test_a_plan_has_its_seals(digest: str, signed: str, key: bytes, why: str) -> None:
    with refused(why):
        check_seals(digest, signed, key)


@pytest.mark.parametrize(
    ("created", "policy", "why"),
    [
        (None, Policy(), ""),
        (None, DAY, "createdAt: missing, and plan-max-age allows 24h"),
        (NOW - timedelta(hours=24), DAY, ""),
        (NOW - timedelta(hours=24, seconds=1), DAY, "the plan is 24h0m old, and plan-max-age allows 24h"),
        (
            NOW - timedelta(seconds=5),
            Policy(max_age=timedelta(seconds=1), max_age_text="1s"),
            "the plan is 5s old, and plan-max-age allows 1s",
        ),
        (
            NOW - timedelta(minutes=1),
            Policy(max_age=timedelta(seconds=1), max_age_text="1s"),
            "the plan is 0h1m old, and plan-max-age allows 1s",
        ),
        (NOW - timedelta(days=1107), DAY, "the plan is 1107 days old, and plan-max-age allows 24h"),
        (NOW - timedelta(days=3), Policy(), ""),
        (NOW + timedelta(minutes=5), DAY, ""),
        (NOW + timedelta(minutes=6), DAY, "2026-01-02T00:06:00Z is in the future"),
    ],
)
def test_a_plan_is_as_old_as_the_policy_allows(created: datetime | None, policy: Policy, why: str) -> None:
    with refused(why):
        check_age(plan(making=Making(created)), policy, NOW)
    with refused(why.replace("plan is", "preflight is")):
        check_age(Preflight("1.31.14", {}, (), making=Making(created)), policy, NOW)


@pytest.mark.parametrize(
    ("theirs", "ours", "why"),
    [
        ("two", "one", "a preflight of the cluster two, and the plan is of one"),
        ("one", "one", ""),
        ("", "one", ""),
        ("two", "", ""),
    ],
)
def test_a_preflight_of_another_cluster_is_refused(theirs: str, ours: str, why: str) -> None:
    """Nodes of several clusters may have the same names."""
    report = Preflight("1.31.14", {}, (), origin=Origin(cluster=theirs), making=Making(NOW))
    with refused(why):
        check_preflight(report, plan(origin=Origin(cluster=ours)), DAY, NOW)
    old = structs.replace(report, making=Making(NOW - timedelta(days=3)))
    with refused("the preflight is 3 days old"):
        check_preflight(old, plan(origin=Origin(cluster=ours)), DAY, NOW)


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(
    ("taken", "policy", "why"),
    [
        (None, Policy(), ""),
        (None, DAY, ""),
        (None, INPUT, "shows when it was taken, and max-age allows 24h"),
        (NOW - timedelta(hours=24), INPUT, ""),
        (NOW - timedelta(hours=24, seconds=1), INPUT, "the input is 24h0m old .taken 2025-12-31T23:59:59Z"),
        (NOW - timedelta(days=3), DAY, ""),
        (NOW + timedelta(minutes=5), INPUT, ""),
        (NOW + timedelta(minutes=6), INPUT, "2026-01-02T00:06:00Z is in the future"),
    ],
)
def test_input_is_as_old_as_the_policy_allows(
    *, taken: datetime | None, policy: Policy, why: str, saved: bool
) -> None:
    with refused(why):
        check_input_age(Origin(taken=taken), policy, NOW, saved=saved)


@pytest.mark.parametrize(
    ("uid", "wanted", "why"),
    [
        ("", "", ""),
        ("a", "", ""),
        ("a", "a", ""),
        ("", "a", "clusterUID: empty, and --cluster-uid is a"),
        ("b", "a", "a plan of the cluster b, and --cluster-uid is a"),
    ],
)
def test_a_plan_is_of_the_cluster(uid: str, wanted: str, why: str) -> None:
    with refused(why):
        check_cluster(structs.replace(plan(), origin=Origin(cluster=uid)), wanted, "--cluster-uid")


def test_the_releases_of_nodes_are_those_of_a_plan() -> None:
    restart_plan = plan(item(release="1.8.0"), item(release=""), item(release="1.7.0"))
    assert releases_of(restart_plan) == {"1.8.0", "1.7.0"}
    assert releases_of(structs.replace(restart_plan, from_release="1.6.0")) == {"1.6.0"}
