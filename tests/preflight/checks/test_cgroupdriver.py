"""PF-111: a kubelet and a runtime with different cgroup drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.golden import reality
from scripts.lib.paths import GOLDEN
from tests.helpers import switches
from tests.helpers.dumps import GONE, INFO, containerd, docker, dump, failed, found, status, upgrade

CONFIG = ("file", "/var/lib/kubelet/config.yaml")
BARE = {CONFIG: "kind: KubeletConfiguration"}
OFF = {CONFIG: "featureGates: {KubeletCgroupDriverFromCRI: false}"}
ON = {CONFIG: "featureGates: {KubeletCgroupDriverFromCRI: true}"}
FLAG = {
    ("arguments", "kubelet"): "/usr/bin/kubelet\n--cgroup-driver=cgroupfs\n"
    "--config=/var/lib/kubelet/config.yaml\n--feature-gates=KubeletCgroupDriverFromCRI=false\n"
}
IN_CGROUPFS = {("cgroups", "all"): f"/kubepods/besteffort/podx/{'b' * 64}\n"}
CGROUPFS = {**INFO["config"], "containerd": {"runtimes": {"runc": {"options": None}}}}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.22.17", docker("20.10.24"), "OK"),
        ("1.22.17", {**docker("20.10.24"), **BARE}, "ERROR"),
        ("1.22.17", {**docker("20.10.24", CgroupDriver="cgroupfs"), **BARE, **IN_CGROUPFS}, "OK"),
        ("1.30.14", containerd("2.1.4"), "OK"),
        ("1.30.14", {**containerd("2.1.4"), **BARE}, "ERROR"),
        ("1.30.14", {**containerd("2.1.4"), **ON}, "OK"),
        ("1.31.0", {**containerd("2.1.4"), **BARE}, "OK"),
        ("1.31.0", {**containerd("2.1.4"), **OFF}, "ERROR"),
        ("1.31.0", FLAG, "ERROR"),
        ("1.30.14", {**containerd("2.1.4"), CONFIG: "featureGates: {AllAlpha: true}"}, "OK"),
        ("1.31.0", {**containerd("2.1.4"), CONFIG: "featureGates: {AllAlpha: false}"}, "OK"),
        ("1.31.0", {**containerd("2.1.4"), CONFIG: "featureGates: {AllBeta: false}"}, "ERROR"),
        (
            "1.31.0",
            {
                **containerd("2.1.4"),
                CONFIG: "featureGates: {AllBeta: false, KubeletCgroupDriverFromCRI: true}",
            },
            "OK",
        ),
        ("1.34.10", {**containerd("2.1.4"), CONFIG: "featureGates: {AllBeta: false}"}, "OK"),
        ("1.31.0", {**containerd("1.7.27"), **BARE}, "ERROR"),
        ("1.37.1", {**containerd("1.7.27"), **BARE}, "ERROR"),
        ("1.31.0", {**containerd("1.7.27", config=CGROUPFS), **BARE, **IN_CGROUPFS}, "OK"),
        ("1.31.0", containerd("1.7.27", config={}), "UNKNOWN"),
        ("1.31.0", {**containerd("1.7.27"), ("cri", "info"): failed()}, "UNKNOWN"),
        ("1.30.14", {**containerd("2.1.4"), CONFIG: failed()}, "UNKNOWN"),
    ],
)
def test_pf111_two_drivers(to: str, changes: Any, expected: str) -> None:
    assert [state for state, _ in status("PF-111", dump(changes), upgrade(to))] == [expected]


def test_a_runtime_that_does_not_answer_is_named_before_the_kubelet_s_settings() -> None:
    silent: Any = {("cri", "version"): GONE, ("docker", "version"): GONE, CONFIG: failed()}
    assert [row[2] for row in found("PF-111", dump(silent), upgrade("1.31.0"))] == ["version: not found"]


CGROUPS = ("cgroups", "all")
ONE, TWO = "a" * 64, "b" * 64
PODS = "/kubepods.slice/kubepods-burstable.slice"
BY_SYSTEMD = f"{PODS}/kubepods-burstable-podx.slice/cri-containerd-{ONE}.scope\n"
OF_KIND = f"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-podx.slice/cri-containerd-{ONE}.scope\n"
BY_CGROUPFS = f"/kubepods/besteffort/podx/{TWO}\n"
ELSEWHERE = f"/system.slice/docker-{ONE}.scope\n/kubepods.slice/kubepods-podx.slice\n"
CGROUPFS_2 = {**containerd("2.1.4", config=CGROUPFS), **BARE}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({**containerd("2.1.4"), CGROUPS: BY_SYSTEMD}, "OK"),
        ({**containerd("2.1.4"), CGROUPS: OF_KIND}, "OK"),
        ({**containerd("2.1.4"), CGROUPS: ELSEWHERE}, "OK"),
        ({**containerd("2.1.4"), CGROUPS: BY_CGROUPFS}, "ERROR"),
        ({**CGROUPFS_2, CGROUPS: BY_CGROUPFS}, "OK"),
        ({**CGROUPFS_2, CGROUPS: BY_SYSTEMD}, "ERROR"),
        ({**CGROUPFS_2, CGROUPS: OF_KIND}, "ERROR"),
        ({**containerd("2.1.4"), CGROUPS: failed()}, "UNKNOWN"),
        ({**containerd("2.1.4", config={}), CGROUPS: BY_SYSTEMD}, "UNKNOWN"),
    ],
)
def test_pf111_a_driver_from_the_runtime_that_is_not_the_pods(changes: Any, expected: str) -> None:
    assert [row[0] for row in status("PF-111", dump(changes), upgrade("1.31.0", "1.30.14"))] == [expected]


@pytest.mark.parametrize(
    ("to", "current", "changes", "expected"),
    [
        ("1.30.14", "1.30.0", {**containerd("1.7.27"), CGROUPS: BY_SYSTEMD}, "OK"),
        ("1.30.14", "1.30.0", {**containerd("1.7.27"), CGROUPS: BY_CGROUPFS}, "ERROR"),
        ("1.37.1", "1.37.0", {**containerd("1.7.27"), CGROUPS: BY_CGROUPFS}, "ERROR"),
        ("1.22.17", "1.22.0", {**docker("20.10.24"), CGROUPS: BY_CGROUPFS}, "ERROR"),
        ("1.30.14", "1.30.0", {**CGROUPFS_2, CGROUPS: BY_SYSTEMD}, "ERROR"),
        ("1.30.14", "1.30.0", {**containerd("1.7.27"), CGROUPS: failed()}, "UNKNOWN"),
    ],
)
def test_pf111_a_driver_that_both_were_given_after_the_pods_were_created(
    to: str, current: str, changes: Any, expected: str
) -> None:
    """A kubelet of any release ends pods whose cgroup it does not find."""
    assert [row[0] for row in status("PF-111", dump(changes), upgrade(to, current))] == [expected]


def test_pf111_says_which_driver_the_pods_have() -> None:
    ((_, _, text),) = found("PF-111", dump({**CGROUPFS_2, CGROUPS: BY_SYSTEMD}), upgrade("1.31.0"))
    assert text == (
        "pods on the node have cgroups of the driver systemd, and containerd://2.1.4 answers cgroupfs, which "
        "kubelet 1.31.0 takes: it kills and creates every pod again"
    )


SWITCHED = sorted((GOLDEN / "switched").glob("*.json.gz"))


@pytest.mark.parametrize("path", SWITCHED, ids=reality.name_of)
def test_pf111_of_a_node_whose_kubelets_created_every_pod_again(path: Path) -> None:
    switches.check(reality.read(path))


def test_pf111_was_seen_where_kubelets_begin_to_ask() -> None:
    """The pods' UIDs are in their manifests, so that none is a new pod for its own sake."""
    assert [*map(reality.name_of, SWITCHED)] == ["1.30.14-to-1.31.14", "1.36.3-to-1.36.3"]


