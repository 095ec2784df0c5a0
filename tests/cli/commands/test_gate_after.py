"""``gate --after`` and ``--state``: a rollout of two nodes, from files alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import hashcompat
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
        machine = node(NEW if is_new else OLD, name)
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": AFTER if is_new else BEFORE}
        machine["status"]["conditions"] = [ready]
        seen = ("new", AFTER) if is_new and name != odd else ("old", BEFORE)
        objects += [machine, running(f"p-{name}", name, *seen)]
    return as_json(*objects)


@pytest.fixture
def gate(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Save a plan, and return what runs a gate over it with a state."""
    monkeypatch.chdir(tmp_path)
    made = run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", "plan.json", stdin=cluster())
    assert made.code == 0, made.err

    def call(name: str, *flags: str, stdin: bytes = b"", plan: str = "plan.json") -> Result:
        words = ("gate", "--plan", plan, "--node", name, "--state", "state.json")
        usual = () if "--max-restarts" in flags else ("--max-restarts", "9")
        policy = ("-f", "-") if "--after" in flags else usual
        return run(*words, *policy, *flags, stdin=stdin)

    return call


def recorded(value: int) -> str:
    """Save what a runtime shows of the container that runs now, and return the file's name."""
    Path("dump.json").write_text(json.dumps({"containers": [{**record(value, "p-n1"), "id": "new"}]}))
    return "dump.json"


def phases() -> dict[str, str]:
    path = Path("state.json")
    document = json.loads(path.read_text()) if path.exists() else {"items": []}
    return {item["node"]: item["phase"] for item in document["items"]}


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


def test_each_line_of_the_table_says_what_it_counts(gate: Gate) -> None:
    gate("n1")
    lines = [line.split("  ")[0] for line in gate("n1", "--after", stdin=cluster("n1")).out.splitlines()]
    assert [line for line in lines if line.startswith("after")] == [
        *("after", "after", "after: surprises", "after: undecided containers"),
    ]


def test_what_was_seen_is_in_the_document(gate: Gate) -> None:
    gate("n1")
    result = gate("n1", "--after", "-o", "json", stdin=cluster("n1", besides=[pod(name="late")]))
    assert fits("GateReport", result.out)
    assert (result.item["verdict"], result.item["standing"]) == ("RESTART", "AS_PREDICTED")
    assert result.item["seen"] == "was restarted"
    assert result.document["warnings"] == ["n1: 1 pod that the plan does not know: ns/late"]


@pytest.mark.parametrize(("exit_code", "code"), [(0, 0), (1, 2)])
def test_a_job_that_is_done_meanwhile_is_no_surprise(
    run: Run, tmp_path: Path, exit_code: int, code: int
) -> None:
    def shown(kubelet: str, state: Json, phase: str) -> bytes:
        machine = node(kubelet)
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": AFTER}
        machine["status"]["conditions"] = [ready]
        status = {"name": "c", "containerID": "containerd://a", "restartCount": 0, "state": state}
        statuses = {"phase": phase, "containerStatuses": [status]}
        job = pod(PLAIN, spec={"restartPolicy": "Never"}, status=statuses)
        return as_json(machine, job)

    plan = tmp_path / "plan.json"
    before = shown("v1.9.10", {"running": {"startedAt": BEFORE}}, "Running")
    assert run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", plan, stdin=before).code == 0
    end = {"containerID": "containerd://a", "exitCode": exit_code, "finishedAt": AFTER}
    now = shown(NEW, {"terminated": end}, "Failed" if exit_code else "Succeeded")
    result = run("gate", "--plan", plan, "--node", "n1", "--after", "-f", "-", "-o", "json", stdin=now)
    assert result.code == code, result.err
    assert result.item["seen"] == ("ended" if exit_code else "completed")


@pytest.mark.usefixtures("gate")
def test_the_api_compares_what_the_command_does(run: Run) -> None:
    """The same plan, after the same upgrades: the same lines, and the same of each container."""
    plan = hashcompat.plan(json.loads(cluster()), "auto", "1.9.11")
    for now, outcome in (
        (cluster("n1"), "PASS"),
        (cluster("n1", odd="n1"), "FAIL"),
        (cluster(), "UNDECIDED"),
    ):
        result = hashcompat.gate_after(plan, json.loads(now), ["n1"])
        assert result.outcome == outcome
        words = ("gate", "--plan", "plan.json", "--node", "n1", "--after", "-f", "-", "-o", "json")
        said, document = run(*words, stdin=now).document, hashcompat.to_document(result)
        assert (document["checks"], document["summary"]) == (said["checks"], said["summary"])
        seen = [[(item["standing"], item["seen"]) for item in each["items"]] for each in (document, said)]
        assert seen[0] == seen[1]


@pytest.mark.usefixtures("gate")
def test_the_api_refuses_what_the_command_refuses() -> None:
    plan, now = hashcompat.plan(json.loads(cluster()), "auto", "1.9.11"), json.loads(cluster("n1"))
    records = hashcompat.load_records(recorded((plan.items[0].hashes.to or 0) ^ 1))
    assert hashcompat.gate_after(plan, now, ["n1"], records=records).outcome == "FAIL"
    with pytest.raises(hashcompat.InputError, match="no container on the node n3 in the plan"):
        hashcompat.gate_after(plan, now, ["n3"])
    other = json.loads(cluster("n1").replace(b'"uid": "one"', b'"uid": "two"'))
    with pytest.raises(hashcompat.InputError, match="a plan of the cluster one"):
        hashcompat.gate_after(plan, other, ["n1"])


