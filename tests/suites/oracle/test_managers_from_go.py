"""Resource managers on made-up nodes: the same pods are refused as by kubelets' own, with their files.

Each node is started twice: the first start gives CPUs and memory to its pods, and writes the files; the
second one admits the pods again, with another policy of the topology manager.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import Facts
from hashcompat.analysis.preflight.facts.managers import cpus_of
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.cpus import refused, with_gates, worst
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.pods import Pod
from hashcompat.core.records.probes import Dump, Probe
from hashcompat.sources.objects import read_object
from scripts.golden import room
from tests.helpers.pods import pod
from tests.helpers.randomness import SEED

pytestmark = [pytest.mark.oracle, pytest.mark.full]

NODES = 3000
GI = 1 << 30
SYS = "/sys/devices/system"
STATES = ("cpu_manager_state", "memory_manager_state")
Json = dict[str, Any]


def listed(cpus: list[int]) -> str:
    return ",".join(map(str, cpus))


def random_node(rng: Random) -> Json:
    threads, nodes = rng.choice([1, 2]), rng.choice([1, 2, 2, 2, 4])
    cores, number = rng.randint(2, 4), 0
    topology = list[Json]()
    for node in range(nodes):
        own = list[Json]()
        for core in range(cores):
            own.append({"core_id": core, "thread_ids": [*range(number, number + threads)], "socket_id": node})
            number += threads
        topology.append({"node_id": node, "memory": 8 * GI, "hugepages": [], "cores": own})
    policy = rng.choice(["none", "static", "static"])
    return {
        "machine": {
            "num_cores": number,
            "num_physical_cores": nodes * cores,
            "num_sockets": nodes,
            "topology": topology,
        },
        "cpuPolicy": policy,
        "cpuOptions": {"full-pcpus-only": "true"} if policy == "static" and rng.random() < 0.3 else {},
        "reservedCPUs": listed([*range(threads)]),
        "memoryPolicy": rng.choice(["None", "Static", "Static", "Static"]),
        "reservedMemory": [{"NumaNode": 0, "Limits": {"memory": "1Gi"}}],
        "reservation": {"cpu": str(threads), "memory": "1Gi"},
        "topologyPolicy": rng.choice(["none", "best-effort", "restricted", "single-numa-node"]),
        "topologyScope": rng.choice(["container", "pod"]),
        "states": {},
    }


def random_pod(rng: Random, place: int) -> Json:
    def container(name: str, **more: Any) -> Json:
        cpu = rng.choice(["1", "1", "2", "2", "3", "500m"])
        amounts = {"cpu": cpu, "memory": f"{rng.choice([1, 1, 2, 3, 6, 9])}Gi"}
        return {"name": name, "image": "a", "resources": {"limits": amounts, "requests": amounts}, **more}

    own = [container(f"c{number}") for number in range(rng.choice([1, 1, 2]))]
    init = [container("init")] if rng.random() < 0.2 else []
    if rng.random() < 0.15:
        init.append(container("sidecar", restartPolicy="Always"))
    spec = {"initContainers": init} if init else {}
    made = pod(*own, spec=spec)
    created = f"2026-01-01T00:00:{place:02}Z"
    made["metadata"] |= {"name": f"p{place}", "uid": f"uid-{place}", "creationTimestamp": created}
    return made


def without_status(made: Json) -> Json:
    return {key: value for key, value in made.items() if key != "status"}


def dump_of(node: Json) -> Dump:
    nodes = node["machine"]["topology"]
    config = {
        "kind": "KubeletConfiguration",
        "cpuManagerPolicy": node["cpuPolicy"],
        "cpuManagerPolicyOptions": node["cpuOptions"],
        "reservedSystemCPUs": node["reservedCPUs"],
        "memoryManagerPolicy": node["memoryPolicy"],
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}],
        "topologyManagerPolicy": node["topologyPolicy"],
        "topologyManagerScope": node["topologyScope"],
    }
    texts: dict[tuple[str, str], str | None] = {
        ("arguments", "kubelet"): "kubelet\n--config=/var/lib/kubelet/config.yaml\n",
        ("file", "/var/lib/kubelet/config.yaml"): json.dumps(config),
        **{("file", f"/var/lib/kubelet/{name}"): node["states"].get(name) for name in STATES},
        ("file", f"{SYS}/cpu/online"): f"0-{node['machine']['num_cores'] - 1}",
        ("directory", f"{SYS}/node"): "".join(f"node{numa_node['node_id']}\n" for numa_node in nodes),
    }
    for numa_node in nodes:
        cpus = [cpu for core in numa_node["cores"] for cpu in core["thread_ids"]]
        texts["file", f"{SYS}/node/node{numa_node['node_id']}/cpulist"] = listed(cpus)
        for core in numa_node["cores"]:
            for cpu in core["thread_ids"]:
                path = f"{SYS}/cpu/cpu{cpu}/topology/thread_siblings_list"
                texts["file", path] = listed(core["thread_ids"])
    return Dump("n1", "test", {key: (Probe(*key, text),) for key, text in texts.items()})


def read(made: Json) -> Pod:
    (subject,) = read_object(made, "test")
    assert isinstance(subject, Pod)
    return subject


@pytest.mark.parametrize("release", room.oracles())
def test_the_same_pods_are_refused_as_by_the_managers(
    catalog: Catalog, release: str, record_property: Callable[[str, object], None]
) -> None:
    rng, seen = Random(f"{SEED} {release}"), Counter[str]()
    nodes = [random_node(rng) for _ in range(NODES)]
    pods = [[random_pod(rng, place) for place in range(rng.randint(1, 6))] for _ in nodes]
    asked: list[Json] = [
        {"node": {}, "pods": [without_status(manifest) for manifest in own], "managers": node}
        for node, own in zip(nodes, pods, strict=True)
    ]
    first = list(room.start(release, asked))
    for request, node, answer in zip(asked, nodes, first, strict=True):
        node["states"] = {name: text for name, text in answer["states"].items() if rng.random() < 0.9}
        node["topologyPolicy"] = rng.choice(["none", "best-effort", "restricted", "single-numa-node"])
        node["topologyScope"] = rng.choice(["container", "pod"])
        request["pods"] = [
            manifest for manifest in request["pods"] if manifest["metadata"]["uid"] not in answer["outcomes"]
        ]
    kubelet = catalog.kubelet(release)
    states = catalog.hazards(kubelet.release).states
    for request, node, answer in zip(asked, nodes, room.start(release, asked), strict=True):
        if answer["error"]:
            seen["does not start"] += 1  # with what it wrote itself
            continue
        facts = Facts(dump_of(node))
        cpus = cpus_of(facts, states, kubelet.gates)
        for made in map(read, request["pods"]):
            refusal = worst(refused(Whole(made), made, cpus, kubelet, with_gates(kubelet, facts.gates)))
            outcome = answer["outcomes"].get(made.uid, "")
            if refusal is None or refusal.certain:
                assert (refusal.reason if refusal else "") == outcome, (node, made.spec, refusal)
            seen["unknown" if refusal and not refusal.certain else outcome or "kept"] += 1
    record_property("random_nodes", NODES)
    assert {"kept", "TopologyAffinityError", "unknown"} <= seen.keys()
