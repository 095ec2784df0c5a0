"""Real processes of a fleet: the program, a Dask scheduler, workers, an S3 server, faults before it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from scripts.suites import stores
from tests.fleet.clusters import OLD, save
from tests.helpers.pods import listed, node
from tests.helpers.processes import free_port, running
from tests.helpers.program import ROOT
from tests.helpers.replicas import replicas

PATIENCE: Final = 90.0
"""Seconds in which anything has to happen."""


def environ(**more: str) -> dict[str, str]:
    """Return the environment of a process that can reach S3 and imports this checkout."""
    path = os.pathsep.join((str(stores.SITE), str(ROOT)))
    keys = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "testing")
    return {**os.environ, **keys, "AWS_DEFAULT_REGION": "us-east-1", "PYTHONPATH": path, **more}


def program(*words: object, **more: str) -> subprocess.Popen[str]:
    """Start the program."""
    command = [sys.executable, "-m", "hashcompat", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ(**more)
    )


def ran(*words: object, **more: str) -> tuple[int, str, str]:
    """Run the program to its end; return its exit code and what it printed."""
    process = program(*words, **more)
    out, err = process.communicate(timeout=6 * PATIENCE)
    return process.returncode, out, err


def many(directory: Path, number: int, pods: int = 60) -> Path:
    """Write files of clusters of different sizes, of which every tenth is damaged."""
    for place in range(number):
        content = json.dumps(listed(node(f"v{OLD}", "node-1"), *replicas(pods + place % 7, number=place)))
        save(directory, **{f"c{place:03}": content[:-20] if place % 10 == 9 else content})
    return directory


def until(there: Callable[[], Any]) -> Any:
    """Return what is there once something is."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := there():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def parts_in(out: Path) -> int:
    """Return how many inputs are answered."""
    return len(list((out / "_parts").glob("*.part")))


def workers_of(process: int, words: bytes = b"spawn_main") -> list[int]:
    """Return the processes of Dask's workers below a process: those that a nanny has started."""
    rows = [
        (int(path.name), *_parent_and_words(path))
        for path in Path("/proc").iterdir()
        if path.name.isdecimal() and (path / "cmdline").exists()
    ]
    below = {process}
    for _ in range(5):
        below |= {pid for pid, parent, _ in rows if parent in below}
    return sorted(pid for pid, _, command_line in rows if pid in below and words in command_line)


def planners_of(process: int) -> list[int]:
    """Return the processes in which the workers below a process have files planned."""
    return workers_of(process, b"engines.serve")


def _parent_and_words(path: Path) -> tuple[int, bytes]:
    try:
        stat = (path / "stat").read_text()
        return int(stat.rpartition(")")[2].split()[1]), (path / "cmdline").read_bytes()
    except OSError:
        return 0, b""


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _listens(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def scheduler(port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Dask scheduler."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    words = ["--port", str(port), "--no-dashboard", "--no-show"]
    with running([*command, *words], log, environ()) as process:
        until(lambda: _listens(port))
        yield process


@contextmanager
def workers(port: int, log: Path, number: int = 2) -> Iterator[subprocess.Popen[bytes]]:
    """Run workers with a nanny each, which starts a worker again that died."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}"]
    words = ["--nworkers", str(number), "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    with running([*command, *words, "--local-directory", str(log.parent)], log, environ()) as process:
        yield process


@contextmanager
def s3(log: Path) -> Iterator[str]:
    """Run an S3 server with the bucket ``clusters``; give its URL."""
    stores.site()
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with running(command, log, environ()):
        until(lambda: _listens(port))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("PUT", "/clusters", headers={"Authorization": _AUTHORIZATION})
        assert connection.getresponse().status == 200
        yield f"http://127.0.0.1:{port}"


_AUTHORIZATION: Final = (
    "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
)


def of_s3(url: str) -> dict[str, str]:
    """Return the variables by which fsspec finds an S3 server."""
    return {"FSSPEC_S3_ENDPOINT_URL": url}


Fault = Callable[["_Handler", bytes], bool]
"""Answers a request in the server's place, if it returns true; it is given the answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: str
    fault: Fault

    def _pass(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        connection = http.client.HTTPConnection(self.upstream.partition("//")[2], timeout=PATIENCE)
        connection.request(self.command, self.path, body, dict(self.headers.items()))
        response = connection.getresponse()
        content = response.read()
        if type(self).fault(self, content):
            return
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                self.send_header(name, value)
        size = response.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", size or "0")
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass  # noqa: N815 - names of http.server

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def before(url: str, fault: Fault) -> Iterator[str]:
    """Run a proxy before an S3 server that has faults; give its URL."""
    handler = type("Handler", (_Handler,), {"upstream": url, "fault": staticmethod(fault)})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def slow_down(handler: Any, _: bytes) -> bool:
    """Answer as S3 does to a client that asks too much."""
    text = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
    handler.send_response(503)
    handler.send_header("Content-Type", "application/xml")
    handler.send_header("Content-Length", str(len(text)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(text)
    return True


def cut(handler: Any, content: bytes) -> bool:
    """Send half of an answer, and close the connection."""
    handler.send_response(206 if "Range" in handler.headers else 200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True
    return True


def ran_python(code: str, *words: str) -> str:
    """Run some Python that can reach S3; return what it prints, on stderr too."""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, env=environ(), capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
