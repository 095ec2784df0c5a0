"""PF-111: a kubelet and a runtime with different cgroup drivers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import GONE, INFO, containerd, docker, dump, failed, found, status, upgrade

CONFIG = ("file", "/var/lib/kubelet/config.yaml")
BARE = {CONFIG: "kind: KubeletConfiguration"}
OFF = {CONFIG: "featureGates: {KubeletCgroupDriverFromCRI: false}"}
ON = {CONFIG: "featureGates: {KubeletCgroupDriverFromCRI: true}"}
FLAG = {
    ("arguments", "kubelet"): "/usr/bin/kubelet\n--cgroup-driver=cgroupfs\n"
    "--config=/var/lib/kubelet/config.yaml\n--feature-gates=KubeletCgroupDriverFromCRI=false\n"
}
CGROUPFS = {**INFO["config"], "containerd": {"runtimes": {"runc": {"options": None}}}}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.22.17", docker("20.10.24"), "OK"),
        ("1.22.17", {**docker("20.10.24"), **BARE}, "ERROR"),
        ("1.22.17", {**docker("20.10.24", CgroupDriver="cgroupfs"), **BARE}, "OK"),
        ("1.30.14", containerd("2.1.4"), "OK"),
        ("1.30.14", {**containerd("2.1.4"), **BARE}, "ERROR"),
        ("1.30.14", {**containerd("2.1.4"), **ON}, "OK"),
        ("1.31.0", {**containerd("2.1.4"), **BARE}, "OK"),
        ("1.31.0", {**containerd("2.1.4"), **OFF}, "ERROR"),
        ("1.31.0", FLAG, "ERROR"),
        ("1.31.0", {**containerd("1.7.27"), **BARE}, "ERROR"),
        ("1.37.1", {**containerd("1.7.27"), **BARE}, "ERROR"),
        ("1.31.0", {**containerd("1.7.27", config=CGROUPFS), **BARE}, "OK"),
        ("1.31.0", containerd("1.7.27", config={}), "UNKNOWN"),
        ("1.31.0", {**containerd("1.7.27"), ("cri", "info"): failed()}, "UNKNOWN"),
        ("1.30.14", {**containerd("2.1.4"), CONFIG: failed()}, "UNKNOWN"),
    ],
)
def test_pf111_two_drivers(to: str, changes: Any, expected: str) -> None:
    assert [state for state, _ in status("PF-111", dump(changes), upgrade(to))] == [expected]


def test_a_runtime_that_does_not_answer_is_named_before_the_kubelet_s_settings() -> None:
    silent: Any = {("cri", "version"): GONE, ("docker", "version"): GONE, CONFIG: failed()}
    assert [row[2] for row in found("PF-111", dump(silent), upgrade("1.31.0"))] == ["version: there is none"]
