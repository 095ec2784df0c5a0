"""A proxy that spoils some answers of an API server: real TLS, real sockets, faults by request number."""

from __future__ import annotations

import http.client
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

from tests.helpers.realserver import Cluster

PASSED_ON = ("Authorization", "Accept", "Impersonate-User")
Fault = Callable[["Handler", http.client.HTTPResponse, bytes], None]


class Handler(BaseHTTPRequestHandler):
    """Passes one request on, and the answer back, whole or spoilt."""

    protocol_version = "HTTP/1.1"
    proxy: FaultProxy

    def do_GET(self) -> None:
        proxy = self.proxy
        proxy.paths.append(self.path)
        number = len(proxy.paths)
        if number in proxy.before:
            proxy.before[number]()
        response, body = self.upstream()
        fault = proxy.faults.get(number) or proxy.faults.get(0)
        try:
            (fault or whole)(self, response, body)
        except OSError:
            self.close_connection = True  # the client had enough

    def upstream(self) -> tuple[http.client.HTTPResponse, bytes]:
        trust = ssl.create_default_context(cafile=str(self.proxy.cluster.ca_file))
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.proxy.cluster.port, context=trust, timeout=60
        )
        connection.request(
            "GET",
            self.path,
            headers={name: value for name, value in self.headers.items() if name in PASSED_ON},
        )
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def begin(self, status: int, length: int, **more: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(length),
            **more,
        }.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def whole(handler: Handler, response: http.client.HTTPResponse, body: bytes) -> None:
    handler.begin(response.status, len(body))
    handler.wfile.write(body)


def cut(handler: Handler, response: http.client.HTTPResponse, body: bytes) -> None:
    """Promise everything, give half, hang up."""
    handler.begin(response.status, len(body))
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def reset(handler: Handler, _: http.client.HTTPResponse, __: bytes) -> None:
    """Hang up silently."""
    handler.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


def half_json(handler: Handler, _: http.client.HTTPResponse, body: bytes) -> None:
    """Give half as if it were all."""
    handler.begin(200, len(body) // 2)
    handler.wfile.write(body[: len(body) // 2])


def too_many(handler: Handler, _: http.client.HTTPResponse, __: bytes) -> None:
    handler.begin(429, 0, Retry_After="1")


def unavailable(handler: Handler, _: http.client.HTTPResponse, __: bytes) -> None:
    text = b"<html>no upstream</html>"
    handler.begin(503, len(text), Content_Type="text/html")
    handler.wfile.write(text)


def drip(handler: Handler, response: http.client.HTTPResponse, body: bytes) -> None:
    """Give a byte now and then, which no socket's time-out notices."""
    handler.begin(response.status, len(body))
    for index in range(len(body)):
        handler.wfile.write(body[index : index + 1])
        time.sleep(0.2)


def empty_list(handler: Handler, _: http.client.HTTPResponse, __: bytes) -> None:
    """End the list in the middle, but say that something remains."""
    text = b'{"kind": "PodList", "apiVersion": "v1", "metadata": {"remainingItemCount": 7}, "items": []}'
    handler.begin(200, len(text))
    handler.wfile.write(text)


@dataclass
class FaultProxy:
    """What went through, and which request (0: all) meets which fault or action before it is passed on."""

    cluster: Cluster
    port: int = 0
    faults: Mapping[int, Fault] = field(default_factory=dict)
    before: Mapping[int, Callable[[], Any]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Print no error: a client that hangs up is what the tests want."""


@contextmanager
def running(cluster: Cluster, name: str = "127.0.0.1") -> Iterator[FaultProxy]:
    """Listen on the loopback with a certificate for ``name``."""
    proxy = FaultProxy(cluster)
    server = _Server(("127.0.0.1", 0), type("Bound", (Handler,), {"proxy": proxy}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    cluster.ca.issue_cert(name).configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    proxy.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
