"""PF-102 and PF-126: cgroup v1 under a kubelet that refuses it."""

from __future__ import annotations

import pytest

from hashcompat.core.records.probes import Probe
from tests.helpers.dumps import Key, dump, failed, found, upgrade

MOUNTS: Key = ("file", "/proc/1/mounts")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
V1 = "tmpfs /sys/fs/cgroup tmpfs ro 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n"
ARGUMENTS: Key = ("arguments", "kubelet")
REFUSED = "this node has cgroup v1, on which kubelet 1.35.2 does not start"


def flags(*given: str) -> dict[Key, str | Probe | list[str | Probe]]:
    return {ARGUMENTS: "\n".join(["/usr/bin/kubelet", f"--config={CONFIG[1]}", *given, ""])}


@pytest.mark.parametrize(
    ("to", "changes", "status", "text"),
    [
        ("1.35.2", {}, "OK", "nothing found: cgroup v1 refused"),
        ("1.35.2", {MOUNTS: V1}, "ERROR", REFUSED),
        ("1.34.2", {MOUNTS: V1}, "OK", "nothing found: cgroup v1 refused"),
        ("1.35.2", {MOUNTS: V1, CONFIG: "failCgroupV1: false"}, "OK", "nothing found: cgroup v1 refused"),
        ("1.35.2", {MOUNTS: V1, CONFIG: "failCgroupV1: true"}, "ERROR", REFUSED),
        ("1.35.2", {MOUNTS: V1, **flags("--fail-cgroupv1=false")}, "OK", "nothing found: cgroup v1 refused"),
        ("1.35.2", {MOUNTS: V1, CONFIG: "failCgroupV1: false", **flags("--fail-cgroupv1")}, "ERROR", REFUSED),
        ("1.35.2", {MOUNTS: failed()}, "UNKNOWN", "/proc/1/mounts: permission denied"),
        ("1.35.2", {MOUNTS: "proc /proc proc rw 0 0"}, "UNKNOWN", "nothing is mounted at /sys/fs/cgroup"),
        (
            "1.35.2",
            {MOUNTS: V1, CONFIG: failed()},
            "UNKNOWN",
            "/var/lib/kubelet/config.yaml: permission denied",
        ),
        ("1.34.2", {MOUNTS: failed()}, "OK", "nothing found: cgroup v1 refused"),
    ],
)
def test_pf102_cgroup_v1_where_it_is_refused(
    to: str, changes: dict[Key, str | Probe | list[str | Probe]], status: str, text: str
) -> None:
    assert [(state, words) for state, _, words in found("PF-102", dump(changes), upgrade(to))] == [
        (status, text)
    ]


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.14", {MOUNTS: V1, CONFIG: "failCgroupV1: true"}, ("ERROR", "failCgroupV1")),
        ("1.34.2", {MOUNTS: V1, **flags("--fail-cgroupv1")}, ("ERROR", "--fail-cgroupv1")),
        ("1.34.2", {MOUNTS: failed(), CONFIG: "failCgroupV1: true"}, ("UNKNOWN", "failCgroupV1")),
        ("1.34.2", {CONFIG: "failCgroupV1: true"}, ("OK", "")),
        ("1.34.2", {MOUNTS: V1, CONFIG: "failCgroupV1: false"}, ("OK", "")),
        ("1.34.2", {MOUNTS: V1, CONFIG: "failCgroupV1: true", **flags("--fail-cgroupv1=false")}, ("OK", "")),
        ("1.30.14", {MOUNTS: V1, CONFIG: "failCgroupV1: true"}, ("OK", "")),
        ("1.35.2", {MOUNTS: V1, CONFIG: "failCgroupV1: true"}, ("OK", "")),
    ],
)
def test_pf126_cgroup_v1_where_it_is_refused_on_demand(
    to: str, changes: dict[Key, str | Probe | list[str | Probe]], expected: tuple[str, str]
) -> None:
    """From 1.35 on it is refused by default, which PF-102 finds."""
    assert [row[:2] for row in found("PF-126", dump(changes), upgrade(to))] == [expected]
