"""The impact of plans: who is hit, node by node and batch by batch, and the order of the nodes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

import hashcompat
from hashcompat.analysis import disruption
from hashcompat.analysis.disruption import census
from hashcompat.analysis.disruption.batches import _newly_certain
from hashcompat.analysis.disruption.census import Fate, fates, identity_of
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet.alike import unready
from hashcompat.core.model.impact import Certainty, Impact, NodeImpact, OwnerDown, Step
from hashcompat.core.model.verdicts import Verdict
from tests.disruption.pods import budget, read, replica
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run

UP = ("1.8.15", "1.9.11")
SAME = ("1.10.0", "1.11.0")
UNDECIDED = ("1.31.0", "1.32.0")
SIDECAR = {"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}]}
GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
DEPLOYED: Json = {
    "kind": "StatefulSet",
    "apiVersion": "apps/v1",
    "metadata": {"namespace": "ns", "name": "web"},
}


def scale(replicas: int) -> Json:
    """Return the controller of the replicas; it has a uid, so its template does not count as a pod."""
    spec = {"replicas": replicas, "template": {"spec": {"containers": [{"name": "c"}]}}}
    return {**DEPLOYED, "metadata": {**DEPLOYED["metadata"], "uid": "s"}, "spec": spec}


def impact(*objects: Json, way: tuple[str, str] = UP, batch: int = 1, all_budgets: bool = True) -> Impact:
    return hashcompat.impact(objects, *way, batch=batch, all_budgets=all_budgets)


def of(impacts: Impact, name: str = "n1") -> NodeImpact:
    return next(row for row in impacts.nodes if row.name == name)


FAILED: Json = {"phase": "Failed", "containerStatuses": []}
PENDING: Json = {"phase": "Pending", "containerStatuses": []}
WAITING: Json = {"containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
IDLE = (
    *(("", "", PENDING), ("n2", "False", PENDING), ("n2", "", PENDING)),
    *(("n2", "False", WAITING), ("n2", "", WAITING), ("n2", "True", WAITING)),
)
"""Replicas that take no other one's place: node, condition and status."""

SPREAD = (replica("web-0", "n1"), replica("web-1", "n2"), replica("web-2", "n3"))


