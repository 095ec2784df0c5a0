"""PF-108: memory_manager_state."""

from __future__ import annotations

import json

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, found, upgrade
from tests.helpers.golden import state_file

STATE: Key = ("file", "/var/lib/kubelet/memory_manager_state")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
ARGUMENTS: Key = ("arguments", "kubelet")
NODES: Key = ("directory", "/sys/devices/system/node")
OK = ("OK", "nothing found: state of the memory manager")
RESERVED = "reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}, {numaNode: 1, limits: {memory: 1Gi}}]\n"
STATIC = "memoryManagerPolicy: Static\n" + RESERVED
STOPS = "kubelet 1.34.10 does not start with it"


def meminfo(node: int) -> Key:
    return ("file", f"/sys/devices/system/node/node{node}/meminfo")


def kilobytes(node: int, amount: int) -> str:
    return f"Node {node} MemTotal:       {amount} kB\nNode {node} MemFree: 1 kB\n"


NODE: dict[Key, object] = {
    CONFIG: STATIC,
    NODES: "has_cpu\nnode0\nnode1\nnode10\npossible\n",
    meminfo(0): kilobytes(0, 32768000),
    meminfo(1): kilobytes(1, 33030144),
    meminfo(10): GONE,
}


def check(to: str, changes: dict[Key, object]) -> list[tuple[str, str]]:
    return [(state, text) for state, _, text in found("PF-108", dump(changes), upgrade(to))]  # type: ignore[arg-type]


def without_node_10() -> str:
    return state_file("1.34.10/memory-static")


@pytest.mark.parametrize(
    ("to", "sample", "state"),
    [
        ("1.20.15", "1.21.14/memory-pod-entries", "OK"),
        ("1.22.17", "1.21.14/memory-none", "OK"),
        ("1.35.8", "1.34.10/memory-none", "OK"),
        ("1.36.3", "1.34.10/memory-none", "OK"),
        ("1.37.1", "1.37.1/memory-none", "OK"),
        ("1.34.10", "1.37.1/memory-none", "OK"),
        ("1.36.3", "1.36.3/memory-pod-entries", "ERROR"),
        ("1.35.8", "1.36.3/memory-pod-entries", "ERROR"),
        ("1.35.8", "inputs/bad-memory-zero", "ERROR"),
        ("1.36.0", "inputs/bad-memory-zero", "OK"),
    ],
)
def test_pf108_forms_of_releases(to: str, sample: str, state: str) -> None:
    assert [status for status, _ in check(to, {STATE: state_file(sample)})] == [state]


def test_pf108_the_memory_manager_is_read_by_default_from_1_22_on() -> None:
    changes: dict[Key, object] = {STATE: state_file("1.21.14/memory-none"), CONFIG: STATIC}
    assert check("1.21.14", changes) == [OK]
    gated = {**changes, CONFIG: f"{STATIC}featureGates: {{MemoryManager: true}}\n"}
    text = 'the configured policy "Static" differs from "None" in the file: kubelet {} does not start with it'
    assert check("1.21.14", gated) == [("ERROR", text.format("1.21.14"))]
    assert check("1.22.17", changes) == [("ERROR", text.format("1.22.17"))]


MEMINFO: Key = ("file", "/proc/meminfo")


