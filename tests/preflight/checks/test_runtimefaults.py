"""PF-116 and PF-143: a runtime whose own restart breaks pods, or whose records are not rewritten."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight.checks import Need
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import (
    GONE,
    NODE,
    OBJECTS,
    containerd,
    docker,
    dump,
    failed,
    found,
    status,
    unread,
    upgrade,
)


@pytest.mark.parametrize(
    ("to", "runtime", "expected"),
    [
        ("1.31.0", "containerd://1.6.8", "OK"),
        ("1.31.0", "containerd://1.6.9", "WARN"),
        ("1.31.0", "containerd://1.6.14", "WARN"),
        ("1.31.0", "containerd://1.6.14-k3s1", "OK"),
        ("1.31.0", "containerd://1.6.15", "OK"),
        ("1.7.16", "containerd://1.6.9", "OK"),
        ("1.31.0", "docker://20.10.24", "OK"),
        ("1.31.0", "", "UNKNOWN"),
    ],
)
def test_pf116_a_runtime_that_forgets(to: str, runtime: str, expected: str) -> None:
    cluster = NodeObjects(Node("n1", "v1.30.0", runtime))
    assert [row[0] for row in found("PF-116", unread(), upgrade(to), cluster, OBJECTS)] == [expected]


def test_pf116_by_what_the_runtime_answers() -> None:
    assert status("PF-116", dump(containerd("1.6.12~ds1")), upgrade("1.31.0")) == [
        ("WARN", "containerd://1.6.12~ds1")
    ]
    unread = dump({("cri", "version"): failed(), ("docker", "version"): GONE})
    assert status("PF-116", unread, upgrade("1.31.0")) == [("UNKNOWN", "")]


ASKED = frozenset({Need.REWRITING})


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        ("containerd://1.6.20~ds1", ["OK"]),
        ("containerd://2.2.9", ["OK"]),
        ("containerd://1.6.12", ["ERROR", "ERROR"]),
        ("containerd://1.5.9", ["ERROR"]),
        ("rkt://1.30.0", ["ERROR"]),
    ],
)
def test_pf143_a_runtime_whose_records_are_rewritten(runtime: str, expected: list[str]) -> None:
    cluster = NodeObjects(Node("n1", "v1.30.0", runtime))
    rows = found("PF-143", unread(), upgrade("1.31.0"), cluster, OBJECTS | ASKED)
    assert [row[0] for row in rows] == expected


@pytest.mark.parametrize(("more", "expected"), [({"LiveRestoreEnabled": True}, "OK"), ({}, "ERROR")])
def test_pf143_docker_needs_live_restore(more: dict[str, bool], expected: str) -> None:
    given = dump(docker("20.10.24", **more))
    ((state, _, text),) = found("PF-143", given, upgrade("1.16.15"), needs=NODE | ASKED)
    assert (state, "live-restore" in text) == (expected, expected == "ERROR")


def test_pf143_is_not_looked_at_unless_it_is_asked() -> None:
    assert found("PF-143", dump(docker("20.10.24")), upgrade("1.16.15"), needs=NODE) == []
