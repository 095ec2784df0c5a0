"""PF-104 and PF-204: the versions of CRI, and runtimes that upstream no longer supports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import OBJECTS, containerd, docker, dump, failed, found, status, unread, upgrade

VERSION = ("cri", "version")
UNHEARD = {VERSION: json.dumps({"runtimeName": "other", "runtimeVersion": "1.0.0"})}
SPEAKS_V1 = {VERSION: json.dumps({"runtimeName": "other", "runtimeVersion": "1", "runtimeApiVersion": "v1"})}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.25.16", containerd("1.5.18"), ("OK", "")),
        ("1.26.0", containerd("1.5.18"), ("ERROR", "containerd://1.5.18")),
        ("1.26.0", containerd("1.6.0"), ("OK", "")),
        ("1.26.0", containerd("1.6.20~ds1"), ("OK", "")),
        ("1.22.17", containerd("v1.7.27"), ("OK", "")),
        ("1.22.17", containerd("v2.0.0"), ("ERROR", "containerd://2.0.0")),
        ("1.23.0", containerd("v2.0.0"), ("OK", "")),
        ("1.22.17", docker("20.10.24"), ("OK", "")),
        ("1.26.0", docker("20.10.24"), ("UNKNOWN", "")),
        ("1.26.0", UNHEARD, ("UNKNOWN", "")),
        ("1.26.0", SPEAKS_V1, ("OK", "")),
        ("1.26.0", {VERSION: failed()}, ("UNKNOWN", "")),
        ("1.26.0", {VERSION: "[]"}, ("UNKNOWN", "")),
    ],
)
def test_pf104_the_runtime_lacks_the_kubelets_cri(to: str, changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-104", dump(changes), upgrade(to)) == [expected]


@pytest.mark.parametrize(
    ("to", "runtime", "expected"),
    [
        ("1.35.8", "containerd://1.7.27", "OK"),
        ("1.36.0", "containerd://1.7.27", "WARN"),
        ("1.36.0", "containerd://2.0.0", "OK"),
        ("1.36.0", "cri-o://1.27.4", "WARN"),
        ("1.36.0", "cri-o://1.28.0", "OK"),
        ("1.36.0", "containerd://unknown", "UNKNOWN"),
        ("1.36.0", "", "UNKNOWN"),
    ],
)
def test_pf204_a_runtime_without_runtime_config(to: str, runtime: str, expected: str) -> None:
    cluster = NodeObjects(Node("n1", "v1.34.0", runtime))
    assert [row[0] for row in found("PF-204", unread(), upgrade(to), cluster, OBJECTS)] == [expected]


@pytest.mark.parametrize("check", ["PF-104", "PF-204"])
def test_dockershims_docker_is_the_matter_of_another_check(check: str) -> None:
    assert status(check, dump(docker("20.10.24")), upgrade("1.36.0", "1.23.17")) == [("OK", "")]


def test_pf204_says_until_when_kubelets_start() -> None:
    """kubernetes/kubernetes#139121 put the end of the fallback off to 1.38."""
    ((_, _, text),) = found("PF-204", dump(containerd("1.7.20")), upgrade("1.36.3"))
    assert text == "containerd://1.7.20 lacks RuntimeConfig: kubelet 1.36.3 starts, and 1.38 is not to"
