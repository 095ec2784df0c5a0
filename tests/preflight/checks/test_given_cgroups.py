"""PF-146: a cgroup that the kubelet is given, and that is not there or lacks a controller."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import Key, dump, failed, found, status, upgrade

CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
CGROUPS: Key = ("cgroups", "services")
MOUNTS: Key = ("file", "/proc/1/mounts")
ARGUMENTS: Key = ("arguments", "kubelet")
V1 = {MOUNTS: "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"}
ALL_V1 = "cpu cpuacct cpuset memory systemd pids hugetlb"
OLD_V1 = "cpu cpuacct cpuset memory systemd"
ALL_V2 = "cpuset cpu io memory hugetlb pids rdma"
RELEASE = "1.30.14"


def given(settings: str, driver: str = "cgroupfs") -> dict[Key, Any]:
    gate = "featureGates: {KubeletCgroupDriverFromCRI: false}\n"
    return {CONFIG: f"kind: KubeletConfiguration\ncgroupDriver: {driver}\n{gate}{settings}"}


def reserving(cgroup: str, driver: str = "cgroupfs", *, enforced: str = "[pods, kube-reserved]") -> Any:
    return given(f"enforceNodeAllocatable: {enforced}\nkubeReservedCgroup: {cgroup}\n", driver)


def cgroups(*paths: str, controllers: str = ALL_V2) -> dict[Key, Any]:
    return {CGROUPS: "".join(f"{path} {controllers}\n" for path in ("/", *paths))}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        (reserving("/kube.slice", enforced="[pods]"), ""),
        (reserving("/"), ""),
        ({**reserving("/kube.slice"), **cgroups("/system.slice")}, "/kube.slice"),
        ({**reserving("/kube.slice"), **cgroups("/kube.slice")}, ""),
        ({**reserving("kube.slice"), **cgroups("/kube.slice")}, ""),
        ({**reserving("/a/b"), **cgroups("/a", "/a/b")}, ""),
        ({**reserving("/a/b"), **cgroups("/a", "/b")}, "/a/b"),
        ({**reserving("/a/b", "systemd"), **cgroups("/b.slice")}, ""),
        ({**reserving("/a/b", "systemd"), **cgroups("/a/b", "/a.slice/a-b.slice")}, "/b.slice"),
        ({**reserving("/a-b.slice", "systemd"), **cgroups("/a.slice", "/a.slice/a-b.slice")}, ""),
        ({**reserving("/a", enforced="[kube-reserved-compressible]"), **cgroups()}, "/a"),
        (
            {**given("enforceNodeAllocatable: [system-reserved]\nsystemReservedCgroup: /x\n"), **cgroups()},
            "/x",
        ),
        ({**given("cgroupRoot: /pods\n"), **cgroups()}, "/pods"),
        ({**given("cgroupRoot: /pods\n"), **cgroups("/pods")}, ""),
        ({**given("cgroupRoot: /a/b\n", "systemd"), **cgroups("/a.slice", "/a.slice/a-b.slice")}, ""),
        ({**given("cgroupRoot: /pods\ncgroupsPerQOS: false\n"), **cgroups()}, ""),
        ({**given("cgroupRoot: /\n"), CGROUPS: failed()}, ""),
    ],
)
def test_pf146_a_cgroup_that_is_not_there(changes: dict[Key, Any], expected: str) -> None:
    wanted = [("ERROR", expected)] if expected else [("OK", "")]
    assert status("PF-146", dump(changes), upgrade(RELEASE)) == wanted


def test_pf146_flags_count_before_the_file() -> None:
    flags = "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n--kube-reserved-cgroup=/flag\n"
    words = f"{flags}--enforce-node-allocatable=pods,kube-reserved\n"
    changes = {**reserving("/file", enforced="[pods]"), **cgroups("/file"), ARGUMENTS: words}
    assert status("PF-146", dump(changes), upgrade(RELEASE)) == [("ERROR", "/flag")]


@pytest.mark.parametrize(
    ("to", "name", "path"),
    [
        ("1.10.13", "/kube.slice", "/kube.slice"),
        ("1.10.13", "/a.slice/a-b.slice", "/a.slice/a-b.slice"),
        ("1.11.10", "/kube.slice", "/kube.slice.slice"),
        ("1.15.12", "/kube.slice", "/kube.slice.slice"),
        ("1.15.12", "/a/b-c", "/a.slice/a-b_c.slice"),
        ("1.16.0", "/kube.slice", "/kube.slice"),
        ("1.16.0", "/a/b-c", "/b.slice/b-c.slice"),
    ],
)
def test_pf146_what_a_name_means_to_a_kubelet_with_the_driver_systemd(to: str, name: str, path: str) -> None:
    changes = {**V1, **reserving(name, "systemd"), **cgroups("/system.slice", controllers=ALL_V1)}
    assert status("PF-146", dump(changes), upgrade(to)) == [("ERROR", path)]
    assert status("PF-146", dump({**changes, **cgroups(path, controllers=ALL_V1)}), upgrade(to)) == [
        ("OK", "")
    ]


@pytest.mark.parametrize(
    ("to", "lacks"),
    [
        ("1.7.5", "hugetlb"),
        ("1.9.11", ""),
        ("1.13.12", ""),
        ("1.14.0", "pids"),
        ("1.17.17", "pids"),
        ("1.18.0", "hugetlb, pids"),
        (RELEASE, "hugetlb, pids"),
    ],
)
def test_pf146_hierarchies_of_cgroup_v1_that_a_release_asks_for(to: str, lacks: str) -> None:
    changes = {**V1, **reserving("/kube"), CGROUPS: f"/ {ALL_V1}\n/kube {OLD_V1}\n"}
    rows = found("PF-146", dump(changes), upgrade(to))
    if lacks:
        text = f"kubeReservedCgroup is /kube, and /kube lacks {lacks}: kubelet {to} does not start"
        assert rows == [("ERROR", "/kube", text)]
    else:
        assert [row[0] for row in rows] == ["OK"]
    unmounted = {**changes, CGROUPS: f"/ {OLD_V1}\n/kube {OLD_V1}\n"}
    assert status("PF-146", dump(unmounted), upgrade(to)) == [("OK", "")]


def test_pf146_with_cgroup_v2_only_a_cgroup_further_down_may_lack_controllers() -> None:
    """Those of the root's children are on once the kubelet has created the cgroup of all pods."""
    lines = f"/ {ALL_V2}\n/a memory pids\n/a/b memory pids\n"
    at_top = {**reserving("/a"), CGROUPS: lines}
    below = {**reserving("/a/b"), CGROUPS: lines}
    assert status("PF-146", dump(at_top), upgrade(RELEASE)) == [("OK", "")]
    root = {**given("cgroupRoot: /a\n"), CGROUPS: lines}
    assert status("PF-146", dump(root), upgrade(RELEASE)) == [("ERROR", "/a")]
    ((state, _, text),) = found("PF-146", dump(below), upgrade(RELEASE))
    assert (state, "/a/b lacks cpu, cpuset, hugetlb:" in text) == ("ERROR", True)


@pytest.mark.parametrize(
    "changes",
    [
        {CGROUPS: failed()},
        {CGROUPS: "/kube memory\n"},
        {MOUNTS: failed()},
        {CONFIG: failed()},
        reserving("/a/b/c/d"),
        reserving("/system.slice/x.scope"),
        reserving("/two words"),
        reserving("/docker/kubelet"),
        {
            **reserving("/kube"),
            CONFIG: reserving("/kube")[CONFIG].replace("DriverFromCRI: false", "DriverFromCRI: true"),
            ("cri", "info"): failed(),
        },
    ],
)
def test_pf146_what_is_not_shown_is_unknown(changes: dict[Key, Any]) -> None:
    node = {**reserving("/kube"), **cgroups("/system.slice"), **changes}
    assert status("PF-146", dump(node), upgrade(RELEASE)) == [("UNKNOWN", "")]
