"""The flags among arguments."""

from __future__ import annotations

import pytest

from hashcompat.catalog.lookup import default_catalog
from hashcompat.preflight.facts.kubelet import given_flags
from hashcompat.preflight.facts.units import Word
from hashcompat.release import parse_release


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], []),
        (["--node-ip=1", "--node_ip", "2"], [("node-ip", "1", True), ("node_ip", "2", True)]),
        (["--fail-swap-on", "--v", "4", "more"], [("fail-swap-on", "", True), ("v", "4", True)]),
        (["-v", "4", "-v=5", "-v6"], [("v", "4", True), ("v", "5", True), ("v", "6", True)]),
        (
            ["--nosuch", "--nosuch2", "x", "--nosuch3=y"],
            [("nosuch", "", False), ("nosuch2", "x", False), ("nosuch3", "y", False)],
        ),
        (["--node-ip", "-1"], [("node-ip", "-1", True)]),
        (["--nosuch"], [("nosuch", "", False)]),
        (["--node-ip"], [("node-ip", "", True)]),
        (["-", "x", "--", "--nosuch"], []),
        (["-x"], [("x", "", False)]),
    ],
)
def test_flags_as_pflag_takes_them(words: list[str], expected: list[tuple[str, str, bool]]) -> None:
    table, release = default_catalog().flag_table, parse_release("1.24.17")
    found = list(given_flags([Word(word, "here") for word in words], table, release))
    assert [(each.name, each.value, each.flag is not None) for each in found] == expected
    assert {each.source for each in found} <= {"here"}
