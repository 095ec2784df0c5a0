"""The whole of a percentage: containers that run on a node, which whoever may create pods cannot pad."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hashcompat
from hashcompat import GateResult, Limit, Plan, Policy
from hashcompat.analysis.gating import Outcome
from hashcompat.core.policies import FailOn
from tests.helpers.pods import Json, node, pod
from tests.helpers.slices import every

OLD, KEPT, NEW = "1.30.14", "1.31.14", "1.32.13"
"""Whatever is created under the first restarts under the last, and nothing that the second created does."""

NODES = (node(OLD, "n1"), node(KEPT, "n2"))
VIRTUAL = {**node(KEPT, "virtual"), "spec": {"taints": [{"key": "virtual-kubelet.io/provider"}]}}
MANY = [{"name": f"c{number}", "image": "i"} for number in range(24)]
OWNER = {"ownerReferences": [{"kind": "StatefulSet", "name": "db", "controller": True}]}


def running(names: list[str], key: str = "containerStatuses") -> Json:
    return in_state({"running": {"startedAt": "2026-01-01T00:00:00Z"}}, names, key)


def ended(names: list[str], key: str = "containerStatuses") -> Json:
    return in_state({"terminated": {"exitCode": 0}}, names, key)


def in_state(state: Json, names: list[str], key: str) -> Json:
    return {key: [{"name": name, "state": state, "restartCount": 0} for name in names]}


def db(number: int, where: str) -> Json:
    """Return a replica that runs one container, after three init containers."""
    init = [{"name": f"i{number}", "image": "i"} for number in range(3)]
    status = {"phase": "Running", **running(["c"])}
    return pod(name=f"db-{number}", node=where, metadata=OWNER, spec={"initContainers": init}, status=status)


CLUSTER = (*NODES, *(db(number, "n1") for number in range(3)), *(db(number, "n2") for number in range(3, 9)))
"""Three of nine containers restart."""

NAMES = [container["name"] for container in MANY]

HOSTILE: dict[str, Json] = {
    "succeeded": pod(*MANY, node="n2", status={"phase": "Succeeded", **ended(NAMES)}),
    "failed": pod(*MANY, node="n2", status={"phase": "Failed"}),
    "evicted": pod(*MANY, node="n2", status={"phase": "Failed", "reason": "Evicted"}),
    "pending on a node": pod(*MANY, node="n2", status={"phase": "Pending"}),
    "on a node of its own choice": pod(*MANY, node="nowhere", status={"phase": "Pending"}),
    "left behind by a node": pod(*MANY, node="nowhere", status={"phase": "Running", **running(NAMES)}),
    "on a virtual node": pod(*MANY, node="virtual", status={"phase": "Running", **running(NAMES)}),
    "unscheduled": pod(*MANY, node="", status={"phase": "Pending"}),
    "unscheduled, without a status": pod(*MANY, node=""),
    "waiting": pod(
        *MANY,
        node="n2",
        status={"phase": "Running", **in_state({"waiting": {}}, NAMES, "containerStatuses")},
    ),
    "ended in a running pod": pod(
        *MANY,
        node="n2",
        status={"phase": "Running", **ended(NAMES)},
    ),
    "being deleted": pod(
        *MANY,
        node="n2",
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"},
        status={"phase": "Running", **running(NAMES)},
    ),
    "init containers": pod(
        node="n2",
        spec={"initContainers": MANY},
        status={"phase": "Pending", **running(NAMES[:1], "initContainerStatuses")},
    ),
    "ephemeral containers": pod(
        node="n2",
        spec={"ephemeralContainers": MANY},
        status={"phase": "Succeeded", **ended(NAMES, "ephemeralContainerStatuses")},
    ),
    "a manifest": {"kind": "Pod", "metadata": {"name": "m", "namespace": "ns"}, "spec": {"containers": MANY}},
    "a PodTemplate": {
        "kind": "PodTemplate",
        "apiVersion": "v1",
        "metadata": {"name": "t", "namespace": "ns", "uid": "t"},
        "template": {"spec": {"containers": MANY}},
    },
    "a PodTemplate that names a node": {
        "kind": "PodTemplate",
        "apiVersion": "v1",
        "metadata": {"name": "t", "namespace": "ns", "uid": "t"},
        "template": {
            "metadata": {
                "annotations": {"kubernetes.io/config.source": "file", "kubernetes.io/config.mirror": "m"}
            },
            "spec": {"containers": MANY, "nodeName": "n2"},
        },
    },
    "a CronJob that names a node": {
        "kind": "CronJob",
        "apiVersion": "batch/v1",
        "metadata": {"name": "t", "namespace": "ns", "uid": "t"},
        "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": MANY, "nodeName": "n2"}}}}},
    },
    "a manifest that names a node": {
        "kind": "Pod",
        "metadata": {"name": "m", "namespace": "ns"},
        "spec": {"containers": MANY, "nodeName": "n2"},
    },
}


def named(number: int, form: str, *, same_owner: bool) -> Json:
    """Return a hostile object under a name of its own, or as one more replica of the owner."""
    manifest: Json = HOSTILE[form]
    uid = {"uid": f"hostile-{number}"} if "uid" in manifest["metadata"] else {}
    owner = OWNER if same_owner and manifest["kind"] == "Pod" else {}
    return {**manifest, "metadata": {**manifest["metadata"], **uid, **owner, "name": f"hostile-{number}"}}


POLICIES = [
    Policy(max_restarts=Limit("20%")),
    Policy(max_restarts=Limit("10%"), fail_on=(FailOn.RESTART,)),
    Policy(max_per_owner=Limit("30%")),
    Policy(max_per_node=Limit("50%"), fail_on=(FailOn.RESTART, FailOn.KILL)),
    Policy(max_restarts=Limit("50%"), max_per_owner=Limit("20%")),
]


def judged(policy: Policy, *objects: Json, old: str = "auto") -> GateResult:
    return hashcompat.gate(hashcompat.plan(list(objects), old, NEW), policy)


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
def test_the_cluster_fails_by_itself(policy: Policy) -> None:
    assert judged(policy, *CLUSTER).outcome is Outcome.FAIL


@cache
def plan_with(form: str, *, same_owner: bool) -> Plan:
    """Return the plan of the cluster with a hostile object, which each policy judges."""
    return hashcompat.plan([*CLUSTER, VIRTUAL, named(0, form, same_owner=same_owner)], "auto", NEW)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("number", "form"), every(2, product(range(len(POLICIES)), HOSTILE)))
def test_nothing_that_does_not_run_makes_it_pass(number: int, form: str) -> None:
    for same_owner in (False, True):
        result = hashcompat.gate(plan_with(form, same_owner=same_owner), POLICIES[number])
        assert result.outcome is Outcome.FAIL
        line = next(line for line in result.lines if line.outcome is Outcome.FAIL)
        assert line.whole is not None
        assert line.whole.compared <= 9 + (form == "init containers")


hostile = st.lists(st.tuples(st.sampled_from([*HOSTILE]), st.booleans()), max_size=3)


@pytest.mark.usefixtures("untraced")
@given(st.sampled_from(POLICIES), hostile, st.integers(0, 11))
def test_nor_do_several_in_any_place(policy: Policy, forms: list[tuple[str, bool]], place: int) -> None:
    more = [named(number, form, same_owner=own) for number, (form, own) in enumerate(forms)]
    objects: list[Any] = [*CLUSTER[:place], *more, *CLUSTER[place:], VIRTUAL]
    assert judged(policy, *objects).outcome is Outcome.FAIL


def test_every_pod_of_an_owner_is_more_than_half_of_it() -> None:
    only = (*NODES, *(db(number, "n1") for number in range(4)))
    result = judged(Policy(max_per_owner=Limit("50%")), *only)
    assert str(result.deciding) == (
        "max-per-owner: ns/StatefulSet/db: 4 findings, allowed 2 "
        "(50% of 4 running containers; 12 more are never compared)"
    )


def test_manifests_alone_count_as_running() -> None:
    manifests = [{**named(number, "a manifest", same_owner=False)} for number in range(2)]
    plan = hashcompat.plan(manifests, OLD, NEW)
    assert (plan.summary.compared, plan.summary.not_compared) == (2 * len(MANY), 0)


def test_a_dump_without_statuses_counts_as_running() -> None:
    plan = hashcompat.plan([*NODES, pod(name="a"), pod(name="b", node="n2")], "auto", NEW)
    assert (plan.summary.findings, plan.summary.compared) == (1, 2)


@pytest.mark.parametrize(("new", "compared"), [("1.31.14", 1), ("1.32.13", 2)])
def test_a_sidecar_counts_where_the_release_compares_it(new: str, compared: int) -> None:
    sidecar = {"name": "s", "image": "i", "restartPolicy": "Always"}
    status = {"phase": "Running", **running(["c"]), **running(["s"], "initContainerStatuses")}
    manifest = pod(spec={"initContainers": [sidecar]}, status=status)
    assert hashcompat.plan([node(KEPT), manifest], "auto", new).summary.compared == compared


def test_containers_that_are_unknown_count_where_they_run() -> None:
    running_one = db(0, "n9")
    plan = hashcompat.plan([node("v9.9.9", "n9"), running_one], "auto", NEW)
    assert (plan.summary.unknown, plan.summary.compared) == (1, 1)
