"""What a runtime reports counts before what an API server shows: containers that ended, or were replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis import planning
from hashcompat.analysis.planning import PlanRun
from hashcompat.analysis.planning.cluster import Sandboxes
from hashcompat.core.records.index import Records
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided, hash_of, record, recorded

C: Json = {"name": "c", "image": "i"}
SIDECAR: Json = {"name": "s", "image": "i", "restartPolicy": "Always"}
WAY = ("--from", "1.36.4", "--to", "1.36.5")
UID = "00000000-0000-4000-8000-000000000000"
OLD, NEW = "a" * 64, "b" * 64


def running(name: str, identity: str = OLD) -> Json:
    return {
        "name": name,
        "restartCount": 0,
        "containerID": f"containerd://{identity}",
        "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
    }


def shown(policy: str = "Always", **spec: Any) -> Json:
    """Return a pod of which the API server shows that both containers run."""
    made = pod({**C, **spec}, spec={"restartPolicy": policy, "initContainers": [SIDECAR]})
    made["status"] = {
        "phase": "Running",
        "containerStatuses": [running("c")],
        "initContainerStatuses": [running("s", "c" * 64)],
    }
    return made


def exited(identity: str = OLD, attempt: int = 0) -> Json:
    row = record(1, state="CONTAINER_EXITED")
    return {**row, "id": identity, "metadata": {**row["metadata"], "attempt": attempt}}


def items(run: Run, given: Json, *records: Json, directory: Path, more: Any = ()) -> dict[str, Json]:
    result = run(
        "plan", *WAY, "-f", "-", *recorded(directory, *records), *more, "-o", "json", stdin=as_json(given)
    )
    assert result.code == 0, result.err
    return {item["container"]: item for item in result.items}


def test_what_was_observed_is_what_the_runtime_reports(run: Run, tmp_path: Path) -> None:
    item = items(run, shown(), exited(NEW, 3), directory=tmp_path)["c"]
    assert item["observed"]["running"] is False
    assert (item["observed"]["containerID"], item["observed"]["restartCount"]) == (NEW, 3)
    assert item["verdict"] == "KEEP"


def test_a_container_that_had_ended_is_no_surprise_after_the_upgrade(run: Run, tmp_path: Path) -> None:
    plan, given = tmp_path / "plan.json", shown()
    items(run, given, exited(), directory=tmp_path, more=("--out", plan))
    ended = json.loads(json.dumps(given))
    ended["status"]["containerStatuses"][0]["state"] = {
        "terminated": {"exitCode": 1, "containerID": f"containerd://{OLD}"}
    }
    upgraded = node("v1.36.5")
    upgraded["status"]["conditions"] = [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": "2036-01-01T00:00:00Z"}
    ]
    after = ("gate", "--after", "--plan", plan, "--node", "n1", "-f", "-")
    result = run(*after, stdin=as_json(upgraded, ended))
    assert "1 of 2 containers as predicted" in result.out or "2 of 2 containers as predicted" in result.out
    assert "SURPRISE" not in result.out.replace("no surprises", "").replace("0 surprises", "")
    told = run(*after, *recorded(tmp_path, exited()), stdin=as_json(upgraded, given))
    assert "not as predicted" not in told.out


@pytest.mark.parametrize(
    ("policy", "spec", "verdict"),
    [
        ("Never", {}, "KILL"),
        ("OnFailure", {}, "UNKNOWN"),
        ("Always", {}, "KEEP"),
        ("Never", {"restartPolicy": "Always"}, "KEEP"),
        ("Never", {"restartPolicyRules": [{"action": "Restart"}]}, "KILL"),
    ],
)
def test_hc045_sidecars_end_with_the_last_container_of_a_never_pod(
    run: Run, tmp_path: Path, policy: str, spec: Json, verdict: str
) -> None:
    given = shown(policy, **spec)
    predictions = items(run, given, exited(), directory=tmp_path)
    assert (predictions["c"]["verdict"], predictions["s"]["verdict"]) == ("KEEP", verdict)


def test_hc045_a_pod_that_still_initialises_is_not_done(run: Run, tmp_path: Path) -> None:
    given = shown("Never")
    given["status"]["containerStatuses"][0]["state"] = {"waiting": {}}
    assert items(run, given, record(1, container="other"), directory=tmp_path)["s"]["verdict"] == "KEEP"


def test_hc027_a_pod_whose_sandbox_is_not_ready_is_created_again(run: Run, tmp_path: Path) -> None:
    sandbox = {
        "status": {
            "metadata": {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0},
            "state": "SANDBOX_NOTREADY",
        }
    }
    (tmp_path / "sandboxes.json").write_text(json.dumps([sandbox]))
    more = ("--recorded", tmp_path / "sandboxes.json")
    item = items(run, shown(), exited(), directory=tmp_path, more=more)["c"]
    assert (item["verdict"], item["podRecreated"]) == ("KEEP", True)
    assert [reason["id"] for reason in item["reasons"]] == ["HC002", "HC027"]
    never = items(run, shown("Never"), exited(), directory=tmp_path, more=more)["c"]
    assert (never["verdict"], never["podRecreated"]) == ("KEEP", False)


@pytest.mark.parametrize(("new", "verdict"), [("1.27.16", "KILL"), ("1.28.15", "RESTART")])
def test_hc055_what_follows_a_sidecar_waits_where_no_kubelet_knows_sidecars(
    run: Run, tmp_path: Path, new: str, verdict: str
) -> None:
    """1.27.16 ``findNextInitContainerToRun``: an init container that runs has not ended."""
    pods = {"metadata": {"name": "p", "uid": "uid-p", "namespace": "ns"}, "state": "SANDBOX_NOTREADY"}
    (tmp_path / "sandboxes.json").write_text(json.dumps([{"status": pods}]))
    way = ("--from", "1.29.15", "--to", new, "--recorded", tmp_path / "sandboxes.json")
    gate = ("--feature-gates", "SidecarContainers=true") if new == "1.28.15" else ()
    predictions = run("plan", *way, *gate, "-f", "-", "-o", "json", stdin=as_json(shown())).items
    assert {item["container"]: item["verdict"] for item in predictions} == {"c": verdict, "s": "RESTART"}


def needing(status: str) -> Json:
    """Return a pod whose kubelet reports whether it has a sandbox with which it is content."""
    given = shown()
    given["status"]["conditions"] = [{"type": "PodReadyToStartContainers", "status": status}]
    return given


@pytest.mark.parametrize(
    ("status", "expected"),
    [("False", ("UNKNOWN", ["HC027"])), ("True", ("KEEP", [])), ("Unknown", ("KEEP", []))],
)
def test_hc027_a_sandbox_that_its_kubelet_finds_unusable_is_not_taken_for_ready(
    run: Run, status: str, expected: tuple[str, list[str]]
) -> None:
    """1.36.5 status/generate.go: the condition is False exactly where PodSandboxChanged says so."""
    given = needing(status)
    assert decided(run, "1.35.4", "1.36.5", given) == expected
    taken = run("snapshot", "-f", "-", stdin=as_json(given)).document
    assert decided(run, "1.35.4", "1.36.5", taken) == expected


def test_hc027_what_the_runtime_shows_counts_more_than_the_condition(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sandboxes.json").write_text(json.dumps([sandbox("uid-p", "p")]))
    more = ("--recorded", tmp_path / "sandboxes.json")
    assert decided(run, "1.35.4", "1.36.5", needing("False"), more=more)[0] == "KEEP"


def test_hc027_a_container_that_does_not_run_waits_for_its_sandbox(run: Run) -> None:
    given = needing("False")
    given["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "ContainerCreating"}}
    assert decided(run, "1.35.4", "1.36.5", given)[0] == "KEEP"


@pytest.mark.parametrize(("code", "recreated"), [(0, False), (1, True)])
def test_hc027_a_pod_whose_containers_are_done_gets_no_other_sandbox(
    run: Run, tmp_path: Path, code: int, recreated: bool
) -> None:
    """computePodActions creates none where no container is to start again (1.36.3)."""
    sandbox = {
        "status": {
            "metadata": {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0},
            "state": "SANDBOX_NOTREADY",
        }
    }
    (tmp_path / "sandboxes.json").write_text(json.dumps([sandbox]))
    given = pod(C, spec={"restartPolicy": "OnFailure"})
    given["status"] = {
        "phase": "Running",
        "containerStatuses": [{**running("c"), "state": {"terminated": {"exitCode": code}}}],
    }
    way = (*WAY, "--recorded", tmp_path / "sandboxes.json")
    (item,) = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(given)).items
    assert (item["verdict"], item["podRecreated"]) == ("KEEP", recreated)


RULES = [
    {"action": "Restart", "exitCodes": {"operator": "In", "values": [3, 4]}},
    {"action": "RestartAllContainers", "exitCodes": {"operator": "NotIn", "values": [0, 1]}},
]


def with_code(code: int | None) -> Json:
    """Return what crictl prints of a container that exited; ``ps`` shows no code."""
    return exited() if code is None else {"status": {**exited(), "exitCode": code}}


@pytest.mark.parametrize(
    ("policy", "spec", "ended", "expected"),
    [
        ("Never", {}, with_code(None), ("KILL", "HC045")),
        ("OnFailure", {}, with_code(0), ("KILL", "HC045")),
        ("OnFailure", {}, with_code(2), ("KEEP", "")),
        ("OnFailure", {}, with_code(None), ("UNKNOWN", "HC050")),
        ("Always", {}, with_code(None), ("KEEP", "")),
        ("Always", {"restartPolicy": "Never"}, with_code(1), ("KILL", "HC045")),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": RULES}, with_code(1), ("KILL", "HC045")),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": RULES}, with_code(3), ("KEEP", "")),
        (
            "Never",
            {"restartPolicy": "Never", "restartPolicyRules": RULES},
            with_code(42),
            ("RESTART", "HC050"),
        ),
        (
            "Never",
            {"restartPolicy": "Never", "restartPolicyRules": RULES},
            with_code(None),
            ("UNKNOWN", "HC050"),
        ),
        (
            "Always",
            {"restartPolicy": "Never", "restartPolicyRules": RULES[:1]},
            with_code(None),
            ("UNKNOWN", "HC050"),
        ),
        (
            "Always",
            {"restartPolicy": "Always", "restartPolicyRules": RULES},
            with_code(137),
            ("RESTART", "HC050"),
        ),
    ],
)
def test_hc050_how_a_container_ended_decides_about_the_others(
    run: Run, tmp_path: Path, policy: str, spec: Json, ended: Json, expected: tuple[str, str]
) -> None:
    """RestartAllContainers is a rule from 1.35 on; a sidecar ends with the last regular container."""
    predictions = items(run, shown(policy, **spec), ended, directory=tmp_path)
    rules = [reason["id"] for reason in predictions["s"]["reasons"]]
    assert (predictions["s"]["verdict"], "".join(rules)) == expected
    assert (predictions["c"]["verdict"], predictions["c"]["observed"]["running"]) == ("KEEP", False)


def test_hc050_no_rule_counts_while_its_gate_is_off(run: Run, tmp_path: Path) -> None:
    given = shown("Never", restartPolicy="Never", restartPolicyRules=RULES)
    for gates, verdict in (
        ("RestartAllContainersOnContainerExits=false", "KILL"),
        ("RestartAllContainersOnContainerExits=false,ContainerRestartRules=false", "KILL"),
    ):
        predictions = items(run, given, with_code(42), directory=tmp_path, more=("--feature-gates", gates))
        assert predictions["s"]["verdict"] == verdict


def test_hc050_an_ephemeral_container_is_not_restarted_with_the_others(run: Run, tmp_path: Path) -> None:
    given = shown("Always", restartPolicy="Never", restartPolicyRules=RULES)
    given["spec"]["ephemeralContainers"] = [{"name": "e", "image": "i"}]
    given["status"]["ephemeralContainerStatuses"] = [running("e", "d" * 64)]
    predictions = items(run, given, with_code(42), directory=tmp_path)
    assert (predictions["s"]["verdict"], predictions["e"]["verdict"]) == ("RESTART", "KEEP")


def test_hc050_a_running_init_container_is_restarted_with_the_others(run: Run) -> None:
    """A sidecar before it has ended, by whose code its rules restart all."""
    given = shown("Always")
    given["spec"]["initContainers"][0] |= {"restartPolicyRules": RULES}
    given["spec"]["initContainers"].append({"name": "i", "image": "i"})
    given["status"]["initContainerStatuses"][0]["state"] = {"terminated": {"exitCode": 42}}
    given["status"]["initContainerStatuses"].append(running("i", "d" * 64))
    given["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "PodInitializing"}}
    predictions = run("plan", *WAY, "-f", "-", "-o", "json", stdin=as_json(given)).items
    assert {item["container"]: item["verdict"] for item in predictions} == {
        "c": "KEEP",
        "s": "KEEP",
        "i": "RESTART",
    }


@pytest.mark.parametrize(("code", "verdict"), [(1, "KEEP"), (42, "RESTART"), (None, "UNKNOWN")])
def test_hc050_another_container_that_runs_keeps_the_pod(
    run: Run, tmp_path: Path, code: int | None, verdict: str
) -> None:
    """Ephemeral containers have no rules, and decide nothing."""
    given = shown("Always", restartPolicy="Never", restartPolicyRules=RULES)
    given["spec"]["containers"].append({"name": "b", "image": "i"})
    given["status"]["containerStatuses"].append(running("b", "f" * 64))
    given["spec"]["ephemeralContainers"] = [{"name": "e", "image": "i"}]
    given["status"]["ephemeralContainerStatuses"] = [running("e", "d" * 64)]
    predictions = items(run, given, with_code(code), directory=tmp_path)
    assert (predictions["b"]["verdict"], predictions["s"]["verdict"], predictions["e"]["verdict"]) == (
        verdict,
        verdict,
        "KEEP",
    )


def begun(status: str = "True", policy: str = "Never") -> Json:
    """Return a pod whose kubelet has begun to restart all containers, and has created them again."""
    given = shown(policy, restartPolicy="Never", restartPolicyRules=RULES)
    given["status"]["conditions"] = [{"type": "AllContainersRestarting", "status": status}]
    return given


@pytest.mark.parametrize(
    ("old", "new", "status", "expected"),
    [
        pytest.param("1.36.4", "1.36.5", "True", "RESTART", id="begun"),
        pytest.param("1.36.4", "1.37.2", "True", "RESTART", id="into the next minor"),
        pytest.param("1.36.4", "1.35.8", "True", "KEEP", id="1.35 has the gate off"),
        pytest.param("1.36.4", "1.36.5", "False", "KEEP", id="done"),
        pytest.param("1.36.4", "1.36.5", {}, "KEEP", id="no status that is one"),
    ],
)
def test_hc050_a_restart_of_all_containers_that_was_begun_goes_on(
    run: Run, old: str, new: str, status: Any, expected: str
) -> None:
    """ShouldAllContainersRestart reads the condition before any exit code (1.36.3 container/helpers.go)."""
    way = ("--from", old, "--to", new)
    result = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(begun(status)))
    assert {item["container"]: item["verdict"] for item in result.items} == {"c": expected, "s": expected}


@pytest.mark.parametrize(("status", "expected"), [("True", ("RESTART", True)), ("False", ("KILL", False))])
def test_hc050_what_was_begun_gives_a_never_pod_another_sandbox(
    run: Run, tmp_path: Path, status: str, expected: tuple[str, bool]
) -> None:
    """computePodActions leaves CreateSandbox as it is where it resets all (1.36.3)."""
    box = {"metadata": {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0}}
    (tmp_path / "sandboxes.json").write_text(json.dumps([{"status": {**box, "state": "SANDBOX_NOTREADY"}}]))
    way = (*WAY, "--recorded", tmp_path / "sandboxes.json")
    predictions = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(begun(status))).items
    assert [(item["verdict"], item["podRecreated"]) for item in predictions] == [expected] * 2


def test_hc050_what_was_begun_comes_before_the_end_of_sidecars(run: Run, tmp_path: Path) -> None:
    """getContainersToReset returns before anything looks at which containers are to run."""
    predictions = items(run, begun(), with_code(1), directory=tmp_path)
    assert (predictions["c"]["verdict"], predictions["s"]["verdict"]) == ("KEEP", "RESTART")


def test_hc050_a_sidecar_whose_rule_restarts_all_does_so_beside_one_that_would_end(run: Run) -> None:
    given = shown("Never")
    given["spec"]["initContainers"] += [{**SIDECAR, "name": "t", "restartPolicyRules": RULES}]
    given["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}
    given["status"]["initContainerStatuses"].append(
        {**running("t"), "state": {"terminated": {"exitCode": 42}}}
    )
    predictions = run("plan", *WAY, "-f", "-", "-o", "json", stdin=as_json(given)).items
    assert {item["container"]: item["verdict"] for item in predictions}["s"] == "RESTART"


@pytest.mark.parametrize(
    ("old", "new", "policy", "own", "verdict"),
    [
        ("1.35.8", "1.36.5", "Never", {"restartPolicyRules": RULES}, "RESTART"),
        ("1.36.3", "1.36.5", "Never", {"restartPolicyRules": RULES}, "KEEP"),
        ("1.35.8", "1.36.5", "Never", {}, "KEEP"),
        ("1.35.8", "1.34.10", "Never", {}, "KILL"),
        ("1.35.8", "1.34.10", "Always", {}, "KEEP"),
    ],
)
def test_hc050_what_waits_by_its_own_policy_has_ended_to_a_kubelet_that_follows_another(
    run: Run, old: str, new: str, policy: str, own: Json, verdict: str
) -> None:
    """The runtime has the container that exited, by whose code the target kubelet decides."""
    given = shown(policy, restartPolicy="Always", **own)
    given["status"]["containerStatuses"][0] |= {
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 42, "reason": "Error"}},
    }
    way, stdin = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json"), as_json(given)
    for text in (stdin, run("snapshot", "-f", "-", stdin=stdin).out.encode()):
        verdicts = {item["container"]: item["verdict"] for item in run(*way, stdin=text).items}
        assert verdicts == {"c": "KEEP", "s": verdict}


def test_hc050_a_kubelet_that_starts_reads_no_status_of_a_static_pod(run: Run) -> None:
    given = mirror_pod({**C, "restartPolicyRules": RULES})
    given["status"] = begun()["status"]
    (item,) = run("plan", *WAY, "-f", "-", "-o", "json", stdin=as_json(given)).items
    assert item["verdict"] == "KEEP"


def test_what_a_kubelet_had_begun_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(begun())).out)
    result = run("plan", *WAY, "-f", tmp_path / "s.json", "-o", "json")
    assert {item["verdict"] for item in result.items} == {"RESTART"}


def test_what_several_processes_found_of_sandboxes_is_added_up() -> None:
    sandboxes = Sandboxes(Records())
    sandboxes.merge({"n1": (9, 5)}, {"n1": [("a", 5, True)], "n2": [("b", 0, False)]})
    sandboxes.merge({"n1": (8, 4)}, {"n1": [("c", 9, False), ("later", 6, True)]})
    assert sandboxes.gone == {"a", "c"}


def test_how_containers_ended_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    given = shown("OnFailure")
    given["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(given)).out)
    result = run("plan", *WAY, "-f", tmp_path / "s.json", "-o", "json")
    assert {item["container"]: item["verdict"] for item in result.items} == {"c": "KEEP", "s": "KILL"}


LIMITED: Json = {"activeDeadlineSeconds": 3600}


def limited(name: str, start: str | None, **spec: Any) -> Json:
    made = pod(C, name=name, spec={**LIMITED, **spec})
    made["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    return made if start is None else {**made, "status": {**made["status"], "startTime": start}}


def pinned(start: str) -> Json:
    """Return the mirror pod of a static pod that has a uid of its own, and a deadline."""
    made = mirror_pod(C, status=limited("p", start)["status"])
    made["spec"] |= LIMITED
    made["metadata"]["annotations"] = {f"kubernetes.io/config.{name}": UID for name in ("hash", "mirror")}
    return made


def at(time: str) -> Json:
    made = node("v1.36.4")
    made["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": time}]
    return made


@pytest.mark.parametrize(
    ("start", "verdict"),
    [
        ("2026-02-01T00:59:59Z", "KILL"),
        ("2026-02-01T01:00:00Z", "KILL"),
        ("2026-02-01T01:00:01Z", "KEEP"),
        ("9999-12-31T23:59:59Z", "KEEP"),
        (None, "KEEP"),
    ],
)
def test_hc049_a_deadline_that_had_passed_ends_a_pod(
    run: Run, tmp_path: Path, start: str | None, verdict: str
) -> None:
    given = as_json(at("2026-02-01T02:00:00Z"), limited("p", start))
    (item,) = run("plan", *WAY, "-f", "-", "-o", "json", stdin=given).items
    assert item["verdict"] == verdict
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=given).out)
    (kept,) = run("plan", *WAY, "-f", tmp_path / "s.json", "-o", "json").items
    assert kept["verdict"] == verdict
    (explained,) = run("explain", "ns/p/c", *WAY, "-f", "-", "-o", "json", stdin=given).items
    assert explained["verdict"] == verdict


@pytest.mark.parametrize(
    ("start", "changed", "verdict"),
    [
        pytest.param("2026-02-01T00:59:59Z", False, "UNKNOWN", id="passed"),
        pytest.param("2026-02-01T01:00:01Z", False, "KEEP", id="not passed"),
        pytest.param("2026-02-01T00:59:59Z", True, "RESTART", id="it restarts whatever the deadline"),
    ],
)
def test_hc049_a_static_pod_counts_from_the_start_of_its_mirror_pod_only_if_that_is_known_in_time(
    run: Run, tmp_path: Path, start: str, verdict: str, *, changed: bool
) -> None:
    """Its manifest has no status (1.36.5 ``updateStatusInternal``)."""
    made = pinned(start)
    given = as_json(at("2026-02-01T02:00:00Z"), made)
    way = ("--from", "1.30.14", "--to", "1.31.14") if changed else WAY
    nodes = ("--override-node-releases",) if changed else ()
    (item,) = run("plan", *way, *nodes, "-f", "-", "-o", "json", stdin=given).items
    assert item["verdict"] == verdict
    told = recorded(tmp_path, {**record(hash_of(run, way[1], C), "p-n1", uid=UID), "id": OLD})
    unknown = given.replace(b"v1.36.4", b"v1.99.0")
    (item,) = run("plan", *way[2:], *told, "-f", "-", "-o", "json", stdin=unknown).items
    assert item["verdict"] == verdict
    if verdict == "UNKNOWN":
        (explained,) = run("explain", "ns/p-n1/c", *WAY, "-f", "-", "-o", "json", stdin=given).items
        assert explained["sentences"]["why"].endswith("when it first looks at the static pod.")


def test_hc049_a_manifest_counts_from_the_start_of_its_mirror_pod(run: Run, tmp_path: Path) -> None:
    made = pinned("2026-02-01T00:00:00Z")
    place = ("--static-pod-dir", tmp_path, "--node-name", "n1", "--static-pod-path", "/m")
    for seconds, verdict in ((3600, "UNKNOWN"), (10_000, "KEEP")):
        spec = {"containers": [C], "activeDeadlineSeconds": seconds}
        metadata = {"name": "p", "namespace": "ns", "uid": UID}
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        (tmp_path / "p.json").write_text(json.dumps(manifest))
        given = as_json(at("2026-02-01T02:00:00Z"), made)
        (item,) = run("plan", *WAY, *place, "-f", "-", "-o", "json", stdin=given).items
        assert item["verdict"] == verdict


def test_hc049_nobody_knows_whether_a_deadline_has_passed_without_a_time(run: Run) -> None:
    given = limited("p", "2026-02-01T00:00:00Z")
    given["status"]["containerStatuses"][0]["state"] = {"running": {}}
    (item,) = run("plan", *WAY, "-f", "-", "-o", "json", stdin=as_json(given)).items
    assert item["verdict"] == "KEEP"


@pytest.mark.parametrize(("seen", "again"), [("2026-02-01T01:30:00Z", []), ("2026-02-01T00:30:00Z", ["p"])])
def test_hc049_a_pod_is_decided_again_only_where_another_shows_a_later_time_than_nodes(
    run: Run, monkeypatch: pytest.MonkeyPatch, seen: str, again: list[str]
) -> None:
    names, amend = list[str](), PlanRun.amend

    def seen_again(self: PlanRun, way: Any, pods: Any, *given: Any) -> None:
        names.extend(subject.name for subject in pods)
        amend(self, way, pods, *given)

    monkeypatch.setattr(PlanRun, "amend", seen_again)
    late = pod(C, name="q", status={"phase": "Running", "containerStatuses": [running("c")]})
    late["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = "2026-02-01T01:20:00Z"
    over = limited("over", "2026-01-01T00:00:00Z", restartPolicy="Never")
    over["status"] = {"phase": "Succeeded", "startTime": "2026-02-01T00:10:00Z"}
    given = as_json(at(seen), limited("p", "2026-02-01T00:00:00Z"), late, over)
    verdicts = [item["verdict"] for item in run("plan", *WAY, "-f", "-", "-o", "json", stdin=given).items]
    assert verdicts.count("KILL") == 1
    assert names == again


def test_hc049_each_replica_has_its_own_start(tmp_path: Path, run: Run) -> None:
    pods = [limited(f"p{number}", f"2026-02-01T00:{number:02}:00Z") for number in range(60)]
    for number, manifest in enumerate(pods):
        manifest["metadata"]["uid"] = f"8cdcb7ba-17d0-11e9-9243-5254006{number:05}"
    (tmp_path / "pods.json").write_bytes(as_json(at("2026-02-01T01:30:00Z"), *pods))
    result = run("plan", *WAY, "-f", tmp_path / "pods.json", "-o", "json")
    killed = {item["pod"] for item in result.items if item["verdict"] == "KILL"}
    assert killed == {f"p{number}" for number in range(31)}


def sandbox(uid: str, name: str = "q", state: str = "SANDBOX_READY") -> Json:
    metadata = {"name": name, "uid": uid, "namespace": "ns", "attempt": 0}
    return {"status": {"metadata": metadata, "state": state}}


def beside() -> tuple[Json, Json, Json]:
    """Return another pod of the same node, its sandbox, and the record of its container."""
    other = pod(C, name="q", metadata={"uid": "uid-q", "namespace": "ns"})
    other["status"] = {"phase": "Running", "containerStatuses": [running("c", "e" * 64)]}
    return other, sandbox("uid-q"), {**record(1, "q"), "id": "e" * 64, "createdAt": "1767225600000000000"}


@pytest.mark.parametrize(("new", "recreated"), [("1.19.16", True), ("1.21.14", True), ("1.22.17", False)])
def test_hc027_a_never_pod_of_which_the_runtime_has_nothing_is_created_again_up_to_1_21(
    run: Run, tmp_path: Path, new: str, recreated: bool
) -> None:
    """Only a pod that is being deleted has failed by that (1.20.0 ``convertToAPIContainerStatuses``)."""
    other, known, row = beside()
    (tmp_path / "sandboxes.json").write_text(json.dumps([known]))
    more = (*recorded(tmp_path, row), "--recorded", tmp_path / "sandboxes.json", "-o", "json")
    given = as_json(shown("Never"), other)
    result = run("plan", "--from", new, "--to", new, "-f", "-", *more, stdin=given)
    assert {item["podRecreated"] for item in result.items if item["pod"] == "p"} == {recreated}


@pytest.mark.parametrize(
    ("given", "recreated"),
    [
        (shown(), True),
        (shown("OnFailure"), True),
        (shown("Never"), False),  # it has failed
        (shown() | {"status": {"phase": "Failed", "containerStatuses": []}}, False),
    ],
)
def test_hc027_a_pod_without_a_sandbox_is_created_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Json, recreated: bool
) -> None:
    other, known, row = beside()
    (tmp_path / "sandboxes.json").write_text(json.dumps([known]))
    more = ("--recorded", tmp_path / "sandboxes.json")
    result = run(
        "plan", *WAY, "-f", "-", *recorded(tmp_path, row), *more, "-o", "json", stdin=as_json(given, other)
    )
    predictions = {(item["pod"], item["container"]): item for item in result.items}
    assert predictions["p", "c"]["verdict"] == "KEEP"
    assert (predictions["p", "c"]["podRecreated"], predictions["q", "c"]["podRecreated"]) == (
        recreated,
        False,
    )
    explained = run(
        "explain", "ns/p/c", *WAY, "-f", "-", *recorded(tmp_path, row), *more, "-o", "json",
        stdin=as_json(given, other),
    )  # fmt: skip
    assert explained.item["podRecreated"] is recreated
    monkeypatch.setattr(planning, "Nothing", None)  # as if something was gathered: all are decided again
    whole = run(
        "plan", *WAY, "-f", "-", *recorded(tmp_path, row), *more, "-o", "json", stdin=as_json(given, other)
    )
    assert {**whole.document["spec"], "createdAt": ""} == {**result.document["spec"], "createdAt": ""}


@pytest.mark.parametrize(
    ("start", "rows"),
    [
        ("2026-01-01T00:00:01Z", ()),  # behind the newest record
        ("2025-12-31T00:00:00Z", ({**record(1), "id": OLD},)),  # which runs
    ],
)
def test_a_pod_that_may_have_come_after_the_records_is_not_missed(
    run: Run, tmp_path: Path, start: str, rows: tuple[Json, ...]
) -> None:
    other, known, row = beside()
    given = pod(C)
    given["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    given["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = start
    (tmp_path / "sandboxes.json").write_text(json.dumps([known]))
    more = ("--recorded", tmp_path / "sandboxes.json")
    result = run(
        "plan", *WAY, "-f", "-", *recorded(tmp_path, row, *rows), *more, "-o", "json",
        stdin=as_json(given, other),
    )  # fmt: skip
    assert [item["podRecreated"] for item in result.items] == [False, False]


@pytest.mark.parametrize("policy", ["Always", "Never"])
def test_hc027_a_container_that_runs_without_its_sandbox_is_created_again(
    run: Run, tmp_path: Path, policy: str
) -> None:
    """A later pod's sandbox is listed, and its own one, which was there before the container, is not."""
    other, known, row = beside()
    known["status"]["createdAt"] = "1767225500000000000"
    given = pod(C, spec={"restartPolicy": policy})
    given["status"] = {"phase": "Running", "containerStatuses": [running("c", OLD)]}
    (tmp_path / "sandboxes.json").write_text(json.dumps([known]))
    more = ("--recorded", tmp_path / "sandboxes.json")

    def verdicts(created: str) -> list[str]:
        own = {**record(1), "id": OLD, "createdAt": created}
        options = (*recorded(tmp_path, row, own), *more, "-o", "json")
        result = run("plan", *WAY, "-f", "-", *options, stdin=as_json(given, other))
        return [next((reason["id"] for reason in item["reasons"]), "") for item in result.items]

    assert verdicts("1767225400000000000")[0] == "HC027"
    assert verdicts("1767225550000000000")[0] != "HC027"


