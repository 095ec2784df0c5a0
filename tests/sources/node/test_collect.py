"""Runtimes of a node without real ones: Docker in a few lines of Python, crictl as a shell script."""

from __future__ import annotations

import gc
import json
import os
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from hashcompat.sources import programs
from hashcompat.sources.node import cri
from hashcompat.sources.node import docker as daemon
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import hash_of, record

C: Json = {"name": "c", "image": "i"}
KUBELET = "1.9.11"


class Docker(socketserver.ThreadingUnixStreamServer):
    """A daemon with some API versions and rows; ``asked`` holds the paths of all requests."""

    daemon_threads = True

    def __init__(self, socket: Path, version: Json, rows: Any, code: int = 200) -> None:
        super().__init__(str(socket), Handler)
        self.answers, self.code, self.asked = {"/version": version}, code, list[str]()
        self.rows = rows


class Handler(BaseHTTPRequestHandler):
    server: Docker

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        body = json.dumps(self.server.answers.get(self.path, self.server.rows)).encode()
        self.send_response(200 if self.path == "/version" else self.server.code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: Any) -> None:
        """Stay quiet."""


@contextmanager
def docker(directory: Path, version: Json, rows: Any, code: int = 200) -> Iterator[Docker]:
    server = Docker(directory / "docker.sock", version, rows, code)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def row(value: int, name: str = "c") -> Json:
    """Return one container as Docker's list shows it."""
    labels = {
        "annotation.io.kubernetes.container.hash": f"{value:x}",
        "io.kubernetes.docker.type": "container",
    }
    return {"Id": "0", "Names": [f"/k8s_{name}_p_ns_uid-p_0"], "State": "running", "Labels": labels}


def verified(run: Run, *more: object) -> Result:
    return run("verify", "--kubelet", KUBELET, "-f", "-", "-o", "json", *more, stdin=as_json(pod(C)))


@pytest.mark.parametrize(
    ("offered", "spoken"),
    [
        ({"ApiVersion": "1.23"}, "1.23"),  # Docker 1.11
        ({"ApiVersion": "1.41", "MinAPIVersion": "1.12"}, "1.41"),  # Docker 20.10
        ({"ApiVersion": "1.52", "MinAPIVersion": "1.44"}, "1.52"),  # Docker 29
        ({"ApiVersion": "1.100", "MinAPIVersion": "1.44"}, "1.52"),
    ],
)
def test_docker_is_asked_in_the_older_version_of_both(
    run: Run, tmp_path: Path, offered: Json, spoken: str
) -> None:
    with docker(tmp_path, offered, [row(hash_of(run, KUBELET, C))]) as server:
        result = verified(run, "--runtime", "docker", "--runtime-endpoint", tmp_path / "docker.sock")
    assert (result.code, result.document["summary"]["reproduced"]) == (0, 1)
    assert server.asked == ["/version", f"/v{spoken}/containers/json?all=1"]


@pytest.mark.parametrize(
    ("offered", "code", "problem"),
    [
        (
            {"ApiVersion": "1.99", "MinAPIVersion": "1.60"},
            200,
            "Docker speaks API 1.60 and newer, this program only 1.52 and older",
        ),
        ({"Components": []}, 200, "whatever listens there is not Docker: /version has no ApiVersion"),
        *(
            (answer, 200, "whatever listens there is not Docker: /version has no such version")
            for answer in (
                {"ApiVersion": "one"},
                {"ApiVersion": "1"},
                {"ApiVersion": "1.41-rc1"},
                {"ApiVersion": "9" * 5000 + ".1"},
                {"ApiVersion": "1.41", "MinAPIVersion": 7},
                {"ApiVersion": "1.41", "MinAPIVersion": "old"},
            )
        ),
        ({"ApiVersion": "1.41"}, 500, 'Docker answered 500: {"message": "no"}'),
        ({"ApiVersion": "1.41"}, 200, "no kubelet's container in it"),
    ],
)
def test_a_docker_that_cannot_be_used_is_named(
    run: Run, tmp_path: Path, offered: Json, code: int, problem: str
) -> None:
    with docker(tmp_path, offered, {"message": "no"}, code):
        result = verified(run, "--runtime", "docker", "--runtime-endpoint", tmp_path / "docker.sock")
    assert (result.code, result.out, result.err) == (1, "", f"Error: {tmp_path}/docker.sock: {problem}\n")


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # requests-unixsocket2 leaves that socket to the collector
def test_a_socket_that_is_not_there(run: Run, tmp_path: Path) -> None:
    result = verified(run, "--runtime", "docker", "--runtime-endpoint", tmp_path / "docker.sock")
    assert (result.code, result.err) == (
        1,
        f"Error: {tmp_path}/docker.sock: cannot ask Docker: No such file or directory\n",
    )
    gc.collect(1)  # what this test left


