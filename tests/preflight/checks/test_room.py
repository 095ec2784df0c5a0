"""PF-130, PF-131: pods that the node has no room for, or will have none for."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.facts import NodeObjects
from tests.helpers.dumps import ALL, dump, found, upgrade
from tests.helpers.pods import node, pod

HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n"
CONFIG = ("file", "/var/lib/kubelet/config.yaml")


def sized(name: str, day: int, cpu: str = "1", memory: str = "1Gi") -> Any:
    resources = {"requests": {"cpu": cpu, "memory": memory}}
    created = {"creationTimestamp": f"2026-01-{day:02}T00:00:00Z"}
    return pod({"name": "c", "image": "i", "resources": resources}, name=name, metadata=created)


def machine(**allocatable: str) -> Any:
    made = node("1.31.0")
    made["metadata"]["labels"] = {}
    made["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110", **allocatable}
    made["status"]["capacity"] = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    return made


PODS = [sized("one", 1), sized("two", 2), sized("three", 3)]


def states(check: str, given: Any, config: str = "") -> list[tuple[str, str]]:
    inventory = hashcompat.load([given, *PODS])
    items = hashcompat.plan(inventory, "1.31.0", "1.31.1").items
    cluster = NodeObjects(inventory.nodes[0], tuple(inventory.pods))
    of, text = upgrade("1.31.1", "1.31.0", planned=items), f"{HEAD}{config}"
    return [row[:2] for row in found(check, dump({CONFIG: text}), of, cluster, ALL)]


def test_pf130_a_pod_without_room_is_an_error() -> None:
    assert states("PF-130", machine()) == [("OK", "")]
    assert states("PF-130", machine(cpu="2")) == [("ERROR", "ns/three")]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", [("OK", "")]),
        ("kubeReserved: {cpu: 1000m}", [("OK", "")]),
        ("kubeReserved: {cpu: 1000m}\nsystemReserved: {cpu: '1'}", [("WARN", "ns/three")]),
        ("kubeReserved: {cpu: '3'}", [("WARN", "ns/three"), ("WARN", "ns/two")]),
        ("kubeReserved: {cpu: '1'}\nreservedSystemCPUs: 0-1", [("WARN", "ns/three")]),
        ("systemReserved: {cpu: '1'}\nreservedSystemCPUs: '0'", [("OK", "")]),
        ("kubeReserved: {memory: 5200Mi}", [("WARN", "ns/three")]),
        ("systemReserved: {memory: 5Gi}", [("WARN", "ns/three")]),
        ("systemReserved: {memory: 5Gi}\nevictionHard: {memory.available: '0%'}", [("OK", "")]),
        ("evictionHard: {memory.available: 6Gi}", [("WARN", "ns/three")]),
        ("evictionHard: {nodefs.available: 5%}\nkubeReserved: {memory: 5Gi}", [("OK", "")]),
        ("kubeReserved: {pid: '1000'}", [("OK", "")]),
        ("maxPods: 2", [("WARN", "ns/three")]),
        ("podsPerCore: 1\nkubeReserved: {cpu: '0'}", [("OK", "")]),
        ("maxPods: many", [("OK", "")]),
        ("reservedSystemCPUs: some", [("UNKNOWN", "")]),
    ],
)
def test_pf131_a_configuration_that_leaves_less_room_is_a_warning(
    config: str, expected: list[tuple[str, str]]
) -> None:
    assert sorted(states("PF-131", machine(), config)) == sorted(expected)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", [("OK", "")]),
        ("kubeReserved: {memory: 512Mi}", [("OK", "")]),
        ("kubeReserved: {memory: 1Gi}", [("WARN", "ns/three")]),
        ("kubeReserved: {memory: 9Gi}", [("WARN", "ns/one"), ("WARN", "ns/three"), ("WARN", "ns/two")]),
    ],
)
def test_pf131_huge_pages_are_taken_off_the_memory(config: str, expected: list[tuple[str, str]]) -> None:
    """Of 8Gi, 4Gi are huge pages and 100Mi are kept free by eviction; three pods ask for 1Gi each."""
    made = machine(**{"hugepages-2Mi": "4Gi", "memory": "3996Mi"})
    made["status"]["capacity"]["hugepages-2Mi"] = "4Gi"
    assert sorted(states("PF-131", made, config)) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", [("OK", "")]),
        ("kubeReserved: {ephemeral-storage: 6Gi}", [("OK", "")]),
        ("kubeReserved: {ephemeral-storage: 7Gi}", [("WARN", "ns/p")]),
        ("evictionHard: {nodefs.available: 80%}", [("WARN", "ns/p")]),
        ("evictionHard: {nodefs.available: 70%}", [("OK", "")]),
    ],
)
def test_pf131_disk_space_is_reserved_too(config: str, expected: list[tuple[str, str]]) -> None:
    made = machine(**{"ephemeral-storage": "9Gi"})
    made["status"]["capacity"]["ephemeral-storage"] = "10Gi"
    asks = {"name": "c", "image": "i", "resources": {"requests": {"ephemeral-storage": "3Gi"}}}
    inventory = hashcompat.load([made, pod(asks)])
    cluster = NodeObjects(inventory.nodes[0], tuple(inventory.pods))
    of = upgrade("1.31.1", "1.31.0", planned=hashcompat.plan(inventory, "1.31.0", "1.31.1").items)
    rows = found("PF-131", dump({CONFIG: f"{HEAD}{config}"}), of, cluster, ALL)
    assert [row[:2] for row in rows] == expected


def test_pf131_what_a_node_does_not_show_is_left_aside() -> None:
    made = machine()
    del made["status"]["capacity"]["memory"], made["status"]["allocatable"]["memory"]
    config = "kubeReserved: {memory: 8Gi, cpu: '2'}"
    assert states("PF-131", made, config) == [("OK", "")]


def test_pf131_what_is_refused_already_is_not_named_again() -> None:
    assert states("PF-131", machine(cpu="2"), "kubeReserved: {cpu: '2'}") == [("OK", "")]


def test_pf131_a_node_that_does_not_show_what_it_can_give_is_unknown() -> None:
    assert states("PF-131", node("1.31.0")) == [("UNKNOWN", "")]