@pytest.mark.parametrize(("start", "runs"), [("2025-12-31T00:00:00Z", False), ("2026-02-01T00:00:00Z", True)])
def test_a_container_that_was_removed_does_not_run(run: Run, tmp_path: Path, start: str, runs: bool) -> None:
    """The runtime has the pod's sandbox and its other container; one that started later may be missing."""
    given = shown()
    given["status"]["initContainerStatuses"][0]["state"]["running"]["startedAt"] = start
    (tmp_path / "sandboxes.json").write_text(json.dumps([sandbox("uid-p", "p")]))
    row = {**record(1), "id": OLD, "createdAt": "1767225600000000000"}
    more = ("--recorded", tmp_path / "sandboxes.json")
    predictions = items(run, given, row, directory=tmp_path, more=more)
    assert predictions["s"]["observed"]["running"] is runs


def test_hc050_each_replica_has_its_own_exit_code(run: Run, tmp_path: Path) -> None:
    pods = [json.loads(json.dumps(shown("OnFailure"))) for _ in range(60)]
    for number, manifest in enumerate(pods):
        manifest["metadata"] |= {"name": f"p{number}", "uid": f"8cdcb7ba-17d0-11e9-9243-5254006{number:05}"}
        manifest["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": number % 3}}
    (tmp_path / "pods.json").write_bytes(as_json(*pods))
    result = run("plan", *WAY, "-f", tmp_path / "pods.json", "-o", "json")
    killed = {item["pod"] for item in result.items if item["verdict"] == "KILL"}
    assert killed == {f"p{number}" for number in range(0, 60, 3)}


