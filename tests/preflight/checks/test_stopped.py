"""PF-001: containers that run without a process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.dumps import (
    APP,
    GONE,
    POD_ROWS,
    SANDBOX,
    docker_row,
    dump,
    failed,
    findings,
    found,
    inspected,
    upgrade,
)

PROCESS = ("process", "4321")
RUNS = f"S\n0::/kubepods/poduid-p/{APP}\n"
TO = upgrade("1.22.17")


@pytest.mark.parametrize(
    ("process", "text"),
    [
        (GONE, "does not exist"),
        ([GONE, GONE], "does not exist"),
        (f"Z\n0::/{APP}\n", "is a zombie"),
        ("S\n0::/system.slice/ssh.service\n", "is another one, outside the container's cgroup"),
        ([RUNS.replace("S", "Z"), GONE], "does not exist"),
    ],
)
def test_pf001_a_container_without_its_process(process: Any, text: str) -> None:
    given = dump({PROCESS: process})
    shown = f"docker shows container {APP[:12]} as running, and its process 4321 {text}"
    assert found("PF-001", given, TO) == [("WARN", "ns/p/app", shown)]


@pytest.mark.parametrize("process", [RUNS, [GONE, RUNS], [RUNS, GONE], [failed(), RUNS]])
def test_pf001_a_process_that_was_seen_once(process: Any) -> None:
    assert found("PF-001", dump({PROCESS: process}), TO)[0][0] == "OK"


@pytest.mark.parametrize(
    "changes",
    [
        {("docker", f"inspect {APP}"): inspected(APP, 4321, paused=True)},
        {("docker", f"inspect {APP}"): inspected(APP, 0, running=False)},
        {("docker", f"inspect {APP}"): GONE},
        {
            ("docker", "list"): json.dumps(
                [POD_ROWS[0], {**POD_ROWS[1], "State": "exited", "Status": "Exited"}]
            )
        },
    ],
)
def test_pf001_paused_or_ended(changes: Any) -> None:
    assert found("PF-001", dump({PROCESS: GONE, **changes}), TO)[0][0] == "OK"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({PROCESS: failed()}, "ns/p/app: 4321: permission denied"),
        ({("docker", f"inspect {APP}"): failed("no answer within 10 s")}, "ns/p/app: inspect: no answer"),
        ({("docker", f"inspect {APP}"): "{"}, "ns/p/app: inspect: docker inspect"),
        ({("docker", f"inspect {APP}"): "[]"}, "ns/p/app: inspect: it has no State"),
        ({("docker", f"inspect {APP}"): '{"State":{"Running":true}}'}, "ns/p/app: inspect does not show"),
        ({PROCESS: GONE, ("processes", "all"): "1 0 S sh\n"}, "ns/p/app: no process of a container runtime"),
        ({("docker", "list"): failed()}, "list: permission denied"),
    ],
)
def test_pf001_unknown(changes: Any, reason: str) -> None:
    [(status, thing, text)] = found("PF-001", dump(changes), TO)
    assert (status, thing, text[: len(reason)]) == ("UNKNOWN", "", reason)


def test_pf001_without_a_list_of_processes_one_process_decides() -> None:
    assert found("PF-001", dump({PROCESS: GONE, ("processes", "all"): GONE}), TO)[0][0] == "WARN"


@pytest.mark.parametrize(
    ("version", "effect", "advice"),
    [
        ("20.10.0", "needs repeated attempts", f"docker stop {APP}"),
        ("19.03.15", "hangs", f"restart dockerd with live-restore set, then docker rm -f {APP}"),
        ("library-import", "hangs", f"restart dockerd with live-restore set, then docker rm -f {APP}"),
    ],
)
def test_pf001_is_an_error_where_the_plan_restarts_it(version: str, effect: str, advice: str) -> None:
    given = dump({PROCESS: GONE, ("docker", "version"): json.dumps({"Version": version})})
    planned = upgrade("1.22.17", restarts=lambda uid, name: (uid, name) == ("uid-p", "app"))
    [finding] = findings("PF-001", given, planned)
    assert (finding.status, finding.advice) == ("ERROR", advice)
    assert finding.text.endswith(f"; kubelet 1.22.17 kills it, because its hash changes, and that {effect}")
    kept = upgrade("1.22.17", restarts=lambda _uid, _name: False)
    assert found("PF-001", given, kept)[0][0] == "WARN"


def test_pf001_a_sandbox_and_what_nobody_planned() -> None:
    rows = [*POD_ROWS, docker_row("b" * 64, "by-hand")]
    changes: dict[Any, Any] = {
        ("docker", "list"): json.dumps(rows),
        ("docker", f"inspect {'b' * 64}"): inspected("b" * 64, 77),
        ("process", "77"): GONE,
        ("process", "4320"): GONE,
    }
    assert {row[:2] for row in found("PF-001", dump(changes), TO)} == {
        ("WARN", "by-hand"),
        ("WARN", "ns/p/POD"),
    }


def test_pf001_in_a_cri_runtime() -> None:
    named = {"io.kubernetes.pod.name": "p", "io.kubernetes.pod.namespace": "ns", "io.kubernetes.pod.uid": "u"}
    row = {"id": APP, "podSandboxId": SANDBOX, "metadata": {"name": "app"}, "state": 1, "labels": named}
    cri: dict[Any, Any] = {
        ("docker", "list"): GONE,
        ("cri", "version"): '{"runtimeName":"containerd","runtimeVersion":"1.6.20"}',
        ("cri", "containers"): json.dumps({"containers": [row]}),
        ("cri", f"inspect {APP}"): '{"info":{"pid":4321}}',
    }
    [finding] = findings("PF-001", dump({**cri, PROCESS: GONE}), TO)
    assert (finding.status, finding.object) == ("WARN", "ns/p/app")
    assert finding.text.startswith("containerd shows container")
    assert finding.advice == f"crictl stop {APP}; where that fails, restart the runtime"
    assert found("PF-001", dump(cri), TO)[0][0] == "OK"
    for inspect, reason in (
        ("{", "inspect: cri inspect"),
        ("[]", "inspect does not show"),
        (GONE, "inspect does"),
    ):
        [(status, _, text)] = found("PF-001", dump({**cri, ("cri", f"inspect {APP}"): inspect}), TO)
        assert (status, text[: len(f"ns/p/app: {reason}")]) == ("UNKNOWN", f"ns/p/app: {reason}")


def test_pf001_what_both_show_is_found_once() -> None:
    row = {"id": APP, "podSandboxId": SANDBOX, "metadata": {"name": "app"}, "state": 1}
    both: dict[Any, Any] = {("cri", "containers"): json.dumps({"containers": [row]}), PROCESS: GONE}
    assert [entry[:2] for entry in found("PF-001", dump(both), TO)] == [("WARN", "ns/p/app")]
