"""PF-116: a container runtime whose own restart breaks pods."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight.facts import Cluster
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import GONE, OBJECTS, containerd, dump, failed, found, status, unread, upgrade


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
    cluster = Cluster(Node("n1", "v1.30.0", runtime))
    assert [row[0] for row in found("PF-116", unread(), upgrade(to), cluster, OBJECTS)] == [expected]


def test_pf116_by_what_the_runtime_answers() -> None:
    assert status("PF-116", dump(containerd("1.6.12~ds1")), upgrade("1.31.0")) == [
        ("WARN", "containerd://1.6.12~ds1")
    ]
    unread = dump({("cri", "version"): failed(), ("docker", "version"): GONE})
    assert status("PF-116", unread, upgrade("1.31.0")) == [("UNKNOWN", "")]