@pytest.mark.parametrize(
    ("had", "has", "size", "text"),
    [
        ({"hugepages-2Mi": 4 << 20}, 2, 2048, ""),
        (
            {"hugepages-2Mi": 4 << 20},
            3,
            2048,
            "4194304 bytes of hugepages-2Mi and has 6291456",
        ),
        ({"hugepages-2Mi": 0}, 1, 2048, "0 bytes of hugepages-2Mi and has 2097152"),
        ({}, 1, 1 << 20, "0 bytes of hugepages-1Gi and has 1073741824"),
        ({}, 1, 64, ""),
        ({}, None, 2048, ""),
    ],
)
def test_pf108_huge_pages_are_part_of_the_memory(
    had: dict[str, int], has: int | None, size: int, text: str
) -> None:
    """areMachineStatesEqual compares every table, and what is free for others (1.36.5)."""
    tables = {name: {"total": total, "systemReserved": 0} for name, total in had.items()}
    machine = {"0": {"memoryMap": {"memory": {"total": 32768000 << 10, "systemReserved": 1 << 30}, **tables}}}
    pages = "" if has is None else f"Node 0 HugePages_Total:     {has}\n"
    changes: dict[Key, object] = {
        STATE: json.dumps({"policyName": "Static", "machineState": machine, "checksum": 0}),
        CONFIG: STATIC,
        NODES: "node0\n",
        meminfo(0): kilobytes(0, 32768000) + pages,
        MEMINFO: f"MemTotal: 1 kB\nHugepagesize: {size} kB\n",
    }
    error = "ERROR", f"NUMA node 0 had {text}: kubelet 1.36.5 does not start with it"
    assert check("1.36.5", changes) == ([error] if text else [OK])


NODE_10 = "NUMA node 10 had 0 bytes of memory and has none"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [("ERROR", f"{NODE_10}: {STOPS}")]),
        ({NODES: "node0\nnode1\n"}, [("ERROR", f"{NODE_10}: {STOPS}")]),
        ({meminfo(10): kilobytes(10, 0)}, [OK]),
        (
            {meminfo(10): kilobytes(10, 0), meminfo(0): kilobytes(0, 32768001)},
            [("ERROR", f"NUMA node 0 had 33554432000 bytes of memory and has 33554433024: {STOPS}")],
        ),
        (
            {meminfo(10): kilobytes(10, 0), NODES: "node0\nnode1\nnode10\nnode2\n"},
            [("ERROR", f"NUMA node 2 is not in the file: {STOPS}")],
        ),
        (
            {meminfo(10): kilobytes(10, 0), CONFIG: "memoryManagerPolicy: Static\n"},
            [
                ("ERROR", f"1073741824 bytes were reserved on NUMA node 0 and 0 are: {STOPS}"),
                ("ERROR", f"1073741824 bytes were reserved on NUMA node 1 and 0 are: {STOPS}"),
            ],
        ),
        (
            {
                meminfo(10): kilobytes(10, 0),
                CONFIG: "memoryManagerPolicy: Static\n",
                ARGUMENTS: "kubelet\n--config=/var/lib/kubelet/config.yaml\n"
                "--reserved-memory=0:memory=1Gi,hugepages-2Mi=4Mi;1:memory=512Mi;1:memory=512Mi\n",
            },
            [OK],
        ),
        ({meminfo(0): "Node 0\n"}, [("UNKNOWN", f"{meminfo(0)[1]}: no MemTotal")]),
        ({meminfo(0): failed()}, [("UNKNOWN", f"{meminfo(0)[1]}: permission denied")]),
        (
            {CONFIG: f"{STATIC}".replace("1Gi", "many")},
            [("UNKNOWN", "the reserved memory: ")],
        ),
        (
            {CONFIG: f"{STATIC}".replace("numaNode: 0", "numaNode: a")},
            [("UNKNOWN", "the reserved memory: not a NUMA node")],
        ),
        ({CONFIG: "memoryManagerPolicy: Static\nreservedMemory: [1]\n", STATE: GONE}, [OK]),
        ({STATE: failed()}, [("UNKNOWN", f"{STATE[1]}: permission denied")]),
    ],
)
def test_pf108_memory_of_the_node(changes: dict[Key, object], expected: list[tuple[str, str]]) -> None:
    shown = check("1.34.10", {STATE: state_file("1.34.10/memory-static"), **NODE, **changes})
    assert [state for state, _ in shown] == [state for state, _ in expected]
    assert all(text.startswith(start) for (_, text), (_, start) in zip(shown, expected, strict=True))


def test_pf108_a_file_without_machine_is_filled_by_the_kubelet() -> None:
    text = '{"policyName":"Static","machineState":null,"checksum":0}'
    assert check("1.36.3", {STATE: text, CONFIG: "memoryManagerPolicy: Static\nreservedMemory: [1]\n"}) == [
        OK
    ]
