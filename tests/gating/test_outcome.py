"""What decides after the upgrade of a node: its containers, the node itself, recorded hashes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis.gating import GateResult, Outcome
from hashcompat.analysis.gating.outcome import Now, judge_after
from hashcompat.core.model.items import Item
from hashcompat.core.model.pods import Node, Pod
from hashcompat.core.model.results import Making
from hashcompat.core.model.verdicts import Recorded, Verdict
from hashcompat.core.policies import Policy, PolicyFile
from tests.gating.containers import AFTER, BEGUN, HOUR, MINUTE, RUNS, now, pod, stopped
from tests.helpers.plans import item, plan

KEEP, RESTART, UNKNOWN = Verdict.KEEP, Verdict.RESTART, Verdict.UNKNOWN

READY = Node("n1", "v1.9.11", conditions={"Ready": "True"}, heartbeat=AFTER)


def judged(
    *pods: Pod,
    items: tuple[Item, ...] = (),
    node: Node | None = READY,
    upgraded: bool = True,
    policy: Policy = Policy(),  # noqa: B008 - it is frozen
    **more: Any,
) -> GateResult:
    planned = plan(*(items or (predicted(RESTART),)), making=Making(BEGUN - HOUR))
    settling = more.pop("settling", False)
    shown = Now(
        ("n1",),
        {node.name: node} if node else {},
        frozenset({"n1"} if upgraded else ()),
        pods,
        more.pop("begun", {"n1": BEGUN}),
        **more,
    )
    return judge_after(planned, policy, shown, settling=settling)


def predicted(verdict: Verdict, name: str = "web-1", **more: Any) -> Item:
    return structs.replace(item(verdict, pod=name), observed=RUNS, **more)


OTHER_HASH = predicted(KEEP, recorded=1, from_hash=1, to_hash=2)
NEW = now("new", AFTER, 3)
REFUSED = pod(now("", None, None, running=None), phase="Failed")
"""As a kubelet reports a pod that it does not admit: without its containers."""


def static(verdict: Verdict) -> Item:
    return structs.replace(item(verdict, owner="Node/n1", pod="etcd-n1"), observed=RUNS)


def unmirrored(verdict: Verdict, *, compared: bool = True) -> Item:
    """Return what a plan has of a manifest of which it saw no mirror pod."""
    original = static(verdict)
    prediction = structs.replace(original.prediction, compared=compared)
    return structs.replace(
        original, pod=structs.replace(original.pod, key=""), observed=None, prediction=prediction
    )


def runs(identity: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return what a runtime shows of the container of that static pod."""
    record = Recorded("0" * 32, "shop", "etcd-n1", "c", number, running=True, id=identity, **more)
    return {"static": {("shop", "etcd-n1", "c"): record}}


DAEMON = item(KEEP, owner="DaemonSet/proxy", pod="proxy-x", namespace="kube-system")