def crictl(directory: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = directory / "crictl"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")


def test_crictl_is_asked_for_containers_then_for_each_sandbox(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    containers = json.dumps({"containers": [record(hash_of(run, KUBELET, C))]})
    pods = json.dumps({"items": [{"id": "a"}, {"id": "b"}]})
    answers = f"""*ps*) echo '{containers}' ;; *pods*) echo '{pods}' ;; *) echo '{{}}' ;;"""
    crictl(tmp_path, monkeypatch, f'echo "$@" >> {tmp_path}/asked\ncase $* in {answers} esac')
    result = verified(run, "--runtime", "cri", "--runtime-endpoint", "unix:///s")
    assert (result.code, result.document["summary"]["reproduced"]) == (0, 1)
    given = "--runtime-endpoint unix:///s --timeout 60s"
    asked = ["ps -a -o json", "pods -o json", "inspectp -o json a b"]
    assert (tmp_path / "asked").read_text().splitlines() == [f"{given} {words}" for words in asked]


@pytest.mark.parametrize("fails", [False, True])
def test_crictl_is_asked_how_containers_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """One of them may have been removed meanwhile, which is no reason to know nothing."""
    rows = [
        {
            "id": "a",
            "podSandboxId": "s",
            "metadata": {"name": "c", "attempt": 1},
            "state": "CONTAINER_EXITED",
        },
        {"id": "b", "podSandboxId": "s", "metadata": {"name": "c"}, "state": "CONTAINER_EXITED"},
        {"id": "d", "podSandboxId": "s", "metadata": {"name": "d"}, "state": "CONTAINER_EXITED"},
        {
            "id": "e",
            "podSandboxId": "s",
            "metadata": {"name": "d", "attempt": 1},
            "state": "CONTAINER_RUNNING",
        },
        "no container",
    ]
    shown = json.dumps({"status": {"id": "a", "exitCode": 1}})
    answers = f"""*ps*) echo '{json.dumps({"containers": rows})}' ;; *pods*) echo '{{}}' ;;
    *inspect*) echo "$@" >> {tmp_path}/asked; echo '{shown}'; exit {int(fails)} ;;"""
    crictl(tmp_path, monkeypatch, f"case $* in {answers} esac")
    documents = cri.documents("/s")
    assert (tmp_path / "asked").read_text().split("inspect ")[1] == "-o json a\n"
    assert documents[1:] == ([] if fails else [json.loads(shown)])


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ('echo WARN >&2; echo "unknown service" >&2; exit 1', "crictl ps failed: unknown service"),
        ("exit 1", "crictl ps failed: no message"),
        ("echo '{'", "crictl ps: line 2 column 1: not valid JSON"),
    ],
)
def test_what_crictl_says_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, problem: str
) -> None:
    crictl(tmp_path, monkeypatch, script)
    result = verified(run, "--runtime", "cri", "--runtime-endpoint", "/s")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: /s: {problem}")


@pytest.mark.parametrize(
    ("pods", "problem"),
    [
        ("[]", "want an object with a list of items"),
        ('{"items": 3}', "want an object with a list of items"),
        ('{"items": {"id": "a"}}', "want an object with a list of items"),
        ('{"items": [3]}', "an item without the id of a sandbox"),
        ('{"items": [{}]}', "an item without the id of a sandbox"),
        ('{"items": [{"id": 7}]}', "an item without the id of a sandbox"),
        ('{"items": [{"id": "--config=/etc/shadow"}]}', "an item without the id of a sandbox"),
    ],
)
def test_a_list_of_pods_that_is_not_crictl_s_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pods: str, problem: str
) -> None:
    crictl(tmp_path, monkeypatch, f"case $* in *pods*) echo '{pods}' ;; *) echo '{{}}' ;; esac")
    result = verified(run, "--runtime", "cri", "--runtime-endpoint", "/s")
    assert (result.code, result.out, result.err) == (1, "", f"Error: /s: crictl pods: {problem}\n")