def test_hc049_another_file_has_no_say_in_when_the_pods_were_taken(run: Run, tmp_path: Path) -> None:
    """A manifest in it, which shows no time, does not make the pods' file one that is not dated."""
    (tmp_path / "pods.json").write_bytes(
        as_json(at("2026-02-01T02:00:00Z"), limited("p", "2026-02-01T00:00:00Z"))
    )
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "m"}, "spec": {"containers": [C]}}
    (tmp_path / "manifest.json").write_bytes(as_json(manifest))
    files = ("-f", tmp_path / "pods.json", "-f", tmp_path / "manifest.json")
    verdicts = {item["pod"]: item["verdict"] for item in run("plan", *WAY, *files, "-o", "json").items}
    assert verdicts["p"] == "KILL"


def test_a_pod_that_no_kubelet_of_the_input_runs_is_not_counted_as_running(run: Run) -> None:
    objects = [node("v1.31.14", "n2"), *(pod(C, name=name) for name in ("a", "ghost"))]
    for manifest, place in zip(objects[1:], ("n2", "gone"), strict=True):
        manifest["spec"]["nodeName"] = place
    result = run("plan", "--to", "1.34", "-f", "-", stdin=as_json(*objects))
    assert result.out.splitlines()[0].startswith(
        "Undecided: 1 container that no kubelet of the input runs is UNKNOWN, 1 running container is kept: "
    )
    assert result.err.splitlines()[-1].endswith("; 1 kept, 1 unknown")


