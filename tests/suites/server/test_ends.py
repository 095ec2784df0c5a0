"""However the program ends, its kubectl ends with it, and nobody else may use the socket meanwhile."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers import faultproxy
from tests.helpers.program import SCRIPTS
from tests.helpers.realserver import ADMIN, Cluster, environment
from tests.helpers.slices import sliced

pytestmark = pytest.mark.server

Start = Callable[[], subprocess.Popen[str]]


def eventually(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def proxies(socket: Path) -> list[int]:
    """Return the processes that have this socket's path among their arguments."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(socket.parent).encode() in entry.read_bytes():
                pids.append(int(entry.parent.name))
        except OSError:
            continue  # it ended while we looked
    return pids


@pytest.fixture
def start(cluster: Cluster, tmp_path: Path) -> Iterator[Start]:
    """Start a plan of a cluster that answers slowly, with its own process group and temporary directory."""
    with faultproxy.running(cluster) as proxy:
        proxy.faults = {0: faultproxy.drip}
        kubeconfig = cluster.kubeconfig("drip", {"token": ADMIN}, server=proxy.url)
        variables = environment(kubeconfig, tmp_path) | {"TMPDIR": str(tmp_path)}
        heeding = [
            "env",
            "--default-signal=INT,HUP,TERM",
        ]  # shells start background jobs, such as whole test runs, with SIGINT ignored
        command = [*heeding, str(SCRIPTS / "hashcompat"), "plan", "--from", "auto", "--to", "1.36.0"]

        started: list[subprocess.Popen[str]] = []

        def call() -> subprocess.Popen[str]:
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                command, stdout=pipe, stderr=pipe, text=True, env=variables, process_group=0
            )
            started.append(process)
            return process

        yield call
        for process in started:
            process.kill()
            process.communicate()


def socket_of(tmp_path: Path) -> Path:
    assert eventually(lambda: bool(list(tmp_path.glob("hashcompat-*/api"))))
    (socket,) = tmp_path.glob("hashcompat-*/api")
    return socket


@pytest.mark.parametrize(
    "sent",
    sliced([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP], [signal.SIGKILL, signal.SIGINT]),
    ids=lambda sent: sent.name,
)
def test_kubectl_ends_with_the_program(start: Start, tmp_path: Path, sent: signal.Signals) -> None:
    process = start()
    socket = socket_of(tmp_path)
    assert proxies(socket)
    process.send_signal(sent)
    out, err = process.communicate(timeout=20)
    assert out == ""
    if sent is signal.SIGINT:
        assert (process.returncode, err.lstrip()) == (130, "Error: interrupted\n")
    assert eventually(lambda: not proxies(socket))
    assert eventually(lambda: not socket.parent.exists())


def test_ctrl_c_reaches_the_whole_group_and_is_still_130(start: Start, tmp_path: Path) -> None:
    process = start()
    socket = socket_of(tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err.lstrip()) == (130, "", "Error: interrupted\n")
    assert eventually(lambda: not proxies(socket))
    assert eventually(lambda: not socket.parent.exists())


def test_only_its_user_reaches_the_socket(start: Start, tmp_path: Path) -> None:
    start()
    socket = socket_of(tmp_path)
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("method", "path"),
    sliced(
        [
            ("GET", "/api/v1/secrets"),
            ("GET", "/api/v1/namespaces/a/pods/p/log"),
            ("GET", "/metrics"),
            ("GET", "/version/openapi"),
            ("DELETE", "/api/v1/nodes/node-a"),
            ("POST", "/api/v1/pods"),
        ],
        [
            ("GET", "/api/v1/secrets"),
            ("GET", "/api/v1/namespaces/a/pods/p/log"),
            ("DELETE", "/api/v1/nodes/node-a"),
        ],
    ),
)
def test_the_socket_passes_nothing_on_but_reads_of_pods_and_nodes(
    start: Start, cluster: Cluster, tmp_path: Path, method: str, path: str
) -> None:
    start()
    socket = socket_of(tmp_path)
    before = len(cluster.audited("admin"))
    asked = [
        "curl",
        "-s",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        "-X",
        method,
        "--unix-socket",
        str(socket),
        f"http://localhost{path}",
    ]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert answer == "403"
    assert {
        (event["verb"], event["objectRef"]["resource"]) for event in cluster.audited("admin")[before:]
    } <= {("list", "pods")}
