"""PF-125: a kubelet that starts under pressure evicts pods at once."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import ALL, OBJECTS, docker, dump, failed, found, status, unread, upgrade

NODEFS = ("filesystem", "/var/lib/kubelet")
IMAGEFS = ("filesystem", "/var/lib/containerd")
CONFIG = ("file", "/var/lib/kubelet/config.yaml")
MEMORY = ("file", "/proc/meminfo")
ARGUMENTS = ("arguments", "kubelet")


def room(available: int, free: str = "900", inodes: str = "1000") -> str:
    """Return what df prints of a file system of 1000 blocks."""
    return f"/dev/sda 1000 1 {available} 1% /\n/dev/sda {inodes} 1 {free} 1% /\n"


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", {}, ("OK", "")),
        ("1.31.0", {NODEFS: room(100)}, ("OK", "")),
        ("1.31.0", {NODEFS: room(99)}, ("ERROR", "nodefs.available")),
        ("1.6.13", {NODEFS: room(99)}, ("OK", "")),
        ("1.7.16", {NODEFS: room(99)}, ("ERROR", "nodefs.available")),
        ("1.31.0", {NODEFS: room(900, "49")}, ("ERROR", "nodefs.inodesFree")),
        ("1.31.0", {NODEFS: room(900, "-", "-")}, ("OK", "")),
        ("1.8.15", {IMAGEFS: room(149)}, ("OK", "")),
        ("1.9.0", {IMAGEFS: room(149)}, ("ERROR", "imagefs.available")),
        ("1.29.15", {IMAGEFS: room(900, "49")}, ("OK", "")),
        ("1.30.0", {IMAGEFS: room(900, "49")}, ("ERROR", "imagefs.inodesFree")),
        ("1.31.0", {MEMORY: "MemTotal: 8000000 kB\nMemAvailable: 102399 kB"}, ("ERROR", "memory.available")),
        ("1.31.0", {MEMORY: "MemTotal: 8000000 kB\nMemAvailable: 102400 kB"}, ("OK", "")),
        ("1.31.0", {NODEFS: room(99), CONFIG: "evictionHard: {memory.available: 1Mi}"}, ("OK", "")),
        (
            "1.33.0",
            {
                NODEFS: room(99),
                CONFIG: "evictionHard: {memory.available: 1Mi}\nmergeDefaultEvictionSettings: true",
            },
            ("ERROR", "nodefs.available"),
        ),
        (
            "1.31.0",
            {ARGUMENTS: "/usr/bin/kubelet\n--eviction-hard=nodefs.available<80%,x\n"},
            ("ERROR", "nodefs.available"),
        ),
        ("1.31.0", {CONFIG: "evictionHard: {memory.available: much}"}, ("UNKNOWN", "")),
        (
            "1.31.0",
            {ARGUMENTS: "/usr/bin/kubelet\n--root-dir=/data/\n", ("filesystem", "/data"): room(9)},
            ("ERROR", "nodefs.available"),
        ),
        (
            "1.23.17",
            {**docker("20.10.24"), ("filesystem", "/var/lib/docker"): room(9)},
            ("ERROR", "imagefs.available"),
        ),
        ("1.31.0", {NODEFS: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {NODEFS: "df: no"}, ("UNKNOWN", "")),
        ("1.7.16", {NODEFS: room(900, inodes="1000", free="-900")}, ("ERROR", "nodefs.inodesFree")),
        ("1.5.8", {NODEFS: room(900, inodes="1000", free="-900")}, ("OK", "")),
        ("1.31.0", {MEMORY: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CONFIG: failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf125_too_little_room(to: str, changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-125", dump(changes), upgrade(to)) == [expected]


LITTLE = "MemTotal: 64000000 kB\nMemAvailable: 51200 kB\nHugePages_Total: 20000\nHugepagesize: 2048 kB\n"
"""40 GB for huge pages and 50 MiB for everything else, as a kernel before 4.20 shows it."""
MORE = "Hugetlb: 42008576 kB\n"
"""What newer kernels add: those of 1 GiB are among them."""


@pytest.mark.parametrize("meminfo", [LITTLE, LITTLE + MORE, MORE + LITTLE.replace("20000", "0")])
@pytest.mark.parametrize(
    ("current", "to", "config", "expected"),
    [
        ("1.35.8", "1.36.5", "{}", ("OK", "")),
        ("1.36.5", "1.37.2", "{}", ("ERROR", "memory.available")),
        ("1.37.1", "1.37.2", "{}", ("ERROR", "memory.available")),
        ("1.37.2", "1.36.5", "{}", ("OK", "")),
        ("1.36.5", "1.37.2", "featureGates: {HugepageAwareEviction: false}", ("OK", "")),
        ("1.36.5", "1.37.2", "evictionHard: {memory.available: 40Mi}", ("OK", "")),
    ],
)
def test_pf125_huge_pages_are_not_available_from_1_37_on(
    meminfo: str, current: str, to: str, config: str, expected: tuple[str, str]
) -> None:
    """As pkg/kubelet/server/stats/summary.go ``adjustForHugePages`` has it, which 1.36.5 lacks."""
    ((state, name, text),) = found("PF-125", dump({MEMORY: meminfo, CONFIG: config}), upgrade(to, current))
    assert (state, name) == expected
    assert ("no longer counts the huge pages" in text) == (expected[0] == "ERROR" and current == "1.36.5")


def test_pf125_all_huge_pages_are_named() -> None:
    ((_, _, text),) = found("PF-125", dump({MEMORY: LITTLE + MORE}), upgrade("1.37.2", "1.36.5"))
    assert text == (
        "memory.available is 52428800, below the 100Mi at which the kubelet evicts; "
        "it no longer counts the huge pages, 43016781824 more"
    )


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"Ready": "True"}, [("OK", "")]),
        ({"Ready": "True", "DiskPressure": "True"}, [("ERROR", "DiskPressure")]),
        ({"Ready": "True", "MemoryPressure": "False", "PIDPressure": "True"}, [("ERROR", "PIDPressure")]),
        ({"Ready": "False"}, [("WARN", "Ready")]),
        ({"Ready": "Unknown"}, [("WARN", "Ready")]),
        ({}, [("WARN", "Ready")]),
        (None, [("UNKNOWN", "")]),
    ],
)
def test_pf125_by_the_node_object(conditions: Any, expected: list[tuple[str, str]]) -> None:
    cluster = NodeObjects(Node("n1", "v1.31.0", conditions=conditions))
    rows = found("PF-125", unread(), upgrade("1.31.0"), cluster, OBJECTS)
    assert [row[:2] for row in rows] == expected


def test_pf125_by_both() -> None:
    cluster = NodeObjects(Node("n1", "v1.31.0", "containerd://2.1.4", conditions={"DiskPressure": "True"}))
    rows = found("PF-125", dump({NODEFS: room(1)}), upgrade("1.31.0"), cluster, ALL)
    assert [row[1] for row in rows] == ["DiskPressure", "Ready", "nodefs.available"]


def test_pf125_of_objects_alone_needs_the_nodes_own() -> None:
    rows = found("PF-125", unread(), upgrade("1.31.0"), NodeObjects(pods=()), OBJECTS)
    assert [row[0] for row in rows] == ["UNKNOWN"]
