"""Targets: what servers and programs answer (``sources``), over connections that hold prepared answers."""

from __future__ import annotations

import http.client
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPHeaderDict, HTTPResponse
from urllib3.exceptions import ProtocolError

from hashcompat.core.records.documents import from_node
from hashcompat.sources import cluster as live
from hashcompat.sources import http as urls
from hashcompat.sources import programs
from hashcompat.sources.cluster import kubeapi, kubectl
from hashcompat.sources.cluster.kubeapi import Client, list_all
from hashcompat.sources.node import cri, docker
from tests.suites.fuzz.places import on_disk
from tests.suites.fuzz.target import Form, Target, fields, replaced, sometimes

_SEPARATOR = b"\n=====\n"
"""Between two answers of an input."""

_SECONDS = 30
_TRIES = 8
"""Answers that a server gives, and then no more."""


class _Socket:
    """A connection on which bytes are waiting."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _: str) -> io.BytesIO:
        return io.BytesIO(self._data)


def answer(data: bytes) -> HTTPResponse:
    """Return an HTTP answer as urllib3 does; raises its ProtocolError for what is not one."""
    raw = http.client.HTTPResponse(_Socket(data), method="GET")  # type: ignore[arg-type]  # all that it uses
    try:
        raw.begin()
    except (http.client.HTTPException, ValueError, OSError) as error:  # as connectionpool.py does
        raise ProtocolError("Connection aborted.", error) from None
    return HTTPResponse(
        body=raw,
        headers=HTTPHeaderDict(raw.msg.items()),
        status=raw.status,
        version=raw.version,
        reason=raw.reason,
        preload_content=False,
        original_response=raw,
    )


def page(body: bytes) -> HTTPResponse:
    """Return an answer with this body; its headers are those of a server that is well."""
    return HTTPResponse(io.BytesIO(body), HTTPHeaderDict(), HTTPStatus.OK, preload_content=False)


class _Answers:
    """A server that gives prepared answers in order; of a pool of connections it has what clients use."""

    def __init__(self, answers: list[bytes], made: Callable[[bytes], HTTPResponse]) -> None:
        self._answers = iter(answers[:_TRIES])
        self._made = made

    def urlopen(self, *_: Any, **__: Any) -> HTTPResponse:
        data = next(self._answers, None)
        if data is None:
            raise ProtocolError("Connection aborted.", ConnectionResetError(104, "Connection reset by peer"))
        return self._made(data)


def _parts(data: bytes) -> list[bytes]:
    return data.split(_SEPARATOR)


@contextmanager
def _at_once(module: Any, again: int = 1) -> Iterator[None]:
    """Ask without a thread, without pauses and, where there are several tries, ``again`` at the most."""
    policy = getattr(module, "_POLICY", None)
    tries = replaced(module, "_POLICY", policy.new(total=again)) if policy else nullcontext()
    with tries, replaced(module, "before", lambda _, ask: ask()), replaced(time, "sleep", lambda _: None):
        yield


def _client(answers: list[bytes], made: Callable[[bytes], HTTPResponse]) -> Client:
    pool: Any = _Answers(answers, made)
    return Client(pool, _SECONDS)


def _api_answer(data: bytes) -> None:
    """Ask an API server once."""
    with _at_once(kubeapi, again=int(sometimes(data, 4))):
        assert isinstance(_client(_parts(data), answer).get("/api/v1/pods"), dict)


def _pages(data: bytes) -> None:
    """Read a list page by page."""
    with _at_once(kubeapi, again=0):
        list_all(_client(_parts(data), page), "/api/v1/pods", {}, dict, lambda _: None)


def _cluster(data: bytes) -> None:
    """Read pods, and then nodes, from an API server's pages."""
    connect = partial(_connected, _client(_parts(data), page))
    target = replaced(kubectl, "target", lambda _: ("", ""))
    with _at_once(kubeapi, again=0), replaced(live, "connect", connect), target:
        inventory = live.collect(live.Access(), live.ReadScope(), lambda _: None, lambda _: None)
    assert list(inventory.pods)


@contextmanager
def _connected(client: Client, *_: object) -> Iterator[Client]:
    yield client


_PREPARE = requests.Session.prepare_request


@lru_cache(maxsize=1024)
def _asked(url: str) -> requests.PreparedRequest:
    return _PREPARE(requests.Session(), requests.Request("GET", url))


