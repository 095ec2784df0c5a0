"""HC053 for memory: pods whose memory is not where the topology manager's policy wants it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.helpers.dumps import GONE, Key, failed
from tests.helpers.pods import mirror_pod, pod
from tests.kubelet.decide.conftest import Plan
from tests.kubelet.decide.test_cpus import KEEP, PLACED, STATE, STATIC, SYS, alone, cores, state

MEMORY: Key = ("file", "/var/lib/kubelet/memory_manager_state")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
GI = 1 << 30
WAY = ("1.35.8", "1.36.5")
APART = "c has CPUs of NUMA node 0 and memory of NUMA node 1, {}"
AGAIN = "which the topology manager's policy {} does not admit again"


def blocks(*nodes: int, size: int = GI, kind: str = "memory") -> list[dict[str, Any]]:
    return [{"numaAffinity": [*nodes], "type": kind, "size": size}]


def written(held: Mapping[str, Sequence[object]], **more: Any) -> str:
    """Return a memory_manager_state."""
    return json.dumps({"policyName": "Static", "machineState": {}, "entries": {"uid-p": held}, **more})


def given(
    policy: str = "none", *, scope: str = "container", cpus: str = "none", nodes: int = 2
) -> dict[Key, Any]:
    """Return a node with NUMA nodes, whose memory manager is Static."""
    config = STATIC.replace("cpuManagerPolicy: static", f"cpuManagerPolicy: {cpus}")
    config += f"reservedSystemCPUs: '0'\nmemoryManagerPolicy: Static\ntopologyManagerScope: {scope}\n"
    return {
        CONFIG: f"{config}topologyManagerPolicy: {policy}\n",
        ("directory", f"{SYS}/node"): "".join(f"node{number}\n" for number in range(nodes)),
        ("file", f"{SYS}/node/node0/cpulist"): "0-3",
        ("file", f"{SYS}/node/node1/cpulist"): "4-7",
        **cores(7, 2),
    }


@pytest.mark.parametrize(
    ("policy", "held", "expected"),
    [
        ("none", blocks(0, 1), KEEP),
        ("best-effort", blocks(0, 1), KEEP),
        ("restricted", blocks(0, 1), KEEP),
        ("single-numa-node", blocks(0), KEEP),
        ("single-numa-node", blocks(0, 1), f"c has memory of NUMA nodes 0, 1, {AGAIN}"),
        ("single-numa-node", blocks(0, 1, size=2 * GI), KEEP),  # not what it asks for: it may be anywhere
        ("single-numa-node", blocks(0, 1, kind="hugepages-2Mi"), KEEP),
        ("single-numa-node", blocks(0) + blocks(1), KEEP),
    ],
)
def test_memory_of_too_many_numa_nodes(
    plan: Plan, policy: str, held: Sequence[object], expected: str
) -> None:
    changes = {MEMORY: written({"c": held}), **given(policy)}
    wanted = expected if expected == KEEP else f"{PLACED}{expected.format(policy)}"
    assert plan(*WAY, [pod(alone("500m"))], changes) == {"p/c": wanted}


@pytest.mark.parametrize(
    ("way", "policy", "held", "expected"),
    [
        (WAY, "restricted", blocks(0), KEEP),
        (WAY, "restricted", blocks(1), APART),
        (WAY, "restricted", blocks(0, 1), "c has CPUs of NUMA node 0 and memory of NUMA nodes 0, 1, {}"),
        (WAY, "single-numa-node", blocks(1), APART),
        (("1.22.17", "1.23.17"), "restricted", blocks(0, 1), KEEP),
        (
            ("1.22.17", "1.23.17"),
            "restricted",
            blocks(1),
            "c has CPUs of NUMA node 0 and memory of NUMA node 1, {}",
        ),
    ],
)
def test_memory_has_to_be_where_the_cpus_are(
    plan: Plan, way: tuple[str, str], policy: str, held: Sequence[object], expected: str
) -> None:
    changes = {
        STATE: state("0,3-7", {"uid-p": {"c": "1-2"}}),
        MEMORY: written({"c": held}),
        **given(policy, cpus="static"),
    }
    wanted = expected if expected == KEEP else f"{PLACED}{expected.format(AGAIN.format(policy))}"
    assert plan(*way, [pod(alone(2))], changes) == {"p/c": wanted}


@pytest.mark.parametrize(
    ("own", "held", "expected"),
    [
        ([alone("500m")], {"c": blocks(0, 1)}, f"{PLACED}c has memory of NUMA nodes 0, 1, "),
        (
            [alone("500m"), alone("500m", "d")],
            {"c": blocks(0), "d": blocks(1)},
            KEEP,
        ),
        (
            [alone("500m"), alone("500m", "d")],
            {"c": blocks(0, 1, size=2 * GI), "d": blocks(0)},
            f"{PLACED}c has memory of NUMA nodes 0, 1, ",
        ),
    ],
)
def test_of_a_pod_the_first_container_with_memory_decides(
    plan: Plan, own: list[Any], held: dict[str, Any], expected: str
) -> None:
    changes = {MEMORY: written(held), **given("single-numa-node", scope="pod")}
    verdict = plan(*WAY, [pod(*own)], changes)["p/c"]
    assert verdict.startswith(expected)
    assert (verdict == KEEP) == (expected == KEEP)


def test_a_pod_asks_for_the_most_that_its_init_containers_have(plan: Plan) -> None:
    init = [alone("500m", "sidecar", restartPolicy="Always"), alone("500m", "init")]
    made = pod(alone("500m"), spec={"initContainers": init})
    changes = {
        MEMORY: written({"sidecar": blocks(0, 1, size=2 * GI)}),
        **given("single-numa-node", scope="pod"),
    }
    assert "sidecar has memory of NUMA nodes 0, 1" in plan(*WAY, [made], changes)["p/c"]


@pytest.mark.parametrize(
    ("policy", "held", "expected"),
    [
        ("restricted", blocks(0, 1, size=2 * GI), KEEP),
        ("restricted", blocks(0, size=2 * GI), "c has CPUs of NUMA nodes 0, 1 and memory of NUMA node 0, "),
    ],
)
def test_with_the_cpus_of_the_whole_pod(
    plan: Plan, policy: str, held: Sequence[object], expected: str
) -> None:
    changes = {
        STATE: state("0,7", {"uid-p": {"c": "1-3", "d": "4-6"}}),
        MEMORY: written({"c": held, "d": blocks(0)}),
        **given(policy, scope="pod", cpus="static"),
    }
    verdict = plan(*WAY, [pod(alone(3), alone(3, "d"))], changes)["p/c"]
    assert verdict.startswith(expected if expected == KEEP else f"{PLACED}{expected}")


NONE = "c has no memory in memory_manager_state, and may find too little on any NUMA node"


@pytest.mark.parametrize(
    ("policy", "nodes", "text", "expected"),
    [
        ("none", 2, GONE, f"UNKNOWN UnexpectedAdmissionError: {NONE}"),
        ("none", 2, written({}), f"UNKNOWN UnexpectedAdmissionError: {NONE}"),
        ("restricted", 2, GONE, f"UNKNOWN TopologyAffinityError: {NONE}"),
        ("none", 1, GONE, KEEP),  # which is room
        ("restricted", 2, failed(), "UNKNOWN TopologyAffinityError: where c has memory is not known"),
        ("none", 2, failed(), KEEP),
        ("single-numa-node", 2, "[]", KEEP),  # with which no kubelet starts
        ("single-numa-node", 2, "{", KEEP),
        ("single-numa-node", 2, written({"c": blocks(0, 1)}, policyName="None"), KEEP),
        ("single-numa-node", 2, written({"c": [{"size": "1"}]}), KEEP),
    ],
)
def test_memory_that_is_not_in_the_file(
    plan: Plan, policy: str, nodes: int, text: Any, expected: str
) -> None:
    assert plan(*WAY, [pod(alone("500m"))], {MEMORY: text, **given(policy, nodes=nodes)}) == {"p/c": expected}


@pytest.mark.parametrize(
    ("old", "nodes", "expected"),
    [("1.35.8", 1, "UNKNOWN"), ("1.35.8", 2, "UNKNOWN"), ("1.36.3", 1, KEEP), ("1.36.3", 2, KEEP)],
)
def test_a_static_pod_with_another_uid_asks_for_memory_beside_what_it_has(
    plan: Plan, old: str, nodes: int, expected: str
) -> None:
    text = json.dumps({"policyName": "Static", "entries": {"uid-p-n1": {"c": blocks(0)}}})
    verdicts = plan(old, "1.36.5", [mirror_pod(alone("500m"))], {MEMORY: text, **given(nodes=nodes)})
    assert verdicts["p-n1/c"].partition(" ")[0] == expected


def test_from_1_37_the_file_holds_another_one(plan: Plan) -> None:
    text = json.dumps({"checksum": 1, "data": written({"c": blocks(0, 1)}), "dataChecksum": 2})
    verdicts = plan("1.37.1", "1.37.2", [pod(alone("500m"))], {MEMORY: text, **given("single-numa-node")})
    assert "c has memory of NUMA nodes 0, 1" in verdicts["p/c"]


def test_only_guaranteed_pods_have_some(plan: Plan) -> None:
    burstable = {"name": "c", "image": "i", "resources": {"requests": {"memory": "1Gi"}}}
    changes = {MEMORY: written({"c": blocks(0, 1)}), **given("single-numa-node")}
    assert plan(*WAY, [pod(burstable)], changes) == {"p/c": KEEP}


def test_numa_nodes_that_were_not_read_leave_it_open(plan: Plan) -> None:
    changes = {
        MEMORY: written({"c": blocks(0)}),
        **given("single-numa-node"),
        ("directory", f"{SYS}/node"): failed(),
    }
    text = "where c has memory is not known"
    assert plan(*WAY, [pod(alone("500m"))], changes) == {"p/c": f"UNKNOWN TopologyAffinityError: {text}"}