@pytest.mark.parametrize("kubelet", ["v1.30.14", "v1.19.10-vk-azure-aci-1.6"])
def test_a_node_of_virtual_kubelet_has_no_kubelet_that_compares(run: Run, kubelet: str) -> None:
    virtual = node(kubelet, "vk")
    virtual["spec"] = {"taints": [{"key": "virtual-kubelet.io/provider", "effect": "NoSchedule"}]}
    there = pod(C)
    there["spec"]["nodeName"] = "vk"
    item = run("plan", "--to", "1.34", "-f", "-", "-o", "json", stdin=as_json(virtual, there)).item
    assert (item["verdict"], item["counted"]) == ("KEEP", False)
    assert item["reasons"][0]["text"] == "not compared: its node has no kubelet: virtual-kubelet provides it"


@pytest.mark.parametrize(
    ("state", "runs"),
    [
        ({"running": None, "terminated": {"exitCode": 0}, "waiting": None}, False),
        ({"running": None, "waiting": {"reason": "CrashLoopBackOff"}}, False),
        ({"running": {"startedAt": None}, "terminated": None, "waiting": None}, True),
        ({"running": None}, True),
        ({}, False),
    ],
)
def test_a_state_that_is_null_is_not_the_state_of_a_container(run: Run, state: Json, runs: bool) -> None:
    made = pod(C, status={"phase": "Running", "containerStatuses": [{"name": "c", "state": state}]})
    item = run(
        "plan", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "-o", "json", stdin=as_json(made)
    ).item
    assert item["verdict"] == ("RESTART" if runs else "KEEP")


