"""PF-117: exec probes whose time limit begins to count."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.facts import NodeObjects
from tests.helpers.dumps import OBJECTS, found, unread, upgrade
from tests.helpers.pods import pod

SLOW = {"name": "c", "image": "i", "livenessProbe": {"exec": {"command": ["x"]}}}
READY = {"name": "c", "image": "i", "readinessProbe": {"exec": {"command": ["x"]}}}


def states(given: Any, current: str, to: str) -> list[tuple[str, str]]:
    """Return what the check finds where one pod runs on the node."""
    cluster = NodeObjects(pods=tuple(hashcompat.load([given]).pods))
    return [row[:2] for row in found("PF-117", unread(), upgrade(to, current), cluster, OBJECTS)]


@pytest.mark.parametrize(
    ("given", "current", "to", "expected"),
    [
        (pod(SLOW), "1.19.16", "1.20.0", ("WARN", "ns/p")),
        (pod(SLOW), "1.18.20", "1.19.16", ("OK", "")),
        (pod(SLOW), "1.20.0", "1.21.0", ("OK", "")),
        (pod(READY), "1.19.16", "1.20.0", ("OK", "")),
        (pod(SLOW, status={"phase": "Failed"}), "1.19.16", "1.20.0", ("OK", "")),
        (pod(SLOW), "", "1.20.0", ("UNKNOWN", "")),
        (pod(SLOW), "", "1.19.16", ("OK", "")),
        (pod(READY), "", "1.20.0", ("OK", "")),
    ],
)
def test_pf117_a_slow_exec_probe(given: Any, current: str, to: str, expected: tuple[str, str]) -> None:
    assert states(given, current, to) == [expected]


def test_pf117_without_pods_is_unknown() -> None:
    of = upgrade("1.20.0", "1.19.16")
    assert [row[0] for row in found("PF-117", unread(), of, NodeObjects(), OBJECTS)] == ["UNKNOWN"]
