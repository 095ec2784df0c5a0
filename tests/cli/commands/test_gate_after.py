"""``gate --after`` and ``--state``: a rollout of two nodes, from files alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.disruption.pods import budget, replica
from tests.helpers.pods import PLAIN, Json, as_json, node, pod
from tests.helpers.program import ROOT, Result, Run
from tests.helpers.upgrades import record

OLD, NEW = "v1.8.15", "v1.9.11"
SYSTEM = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "one"}}
BEFORE, AFTER = "2026-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
Gate = Callable[..., Result]


def running(name: str, where: str, identity: str, started: str) -> Json:
    state = {
        "name": "c",
        "containerID": f"containerd://{identity}",
        "restartCount": int(started == AFTER),
        "state": {"running": {"startedAt": started}},
    }
    return pod(PLAIN, name=name, node=where, status={"phase": "Running", "containerStatuses": [state]})


def cluster(*upgraded: str, odd: str = "", **more: Any) -> bytes:
    """Return two nodes with a pod each; containers on upgraded ones are others, but for ``odd``."""
    objects: list[Json] = [SYSTEM, *more.get("besides", ())]
    for name in ("n1", "n2"):
        is_new = name in upgraded
        found = node(NEW if is_new else OLD, name)
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": AFTER if is_new else BEFORE}
        found["status"]["conditions"] = [ready]
        seen = ("new", AFTER) if is_new and name != odd else ("old", BEFORE)
        objects += [found, running(f"p-{name}", name, *seen)]
    return as_json(*objects)


@pytest.fixture
def gate(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Save a plan, and return what runs a gate over it with a state."""
    monkeypatch.chdir(tmp_path)
    made = run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", "plan.json", stdin=cluster())
    assert made.code == 0, made.err

    def call(name: str, *flags: str, stdin: bytes = b"", plan: str = "plan.json") -> Result:
        words = ("gate", "--plan", plan, "--node", name, "--state", "state.json")
        policy = ("-f", "-") if "--after" in flags else ("--max-restarts", "9")
        return run(*words, *policy, *flags, stdin=stdin)

    return call


def phases() -> dict[str, str]:
    path = Path("state.json")
    document = json.loads(path.read_text()) if path.exists() else {"items": []}
    return {one["node"]: one["phase"] for one in document["items"]}


def last(result: Result) -> str:
    return result.err.splitlines()[-1]


def fits(kind: str, text: str) -> bool:
    schema = json.loads((ROOT / "schemas" / "documents" / f"{kind}.schema.json").read_text())
    return Draft202012Validator(schema).is_valid(json.loads(text))


def test_a_rollout_goes_from_node_to_node_and_stops_at_a_surprise(gate: Gate) -> None:
    """Each step is what an operator types, with its exit code, its verdict and the state that it leaves."""
    started = {"n1": "started"}
    for name, flags, stdin, code, says, state in (
        ("n1", ("--max-restarts", "0"), b"", 2, "gate: FAIL: max-restarts: 1 finding", {}),
        ("n1", ("--holder", "ci@a"), b"", 0, "gate: PASS: max-restarts: 1 finding, allowed 9", started),
        ("n1", (), b"", 3, "gate: UNDECIDED: state: n1: started at", started),
        ("n2", (), b"", 3, "by ci@a, and not decided yet", started),
        ("n2", ("--after",), cluster("n2"), 1, "no turn of n2", started),
        ("n1", ("--after",), cluster(), 3, "its kubelet reports v1.8.15, not 1.9.11", started),
        ("n1", ("--take-over",), b"", 0, "gate: PASS", started),
        ("n1", ("--after",), cluster("n1", odd="n1"), 2, "ns/p-n1/c: still runs, pred", {"n1": "failed"}),
        ("n2", (), b"", 2, "gate: FAIL: state: n1: failed at", {"n1": "failed"}),
        ("n2", ("--take-over",), b"", 2, "gate: FAIL: state: n1: failed at", {"n1": "failed"}),
        ("n1", ("--after",), cluster("n1"), 0, "gate: PASS: after: 1 of 1 container as", {"n1": "done"}),
        ("n2", (), b"", 0, "gate: PASS", {"n1": "done", "n2": "started"}),
        ("n2", ("--after",), cluster("n2"), 0, "gate: PASS", {"n1": "done", "n2": "done"}),
        ("n1", ("--after",), cluster("n1", odd="n1"), 2, "still runs", {"n1": "failed", "n2": "done"}),
    ):
        result = gate(name, *flags, stdin=stdin)
        assert (result.code, says in last(result), phases()) == (code, True, state), (name, flags, result.err)
    assert fits("RolloutState", Path("state.json").read_text())


def test_what_was_seen_is_in_the_document(gate: Gate) -> None:
    gate("n1")
    result = gate("n1", "--after", "-o", "json", stdin=cluster("n1", besides=[pod(name="late")]))
    assert fits("GateReport", result.out)
    assert (result.item["verdict"], result.item["standing"]) == ("RESTART", "AS_PREDICTED")
    assert result.item["seen"] == "was restarted"
    assert result.document["warnings"] == ["n1: 1 pod that the plan does not know: ns/late"]


def test_the_turn_belongs_to_one_plan(gate: Gate, run: Run) -> None:
    gate("n1")
    run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", "other.json", "--node", "n1", stdin=cluster())
    result = gate("n1", "--after", stdin=cluster("n1"), plan="other.json")
    assert (result.code, "taken by another plan" in result.err) == (1, True)


def test_another_cluster_is_refused(gate: Gate) -> None:
    gate("n1")
    other = cluster("n1").replace(b'"uid": "one"', b'"uid": "two"')
    result = gate("n1", "--after", stdin=other)
    assert (result.code, "a plan of the cluster one" in result.err) == (1, True)


def test_recorded_hashes_are_compared_too(gate: Gate) -> None:
    gate("n1")
    predicted = json.loads(Path("plan.json").read_text())["items"][0]["hash"]["to"]
    for value, code in ((predicted, 0), (predicted ^ 1, 2)):
        Path("dump.json").write_text(json.dumps({"containers": [{**record(value, "p-n1"), "id": "new"}]}))
        result = gate("n1", "--after", "--recorded", "dump.json", stdin=cluster("n1"))
        assert result.code == code, result.err


@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize(("known", "code"), [(True, 2), (False, 3)])
def test_budgets_are_asked_of_the_pods_that_there_are_now(run: Run, known: bool, code: int) -> None:
    """A pod that the plan does not know may restart."""
    guarded = as_json(replica("web-0", "n1"), budget(minAvailable=1), node(OLD, "n1"))
    if known:
        run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", "plan.json", stdin=guarded)
    words = ("--plan", "plan.json", "--node", "n1", "--fail-on", "pdb", "-f", "-")
    result = run("gate", *words, stdin=guarded)
    assert (result.code, "fail-on pdb: ns/web: " in last(result)) == (code, True), result.err