@pytest.mark.parametrize("policy", ["Always", "Never"])
@pytest.mark.parametrize("state", ["CONTAINER_UNKNOWN", 3])
def test_hc054_a_container_of_unknown_state_is_killed_and_created_again(
    run: Run, tmp_path: Path, policy: str, state: Any
) -> None:
    made = shown(policy)
    rows = (
        {**record(None, container="c"), "id": OLD, "state": state},
        {**record(None, container="s"), "id": "c" * 64, "state": state},
    )
    way = (*WAY, *recorded(tmp_path, *rows))
    predictions = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(made)).items
    verdicts = {item["container"]: (item["verdict"], item["reasons"][0]["id"]) for item in predictions}
    verdict = "KILL" if policy == "Never" else "RESTART"  # what it lacks counts as ended with 137
    assert verdicts == {"c": (verdict, "HC054"), "s": (verdict, "HC054")}
    kept = tmp_path / "snapshot.json"
    assert run("snapshot", "-f", "-", *way[4:], "--out", kept, stdin=as_json(made)).code == 0
    again = run("plan", *WAY, "-f", kept, "-o", "json").items
    assert {item["container"]: item["verdict"] for item in again} == {"c": verdict, "s": verdict}


@pytest.mark.parametrize(
    ("policy", "own", "ended", "way", "verdict"),
    [
        pytest.param("Always", "Never", None, WAY, "KILL", id="its own policy counts"),
        pytest.param("OnFailure", "Never", None, WAY, "KILL", id="that of an OnFailure pod too"),
        pytest.param("OnFailure", "", None, WAY, "RESTART", id="137 is a failure"),
        pytest.param("Never", "Always", None, WAY, "RESTART", id="it starts again by its own"),
        pytest.param("Always", "Never", "Never", WAY, "KILL", id="what ended is not to start again"),
        pytest.param("Always", "Never", "OnFailure", WAY, "KILL", id="it ended with 0"),
        pytest.param("Always", "Never", "Always", WAY, "RESTART", id="what ended starts again"),
        pytest.param(
            "Always", "Never", None, ("--from", "1.34.10", "--to", "1.34.12"), "RESTART", id="the gate is off"
        ),
        pytest.param(
            "Never", "", None, ("--from", "1.21.14", "--to", "1.20.0"), "KILL", id="1.20 takes it for ended"
        ),
        pytest.param(
            "Never", "", None, ("--from", "1.20.15", "--to", "1.19.16"), "RESTART", id="1.19 creates it again"
        ),
    ],
)
def test_hc054_a_pod_has_failed_by_what_is_lost_if_none_of_its_containers_starts_again(
    run: Run, tmp_path: Path, policy: str, own: str, ended: str | None, way: tuple[str, ...], verdict: str
) -> None:
    """Containers have restartPolicies of their own from 1.35 on (1.35.2 ``getPhase``)."""
    made = pod({**C, **({"restartPolicy": own} if own else {})}, spec={"restartPolicy": policy})
    made["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    if ended:
        made["spec"]["containers"].append({"name": "e", "image": "i", "restartPolicy": ended})
        state = {"terminated": {"exitCode": 0}}
        made["status"]["containerStatuses"].append({**running("e", NEW), "state": state})
    row = {**record(None, container="c"), "id": OLD, "state": "CONTAINER_UNKNOWN"}
    told = recorded(tmp_path, row)
    item = run("plan", *way, "-f", "-", "-o", "json", *told, stdin=as_json(made)).items[0]
    assert (item["verdict"], item["reasons"][0]["id"]) == (verdict, "HC054")


LOST: Json = {**record(None, container="c"), "id": OLD, "state": "CONTAINER_UNKNOWN"}


def waiting(policy: str) -> Json:
    """Return a pod of which the one container runs, with a volume that 1.33 has no plugin for."""
    made = pod(
        {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
        spec={"restartPolicy": policy, "volumes": [{"name": "v", "gitRepo": {"repository": "x"}}]},
    )
    made["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    return made


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("Never", ("KILL", "HC054")), ("Always", ("KEEP", "HC044")), ("OnFailure", ("KEEP", "HC044"))],
)
def test_hc054_a_pod_that_has_failed_by_what_is_lost_waits_for_no_volume(
    run: Run, tmp_path: Path, policy: str, expected: tuple[str, str]
) -> None:
    """The phase comes first in ``SyncPod`` (1.33.13)."""
    way = ("--from", "1.32.13", "--to", "1.33.13", *recorded(tmp_path, LOST))
    item = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(waiting(policy))).item
    assert (item["verdict"], item["reasons"][0]["id"]) == expected


