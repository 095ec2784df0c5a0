"""The order of nodes: the control plane first, and batches that breach nothing that can be avoided."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.core.model.impact import ApiServer, Batch, Certainty, Impact, Role, Step
from tests.disruption.pods import budget, replica
from tests.helpers.pods import Json, as_json, mirror_pod, node
from tests.helpers.program import Run

UP = ("1.8.15", "1.9.11")
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
ZONE = "topology.kubernetes.io/zone"


def labelled(name: str, kubelet: str = UP[0], **labels: str) -> Json:
    """Return a node with labels; its zone is ``zone``."""
    machine = node(f"v{kubelet}", name)
    zone = {ZONE: labels.pop("zone")} if "zone" in labels else {}
    machine["metadata"]["labels"] = {**zone, **labels}
    return machine


def static(name: str, on: str, **labels: str) -> Json:
    """Return the mirror pod of a static pod that is Ready."""
    status = {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": name, "state": {"running": {}}}],
    }
    image = f"registry.k8s.io/{name}:v1.9.11"
    made = mirror_pod({"name": name, "image": image}, name=name, node=on, status=status)
    made["metadata"] |= {"namespace": "kube-system", "labels": labels}
    return made


def service(name: str, namespace: str = "ns", **selector: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"selector": selector},
    }


def impact(*objects: Json, batch: int = 3, way: tuple[str, str] = UP, **options: Any) -> Impact:
    return hashcompat.impact(objects, *way, batch=batch, all_budgets=True, **options)


def nodes(impacts: Impact) -> list[tuple[str, ...]]:
    return [batch.nodes for batch in impacts.batches]


THREE = ("cp-1", "cp-2", "cp-3")


@pytest.mark.parametrize(
    "objects",
    [
        [static("etcd", name, component="etcd", tier="control-plane") for name in THREE],
        [static("etcd", name) for name in THREE],
        [static("etcd-manager-main", name) for name in THREE],
        [static("kube-apiserver", name) for name in THREE],
        [labelled(name, **{CONTROL_PLANE: ""}) for name in THREE],
        [labelled(name, **{"node-role.kubernetes.io/master": ""}) for name in THREE],
        [labelled(name, **{"node-role.kubernetes.io/etcd": "true"}) for name in THREE],
    ],
    ids=["component", "name", "etcd-manager", "api server", "label", "old label", "label of etcd"],
)
def test_the_control_plane_is_upgraded_first_and_one_by_one(objects: list[Json]) -> None:
    impacts = impact(replica("web-0", "a"), replica("db-0", "b", owner="StatefulSet/db"), *objects)
    assert nodes(impacts) == [("cp-1",), ("cp-2",), ("cp-3",), ("a", "b")]
    assert not any(batch.effect for batch in impacts.batches)


def test_members_of_etcd_come_before_api_servers() -> None:
    members = [static("etcd", f"e-{number}", component="etcd") for number in range(2)]
    servers = [static("kube-apiserver", f"a-{number}") for number in range(2)]
    impacts = impact(*servers, *members, labelled("w"))
    assert [batch.role for batch in impacts.batches] == [
        *[Role.ETCD] * 2,
        *[Role.CONTROL_PLANE] * 2,
        Role.WORKER,
    ]
    assert impacts.servers == (ApiServer("a-0", "1.9.11", 0), ApiServer("a-1", "1.9.11", 0))
    assert impacts.nodes[0].system == (("kube-system", "etcd-e-0"),)


def test_static_pods_of_one_component_are_replicas_of_one_owner() -> None:
    impacts = impact(*(static("etcd", name, component="etcd") for name in THREE))
    (owner,) = impacts.owners
    assert (owner.name, owner.replicas, owner.nodes, owner.single) == ("StaticPod/etcd", 3, 3, False)
    # A name of its own on each node does not hide what they are.
    named = [static(f"etcd-{name}", name, component="etcd") for name in THREE]
    assert impact(*named).owners == impacts.owners


def test_all_members_of_etcd_at_once_are_a_breach() -> None:
    """Two of these do not run, so the third is all there is, and no drain moves it."""
    down = [static("etcd", name, component="etcd") for name in THREE[:2]]
    for manifest in down:
        manifest["status"] = {"phase": "Pending", "containerStatuses": []}
    impacts = impact(static("etcd", "cp-3", component="etcd"), *down)
    reason = "the only running replica of kube-system/StaticPod/etcd at once"
    assert [(row.name, row.reasons) for row in impacts.nodes if row.reasons] == [("cp-3", (reason,))]
    assert [len(batch.effect.owners) for batch in impacts.batches] == [0, 0, 1]
    assert impacts.is_found


def test_static_pods_that_few_nodes_have_restart_one_by_one() -> None:
    few = [static("consul", f"n{number}") for number in range(3)]
    others = [labelled(f"w{number}") for number in range(4)]
    assert [len(batch) for batch in nodes(impact(*few, *others)) if "n" in batch[0][0]] == [1, 1, 1]


def test_static_pods_that_most_nodes_have_serve_their_own_node() -> None:
    impacts = impact(*(static("kube-proxy", f"n{number}") for number in range(4)))
    assert nodes(impacts) == [("n0", "n1", "n2"), ("n3",)]


def test_owners_are_never_down_as_a_whole() -> None:
    impacts = impact(*(replica(f"web-{number}", f"n{number}") for number in range(3)))
    assert sorted(map(len, nodes(impacts))) == [1, 2]
    (apart,) = impacts.batches[1].apart
    assert apart.why == "3 of 3 running replicas of ns/StatefulSet/web"


def test_services_keep_an_endpoint() -> None:
    """Each owner has two more replicas that keep, so only the Service forbids it."""
    one = replica("a-0", "n1", owner="StatefulSet/a", metadata={"labels": {"app": "x"}})
    two = replica("b-0", "n2", owner="StatefulSet/b", metadata={"labels": {"app": "x"}})
    assert nodes(impact(one, two)) == [("n1", "n2")]
    impacts = impact(one, two, service("x", app="x"))
    assert nodes(impacts) == [("n1",), ("n2",)]
    assert (impacts.services, impacts.services_missing) == (1, "")
    assert impacts.batches[1].apart[0].why == "2 of 2 endpoints of ns/Service/x"


def test_a_node_with_all_endpoints_of_a_service_is_drained() -> None:
    both = [
        replica(f"{name}-0", "n1", owner=f"StatefulSet/{name}", metadata={"labels": {"app": "x"}})
        for name in "ab"
    ]
    impacts = impact(*both, service("x", app="x"))
    (row,) = impacts.nodes
    assert (row.step, row.reasons) == (Step.DRAIN, ("all 2 endpoints of ns/Service/x at once",))
    assert [down.certainty for down in impacts.downs] == [Certainty.YES]
    assert impact(*both).nodes[0].step is Step.IN_PLACE


@pytest.mark.parametrize(
    "other",
    [
        service("x", app="y"),
        service("x", namespace="elsewhere", app="x"),
        {**service("x", app="x"), "apiVersion": "serving.knative.dev/v1"},
        {**service("x", app="x"), "spec": {"selector": {"app": "x"}, "type": "ExternalName"}},
        {**service("x"), "spec": {}},
    ],
)
def test_other_services_change_nothing(other: Json) -> None:
    both = [
        replica(f"{name}-0", f"n-{name}", owner=f"StatefulSet/{name}", metadata={"labels": {"app": "x"}})
        for name in "ab"
    ]
    assert nodes(impact(*both, other)) == [("n-a", "n-b")]


def test_a_service_of_one_owner_adds_no_second_row() -> None:
    both = [replica(f"web-{number}", "n1") for number in range(2)]
    (row,) = impact(*both, service("web", app="web")).nodes
    assert [down.name for down in row.effect.owners] == ["StatefulSet/web"]


def test_a_batch_keeps_to_one_zone_and_leaves_a_node_of_it() -> None:
    cluster = [labelled(f"{zone}{number}", zone=zone) for zone in "ab" for number in range(3)]
    assert nodes(impact(*cluster, replica("web", "a0"))) == [
        *(("a1", "a2"), ("b0", "b1"), ("b2",)),
        ("a0",),
    ]
    assert nodes(impact(*cluster, replica("web", "a0"), across_zones=True)) == [
        *(("a1", "a2", "b0"), ("b1", "b2")),
        ("a0",),
    ]
    impacts = impact(*cluster, replica("web", "c0"))
    assert [batch.zone for batch in impacts.batches] == ["a", "a", "b", "b", ""]
    assert impacts.batches[1].apart[0].why == "all 3 nodes of the zone a"


def test_a_node_that_is_not_ready_is_left_out() -> None:
    gone = labelled("gone")
    gone["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    virtual = labelled("virtual")
    virtual["spec"] = {"taints": [{"key": "virtual-kubelet.io/provider", "effect": "NoSchedule"}]}
    impacts = impact(
        gone, virtual, labelled("new", UP[1]), replica("web", "old"), labelled("old"), way=("auto", UP[1])
    )
    assert nodes(impacts) == [("old",)]
    assert [(row.name, row.batch, row.left_out) for row in impacts.nodes[1:]] == [
        ("gone", 0, "is not Ready: to be repaired or removed first"),
        ("new", 0, "has kubelet 1.9.11 already"),
        ("virtual", 0, "has no kubelet: virtual-kubelet provides it"),
    ]


def test_a_list_of_names_is_that_of_what_is_upgraded(run: Run) -> None:
    gone = labelled("gone")
    gone["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    objects = as_json(gone, labelled("old"), replica("web", "old"))
    arguments = ("impact", "--from", UP[0], "--to", UP[1], "-f", "-", "-o")
    assert run(*arguments, "name", stdin=objects).out == "old\n"
    document = run(*arguments, "json", stdin=objects)
    (row,) = [item for item in document.items if item["node"] == "gone"]
    assert (row["batch"], row["leftOut"]) == (0, "is not Ready: to be repaired or removed first")
    counts = document.document["summary"]
    assert [counts[key] for key in ("nodes", "clean", "in-place", "undecided", "drain", "leftOut")] == (
        [1, 0, 0, 1, 0, 1]
    )
    assert run(*arguments, "summary", stdin=objects).out.splitlines()[2] == (
        "1 node, 1 batch, 1 undecided, 1 left out"
    )
    assert run(*arguments, "table", stdin=objects).out.startswith(
        "1 node in 1 batch: 1 undecided; 1 left out\n"
    )


def test_drained_nodes_keep_a_replica_too() -> None:
    """What an eviction moves is away for a while, whether it would have restarted or not."""
    budgets = budget(minAvailable=4), budget("one", "one", minAvailable=1)
    web = [replica(f"web-{number}", f"n{number}") for number in range(4)]
    single = [
        replica(f"one-{number}", f"n{number}", owner="StatefulSet/one", status={"containerStatuses": []})
        for number in range(4)
    ]
    impacts = impact(*web, *single, *budgets, batch=4)
    assert {row.step for row in impacts.nodes} == {Step.DRAIN}
    assert sorted(map(len, nodes(impacts))) == [1, 3]


def test_what_no_drain_moves_restarts_in_batches_to_drain_too() -> None:
    agents = [replica(f"agent-{at}", f"n{at}", owner="DaemonSet/agent") for at in range(2)]
    web = [replica(f"web-{number}", f"n{number}") for number in range(2)]
    impacts = impact(
        *agents, *web, budget("agents", "agent", minAvailable=1), budget(minAvailable=2), batch=2
    )
    assert [(batch.step, batch.nodes) for batch in impacts.batches] == [
        (Step.DRAIN, ("n0",)),
        (Step.DRAIN, ("n1",)),
    ]
    assert impacts.batches[1].apart[0].why.startswith("PodDisruptionBudget ns/agents lets 1 healthy pod go")


def test_what_a_node_breaches_alone_it_breaches_alone() -> None:
    """No batch avoids what an undecided node does, and none has two of them."""
    unsure = [replica(f"web-{number}", f"n{number}", ready="") for number in range(2)]
    impacts = impact(*unsure, budget(minAvailable=2), replica("db", "n3", owner="StatefulSet/db"))
    by_step: dict[Step, list[Batch]] = {}
    for batch in impacts.batches:
        by_step.setdefault(batch.step, []).append(batch)
    assert [batch.nodes for batch in by_step[Step.UNDECIDED]] == [("n0",), ("n1",)]