CASES: dict[str, tuple[GateResult, Outcome, str]] = {
    "a manifest that no kubelet reads": (
        judged(pod(NEW, name="b"), items=(unmirrored(KEEP, compared=False),)),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "a manifest that is refused, without a mirror pod": (
        judged(pod(NEW, name="b"), items=(unmirrored(Verdict.KILL),)),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "a static pod of which nobody saw a mirror pod": (
        judged(pod(NEW, name="b"), items=(unmirrored(KEEP),)),
        Outcome.UNDECIDED,
        "after: shop/etcd-n1/c: plan and input do not show what became of it, predicted KEEP",
    ),
    "as predicted": (judged(pod(NEW)), Outcome.PASS, "after: 1 of 1 container as predicted"),
    "not restarted": (
        judged(pod(now())),
        Outcome.FAIL,
        "after: shop/web-1/c: still runs, predicted RESTART",
    ),
    "restarted": (
        judged(pod(NEW), items=(predicted(KEEP),)),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted, predicted KEEP",
    ),
    "not there yet": (
        judged(pod(stopped("old", AFTER, final=False))),
        Outcome.UNDECIDED,
        "after: shop/web-1/c: ended, and does not run again yet, predicted RESTART",
    ),
    "unknown": (
        judged(pod(NEW), items=(predicted(UNKNOWN),)),
        Outcome.PASS,
        "after: 0 of 1 container as predicted; 1 not predicted",
    ),
    "refused, as predicted": (
        judged(REFUSED, items=(predicted(Verdict.KILL),)),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "refused": (
        judged(REFUSED, items=(predicted(KEEP),)),
        Outcome.FAIL,
        "after: shop/web-1/c: ended, predicted KEEP",
    ),
    "a static pod that does not run any more": (
        judged(pod(NEW, name="b"), items=(static(KEEP),)),
        Outcome.FAIL,
        "after: shop/etcd-n1/c: its mirror pod is gone, predicted KEEP",
    ),
    "a static pod that does not run yet": (
        judged(pod(NEW, name="b"), items=(static(RESTART),), settling=True),
        Outcome.UNDECIDED,
        "after: shop/etcd-n1/c: its mirror pod is gone, predicted RESTART",
    ),
    "a static pod whose new container the runtime shows": (
        judged(pod(NEW, name="b"), items=(static(RESTART),), **runs("new", created=AFTER)),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "a static pod whose old container the runtime shows": (
        judged(pod(NEW, name="b"), items=(static(KEEP),), **runs(RUNS.id)),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "a static pod that the runtime shows as it was": (
        judged(pod(NEW, name="b"), items=(static(RESTART),), **runs(RUNS.id)),
        Outcome.FAIL,
        "after: shop/etcd-n1/c: still runs, and its mirror pod is gone, predicted RESTART",
    ),
    "a static pod that the runtime shows anew": (
        judged(pod(NEW, name="b"), items=(static(KEEP),), **runs("new", created=AFTER)),
        Outcome.FAIL,
        "after: shop/etcd-n1/c: was restarted, and its mirror pod is gone, predicted KEEP",
    ),
    "a static pod that the runtime shows with another hash": (
        judged(
            pod(NEW, name="b"),
            items=(structs.replace(static(RESTART), recorded=1, from_hash=1, to_hash=2),),
            **runs("new", 3, created=AFTER),
        ),
        Outcome.FAIL,
        "after: shop/etcd-n1/c: was restarted with the hash 3 in place of 2, predicted RESTART",
    ),
    "a static pod that restarted before the upgrade began": (
        judged(pod(NEW, name="b"), items=(static(KEEP),), **runs("new", created=BEGUN - HOUR)),
        Outcome.PASS,
        "after: 0 of 1 container as predicted; 1 changed for other reasons",
    ),
    "a static pod that is killed": (
        judged(pod(NEW, name="b"), items=(static(Verdict.KILL),)),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "no pod of the node": (
        judged(),
        Outcome.UNDECIDED,
        "after: n1: the input has no pod of it, and the plan 1 container: -A saves all namespaces",
    ),
    "a namespace of a DaemonSet that the input lacks": (
        judged(pod(now()), items=(predicted(KEEP), structs.replace(DAEMON, observed=RUNS))),
        Outcome.UNDECIDED,
        (
            "after: n1: the input has no pod in the namespace kube-system, where the plan has a DaemonSet's: "
            "-A saves all namespaces"
        ),
    ),
    "another pod of the DaemonSet's namespace": (
        judged(pod(now()), pod(now(), uid="other", namespace="kube-system"), items=(predicted(KEEP), DAEMON)),
        Outcome.PASS,
        "after: 1 of 2 containers as predicted; 1 changed for other reasons",
    ),
    "another pod": (
        judged(pod(now(), uid="other")),
        Outcome.PASS,
        "after: 0 of 1 container as predicted; 1 changed for other reasons",
    ),
    "being deleted": (
        judged(pod(now(), deleting=True)),
        Outcome.PASS,
        "after: 0 of 1 container as predicted; 1 changed for other reasons",
    ),
    "another container": (
        judged(pod(structs.replace(now(), name="d"))),
        Outcome.UNDECIDED,
        "after: shop/web-1/c: plan and input do not show what became of it, predicted RESTART",
    ),
    "still running while its kubelet may not have looked": (
        judged(pod(now()), settling=True),
        Outcome.UNDECIDED,
        "after: shop/web-1/c: still runs, predicted RESTART",
    ),
    "a surprise that stays one": (
        judged(pod(NEW), items=(predicted(KEEP),), settling=True),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted, predicted KEEP",
    ),
    "no node": (judged(pod(NEW), node=None), Outcome.UNDECIDED, "after: n1: no such node in the input"),
    "the current release": (
        judged(pod(now()), node=structs.replace(READY, kubelet="v1.8.15"), upgraded=False),
        Outcome.UNDECIDED,
        "after: n1: its kubelet reports v1.8.15, not 1.9.11",
    ),
    "no release": (
        judged(pod(NEW), node=structs.replace(READY, kubelet=""), upgraded=False),
        Outcome.UNDECIDED,
        "after: n1: its kubelet reports none, not 1.9.11",
    ),
    "a surprise before it is Ready": (
        judged(
            pod(NEW), items=(predicted(KEEP),), node=structs.replace(READY, conditions={"Ready": "False"})
        ),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted, predicted KEEP",
    ),
    "not Ready": (
        judged(pod(NEW), node=structs.replace(READY, conditions=None)),
        Outcome.UNDECIDED,
        "after: n1: it is not Ready",
    ),
    "an old status": (
        judged(pod(NEW), node=structs.replace(READY, heartbeat=BEGUN - MINUTE)),
        Outcome.UNDECIDED,
        "after: n1: its kubelet has not renewed the node's status since the upgrade began",
    ),
    "no heartbeat since the plan": (
        judged(pod(NEW), node=structs.replace(READY, heartbeat=None), begun={}),
        Outcome.UNDECIDED,
        "after: n1: its kubelet has not renewed the node's status since the upgrade began",
    ),
    "the predicted hash": (
        judged(
            pod(NEW),
            items=(predicted(RESTART, recorded=1, from_hash=1, to_hash=2),),
            recorded={("uid-web-1", "c"): 2},
        ),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "another hash": (
        judged(
            pod(NEW),
            items=(predicted(RESTART, recorded=1, from_hash=1, to_hash=2),),
            recorded={("uid-web-1", "c"): 3},
        ),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted with the hash 3 in place of 2, predicted RESTART",
    ),
    "the hash 0 where another was predicted": (
        judged(
            pod(NEW),
            items=(predicted(RESTART, recorded=1, from_hash=1, to_hash=2),),
            recorded={("uid-web-1", "c"): 0},
        ),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted with the hash 0 in place of 2, predicted RESTART",
    ),
    "a kept one with another hash": (
        judged(pod(now()), items=(OTHER_HASH,), recorded={("uid-web-1", "c"): 2}),
        Outcome.FAIL,
        "after: shop/web-1/c: still runs with the hash 2 in place of 1, predicted KEEP",
    ),
    "a hash where none was recorded": (
        judged(pod(now()), items=(predicted(KEEP),), recorded={("uid-web-1", "c"): 2}),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
}


@pytest.mark.parametrize("how", CASES)
def test_what_decides(how: str) -> None:
    result, outcome, line = CASES[how]
    assert (result.outcome, str(result.deciding)) == (outcome, line)


def test_a_static_pod_may_be_another_object() -> None:
    etcd = structs.replace(item(RESTART, "Node/n1", "etcd-n1"), observed=RUNS)
    assert judged(pod(NEW, name="etcd-n1", uid="other"), items=(etcd,)).outcome is Outcome.PASS


def test_pods_that_the_plan_lacks_are_named() -> None:
    others = [pod(now(), name=f"new-{number}") for number in range(7)]
    names = ", ".join(f"shop/new-{number}" for number in range(5))
    assert judged(pod(NEW), *others).warnings == (
        f"n1: 7 pods that the plan does not know: {names} and 2 more",
    )
    assert judged(pod(NEW)).warnings == ()


def test_of_settings_files_what_is_about_plans_counts() -> None:
    """How many may restart was settled before the upgrade, and so which key of a file was ignored for it."""
    ignored = (("max-restarts", "--max-restarts"), ("max-age", "--max-age"))
    file = PolicyFile(".hashcompat.toml", ("max-restarts", "report-only"), ("report-only", "strict"), ignored)
    result = judged(pod(NEW), policy=Policy(files=(file,)))
    assert result.policy.files == (
        PolicyFile(".hashcompat.toml", ("report-only",), ("report-only",), ignored[1:]),
    )
    assert result.warnings == (
        ".hashcompat.toml: max-age: not counted, because --max-age is stricter; give the flag if it is meant",
    )
