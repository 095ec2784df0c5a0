"""What became of the containers of upgraded nodes: each verdict with each thing that can be seen of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hashcompat.gating.outcome import STANDINGS, Now, Seen, judge_after, seen_of
from hashcompat.gating.policy import Policy
from hashcompat.gating.result import GateResult, Outcome, Standing
from hashcompat.model.plan import Hashes, Item, Observed, Verdict
from hashcompat.model.pods import Container, ContainerType, Ended, Node, Pod
from tests.helpers.plans import item, plan

KEEP, RESTART, KILL, UNKNOWN = Verdict.KEEP, Verdict.RESTART, Verdict.KILL, Verdict.UNKNOWN
BEGUN = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
OLD = BEGUN - 9 * HOUR
RUNS = Observed("old", OLD, 2, running=True)
IDLE = Observed("", None, 0, running=False)


def now(
    identity: str = "old", started: datetime | None = OLD, restarts: int | None = 2, **more: Any
) -> Container:
    """Return a container as it is now, running unless something else is given."""
    shown: dict[str, Any] = {"running": True, "id": identity, "started": started, "restarts": restarts}
    return Container("c", ContainerType.CONTAINER, "", {}, **{**shown, **more})


def stopped(identity: str, finished: datetime | None, *, final: bool, **more: Any) -> Container:
    ended = Ended(identity, finished, final)
    return now(identity, None, running=False, ended=ended, **more)


AFTER = BEGUN + MINUTE
SEEN: dict[str, tuple[Observed | None, Container, Seen]] = {
    "the same": (RUNS, now(), Seen.KEPT),
    "without a start": (RUNS, now(started=None), Seen.KEPT),
    "another": (RUNS, now("new", AFTER, 3), Seen.RESTARTED),
    "another, whose start is not shown": (RUNS, now("new", None, 3), Seen.RESTARTED),
    "another within the skew of clocks": (RUNS, now("new", BEGUN - MINUTE, 3), Seen.RESTARTED),
    "another since before": (RUNS, now("new", BEGUN - HOUR, 3), Seen.SINCE_BEFORE),
    "another, of one that crashed before": (
        RUNS,
        now("new", AFTER, 3, ended=Ended("old", BEGUN - HOUR, final=False)),
        Seen.BEFORE,
    ),
    "another, which does not run": (RUNS, stopped("new", AFTER, final=False), Seen.CRASHED),
    "more restarts of the same": (RUNS, now(restarts=3), Seen.DOUBTFUL),
    "another start of the same": (RUNS, now(started=AFTER), Seen.DOUBTFUL),
    "ended": (RUNS, stopped("old", AFTER, final=True), Seen.ENDED),
    "ended before": (RUNS, stopped("old", BEGUN - HOUR, final=True), Seen.BEFORE),
    "ended, to be started again": (RUNS, stopped("old", AFTER, final=False), Seen.STOPPED),
    "not running, no end shown": (RUNS, now(running=False), Seen.UNSEEN),
    "no state": (RUNS, now(running=None), Seen.UNSEEN),
    "no ID, the same start": (RUNS, now(""), Seen.KEPT),
    "no ID, another start": (RUNS, now("", AFTER), Seen.RESTARTED),
    "no ID, no start": (RUNS, now("", None), Seen.UNSEEN),
    "no plan of it": (None, now(), Seen.UNSEEN),
    "no state in the plan": (replace(RUNS, running=None), now(), Seen.UNSEEN),
    "idle": (IDLE, now("", None, 0, running=False), Seen.IDLE),
    "idle, started since": (IDLE, now("new", AFTER, 0), Seen.WOKEN),
}


@pytest.mark.parametrize("how", SEEN)
def test_what_became_of_a_container(how: str) -> None:
    before, after, seen = SEEN[how]
    assert seen_of(before, after, BEGUN) is seen


def test_without_the_begin_nothing_was_before_it() -> None:
    assert seen_of(RUNS, now("new", OLD + HOUR, 3), None) is Seen.RESTARTED
    assert seen_of(RUNS, stopped("old", OLD, final=True), None) is Seen.ENDED


EXPECTED = {
    Seen.KEPT: "ok surprise surprise",
    Seen.RESTARTED: "surprise ok surprise",
    Seen.CRASHED: "surprise open surprise",
    Seen.ENDED: "surprise open ok",
    Seen.STOPPED: "surprise open open",
    Seen.DOUBTFUL: "surprise open surprise",
    Seen.BEFORE: "changed changed changed",
    Seen.SINCE_BEFORE: "changed surprise surprise",
    Seen.IDLE: "ok ok ok",
    Seen.WOKEN: "changed changed changed",
    Seen.UNSEEN: "open open open",
}
WORDS = {
    Standing.AS_PREDICTED: "ok",
    Standing.SURPRISE: "surprise",
    Standing.UNDECIDED: "open",
    Standing.CHANGED: "changed",
}


@pytest.mark.parametrize("seen", Seen, ids=lambda seen: seen.name)
def test_how_it_counts_by_what_was_predicted(seen: Seen) -> None:
    assert " ".join(WORDS[STANDINGS[one][seen]] for one in (KEEP, RESTART, KILL)) == EXPECTED[seen]
    assert STANDINGS[UNKNOWN][seen] is Standing.UNPREDICTED


READY = Node("n1", "v1.9.11", conditions={"Ready": "True"}, heartbeat=AFTER)


def pod(*containers: Container, name: str = "web-1", **more: Any) -> Pod:
    values: dict[str, Any] = {
        "origin": "", "namespace": "shop", "name": name, "uid": f"uid-{name}", "node": "n1",
        "owner": "", "manifest": False, "phase": "Running", "deleting": False, "static": False,
        "host_network": False, "restart_policy": "Always", "references": (), "automount": None,
    }  # fmt: skip
    return Pod(**{**values, "containers": containers, **more})


def judged(
    *pods: Pod, items: tuple[Item, ...] = (), node: Node | None = READY, upgraded: bool = True, **more: Any
) -> GateResult:
    planned = plan(*(items or (predicted(RESTART),)), created=BEGUN - HOUR)
    shown = Now(
        ("n1",),
        {node.name: node} if node else {},
        frozenset({"n1"} if upgraded else ()),
        pods,
        more.pop("begun", {"n1": BEGUN}),
        **more,
    )
    return judge_after(planned, Policy(), shown)


def predicted(verdict: Verdict, name: str = "web-1", **more: Any) -> Item:
    return replace(item(verdict, pod=name), observed=RUNS, **more)


NEW = now("new", AFTER, 3)
CASES: dict[str, tuple[GateResult, Outcome, str]] = {
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
        judged(pod(replace(now(), name="d"))),
        Outcome.UNDECIDED,
        "after: shop/web-1/c: plan and input do not show what became of it, predicted RESTART",
    ),
    "no node": (judged(pod(NEW), node=None), Outcome.UNDECIDED, "after: n1: no such node in the input"),
    "the current release": (
        judged(pod(now()), node=replace(READY, kubelet="v1.8.15"), upgraded=False),
        Outcome.UNDECIDED,
        "after: n1: its kubelet reports v1.8.15, not 1.9.11",
    ),
    "no release": (
        judged(pod(NEW), node=replace(READY, kubelet=""), upgraded=False),
        Outcome.UNDECIDED,
        "after: n1: its kubelet reports none, not 1.9.11",
    ),
    "a surprise before it is Ready": (
        judged(pod(NEW), items=(predicted(KEEP),), node=replace(READY, conditions={"Ready": "False"})),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted, predicted KEEP",
    ),
    "not Ready": (
        judged(pod(NEW), node=replace(READY, conditions=None)),
        Outcome.UNDECIDED,
        "after: n1: it is not Ready",
    ),
    "an old status": (
        judged(pod(NEW), node=replace(READY, heartbeat=BEGUN - MINUTE)),
        Outcome.UNDECIDED,
        "after: n1: its kubelet has not renewed the node's status since the upgrade began",
    ),
    "no heartbeat since the plan": (
        judged(pod(NEW), node=replace(READY, heartbeat=None), begun={}),
        Outcome.UNDECIDED,
        "after: n1: its kubelet has not renewed the node's status since the upgrade began",
    ),
    "the predicted hash": (
        judged(
            pod(NEW),
            items=(predicted(RESTART, hashes=Hashes(1, 1, 2)),),
            recorded={("uid-web-1", "c"): 2},
        ),
        Outcome.PASS,
        "after: 1 of 1 container as predicted",
    ),
    "another hash": (
        judged(
            pod(NEW),
            items=(predicted(RESTART, hashes=Hashes(1, 1, 2)),),
            recorded={("uid-web-1", "c"): 3},
        ),
        Outcome.FAIL,
        "after: shop/web-1/c: was restarted with the hash 3 in place of 2, predicted RESTART",
    ),
    "a kept one with another hash": (
        judged(
            pod(now()), items=(predicted(KEEP, hashes=Hashes(1, 1, 2)),), recorded={("uid-web-1", "c"): 2}
        ),
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
    etcd = replace(item(RESTART, "Node/n1", "etcd-n1"), observed=RUNS)
    assert judged(pod(NEW, name="etcd-n1", uid="other"), items=(etcd,)).outcome is Outcome.PASS


def test_pods_that_the_plan_lacks_are_named() -> None:
    others = [pod(now(), name=f"new-{number}") for number in range(7)]
    names = ", ".join(f"shop/new-{number}" for number in range(5))
    assert judged(pod(NEW), *others).warnings == (
        f"n1: 7 pods that the plan does not know: {names} and 2 more",
    )
    assert judged(pod(NEW)).warnings == ()