@pytest.mark.parametrize("pods", ["{}", '{"items": null}', '{"items": []}'])
def test_a_node_without_pods_has_no_sandboxes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pods: str
) -> None:
    rows = json.dumps({"containers": [record(hash_of(run, KUBELET, C))]})
    crictl(tmp_path, monkeypatch, f"case $* in *ps*) echo '{rows}' ;; *) echo '{pods}' ;; esac")
    result = verified(run, "--runtime", "cri", "--runtime-endpoint", "/s")
    assert (result.code, result.document["summary"]["reproduced"]) == (0, 1)


def test_what_crictl_prints_without_end_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "LONGEST_TEXT", 1 << 20)
    crictl(tmp_path, monkeypatch, "yes >&2 & exec yes")
    result = verified(run, "--runtime", "cri", "--runtime-endpoint", "/s")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: /s: crictl ps: output of more than 1 MiB")


class Raw(socketserver.BaseRequestHandler):
    """Answers every request with the same bytes, however it is asked, and then waits to be done."""

    answer = b""
    done = threading.Event()

    def handle(self) -> None:
        self.request.recv(1 << 16)
        self.request.sendall(self.answer)
        self.done.wait(5)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{", "Docker does not answer within 0.3 s"),
        (b"HTTP/1.1 200 OK\r\nX: ", "Docker does not answer within 0.3 s"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\xff\xfe}}",
            "/version: line 1 column 2: not valid JSON",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: br\r\n\r\n12345",
            "the answer's Content-Encoding is 'br'; want gzip or none",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + b" " * 9999,
            "an answer of more than 4 KiB, the most that is read; ask for less of it",
        ),
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://a/\r\nContent-Length: 1\r\n\r\nx",
            "Docker answered 302: x",
        ),
        (b"SSH-2.0-OpenSSH\r\n", "cannot ask Docker: "),
    ],
    ids=["stuck body", "stuck headers", "not UTF-8", "encoding", "long", "redirect", "another protocol"],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_answer_that_is_not_docker_s_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, problem: str
) -> None:
    monkeypatch.setattr(daemon, "_TIMEOUT_SECONDS", 0.3 if "within 0.3 s" in problem else 60)
    monkeypatch.setattr(daemon, "LONGEST_TEXT", 4 << 10)
    monkeypatch.setattr(Raw, "answer", answer)
    monkeypatch.setattr(Raw, "done", threading.Event())
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "docker.sock"), Raw) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        result = verified(run, "--runtime", "docker", "--runtime-endpoint", tmp_path / "docker.sock")
        Raw.done.set()
        server.shutdown()
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: {tmp_path}/docker.sock: {problem}")
    gc.collect(1)  # what this test left


def test_without_crictl_files_are_the_way(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/none")
    result = verified(run, "--runtime", "cri", "--runtime-endpoint", "/s")
    problem = "crictl is not on the PATH; install it, or give files with --recorded"
    assert (result.code, result.err) == (1, f"Error: /s: cannot ask the runtime: {problem}\n")


def test_an_endpoint_alone_is_tried_as_both(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crictl(tmp_path, monkeypatch, "exit 1")
    with docker(tmp_path, {"ApiVersion": "1.41"}, [row(hash_of(run, KUBELET, C))]):
        result = verified(run, "--runtime-endpoint", tmp_path / "docker.sock")
    assert (result.code, result.document["summary"]["reproduced"]) == (0, 1)


def test_a_node_without_any_runtime(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from hashcompat.sources.node import live as runtime

    monkeypatch.setattr(runtime, "_RUNTIMES", {"docker": runtime._Runtime(lambda _: [], ("/none.sock",))})
    result = verified(run, "--runtime", "auto")
    problem = "Error: no container runtime at /none.sock; name its socket with --runtime-endpoint\n"
    assert (result.code, result.err) == (1, problem)