CRIO = {("cri", "version"): '{"runtimeName":"cri-o","runtimeVersion":"1.27.4","runtimeApiVersion":"v1"}'}
MAIN, FOLDER = ("file", "/etc/crio/crio.conf"), ("directory", "/etc/crio/crio.conf.d")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({MAIN: GONE, FOLDER: GONE}, "OK"),
        ({MAIN: '[crio.runtime]\ncgroup_manager = "cgroupfs"\n', FOLDER: GONE}, "ERROR"),
        (
            {
                MAIN: '[crio.runtime]\ncgroup_manager = "cgroupfs"\n[crio.image]\n',
                FOLDER: "20-own.conf\n10-crio.conf\n",
                ("file", f"{FOLDER[1]}/10-crio.conf"): '[crio.runtime]\nconmon_cgroup = "pod"\n',
                ("file", f"{FOLDER[1]}/20-own.conf"): '[crio.runtime]\ncgroup_manager = "systemd"\n',
            },
            "OK",
        ),
        ({MAIN: "[crio", FOLDER: GONE}, "UNKNOWN"),
        ({MAIN: failed(), FOLDER: GONE}, "UNKNOWN"),
        ({MAIN: GONE, FOLDER: failed()}, "UNKNOWN"),
        ({MAIN: GONE, FOLDER: "a.conf"}, "UNKNOWN"),
    ],
)
def test_pf111_cri_o_s_driver_is_in_its_files(changes: Any, expected: str) -> None:
    given = dump({**CRIO, **changes})
    assert [row[0] for row in status("PF-111", given, upgrade("1.30.14", "1.30.0"))] == [expected]
