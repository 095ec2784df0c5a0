"""The three hazards of containers, made to happen in real runtimes, found, and removed as advised."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hashcompat.sources.node import live
from tests.helpers import daemons
from tests.helpers.daemons import IMAGE
from tests.helpers.dumps import as_text
from tests.helpers.program import Run
from tests.suites.runtime.lab import RELEASES, Lab, advice, lab, statuses

pytestmark = pytest.mark.runtime

CHECKPOINT = (
    '{"version":"v1","name":"orphan","namespace":"ns","data":{"host_network":true},"checksum":996107268}'
)
EXIT = {"ERROR": 2, "WARN": 0, "INFO": 0}


@pytest.fixture(scope="module")
def made() -> Iterator[Lab]:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        lab(Path(directory)) as instance,
    ):
        yield instance


@pytest.fixture(autouse=True)
def _clean(made: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATH", f"{made.node.crictl.parent}:/usr/bin:{os.environ['PATH']}")
    yield
    if not made.containerd_answers():  # a test failed while it was stopped
        made.start_containerd()
    daemons.remove_containers(made.node)
    made.node.cri("rmp", "--all", "--force")


def severities(made: Lab, run: Run, kind: str, check: str) -> dict[str, str]:
    """Read the node once, and return how bad a kubelet of each release finds it, with the exit codes."""
    socket = made.node.docker_socket if kind == "docker" else made.node.containerd_socket
    file = made.node.directory / "dump.json"
    file.write_text(as_text(live.collect(kind, str(socket), str(made.root))))
    status_by_release = {}
    for release in RELEASES:
        result = run("preflight", "--to", release, "--dump", file, "-o", "json")
        [(status, _)] = statuses(result)[check]
        others = {item["status"] for item in result.document["items"] if item["id"] != check}
        assert result.code == EXIT[status] or others & {"UNKNOWN", "ERROR"}
        status_by_release[release] = status
    return status_by_release


ORPHANED = dict(zip(RELEASES, ("WARN", "ERROR", "ERROR", "WARN", "WARN", "WARN"), strict=True))


@pytest.mark.full
def test_an_orphan_in_docker(made: Lab, run: Run) -> None:
    sandbox, app = made.docker_pod("orphan")
    made.docker_pod("healthy")
    assert statuses(made.preflight(run, "docker", "1.22.17")) == {}
    made.node.docker("rm", "-f", sandbox)
    assert sandbox not in made.node.docker("ps", "-aq", "--no-trunc").split()
    for release in ("1.18.0", "1.23.13"):  # 1.23.13 is read as it is, though nobody has its module
        result = made.preflight(run, "docker", release)
        assert statuses(result) == {"PF-000": [("ERROR", "ns/orphan/app")]}
    assert severities(made, run, "docker", "PF-000") == ORPHANED
    file = made.checkpoints / sandbox
    file.write_text(CHECKPOINT)
    assert statuses(made.preflight(run, "docker", "1.22.17")) == {"PF-000": [("INFO", "ns/orphan/app")]}
    for broken in (CHECKPOINT.replace("true", "false"), CHECKPOINT[:40], ""):
        file.write_text(broken)
        assert statuses(made.preflight(run, "docker", "1.22.17")) == {"PF-000": [("ERROR", "ns/orphan/app")]}
    file.unlink()
    command = re.search(r"docker (rm -f \S+?)[;,]", advice(result, "PF-000"))
    assert command is not None
    assert app in command[1]
    made.node.docker(*command[1].split())
    assert statuses(made.preflight(run, "docker", "1.22.17")) == {}


def test_an_orphan_in_containerd(made: Lab, run: Run) -> None:
    app = made.cri_pod("orphan")
    made.cri_pod("healthy")
    assert statuses(made.preflight(run, "cri", "1.22.17")) == {}
    sandbox = made.cri_info(app)["sandboxID"]
    made.ctr("k8s.io", "tasks", "kill", "-s", "KILL", sandbox)
    time.sleep(1)
    made.ctr("k8s.io", "containers", "rm", sandbox)
    made.stop_containerd()
    made.start_containerd()
    assert sandbox not in made.node.cri("pods", "-q", "--no-trunc").split()
    assert app in made.node.cri("ps", "-a", "-q", "--no-trunc").split()
    result = made.preflight(run, "cri", "1.22.17")
    assert statuses(result)["PF-000"] == [("ERROR", "ns/orphan/app")]
    assert severities(made, run, "cri", "PF-000") == ORPHANED
    assert advice(result, "PF-000").endswith(f"crictl rm -f {app}")
    made.node.cri("rm", "-f", app)
    assert statuses(made.preflight(run, "cri", "1.22.17")) == {}


@contextmanager
def lost_exit(made: Lab, pid: int) -> Iterator[None]:
    """Kill a process while containerd does not run, for so long that its shim gives up on the event."""
    made.stop_containerd()
    os.kill(pid, signal.SIGKILL)
    time.sleep(17)
    made.start_containerd()
    yield


@pytest.mark.full
def test_a_container_without_a_process_in_docker(made: Lab, run: Run) -> None:
    _, app = made.docker_pod("stopped")
    made.docker_pod("healthy")
    assert statuses(made.preflight(run, "docker", "1.24.17")) == {}
    with lost_exit(made, made.docker_pid(app)):
        assert re.search(rf"{app} +\d+ +STOPPED", made.ctr("moby", "tasks", "ls"))
        assert made.node.docker("ps", "-f", f"id={app}", "--format", "{{.Status}}").startswith("Up")
        result = made.preflight(run, "docker", "1.24.17")
        assert statuses(result) == {"PF-001": [("WARN", "ns/stopped/app")]}
        assert set(severities(made, run, "docker", "PF-001").values()) == {"WARN"}
        assert advice(result, "PF-001") == f"docker stop {app}"
        made.node.docker("stop", app)
        assert statuses(made.preflight(run, "docker", "1.24.17")) == {}


@pytest.mark.full
def test_a_paused_container_has_a_process(made: Lab, run: Run) -> None:
    _, app = made.docker_pod("paused")
    made.node.docker("pause", app)
    assert statuses(made.preflight(run, "docker", "1.22.17")) == {}
    made.node.docker("unpause", app)


HANGS = dict(zip(RELEASES, ("ERROR",) * 4 + ("WARN",) * 2, strict=True))


@contextmanager
def stuck(made: Lab, app: str) -> Iterator[int]:
    """Stop a container's shim, and have Docker wait for it with the container's lock; yield the shim."""
    shim = made.shim(app)
    os.kill(shim, signal.SIGSTOP)
    command = ["/usr/bin/docker", "-H", f"unix://{made.node.docker_socket}", "kill", app]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killing:
        try:
            time.sleep(2)
            inspect = ["/usr/bin/docker", "-H", f"unix://{made.node.docker_socket}", "inspect", app]
            with pytest.raises(subprocess.TimeoutExpired):
                subprocess.run(inspect, capture_output=True, timeout=3, check=False)
            yield shim
        finally:
            with suppress(ProcessLookupError):  # it ends with its container
                os.kill(shim, signal.SIGCONT)
            killing.wait(timeout=30)


@pytest.mark.full
def test_a_container_that_hangs_docker(made: Lab, run: Run) -> None:
    _, app = made.docker_pod("stuck")
    made.docker_pod("healthy")
    with stuck(made, app) as shim:
        begun = time.monotonic()
        result = made.preflight(run, "docker", "1.22.17")
        assert 10 <= time.monotonic() - begun < 15
        findings = statuses(result)
        assert findings["PF-003"] == [("ERROR", "ns/stuck/app")]
        assert [status for status, _ in findings.get("PF-001", [("UNKNOWN", "")])] == ["UNKNOWN"]
        assert advice(result, "PF-003").startswith(f"kill -CONT {shim} (containerd-shim")
        assert severities(made, run, "docker", "PF-003") == HANGS
        os.kill(shim, signal.SIGCONT)
        time.sleep(1)
        assert statuses(made.preflight(run, "docker", "1.22.17")) == {}


@pytest.mark.full
def test_a_container_without_a_cgroup_that_hangs_docker(made: Lab, run: Run) -> None:
    name = "k8s_app_slow_ns_uid-slow_0"
    label = "--label=io.kubernetes.docker.type=container"
    app = made.node.docker(
        "create", "--runtime=slow", "--network=none", f"--name={name}", label, IMAGE
    ).strip()
    client = ["/usr/bin/docker", "-H", f"unix://{made.node.docker_socket}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*client, "start", app], **quiet) as starting:  # type: ignore[call-overload]
        time.sleep(2)
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run([*client, "inspect", app], capture_output=True, timeout=3, check=False)
        result = made.preflight(run, "docker", "1.22.17")
        assert statuses(result)["PF-003"] == [("WARN", "ns/slow/app")]
        shim = made.shim(app)
        assert advice(result, "PF-003") == f"kill -9 {shim} (containerd-shim-runc-v2)"
        os.kill(shim, signal.SIGKILL)
        assert starting.wait(timeout=60) != 0
    assert "PF-003" not in statuses(made.preflight(run, "docker", "1.22.17"))


@pytest.mark.full
def test_sixty_containers_in_docker(made: Lab, run: Run) -> None:
    pods = [made.docker_pod(f"p{number}") for number in range(30)]
    begun = time.monotonic()
    assert statuses(made.preflight(run, "docker", "1.22.17")) == {}
    assert time.monotonic() - begun < 15
    with stuck(made, pods[7][1]):
        begun = time.monotonic()
        result = made.preflight(run, "docker", "1.22.17")
        assert time.monotonic() - begun < 15
        assert statuses(result)["PF-003"] == [("ERROR", "ns/p7/app")]


@pytest.mark.full
def test_containers_that_hang_containerd(made: Lab, run: Run) -> None:
    apps = [made.cri_pod(f"p{number}") for number in range(30)]
    assert statuses(made.preflight(run, "cri", "1.22.17")) == {}
    info = made.cri_info(apps[3])
    shim = made.shim(info["sandboxID"])
    os.kill(shim, signal.SIGSTOP)
    try:
        asked = [str(made.node.crictl), f"--runtime-endpoint=unix://{made.node.containerd_socket}"]
        command = [*asked, "--timeout=60s", "stats", "--id", apps[3]]
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=3, check=False)
        begun = time.monotonic()
        result = made.preflight(run, "cri", "1.22.17")
        assert time.monotonic() - begun < 15
        assert statuses(result) == {"PF-003": [("WARN", "ns/p3/app")]}
        assert set(severities(made, run, "cri", "PF-003").values()) == {"WARN"}
        assert advice(result, "PF-003").startswith(f"kill -CONT {shim} (containerd-shim")
        os.kill(info["pid"], signal.SIGKILL)  # its shim does not see that it ended
        time.sleep(1)
        assert apps[3] in made.node.cri("ps", "--state", "running", "-q", "--no-trunc").split()
        result = made.preflight(run, "cri", "1.33.13")
        assert statuses(result)["PF-001"] == [("WARN", "ns/p3/app")]
    finally:
        os.kill(shim, signal.SIGCONT)
    time.sleep(1)
    assert statuses(made.preflight(run, "cri", "1.22.17")) == {}