@pytest.mark.parametrize(
    ("objects", "step", "says"),
    [
        ((*SPREAD, budget(minAvailable=3)), Step.DRAIN, "PodDisruptionBudget ns/web: 2 of 3 healthy pods"),
        ((*SPREAD, budget(minAvailable=2)), Step.IN_PLACE, ""),
        ((*SPREAD, budget(app="other", minAvailable=3)), Step.IN_PLACE, ""),
        ((*SPREAD, budget(maxUnavailable=0), scale(3)), Step.DRAIN, "2 of 3 healthy pods"),
        ((*SPREAD, budget(maxUnavailable=1), scale(3)), Step.IN_PLACE, ""),
        ((*SPREAD, budget(maxUnavailable=1), scale(4)), Step.DRAIN, "2 of 3 healthy pods"),
        ((*SPREAD, budget(maxUnavailable=0)), Step.UNDECIDED, "replicas its pods' controllers want is not"),
        ((*SPREAD, budget(minAvailable="x")), Step.UNDECIDED, "spec.minAvailable is neither"),
        (
            (replica("web-0", "n1"), replica("web-1", "n2", ready="False"), budget(minAvailable=2)),
            Step.DRAIN,
            "0 of 2 healthy pods, 1 too few already",
        ),
        (
            (replica("web-0", "n1", ready="False"), replica("web-1", "n2"), budget(minAvailable=2)),
            Step.IN_PLACE,
            "",
        ),
        ((replica("web-0", "n1", ready=""), budget(minAvailable=1)), Step.UNDECIDED, "1 may restart or be"),
        (
            (replica("web-0", "n1"), replica("web-1", "n1")),
            Step.DRAIN,
            "all 2 replicas of ns/StatefulSet/web",
        ),
        ((replica("web-0", "n1"), replica("web-1", "n1"), scale(3)), Step.IN_PLACE, ""),
        *(
            ((*two, replica("web-2", where, ready=ready, status=idle), *more), Step.DRAIN, "all 2 replicas")
            for two in [(replica("web-0", "n1"), replica("web-1", "n1"))]
            for where, ready, idle in IDLE
            for more in [(), (scale(3),)]
        ),
        *(
            (
                (replica("web-0", "n1"), replica("web-1", where, ready=ready, status=idle)),
                Step.DRAIN,
                "the only running replica of ns/StatefulSet/web at once",
            )
            for where, ready, idle in IDLE
        ),
        (
            (replica("web-0", "n1"), replica("web-1", "", ready="", status=PENDING), budget(minAvailable=1)),
            Step.DRAIN,
            "0 of 1 healthy pods",
        ),
        ((replica("web", "n1", owner=""), budget(minAvailable=1)), Step.DRAIN, "0 of 1 healthy pods"),
        (
            (replica("web-0", "n1"), replica("web-1", "n2", metadata=GOING), budget(minAvailable=1)),
            Step.DRAIN,
            "0 of 1",
        ),
        (
            (replica("web-0", "n1", owner="DaemonSet/web"), replica("web-1", "n1", owner="DaemonSet/web")),
            "",
            "",
        ),
        ((replica("web-0", "n1"), replica("web-1", "n1", status=FAILED)), Step.IN_PLACE, ""),
        ((replica("gone", "n1", metadata=GOING),), Step.CLEAN, ""),
    ],
)
def test_how_a_node_is_upgraded(objects: tuple[Json, ...], step: str, says: str) -> None:
    row = of(impact(*objects))
    assert row.step == (step or Step.IN_PLACE)
    assert says in "; ".join(row.reasons)
    assert bool(row.reasons) == bool(says)


@pytest.mark.parametrize(
    ("metadata", "step", "killed"),
    [({}, Step.DRAIN, (("ns", "web-1"),)), (GOING, Step.CLEAN, ())],
)
def test_a_finished_pod_whose_container_still_runs_counts_for_its_node_alone(
    metadata: Json, step: Step, killed: tuple[tuple[str, str], ...]
) -> None:
    left = {"phase": "Failed", "containerStatuses": [{"name": "c", "state": {"running": {}}}]}
    kept = replica("web-0", "n1")
    impacts = impact(
        kept, replica("web-1", "n1", status=left, metadata=metadata), budget(minAvailable=1), way=SAME
    )
    assert (of(impacts).step, tuple(of(impacts).pods.killed)) == (step, killed)
    assert all("healthy" not in why for why in of(impacts).reasons)


def test_what_depends_on_unknown_verdicts_is_undecided() -> None:
    """A hash of the native sidecar is UNKNOWN between these releases."""
    manifest = replica("web-0", "n1", spec=SIDECAR, status={"initContainerStatuses": []})
    row = of(impact(manifest, replica("web-1", "n2"), budget(minAvailable=2), way=UNDECIDED))
    assert (row.unknown, row.step) == (1, Step.UNDECIDED)
    assert row.reasons == ("PodDisruptionBudget ns/web may be breached: 1 may restart or be unhealthy",)
    both = replica("web-1", "n1", spec=SIDECAR)
    row = of(impact(manifest, both, way=UNDECIDED))
    assert row.reasons == ("all 2 replicas of ns/StatefulSet/web may restart at once",)
    never = replica("job", "n1", owner="Job/j", spec={**SIDECAR, "restartPolicy": "Never"})
    row = of(impact(never, way=UNDECIDED))
    assert row.reasons == ("1 pod that restarts may not be started again",)
    assert of(impact(manifest, way=UNDECIDED)).step is Step.IN_PLACE


