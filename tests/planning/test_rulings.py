"""Replicas are decided once, and each item is what its own draft leads to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hashcompat.analysis.planning.hops import HopTally
from hashcompat.analysis.planning.judge import Draft, Judge
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.rulings import Rulings
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.pods import Inventory
from tests.helpers.pods import Json, node, pod

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path
WAYS = [
    Way(*pair)
    for pair in (
        *(("1.7.16", "1.9.11"), ("1.15.12", "1.16.15"), ("1.19.16", "1.24.17"), ("1.28.15", "1.31.14")),
        *(("1.30.14", "1.31.14"), ("1.31.14", "1.30.14"), ("1.32.13", "1.33.13"), ("auto", "1.32.13")),
    )
]


def state(started: str = "2026-03-02T08:15:00Z", **more: Any) -> Json:
    return {"name": "c", "state": {"running": {"startedAt": started}}, "restartCount": 0, **more}


def affinity(name: str) -> Json:
    """Return what a DaemonSet's controller makes its pod for a node ask for."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]}]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


SIDECAR: Json = {"name": "s", "image": "i", "restartPolicy": "Always"}
ODD: tuple[Callable[[Json], Any], ...] = (
    dict,
    lambda value: value["metadata"].update(deletionTimestamp="2026-03-02T08:15:00Z"),
    lambda value: value["metadata"].update(annotations={"kubernetes.io/config.mirror": "m"}),
    lambda value: value["status"].update(phase="Succeeded"),
    lambda value: value["status"].update(containerStatuses=[state(state={"waiting": {}})]),
    lambda value: value["status"].update(containerStatuses=[state("2024-08-20T00:00:00Z")]),
    lambda value: value["status"].update(containerStatuses=[state("2019-01-01T00:00:00Z")]),
    lambda value: value["status"].update(containerStatuses=[state(restartCount=7)]),
    lambda value: value["spec"].update(restartPolicy="Never"),
    lambda value: value["spec"].update(nodeSelector={"disk": "ssd"}),
    lambda value: value["metadata"].update(labels={"kubernetes.io/os": "windows"}),
    lambda value: value["spec"].update(os={"name": "windows"}),
    lambda value: value["spec"].update(affinity=affinity(value["spec"]["nodeName"])),
    lambda value: value["spec"].update(affinity=affinity("n0")),
    lambda value: value["spec"].update(tolerations=[{"operator": "Exists"}]),
    lambda value: value["spec"].update(nodeName="not in the input"),
    lambda value: value["spec"].update(initContainers=[SIDECAR]),
    lambda value: value["spec"]["containers"][0].update(resizePolicy=[{"resourceName": "cpu"}]),
    lambda value: value["spec"]["containers"][0].update(livenessProbe={"exec": {"command": ["x"]}}),
    lambda value: value["spec"]["containers"][0].update(args=["\b"]),
    lambda value: value["spec"]["containers"][0].update(resources={"limits": {"cpu": "1.500"}}),
)
"""Changes after which a pod is not a replica of the others, or is one all the same."""


def replica(number: int, on: str = "n0") -> Json:
    """Return a pod with names, a start and labels of its own."""
    mounts = [{"name": f"kube-api-access-{10000 + number}", "mountPath": TOKEN}, {"name": "v"}]
    container = {"name": "c", "image": "i:1", "volumeMounts": mounts}
    name, started = f"p{number}", state(f"2026-03-02T08:{number % 60:02}:00Z")
    return pod(
        container,
        name=name,
        node=on,
        metadata={"labels": {"statefulset.kubernetes.io/pod-name": name}},
        status={"phase": "Running", "containerStatuses": [started]},
    )


def pods() -> list[Json]:
    """Return some pods of each kind."""
    replicas = [replica(number, f"n{number % 4}") for number in range(4 * len(ODD))]
    for number, value in enumerate(replicas):
        ODD[number % len(ODD)](value)
    return replicas


def nodes() -> list[Json]:
    tainted = node("1.28.15", "n1")
    tainted["spec"] = {"taints": [{"key": "k", "effect": "NoExecute"}]}
    return [node("1.30.14", "n0"), tainted, node("1.9.11", "n2"), node("0.9", "n3")]


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return collect([*pods(), *nodes()])


def planned(inventory: Inventory, way: Way, view: View, *, drafted: bool) -> Plan:
    planner = Planner(way, inventory.nodes, view)
    for each in inventory.pods:
        if drafted:
            planner.drafted(each)
        else:
            planner.add(each)
    return planner.plan()


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_plan_is_that_of_a_draft_of_each_container(
    way: Way, inventory: Inventory, catalog: Catalog
) -> None:
    view = View(catalog)
    plan = planned(inventory, way, view, drafted=False)
    assert plan == planned(inventory, way, view, drafted=True)
    tally = HopTally(way, inventory.nodes, view)
    for each in inventory.pods:
        tally.add(each)
    assert (tally.hop.findings, tally.hop.unknown) == (plan.summary.findings, plan.summary.unknown)


def daemon(number: int, spec: Json) -> Json:
    """Return a pod of a DaemonSet on a node of its own."""
    value = replica(number, f"n{number}")
    value["spec"].update(affinity=affinity(f"n{number}"), **spec)
    return value


@pytest.mark.parametrize(
    ("way", "rule"),
    [(Way("1.7.16", "1.9.11"), rules.OTHER_NODE), (Way("1.32.13", "1.33.13"), rules.STRICT_GROUPS)],
    ids=str,
)
def test_no_reason_of_a_replica_has_the_name_of_another_node(way: Way, rule: str, catalog: Catalog) -> None:
    strict = {"securityContext": {"supplementalGroupsPolicy": "Strict"}}
    names = [f"n{number}" for number in range(4)]
    values = [daemon(number, strict) for number in range(4)]
    labels = {"kubernetes.io/os": "linux"}
    nodes = [node(way.old, name) for name in names]
    cluster = collect(
        [*values, *({**host, "metadata": {**host["metadata"], "labels": labels}} for host in nodes)]
    )
    plan = planned(cluster, way, View(catalog), drafted=False)
    assert plan == planned(cluster, way, View(catalog), drafted=True)
    assert {reason.id for item in plan.items for reason in item.reasons} >= {rule}
    for item in plan.items:
        assert not any(name in reason.text.split() for name in names for reason in item.reasons)


def test_what_names_and_times_differ_in_is_decided_once(catalog: Catalog) -> None:
    replicas = collect([*(replica(number) for number in range(5)), *nodes()])
    drafts: list[Draft] = []
    rulings = Rulings(Judge(Way("1.30.14", "1.31.14"), replicas.nodes, View(catalog)), drafts.append)
    containers = [ruled for each in replicas.pods for ruled in rulings.of(each)[0]]
    assert len(drafts) == 1
    assert [ruled.draft for ruled in containers] == drafts * 5
    assert [ruled.replica.names for ruled in containers if ruled.replica] == [
        (f"kube-api-access-1000{n}",) for n in "1234"
    ]


def test_rulings_do_not_grow_with_the_cluster(catalog: Catalog) -> None:
    several = [replica(number) for number in range(30)]
    for number, value in enumerate(several):
        value["spec"]["containers"][0]["image"] = f"i:{number}"
    cluster = collect([*several, *nodes()])
    rulings = Rulings(Judge(Way("1.30.14", "1.31.14"), cluster.nodes, View(catalog)), id, kept=4)
    assert [len(rulings.of(each)[0]) for each in cluster.pods] == [1] * 30
    assert 0 < len(rulings._ruled) <= 4