@pytest.mark.parametrize(
    ("ready", "own", "verdict"),
    [
        pytest.param("SANDBOX_READY", "Never", "KILL", id="its sandbox is as it was"),
        pytest.param("SANDBOX_NOTREADY", "Never", "KILL", id="nor is its sandbox created again"),
        pytest.param("SANDBOX_NOTREADY", "Always", "RESTART", id="it starts again"),
    ],
)
def test_hc054_a_pod_that_has_failed_by_what_is_lost_gets_no_other_sandbox(
    run: Run, tmp_path: Path, ready: str, own: str, verdict: str
) -> None:
    made = pod({**C, "restartPolicy": own})
    made["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    box = {"metadata": {"name": "p", "uid": "uid-p", "namespace": "ns"}, "state": ready}
    (tmp_path / "sandboxes.json").write_text(json.dumps([{"status": box}]))
    more = ("--recorded", tmp_path / "sandboxes.json")
    assert items(run, made, LOST, directory=tmp_path, more=more)["c"]["verdict"] == verdict


def test_hc054_an_ephemeral_container_ends_with_a_pod_that_has_failed_by_what_is_lost(
    run: Run, tmp_path: Path
) -> None:
    made = shown("Never")
    del made["spec"]["initContainers"], made["status"]["initContainerStatuses"]
    made["spec"]["ephemeralContainers"] = [{"name": "e", "image": "i"}]
    made["status"]["ephemeralContainerStatuses"] = [running("e", NEW)]
    item = items(run, made, LOST, directory=tmp_path)["e"]
    assert (item["verdict"], item["reasons"][0]["id"]) == ("KILL", "HC054")
    assert "does not know the state of the others" in item["reasons"][0]["text"]


def test_hc054_what_is_lost_of_a_pod_that_restarts_as_a_whole_has_not_failed(
    run: Run, tmp_path: Path
) -> None:
    made = pod(C, spec={"restartPolicy": "Never"})
    conditions = [{"type": "AllContainersRestarting", "status": "True"}]
    made["status"] = {"phase": "Running", "containerStatuses": [running("c")], "conditions": conditions}
    assert items(run, made, LOST, directory=tmp_path)["c"]["verdict"] == "RESTART"


def test_hc054_a_never_pod_goes_on_while_another_of_its_containers_runs(run: Run, tmp_path: Path) -> None:
    row = {**record(None, container="c"), "id": OLD, "state": "CONTAINER_UNKNOWN"}
    predictions = items(run, shown("Never"), row, directory=tmp_path)
    assert (predictions["c"]["verdict"], predictions["s"]["verdict"]) == ("RESTART", "KEEP")


@pytest.mark.parametrize(("policy", "verdict"), [("Never", "KILL"), ("Always", "KEEP")])
def test_hc045_an_init_container_of_unknown_state_fails_a_never_pod(
    run: Run, tmp_path: Path, policy: str, verdict: str
) -> None:
    """It counts as ended with 137, by which the pod is Failed (1.36.5 ``getPhase``)."""
    made = ended_init(policy, {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, {})
    made["status"]["initContainerStatuses"][1]["containerID"] = f"containerd://{OLD}"
    row = {**record(None, container="i"), "id": OLD, "state": "CONTAINER_UNKNOWN"}
    assert items(run, made, row, directory=tmp_path)["s"]["verdict"] == verdict


@pytest.mark.parametrize("state", ["CONTAINER_CREATED", 0])
def test_hc045_a_container_that_was_only_created_has_not_ended(run: Run, tmp_path: Path, state: Any) -> None:
    """``ShouldContainerBeRestarted`` (1.36.5): a kubelet starts another one whatever the restartPolicy."""
    predictions = items(run, shown("Never"), {**exited(), "state": state}, directory=tmp_path)
    assert (predictions["c"]["verdict"], predictions["s"]["verdict"]) == ("KEEP", "KEEP")
    snapshot = tmp_path / "snapshot.json"
    way = recorded(tmp_path, {**exited(), "state": state})
    assert run("snapshot", "-f", "-", *way, "--out", snapshot, stdin=as_json(shown("Never"))).code == 0
    again = run("plan", *WAY, "-f", snapshot, "-o", "json").items
    assert {item["container"]: item["verdict"] for item in again} == {"c": "KEEP", "s": "KEEP"}


@pytest.mark.parametrize(
    ("older", "newer", "verdicts"),
    [
        ("CONTAINER_RUNNING", "CONTAINER_EXITED", ("KEEP", "KILL")),
        ("CONTAINER_EXITED", "CONTAINER_RUNNING", ("RESTART", "UNKNOWN")),
    ],
)
@pytest.mark.parametrize("by", ["attempt", "createdAt"])
def test_the_newest_of_a_containers_attempts_counts(
    run: Run, tmp_path: Path, older: str, newer: str, verdicts: tuple[str, str], by: str
) -> None:
    """pkg/kubelet/container/runtime.go ``FindContainerStatusByName``, 1.36.5."""
    rows = [
        {**exited(identity, place if by == "attempt" else 0), "state": state}
        for place, (identity, state) in enumerate(((OLD, older), (NEW, newer)))
    ]
    if by == "createdAt":
        rows = [{**row, "createdAt": f"2026-01-0{place + 1}T00:00:00Z"} for place, row in enumerate(rows)]
    for given in (rows, rows[::-1]):
        predictions = items(run, shown("Never"), *given, directory=tmp_path)
        assert (predictions["c"]["verdict"], predictions["s"]["verdict"]) == verdicts


@pytest.mark.parametrize(
    ("policy", "code", "verdict"),
    [
        ("Never", 1, "KILL"),
        ("OnFailure", 0, "KILL"),
        ("OnFailure", 1, "KEEP"),
        ("OnFailure", None, "UNKNOWN"),
        ("Always", 0, "KEEP"),
    ],
)
def test_hc045_ephemeral_containers_end_with_the_last_regular_one(
    run: Run, policy: str, code: int | None, verdict: str
) -> None:
    made = pod(C, spec={"restartPolicy": policy, "ephemeralContainers": [{"name": "e", "image": "i"}]})
    ended = {"name": "c", "state": {"terminated": {} if code is None else {"exitCode": code}}}
    made["status"] = {
        "phase": "Running",
        "containerStatuses": [ended],
        "ephemeralContainerStatuses": [running("e", "e" * 64)],
    }
    predictions = run("plan", *WAY, "-f", "-", "-o", "json", stdin=as_json(made)).items
    (item,) = (prediction for prediction in predictions if prediction["container"] == "e")
    assert item["verdict"] == verdict


@pytest.mark.parametrize("left", [{}, {"containerStatuses": None, "startTime": None}])
def test_a_mirror_pod_whose_kubelet_never_reported_is_taken_to_run(run: Run, left: Json) -> None:
    made = mirror_pod(C, status={"phase": "Pending", **left})
    item = run(
        "plan", "--from", "1.35.8", "--to", "1.36.5", "-f", "-", "-o", "json", stdin=as_json(made)
    ).item
    assert (item["verdict"], item["reasons"][0]["id"]) == ("RESTART", "HC022")


def ended_init(policy: str, state: Json, init: Json, *, later: bool = False) -> Json:
    """Return a pod whose sidecar runs, and whose init container behind that is in a state."""
    behind = [{"name": "j", "image": "i"}] if later else []
    made = pod(
        C,
        spec={
            "restartPolicy": policy,
            "initContainers": [SIDECAR, {"name": "i", "image": "i", **init}, *behind],
        },
    )
    waiting: Json = {"waiting": {"reason": "PodInitializing"}}
    made["status"] = {
        "phase": "Pending",
        "containerStatuses": [{"name": "c", "state": waiting, "restartCount": 0}],
        "initContainerStatuses": [
            running("s", "c" * 64),
            {"name": "i", "state": state, "restartCount": 0},
            *({"name": container["name"], "state": waiting, "restartCount": 0} for container in behind),
        ],
    }
    return made


@pytest.mark.parametrize(
    ("policy", "state", "init", "verdict"),
    [
        ("Never", {"terminated": {"exitCode": 1}}, {}, "KILL"),
        ("Never", {"terminated": {"exitCode": 0}}, {}, "KEEP"),
        ("OnFailure", {"terminated": {"exitCode": 1}}, {}, "KEEP"),
        ("Always", {"terminated": {"exitCode": 1}}, {}, "KEEP"),
        ("Never", {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, {}, "KEEP"),
        ("Never", {"terminated": {}}, {}, "UNKNOWN"),
        ("Never", {"terminated": {"exitCode": 0, "reason": "OOMKilled"}}, {}, "KILL"),
        ("OnFailure", {"terminated": {"exitCode": 0, "reason": "OOMKilled"}}, {}, "KEEP"),
        ("Always", {"terminated": {"exitCode": 1}}, {"restartPolicy": "Never"}, "KILL"),
        ("Never", {"terminated": {"exitCode": 1}}, {"restartPolicy": "OnFailure"}, "KEEP"),
    ],
)
@pytest.mark.parametrize("later", [False, True])
def test_hc045_a_sidecar_ends_where_an_init_container_has_failed_for_good(
    run: Run, policy: str, state: Json, init: Json, verdict: str, *, later: bool
) -> None:
    """1.36.5 ``computeInitContainerActions``: the pod is killed."""
    way = ("--from", "1.35.8", "--to", "1.36.5")
    stdin = as_json(ended_init(policy, state, init, later=later))
    predictions = run("plan", *way, "-f", "-", "-o", "json", stdin=stdin).items
    assert [item["verdict"] for item in predictions if item["container"] == "s"] == [verdict]
    kept = run("snapshot", "-f", "-", stdin=stdin).out
    again = run("plan", *way, "-f", "-", "-o", "json", stdin=kept.encode()).items
    assert [item["verdict"] for item in again if item["container"] == "s"] == [verdict]


LATE = "1767240000"
"""Four hours after the record of ``beside``, in seconds since 1970."""


@pytest.mark.parametrize(
    ("place", "start", "recreated"),
    [
        pytest.param("n1", "2026-01-01T01:00:00Z", False, id="after the lists of its own node"),
        pytest.param("n1", "2025-12-31T23:00:00Z", True, id="before them"),
        pytest.param("n2", "2026-01-01T01:00:00Z", True, id="before those of the other node"),
    ],
)
def test_hc027_only_the_lists_of_its_own_node_show_that_a_pod_has_no_sandbox(
    run: Run, tmp_path: Path, place: str, start: str, recreated: bool
) -> None:
    """Nodes are asked one after the other, and the API server after all of them."""
    other, known, row = beside()
    later = pod(C, name="r", node="n2", metadata={"uid": "uid-r", "namespace": "ns"})
    later["status"] = {"phase": "Running", "containerStatuses": [running("c", "d" * 64)]}
    rows = row, {**record(1, "r"), "id": "d" * 64, "createdAt": f"{LATE}000000000"}
    given = pod(C, node=place)
    given["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    given["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = start
    other["spec"]["nodeName"] = "n1"
    (tmp_path / "sandboxes.json").write_text(json.dumps([known, sandbox("uid-r", "r")]))
    more = (*recorded(tmp_path, *rows), "--recorded", tmp_path / "sandboxes.json", "-o", "json")
    result = run("plan", *WAY, "-f", "-", *more, stdin=as_json(given, other, later))
    recreations = {item["pod"]: item["podRecreated"] for item in result.items}
    assert recreations == {"p": recreated, "q": False, "r": False}


@pytest.mark.parametrize(("after", "is_missed"), [(601, True), (599, False)])
def test_hc027_the_newest_pod_of_a_node_lacks_its_sandbox_where_later_containers_were_listed(
    run: Run, tmp_path: Path, after: int, *, is_missed: bool
) -> None:
    """Containers and sandboxes are listed one after the other, within minutes."""
    other, known, row = beside()
    known["status"]["createdAt"] = "1767225000000000000"
    row["createdAt"] = f"{1767225600 + after}000000000"
    other["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = "2026-01-01T00:10:02Z"
    given = pod(C)
    given["status"] = {"phase": "Running", "containerStatuses": [running("c")]}
    own = {**record(1), "id": OLD, "createdAt": "1767225600000000000"}
    (tmp_path / "sandboxes.json").write_text(json.dumps([known]))
    more = (*recorded(tmp_path, row, own), "--recorded", tmp_path / "sandboxes.json", "-o", "json")
    result = run("plan", *WAY, "-f", "-", *more, stdin=as_json(given, other))
    rules = {item["pod"]: [reason["id"] for reason in item["reasons"]] for item in result.items}
    assert (rules["p"] == ["HC027"]) is is_missed


@pytest.mark.parametrize(
    ("old", "new", "policy", "expected"),
    [
        ("1.6.13", "1.7.16", "Never", ("KILL", False)),
        ("1.6.13", "1.7.16", "Always", ("RESTART", True)),
        ("1.7.16", "1.8.15", "Never", ("RESTART", True)),
        ("1.4.12", "1.5.8", "Never", ("KILL", False)),
    ],
)
def test_hc027_a_never_pod_without_its_sandbox_starts_again_from_1_8_on(
    run: Run, tmp_path: Path, old: str, new: str, policy: str, expected: tuple[str, bool]
) -> None:
    """computePodContainerChanges up to 1.7.5 goes by the restartPolicy, computePodActions by the attempt."""

    def row(kind: str, name: str, at: int) -> Json:
        labels = {"io.kubernetes.docker.type": "podsandbox" if kind == "POD" else "container"}
        named = f"/k8s_{kind}_{name}_ns_uid-{name}_0"
        return {
            "Id": ids.get(kind + name, kind),
            "Names": [named],
            "Labels": labels,
            "State": "running",
            "Created": at,
        }

    ids = {"cp": OLD, "cq": NEW}
    rows = [row("c", "p", 1767225600), row("POD", "q", 1767225700), row("c", "q", 1767225701)]
    (tmp_path / "docker.json").write_text(json.dumps(rows))
    pods = [pod(C, name=name, spec={"restartPolicy": policy}) for name in ("p", "q")]
    for manifest, identity in zip(pods, (OLD, NEW), strict=True):
        manifest["status"] = {"phase": "Running", "containerStatuses": [running("c", identity)]}
    more = ("--from", old, "--to", new, "--recorded", tmp_path / "docker.json", "-o", "json")
    item = run("plan", *more, "-f", "-", stdin=as_json(*pods)).items[0]
    assert (item["verdict"], item["podRecreated"]) == expected
    assert item["reasons"][0]["id"] == "HC027"