def test_budgets_that_are_not_known_are_never_fine() -> None:
    impacts = impact(*SPREAD, all_budgets=False)
    assert {node.step for node in impacts.nodes} == {Step.UNDECIDED}
    assert {node.reasons for node in impacts.nodes} == {("PodDisruptionBudgets are not known",)}
    assert (impacts.is_found, impacts.is_undecided, impacts.budgets_missing != "") == (False, True, True)
    kept = impact(*SPREAD, way=SAME, all_budgets=False)
    assert ({node.step for node in kept.nodes}, kept.is_undecided) == ({Step.CLEAN}, False)


def test_a_container_that_is_not_started_again() -> None:
    job = replica("job", "n1", owner="Job/j", spec={"restartPolicy": "Never"})
    plan = hashcompat.plan([job], *UP)
    (item,) = plan.items
    prediction = structs.replace(item.prediction, verdict=Verdict.KILL)
    killed = structs.replace(plan, items=(structs.replace(item, prediction=prediction),))
    impacts = disruption.make(killed, disruption.with_all_budgets(hashcompat.load(job)))
    row = of(impacts)
    assert (impacts.is_found, impacts.breaches) == (True, ())
    assert (row.step, row.pods.killed) == (Step.DRAIN, (("ns", "job"),))
    assert row.reasons == ("1 pod with a container that is not started again",)


def test_pods_that_need_a_person_are_named() -> None:
    volumes = {"volumes": [{"name": "v", "emptyDir": {}}]}
    objects = (
        replica("bare", "n1", owner="", spec=volumes),
        replica("web-0", "n1"),
        replica("agent", "n1", owner="DaemonSet/agent", spec=volumes),
        mirror_pod({"name": "c", "image": "i"}, name="etcd"),
    )
    row = of(impact(*objects))
    pods = row.pods
    assert (pods.bare, pods.static, pods.killed) == ((("ns", "bare"),), (("ns", "etcd-n1"),), ())
    assert pods.single == (("ns", "StatefulSet/web"), ("ns", "StaticPod/etcd"))
    assert row.flags == ("--delete-emptydir-data", "--force", "--ignore-daemonsets")


def test_a_drain_waits_for_budgets_that_allow_no_eviction() -> None:
    agent = replica("agent", "n1", owner="DaemonSet/agent")
    objects = (
        replica("web-0", "n1"),
        agent,
        budget(minAvailable=1),
        budget("agents", "agent", minAvailable=1),
    )
    assert of(impact(*objects)).drain_waits == ("ns/web",)


def test_nodes_are_ordered_by_their_step_and_batches_keep_to_one() -> None:
    objects = (
        *(node("v1.8.15", name) for name in ("n9", "n8", "n1")),
        replica("web-0", "n1"),
        replica("web-1", "n2"),
        replica("db-0", "n4", owner="StatefulSet/db"),
        replica("api-0", "n3", owner="StatefulSet/api"),
        replica("api-1", "n3", owner="StatefulSet/api"),
        budget(minAvailable=1),
        budget("db", "db", minAvailable=1),
    )
    impacts = impact(*objects, batch=2)
    assert [(batch.step.value, batch.nodes) for batch in impacts.batches] == [
        ("clean", ("n8", "n9")),
        ("in-place", ("n1",)),
        ("in-place", ("n2",)),
        ("drain", ("n4", "n3")),
    ]
    (apart,) = impacts.batches[2].apart
    assert (apart.batch, apart.nodes) == (2, ("n2", "n1"))
    assert apart.why == "PodDisruptionBudget ns/web lets 1 healthy pod go, and 2 would restart"
    assert not any(batch.effect for batch in impacts.batches)
    assert [breach.name for breach in impacts.breaches] == ["db"]
    assert [breach.name for breach in impact(*objects).breaches] == ["db"]
    assert impact(*reversed(objects), batch=2).batches == impacts.batches


