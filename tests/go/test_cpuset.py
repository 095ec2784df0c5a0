"""Sets of CPUs, and the CPUs of a pod in a checkpoint."""

from __future__ import annotations

import pytest

from hashcompat.errors import DecodeError
from hashcompat.go.strconv import CPU_ENTRY, parse_cpus, show_cpus


@pytest.mark.parametrize(
    ("text", "cpus", "shown"),
    [
        ("", set(), ""),
        ("0", {0}, "0"),
        ("0-3,7", {0, 1, 2, 3, 7}, "0-3,7"),
        ("7,0-1,2", {0, 1, 2, 7}, "0-2,7"),
        ("3-3", {3}, "3"),
    ],
)
def test_texts_of_cpus(text: str, cpus: set[int], shown: str) -> None:
    assert parse_cpus(text) == cpus
    assert show_cpus(parse_cpus(text)) == shown


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "1,,2", "0-99999999", " 1", "1-2-3"])
def test_what_is_no_set_of_cpus(text: str) -> None:
    with pytest.raises(DecodeError, match="not a set of CPUs"):
        parse_cpus(text)


@pytest.mark.parametrize(
    ("value", "typed", "written"),
    [
        ({"cpuSet": "2-3"}, (({2: (), 3: ()},),), "2-3"),
        ({"cpuSet": ""}, (({},),), ""),
        ({}, (({},),), ""),
    ],
)
def test_the_cpus_of_a_pod(value: object, typed: object, written: str) -> None:
    assert CPU_ENTRY.decode(value) == typed
    assert CPU_ENTRY.encode(typed) == written


@pytest.mark.parametrize("value", [None, "2", {"cpuSet": 2}])
def test_what_are_no_cpus_of_a_pod(value: object) -> None:
    with pytest.raises(DecodeError, match="want an object with a text"):
        CPU_ENTRY.decode(value)
