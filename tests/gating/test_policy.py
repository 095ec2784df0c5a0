"""How limits, durations and words of ``--fail-on`` are written, and which way a part is rounded."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hashcompat.core.errors import UsageError
from hashcompat.core.policies import FailOn, Limit, Policy, duration_of, fail_on_of, limit_of


@pytest.mark.parametrize(
    ("text", "containers", "allowed"),
    [
        ("0", 100, 0),
        ("10", 3, 10),
        ("50%", 3, 1),
        ("50%", 1, 0),
        ("99.9%", 1000, 999),
        ("99.99%", 1000, 999),
        ("0.1%", 999, 0),
        ("0.1%", 1000, 1),
        ("100%", 7, 7),
        ("33.333333333%", 3, 0),
        ("29%", 100, 29),  # 28 with floats
        ("5%", 0, 0),
    ],
)
def test_a_part_of_a_container_is_none(text: str, containers: int, allowed: int) -> None:
    assert limit_of(text, "here").of(containers) == allowed


@pytest.mark.parametrize("text", ["", "-1", "1.5", "101%", "100.1%", "%", "5 %", "1e3", "٣", "5%\n", "ten"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"^here: want a number of findings"):
        limit_of(text, "here")


@pytest.mark.parametrize(
    ("text", "seconds"), [("24h", 86_400), ("1h30m", 5_400), ("90m", 5_400), ("1.5h", 5_400), ("1500ms", 1.5)]
)
def test_durations_are_those_of_go(text: str, seconds: float) -> None:
    assert duration_of(text, "here") == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "24", "1d", "h", "-1h", "1h 30m", "24H", "1h\n"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"^here: want a duration"):
        duration_of(text, "here")


def test_no_plan_is_older_than_a_century() -> None:
    with pytest.raises(UsageError, match="more than 100 years"):
        duration_of("999999999h", "here")


def test_words_are_read_once_each() -> None:
    assert fail_on_of("kill, restart,kill", "here") == (FailOn.KILL, FailOn.RESTART)
    with pytest.raises(
        UsageError, match="'kil': want some of restart, kill, unknown, pdb, static, preflight"
    ):
        fail_on_of("restart,kil", "here")


def test_a_policy_is_limited_by_any_limit() -> None:
    assert not Policy().is_limited
    assert Policy(max_per_node=Limit("1")).is_limited
