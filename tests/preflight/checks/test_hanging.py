"""PF-003: containers for which a runtime does not answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.core.records.probes import NOT_COLLECTED
from tests.helpers.dumps import APP, GONE, SANDBOX, dump, failed, findings, found, upgrade

LATE = failed("no answer within 10 s")
STUCK = {("docker", f"inspect {APP}"): LATE}
NO_CGROUP = {("cgroups", "all"): f"/kubepods/poduid-p/{SANDBOX}\n"}


@pytest.mark.parametrize(
    ("to", "changes", "status"),
    [
        ("1.17.17", {}, "ERROR"),
        ("1.23.17", {}, "ERROR"),
        ("1.24.17", {}, "WARN"),
        ("1.33.13", {}, "WARN"),
        ("1.22.17", NO_CGROUP, "WARN"),
        ("1.22.17", {("cgroups", "all"): failed()}, "ERROR"),
    ],
)
def test_pf003_a_container_that_hangs_docker(to: str, changes: Any, status: str) -> None:
    [(severity, thing, text)] = found("PF-003", dump({**STUCK, **changes}), upgrade(to))
    assert (severity, thing) == (status, "ns/p/app")
    assert text.startswith(f"docker does not answer for container {APP[:12]}: ")
    unread = changes.get(("cgroups", "all")) == failed()
    assert text.endswith("whether it has a cgroup is unknown") == unread


def test_pf003_in_order() -> None:
    assert found("PF-003", dump(), upgrade("1.22.17"))[0][0] == "OK"


@pytest.mark.parametrize(
    ("shim", "state", "advice"),
    [
        (f"/usr/bin/containerd-shim-runc-v2\n-namespace\nmoby\n-id\n{APP}\n", "T", "kill -CONT 55"),
        (f"containerd-shim\n-workdir\n/var/lib/containerd/moby/{APP}\n", "S", "kill -9 55"),
        (f"containerd-shim\n-id\n{SANDBOX}\n", "T", f"find its shim with ps -ef | grep {APP}"),
        ("", "S", f"find its shim with ps -ef | grep {APP}"),
    ],
)
def test_pf003_the_shim_decides_what_to_do(shim: str, state: str, advice: str) -> None:
    processes = f"1 0 S systemd\n55 1 {state} containerd-shim\nbroken\n"
    given = dump({**STUCK, ("arguments", "55"): shim, ("processes", "all"): processes})
    assert findings("PF-003", given, upgrade("1.22.17"))[0].advice.startswith(advice)


def test_pf003_a_list_that_hangs_stops_the_node() -> None:
    rows = found("PF-003", dump({("docker", "list"): LATE}), upgrade("1.22.17"))
    assert [row[0] for row in rows] == ["ERROR", "UNKNOWN"]
    assert "the node stays NotReady" in rows[0][2]


def test_pf003_another_problem_is_unknown() -> None:
    given = dump({("docker", f"inspect {APP}"): failed("Docker answered 500: no")})
    assert found("PF-003", given, upgrade("1.22.17")) == [
        ("UNKNOWN", "", "ns/p/app: Docker answered 500: no")
    ]


ROW = {"id": APP, "podSandboxId": SANDBOX, "metadata": {"name": "app"}, "state": "CONTAINER_RUNNING"}
CRI: dict[Any, Any] = {
    ("docker", "list"): GONE,
    ("cri", "containers"): json.dumps({"containers": [ROW]}),
    ("cri", f"inspect {APP}"): '{"info":{"pid":4321}}',
    ("cri", f"stats {APP}"): '{"stats":[]}',
}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "OK"),
        ({("cri", f"stats {APP}"): GONE}, "OK"),
        ({("cri", f"stats {APP}"): failed(NOT_COLLECTED)}, "UNKNOWN"),
        ({("cri", f"stats {APP}"): LATE}, "WARN"),
        ({("cri", f"inspect {APP}"): LATE}, "WARN"),
        ({("cri", f"stats {APP}"): failed("crictl stats failed: no")}, "UNKNOWN"),
    ],
)
def test_pf003_in_a_cri_runtime(changes: Any, status: str) -> None:
    assert found("PF-003", dump({**CRI, **changes}), upgrade("1.22.17"))[0][0] == status


def test_pf003_a_cri_runtime_has_a_shim_a_sandbox() -> None:
    shim: dict[Any, Any] = {
        ("arguments", "700"): GONE,
        ("arguments", "55"): f"/usr/bin/containerd-shim-runc-v2\n-id\n{SANDBOX}\n",
        ("processes", "all"): "55 1 T containerd-shim\n56 1 S\n",
    }
    given = dump({**CRI, **shim, ("cri", f"stats {APP}"): LATE})
    advice = findings("PF-003", given, upgrade("1.22.17"))[0].advice
    assert advice == "kill -CONT 55 (containerd-shim-runc-v2)"


def test_pf003_docker_below_a_cri_runtime_hangs_too() -> None:
    rows = found("PF-003", dump({**CRI, ("docker", "list"): LATE}), upgrade("1.22.17"))
    assert [row[0] for row in rows] == ["ERROR"]
