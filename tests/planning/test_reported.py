"""What a runtime reports counts before what an API server shows: containers that ended, or were replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import record, recorded

C: Json = {"name": "c", "image": "i"}
SIDECAR: Json = {"name": "s", "image": "i", "restartPolicy": "Always"}
WAY = ("--from", "1.36.4", "--to", "1.36.5")
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
    assert "surprise" not in result.out.lower().replace("no surprises", "").replace("0 surprises", "")
    told = run(*after, *recorded(tmp_path, exited()), stdin=as_json(upgraded, given))
    assert "not as predicted" not in told.out


@pytest.mark.parametrize(
    ("policy", "spec", "verdict"),
    [
        ("Never", {}, "KILL"),
        ("OnFailure", {}, "KEEP"),
        ("Always", {}, "KEEP"),
        ("Never", {"restartPolicy": "Always"}, "KEEP"),
        ("Never", {"restartPolicyRules": [{"action": "Restart"}]}, "KEEP"),
    ],
)
def test_hc045_sidecars_end_with_the_last_container_of_a_never_pod(
    run: Run, tmp_path: Path, policy: str, spec: Json, verdict: str
) -> None:
    given = shown(policy, **spec)
    found = items(run, given, exited(), directory=tmp_path)
    assert (found["c"]["verdict"], found["s"]["verdict"]) == ("KEEP", verdict)


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