def test_a_gate_asks_what_nodes_breach_that_are_restarted_at_once() -> None:
    objects = (replica("web-0", "n1"), replica("web-1", "n2"), budget(minAvailable=1))
    inventory = disruption.with_all_budgets(hashcompat.load(objects))
    impacts = disruption.make(hashcompat.plan(inventory, *UP), inventory, 2, ["n1", "n2"], at_once=True)
    (batch,) = impacts.batches
    assert batch.nodes == ("n1", "n2")
    (budget_hit,) = batch.effect.budgets
    assert (budget_hit.name, budget_hit.short, budget_hit.certainty) == ("web", 1, Certainty.YES)
    assert [(owner.name, owner.replicas) for owner in batch.effect.owners] == [("StatefulSet/web", 2)]


def test_what_an_owner_has_to_expect() -> None:
    times = ("2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z")
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:25Z"}

    def seen(number: int, **more: Any) -> Json:
        running = {"name": "c", "state": {"running": {"startedAt": times[number]}}}
        status = {"containerStatuses": [running], "conditions": [condition]}
        return replica(f"web-{number}", "n1", status=status, **more)

    (owner,) = impact(seen(0), seen(1, spec={"terminationGracePeriodSeconds": 60}), scale(3)).owners
    assert (owner.name, owner.replicas, owner.restarted, owner.nodes) == ("StatefulSet/web", 3, 2, 1)
    assert (owner.seconds, owner.most_seconds, owner.grace_seconds) == (5, 15, 60)
    assert (owner.unprobed, owner.single) == (True, False)


def test_pods_without_a_node_and_pods_of_another_time_are_counted() -> None:
    impacts = impact(replica("web-0", ""), replica("web-1", "n1"))
    assert ([row.name for row in impacts.nodes], impacts.unplaced) == (["n1"], 1)
    plan = hashcompat.plan([*SPREAD], *UP)
    older = disruption.make(plan, hashcompat.load(SPREAD[0]))
    assert (older.unseen, older.is_undecided) == (2, True)


def test_only_the_nodes_that_are_asked_for_are_ordered() -> None:
    plan = hashcompat.plan([*SPREAD], *UP)
    impacts = disruption.make(plan, hashcompat.load(*SPREAD), 1, ["n2", "elsewhere"])
    assert [(row.name, row.step.value) for row in impacts.nodes] == [
        ("elsewhere", "clean"),
        ("n2", "undecided"),
    ]


def test_a_batch_has_nodes() -> None:
    with pytest.raises(UsageError, match=r"^batch: want at least one node, got 0"):
        impact(*SPREAD, batch=0)


def test_the_worst_of_a_pod_s_containers_counts() -> None:
    items = hashcompat.plan([pod({"name": "a"}, {"name": "b", "args": "odd"})], *UP, keep_going=True).items
    fates_by_uid = fates(items)
    assert fates_by_uid == {"uid-p": Fate.RESTARTS | Fate.UNKNOWN}
    manifest = pod(metadata={"uid": ""})
    assert identity_of(read(manifest)) == ("ns", "p", "n1")
    assert fates(hashcompat.plan([manifest], *SAME).items) == {}


@pytest.mark.parametrize(("ready", "step"), [("True", Step.IN_PLACE), ("False", Step.DRAIN)])
def test_a_replica_that_is_not_ready_takes_no_other_ones_place(ready: str, step: Step) -> None:
    """It is on a node that has the target release, and keeps."""
    kept = replica("web-2", "n2", ready=ready)
    two = (replica("web-0", "n1"), replica("web-1", "n1"))
    nodes = (node(UP[0], "n1"), node(UP[1], "n2"))
    impacts = impact(*nodes, *two, kept, scale(3), way=("auto", UP[1]))
    assert of(impacts).step is step


def test_a_manifest_counts_as_running() -> None:
    (manifest,) = collect([{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{}]}}]).pods
    assert census._runs(manifest)


RESETS = ("1.33.5", "1.34.10")


def probed(name: str, on: str, **more: Any) -> Json:
    """Return a replica with a readinessProbe."""
    made = replica(name, on, **more)
    probe = {"tcpSocket": {"port": 1}, "periodSeconds": 20}
    made["spec"]["containers"] = [{**made["spec"]["containers"][0], "readinessProbe": probe}]
    return made