def test_a_turn_is_about_whole_nodes(gate: Gate, run: Run) -> None:
    """Filters go with a state where they leave out nothing that is planned on its nodes."""
    assert gate("n1", "-n", "ns").code == 0
    assert gate("n1", "--after", "-n", "ns", stdin=cluster("n1")).code == 0
    owned = {"ownerReferences": [{"kind": "Job", "name": "a", "controller": True}]}
    others = pod(name="a", metadata=owned), pod(name="b", metadata={"namespace": "other"})
    both = as_json(node(OLD), *others)
    run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", "plan.json", stdin=both)
    for flags in (("-n", "ns"), ("--exclude-namespace", "ns"), ("--owner", "job/a")):
        for after in ((), ("--after",)):
            result = gate("n1", *flags, *after, stdin=both)
            says = f"{flags[0]} leaves out 1 container"
            assert (result.code, says in result.err) == (64, True), result.err
    assert phases() == {"n1": "done"}


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
        result = gate("n1", "--after", "--recorded", recorded(value), stdin=cluster("n1"))
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


WEB = (replica("web-0", "n1"), replica("web-1", "n2"))
PART = {
    "all of them": (2, [*WEB, budget(minAvailable=2)]),
    "no pods": (3, [budget(minAvailable=2)]),
    "those of another namespace": (3, [pod(name="p", namespace="other"), budget(minAvailable=2)]),
    "those of another node": (3, [WEB[1], budget(minAvailable=0)]),
    "no pods, and no budgets": (
        0,
        [{"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "items": []}],
    ),
}


@pytest.mark.parametrize("read", PART)
def test_budgets_of_pods_that_a_file_does_not_have_are_undecided(run: Run, tmp_path: Path, read: str) -> None:
    code, objects = PART[read]
    plan, nodes = tmp_path / "plan.json", [node(OLD, "n1"), node(OLD, "n2")]
    run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", plan, stdin=as_json(*WEB, *nodes))
    words = ("gate", "--plan", plan, "--max-restarts", "9", "--fail-on", "pdb", "-f", "-")
    result = run(*words, stdin=as_json(*objects))
    assert result.code == code, result.err
    if code == 3:
        number = "1 pod of the plan is" if objects[0] is WEB[1] else "2 pods of the plan are"
        assert f"fail-on pdb: {number} not among those read now" in last(result)


@pytest.mark.parametrize(("minimum", "code"), [(1, 2), (0, 0)])
def test_pods_that_a_cluster_no_longer_has_are_gone(
    run: Run, kubectl: Path, tmp_path: Path, minimum: int, code: int
) -> None:
    plan, budgets = tmp_path / "plan.json", [budget(minAvailable=minimum)]
    nodes = [node(OLD, "n1"), node(OLD, "n2")]
    run("plan", "--to", "1.9.11", "-f", "-", "-q", "--out", plan, stdin=as_json(*WEB, *nodes))
    answers = {
        "/api/v1/pods": ("PodList", WEB[1:]),
        "/api/v1/nodes": ("NodeList", nodes),
        "/api/v1/services": ("ServiceList", []),
        "/apis/policy/v1/poddisruptionbudgets": ("PodDisruptionBudgetList", budgets),
    }
    kubectl.write_text(
        json.dumps(
            {path: [200, {"kind": kind, "items": [*items]}] for path, (kind, items) in answers.items()}
        )
    )
    result = run("gate", "--plan", plan, "--max-restarts", "9", "--fail-on", "pdb")
    assert (result.code, last(result).startswith("gate: UNDECIDED")) == (code, False), result.err


def test_a_container_whose_record_was_rewritten_is_kept_as_predicted(run: Run, tmp_path: Path) -> None:
    """The plan takes its record as rewritten; afterwards the runtime shows the target's hash, or not."""
    was, new = (hashcompat.container_hash(PLAIN, release).value or 0 for release in (OLD, NEW))
    plan, dump = tmp_path / "plan.json", tmp_path / "dump.json"

    def records(value: int) -> Path:
        dump.write_text(json.dumps({"containers": [{**record(value, "p-n1"), "id": "a" * 64}]}))
        return dump

    def objects(release: str) -> bytes:
        machine = node(release)
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": AFTER}
        machine["status"]["conditions"] = [ready]
        return as_json(SYSTEM, machine, running("p-n1", "n1", "a" * 64, BEFORE))

    words = ("plan", "--to", "1.9.11", "-f", "-", "-q", "--recorded", records(was), "--out", plan)
    made = run(*words, "--assume-normalized", "-o", "json", stdin=objects(OLD))
    assert made.document["summary"]["keep"] == 1, made.err
    for value, code, says in ((new, 0, "gate: PASS: after: 1 of 1 container as"), (was, 2, "recorded")):
        after = ("gate", "--plan", plan, "--node", "n1", "--after", "-f", "-", "--recorded", records(value))
        result = run(*after, stdin=objects(NEW))
        assert (result.code, says in result.err + result.out) == (code, True), result.err + result.out
