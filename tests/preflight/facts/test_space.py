"""Memory and file systems, and what a kubelet asks of both."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hashcompat.preflight.facts import host
from hashcompat.records.probes import UnreadError

DEFAULTS = {"memory.available": "100Mi", "nodefs.available": "10%"}


def test_memory_is_in_bytes() -> None:
    assert host.meminfo("MemTotal:  2 kB\nHugePages_Total: 3\nodd\nx: y\n") == {
        "MemTotal": 2048,
        "HugePages_Total": 3072,
    }


def test_a_file_system_is_read_from_two_lines() -> None:
    text = "/dev/sda1 1000 400 600 40% /\n/dev/sda1 50 20 30 40% /\n"
    assert host.usage(text) == host.Usage(1024000, 409600, 614400, 50, 20, 30)
    assert host.usage("d 1 1 1 1% /\nd - - - - /\n") == host.Usage(1024, 1024, 1024, 0, 0, 0)


@pytest.mark.parametrize("text", ["", "d 1 1 1 1% /\n", "d x 1 1 1% /\nd 1 1 1 1% /\n", "d 1\nd 1\n"])
def test_other_lines_are_unread(text: str) -> None:
    with pytest.raises(UnreadError, match="df -Pk"):
        host.usage(text)


def test_given_thresholds_replace_all_the_defaults_unless_merged() -> None:
    assert host.thresholds(None, DEFAULTS, merged=False) == DEFAULTS
    assert host.thresholds({"a": 1}, DEFAULTS, merged=False) == {"a": "1"}
    assert host.thresholds({"a": 1}, DEFAULTS, merged=True) == {**DEFAULTS, "a": "1"}
    assert host.thresholds("a<1%, b", DEFAULTS, merged=False) == {"a": "1%"}


def test_a_threshold_is_a_quantity_or_a_share() -> None:
    assert host.least("10%", 50) == 5
    assert host.least("2.5%", 100) == Fraction(5, 2)
    assert host.least("1Ki", 0) == 1024
    for text in ("much", "much%"):
        with pytest.raises(UnreadError, match="a value that is not a threshold"):
            host.least(text, 1)


def test_what_is_reserved() -> None:
    assert host.reserved({"memory": "1Ki"}, "memory") == 1024
    assert host.reserved("cpu=1, memory=2Ki", "memory") == 2048
    assert host.reserved("cpu=1", "memory") == host.reserved(None, "memory") == 0