@pytest.mark.parametrize(
    ("objects", "way", "unready", "says"),
    [
        (
            (probed("web-0", "n1"), probed("web-1", "n1")),
            RESETS,
            2,
            ["all 2 replicas of ns/StatefulSet/web not Ready at once"],
        ),
        ((probed("web-0", "n1"), probed("web-1", "n2")), RESETS, 1, []),
        (
            (probed("web-0", "n1"), probed("web-1", "n2"), budget(minAvailable=2)),
            RESETS,
            1,
            ["PodDisruptionBudget ns/web: 1 of 2 healthy pods for a while"],
        ),
        ((probed("web-0", "n1"), probed("web-1", "n2"), budget(minAvailable=1)), RESETS, 1, []),
        ((probed("web-0", "n1"), probed("web-1", "n1")), ("1.35.8", "1.36.3"), 0, []),
        ((replica("web-0", "n1"), replica("web-1", "n1")), RESETS, 0, []),
        ((probed("web-0", "n1", ready="False"), probed("web-1", "n1", ready="False")), RESETS, 0, []),
    ],
)
def test_pods_that_are_not_ready_for_a_while_though_nothing_restarts(
    run: Run, objects: tuple[Json, ...], way: tuple[str, str], unready: int, says: list[str]
) -> None:
    impacts = impact(*objects, way=way)
    first = of(impacts)
    assert (first.step, first.unready, first.seconds) == (Step.CLEAN, unready, 20 if unready else 0)
    arguments = ("impact", "--from", way[0], "--to", way[1], "-f", "-", "--all-budgets")
    item = run(*arguments, "-o", "json", stdin=as_json(*objects)).document["items"][0]
    assert (item["podsUnready"], item["besides"]) == (unready, says)
    for line in says:
        assert f"Besides restarts: n1: {line}, up to 20 s" in run(*arguments, stdin=as_json(*objects)).err
        assert line in run(*arguments, "-o", "markdown", stdin=as_json(*objects)).out
        assert line in run(*arguments, "-o", "wide", stdin=as_json(*objects)).out


def test_nodes_of_a_batch_are_not_ready_together() -> None:
    """So they are in two batches, unless somebody asks what they do at once."""
    pods = (probed("web-0", "n1"), probed("web-1", "n2"), budget(minAvailable=1))
    impacts = impact(*pods, way=RESETS, batch=2)
    assert not of(impacts).together
    assert [batch.nodes for batch in impacts.batches] == [("n1",), ("n2",)]
    inventory = disruption.with_all_budgets(hashcompat.load(pods))
    waits = unready(default_catalog().kubelet(RESETS[1]))
    plan = hashcompat.plan(inventory, *RESETS)
    (batch,) = disruption.make(plan, inventory, 2, ["n1", "n2"], waits, at_once=True).batches
    assert [breach.after for breach in batch.together.budgets] == [0]
    assert [owner.replicas for owner in batch.together.owners] == [2]


def test_what_restarts_do_by_themselves_is_not_said_again() -> None:
    down = OwnerDown("ns", "StatefulSet/web", Certainty.YES, 2)
    perhaps = structs.replace(down, certainty=Certainty.UNKNOWN)
    assert [*_newly_certain([down], [perhaps])] == [down]
    assert [*_newly_certain([down], [down])] == []


def test_the_deletion_of_a_mirror_pod_takes_nothing_from_the_restart_of_its_static_pod() -> None:
    going = mirror_pod({"name": "c", "image": "i"})
    going["metadata"]["deletionTimestamp"] = GOING["deletionTimestamp"]
    row = of(impact(going, way=("1.31.0", "1.31.0")))
    assert (row.restarted, row.step) == (0, Step.CLEAN)
    row = of(impact(going))
    assert (row.restarted, row.pods.static) == (1, (("ns", "p-n1"),))