def _sent(answers: list[bytes]) -> replaced:
    """Let sessions get prepared answers; what they do before they send takes longer than reading these."""
    left = iter(answers[:_TRIES])

    def get(self: requests.Session, url: str, **_: object) -> requests.Response:
        request = _asked(url)
        adapter = self.get_adapter(url)
        assert isinstance(adapter, HTTPAdapter)
        try:
            return adapter.build_response(request, answer(next(left, b"")))
        except ProtocolError as error:  # as requests does
            raise requests.ConnectionError(error, request=request) from None

    return replaced(requests.Session, "get", get)


def _download(data: bytes) -> None:
    """Download from a URL, which is the first line, along its redirects."""
    url, rest = fields(data, 2)
    assert "@" not in urls.label(url).partition("://")[2].partition("/")[0]
    with _at_once(urls), _sent(_parts(rest.encode(errors="surrogateescape"))):
        assert len(urls.download(url, 1 << 20)) <= 1 << 20


def _docker(data: bytes) -> None:
    """Ask Docker for its version and its containers."""
    with _at_once(docker), _sent(_parts(data)):
        documents = docker.documents("/var/run/docker.sock")
    list(from_node(documents))


@contextmanager
def _printed(module: Any, outputs: list[bytes]) -> Iterator[None]:
    """Let a program print what is prepared."""
    left = iter(outputs)
    printed: Callable[..., bytes] = lambda *_, **__: next(left, b"")  # noqa: E731
    with replaced(module, "programs", _Programs(printed)):
        yield


class _Programs(SimpleNamespace):
    """Stands for the module that runs programs."""

    def __init__(self, output: Callable[..., bytes]) -> None:
        super().__init__(
            output=output, ExitCodeError=programs.ExitCodeError, find=lambda name: f"/usr/bin/{name}"
        )


def _crictl(data: bytes) -> None:
    """Ask a runtime through crictl."""
    with _printed(cri, _parts(data)):
        documents = cri.documents("/run/containerd/containerd.sock")
    list(from_node(documents))


def _kubectl(data: bytes) -> None:
    """Read what kubectl prints of its configuration, and what its plugins say."""
    with _printed(kubectl, [data]):
        context, server = kubectl.target(())
    assert isinstance(context, str)
    assert isinstance(server, str)
    said: list[str] = []
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace")
    listener = kubectl._Listener(said.append)
    listener.read(stream, threading.Event())  # without its thread
    listener.release()
    assert all(len(line) <= kubectl._LONGEST_LINE for line in said)


def _account(data: bytes) -> None:
    """Read a pod's own way to the API server: host and port from its environment, the token from its file."""
    host, port, token = fields(data, 3)
    environment = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
    path = on_disk(token.encode(errors="surrogateescape"), "token")
    with replaced(kubectl, "ACCOUNT", path.parent):
        assert kubectl.token().isascii()
        assert kubectl.server(environment).startswith("https://")
        kubectl.connections(environment).close()


_STATUS = tuple(f"HTTP/1.1 {status.value} {status.phrase}" for status in HTTPStatus)
_HTTP = (
    *_STATUS,
    "Content-Length: ",
    "Content-Encoding: gzip",
    "Transfer-Encoding: chunked",
    "Retry-After: ",
)

TARGETS = (
    Target(
        "api-answer", _api_answer, ("sources/http", "sources/cluster/kubeapi"), Form.TEXT, 512, words=_HTTP
    ),
    Target("api-pages", _pages, ("sources/cluster/kubeapi",), Form.TEXT, 512),
    Target(
        "cluster",
        _cluster,
        ("sources/cluster/__init__", "sources/cluster/kept", "sources/cluster/kubeapi"),
        Form.TEXT,
        1536,
    ),
    Target("download", _download, ("sources/http",), Form.TEXT, 512, words=_HTTP),
    Target("docker", _docker, ("sources/node/docker", "sources/http"), Form.TEXT, 1024, words=_HTTP),
    Target("crictl", _crictl, ("sources/node/cri",), Form.TEXT, 1536),
    Target("kubectl", _kubectl, ("sources/cluster/kubectl",), Form.TEXT, 512, raises=()),
    Target("service-account", _account, ("sources/cluster/kubectl",), Form.TEXT, 128),
)
