"""Pages, retries and the end of a list, from a server on the loopback with prepared answers."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from urllib3 import HTTPConnectionPool, HTTPHeaderDict

from hashcompat.core.errors import InputError
from hashcompat.sources import documents
from hashcompat.sources.cluster import kubeapi
from hashcompat.sources.cluster.kubeapi import Client, StatusError, UnreachableError, list_all

Answer = tuple[int, bytes, dict[str, str]]
BAD_TOKEN: dict[str, Any] = {"continue": {"a": 1}}
GONE: Answer = (
    410,
    b'{"kind": "Status", "message": "The provided continue parameter is too old", "reason": "Expired"}',
    {},
)


def page(*names: str, more: str = "", **metadata: object) -> Answer:
    items = [{"metadata": {"name": name}} for name in names]
    body = {
        "kind": "PodList",
        "metadata": {**({"continue": more} if more else {}), **metadata},
        "items": items,
    }
    return 200, json.dumps(body).encode(), {}


@dataclass
class Server:
    """The answers still to be given, in order (the last one for ever), and what was asked."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    headers: list[HTTPHeaderDict] = field(default_factory=list)
    port: int = 0

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def client(self, timeout: float = 5, **more: Any) -> Client:
        return Client(HTTPConnectionPool("127.0.0.1", self.port), timeout, **more)


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told.asked.append(parse_qs(urlsplit(self.path).query))
            told.headers.append(HTTPHeaderDict(self.headers.items()))
            status, body, headers = told.next()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.port = listening.server_port
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    yield told
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses between tries, which are not slept; other threads sleep as they like."""
    pauses: list[float] = []
    tested, sleep = threading.get_ident(), time.sleep

    def pause(seconds: float) -> None:
        if threading.get_ident() == tested:
            pauses.append(seconds)
        else:
            sleep(seconds)

    monkeypatch.setattr("urllib3.util.retry.time.sleep", pause)
    return pauses


def listed(
    server: Server, query: dict[str, str] | None = None, seen: Callable[[int], None] = lambda _: None
) -> list[str]:
    return list_all(
        server.client(60), "/api/v1/pods", query or {}, lambda item: str(item["metadata"]["name"]), seen
    )


def test_a_token_that_is_no_text_is_sent_as_go_reads_it(server: Server) -> None:
    server.answers = [page("a", more="t\ud800"), page("b")]
    assert listed(server) == ["a", "b"]
    assert [query.get("continue") for query in server.asked] == [None, ["t\ufffd"]]


def test_pages_are_put_together_in_order(server: Server) -> None:
    server.answers = [page("a", "b", more="t1", remainingItemCount=2), page("c", more="t2"), page("d")]
    counts: list[int] = []
    assert listed(server, {"labelSelector": "app=x,!y"}, counts.append) == ["a", "b", "c", "d"]
    assert [query.get("continue") for query in server.asked] == [None, ["t1"], ["t2"]]
    assert all((query["limit"], query["labelSelector"]) == (["500"], ["app=x,!y"]) for query in server.asked)
    assert counts == [4]


def test_progress_is_told_page_by_page(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeapi, "PAGE", 2)
    server.answers = [page("a", "b", more="t"), page("c")]
    counts: list[int] = []
    listed(server, seen=counts.append)
    assert counts == [2, 3]


@pytest.mark.parametrize(
    "empty", [b'{"kind": "PodList", "items": null}', b'{"kind": "PodList", "metadata": {}, "items": []}']
)
def test_a_list_may_be_empty(server: Server, empty: bytes) -> None:
    server.answers = [(200, empty, {})]
    assert listed(server) == []


def test_a_page_in_the_middle_may_be_empty(server: Server) -> None:
    server.answers = [page("a", more="t"), page(more="u"), page("b")]
    assert listed(server) == ["a", "b"]


def test_an_expired_list_begins_anew_and_nothing_is_counted_twice(server: Server) -> None:
    server.answers = [page("a", more="t"), GONE, page("a", "b", more="u"), page("c")]
    assert listed(server) == ["a", "b", "c"]
    assert [query.get("continue") for query in server.asked] == [None, ["t"], None, ["u"]]


def test_a_list_that_expires_for_ever_is_an_error(server: Server) -> None:
    server.answers = [page("a", more="t"), GONE] * 9
    with pytest.raises(UnreachableError, match="expired 3 times"):
        listed(server)


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (
            [page("a", more="t"), page("b", remainingItemCount=4)],
            "the server ends the list although 4 objects remain",
        ),
        ([page("a", more="t")], "the same page again and again"),
        (
            [page("a", more="t1"), page("b", more="t2"), page("c", more="t1")],
            "the same page again and again",
        ),
        ([page("a", **BAD_TOKEN)], "metadata.continue is not the token of a next page"),
        ([page("a", more="t" * 20_000)], "metadata.continue is not the token of a next page"),
        ([page("a", remainingItemCount="many")], "metadata.remainingItemCount is not a number of objects"),
        ([(200, b'{"kind": "PodList", "items": [7]}', {})], r"\$.items\[0\]: want an object, got an integer"),
        ([(200, b'{"kind": "PodList", "items": [null]}', {})], r"\$.items\[0\]: want an object, got null"),
        ([(200, b'{"kind": ["List"], "items": []}', {})], "not a list but"),
        ([(206, page("a")[1], {})], r"\(HTTP 206\)"),
        ([(204, b"", {})], r"\(HTTP 204\)"),
        ([(200, b'{"kind": "Status"}', {})], "not a list but Status"),
        ([(200, b'{"items": []}', {})], "not a list but an object without kind"),
        ([(200, b'{"kind": "PodList", "items": {}}', {})], "not a list but PodList"),
    ],
)
def test_what_is_no_whole_list_is_an_error(server: Server, answers: list[Answer], says: str) -> None:
    server.answers = answers
    with pytest.raises(InputError, match=says):
        listed(server)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(server: Server, waits: list[float], status: int) -> None:
    server.answers = [(status, b"", {}), (status, b"", {}), page("a")]
    assert listed(server) == ["a"]
    assert waits == [0.4]  # the second try comes at once


def test_the_server_says_how_long_to_wait_within_reason(server: Server, waits: list[float]) -> None:
    server.answers = [(429, b"", {"Retry-After": "2"}), (503, b"", {"Retry-After": "86400"}), page("a")]
    assert listed(server) == ["a"]
    assert waits == [2.0, 30.0]


@pytest.mark.parametrize("wait", ["-5", "soon", "9" * 5000, "Mon, 99 Foo 99999 99:99:99 GMT", "", "1e9"])
def test_a_wait_that_is_not_one_is_passed_over(server: Server, waits: list[float], wait: str) -> None:
    server.answers = [(429, b"", {"Retry-After": wait}), (503, b"", {"Retry-After": wait}), page("a")]
    assert listed(server) == ["a"]
    assert all(0 <= pause <= 30 for pause in waits)


@pytest.mark.parametrize("wait", ["Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 2999 23:59:59 GMT"])
def test_a_wait_may_be_until_a_date(server: Server, waits: list[float], wait: str) -> None:
    server.answers = [(429, b"", {"Retry-After": wait}), page("a")]
    assert listed(server) == ["a"]
    assert waits in ([], [0.0], [30.0])


def test_pages_are_limited(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeapi, "_MOST_PAGES", 3)
    server.answers = [page("a", more="t1"), page("b", more="t2"), page("c")]
    assert listed(server) == ["a", "b", "c"]
    server.answers = [page(more=f"t{number}") for number in range(9)]
    with pytest.raises(InputError, match="/api/v1/pods: the server's list has more than 3 pages"):
        listed(server)


def test_the_time_for_a_list_is_limited(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeapi, "_LONGEST_SECONDS", -1)
    server.answers = [page("a", more="t1"), page("b")]
    with pytest.raises(UnreachableError, match="no end of the list within"):
        listed(server)


def test_an_answer_is_limited(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    body = page("a")[1]
    server.answers = [page("a")]
    monkeypatch.setattr(kubeapi, "LONGEST_TEXT", len(body))
    assert listed(server) == ["a"]
    server.answers = [(200, body + b" ", {})]
    with pytest.raises(InputError, match=f"^/api/v1/pods: an answer of more than {len(body)} bytes"):
        listed(server)


def test_an_answer_that_expands_is_limited(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeapi, "LONGEST_TEXT", 1 << 20)
    server.answers = [(200, gzip.compress(bytes(1 << 24)), {"Content-Encoding": "gzip"})]
    with pytest.raises(InputError, match="an answer of more than 1 MiB"):
        listed(server)
    server.answers = [(200, b"", {"Content-Encoding": "gzip, gzip"})]
    with pytest.raises(InputError, match=r"^/api/v1/pods: the answer's Content-Encoding is 'gzip, gzip'"):
        listed(server)


@pytest.mark.parametrize("status", [200, 403])
def test_an_answer_of_many_values_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(documents, "MOST_VALUES", 10)
    server.answers = [(status, b'{"kind": "PodList", "items": [' + b"{}," * 10 + b"{}]}", {})]
    with pytest.raises(InputError):
        listed(server)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 501])
def test_a_refusal_is_told_at_once_in_the_server_s_words(server: Server, status: int) -> None:
    server.answers = [(status, b'{"kind": "Status", "message": "not\\nyou"}', {"Location": "/elsewhere"})]
    with pytest.raises(StatusError, match=rf"^not you \(HTTP {status}\)$") as caught:
        listed(server)
    assert (caught.value.code, len(server.asked)) == (status, 1)


@pytest.mark.parametrize(
    ("body", "says"),
    [(b"<html>no</html>", "<html>no</html> (HTTP 502)"), (b"", "(HTTP 502)"), (b"[1]", "[1] (HTTP 502)")],
)
def test_a_server_that_stays_busy_is_an_error(
    server: Server, waits: list[float], body: bytes, says: str
) -> None:
    server.answers = [(502, body, {})]
    with pytest.raises(UnreachableError) as caught:
        listed(server)
    assert str(caught.value) == says
    assert (len(server.asked), waits) == (6, [0.4, 0.8, 1.6, 3.2])


@pytest.mark.parametrize("body", [b'{"kind": "PodLi', b"", b"[]", b"{} {}", b'{"a": 1, "a": 2}'])
def test_an_answer_that_is_no_json_object_is_asked_for_again(
    server: Server, waits: list[float], body: bytes
) -> None:
    server.answers = [(200, body, {}), page("a")]
    assert listed(server) == ["a"]
    assert waits == []


def test_an_answer_that_is_cut_short_is_asked_for_again(server: Server) -> None:
    whole = page("a")[1]
    server.answers = [(200, whole[:-5], {"Content-Length": str(len(whole))}), page("a")]
    assert listed(server) == ["a"]
    server.answers = [(200, whole[:-5], {"Content-Length": str(len(whole))})]
    with pytest.raises(UnreachableError):
        server.client(0.5).get("/")


@pytest.mark.slow
def test_one_time_out_holds_for_all_tries(server: Server) -> None:
    server.answers = [(503, b"later", {"Retry-After": "1"})]
    start = time.monotonic()
    with pytest.raises(UnreachableError, match="later"):
        server.client(timeout=1.5).get("/")
    assert time.monotonic() - start < 4


def drip(connection: socket.socket, head: bytes, pause: float) -> None:
    """Send an answer's first bytes at once and then a byte now and then, without ever completing it."""
    with connection, contextlib.suppress(OSError):
        connection.recv(1 << 16)
        connection.sendall(head)
        for _ in range(15):
            time.sleep(pause)
            connection.sendall(b" ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "pause"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{", 0.3),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{", 3),
        (b"HTTP/1.1 200 OK\r\nX: ", 0.1),
    ],
    ids=["slow-body", "stuck-body", "slow-headers"],
)
def test_the_time_out_holds_for_the_whole_answer_not_for_each_byte(head: bytes, pause: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: drip(server.accept()[0], head, pause), daemon=True).start()
        start = time.monotonic()
        with pytest.raises(UnreachableError, match="--request-timeout"):
            Client(HTTPConnectionPool("127.0.0.1", server.getsockname()[1]), 0.4).get("/")
    assert 0.4 <= time.monotonic() - start < 0.9


def test_a_wait_that_would_outlast_the_time_out_is_not_begun(server: Server) -> None:
    server.answers = [(503, b"later", {"Retry-After": "20"})]
    start = time.monotonic()
    with pytest.raises(UnreachableError, match="later"):
        server.client(timeout=5).get("/")
    assert time.monotonic() - start < 2


def test_the_end_of_the_time_out_is_told() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(UnreachableError, match="--request-timeout"),
    ):
        Client(HTTPConnectionPool("127.0.0.1", silent.getsockname()[1]), 0.3).get("/")


def test_nobody_there_is_said_in_the_system_s_words(waits: list[float]) -> None:
    with pytest.raises(UnreachableError, match=r"^Connection refused$"):
        Client(HTTPConnectionPool("127.0.0.1", 1), 5).get("/")
    assert len(waits) == 4


def test_headers_are_asked_for_before_every_request_and_may_repeat(server: Server) -> None:
    tokens = iter("12")

    def headers() -> HTTPHeaderDict:
        fields = HTTPHeaderDict(Authorization=f"Bearer {next(tokens)}")
        for group in ("g", "h"):
            fields.add("Impersonate-Group", group)
        return fields

    server.answers = [page()]
    client = server.client(headers=headers)
    client.get("/")
    client.get("/")
    assert [sent["Authorization"] for sent in server.headers] == ["Bearer 1", "Bearer 2"]
    assert server.headers[0].getlist("Impersonate-Group") == ["g", "h"]


def test_numbers_keep_their_text(server: Server) -> None:
    server.answers = [(200, b'{"cpu": 0.50}', {})]
    assert str(server.client().get("/")["cpu"]) == "0.50"


def test_a_write_is_tried_again_and_names_its_type(server: Server) -> None:
    server.answers = [(503, b"", {"Retry-After": "0"}), (201, b'{"kind": "ConfigMap"}', {})]
    assert server.client().write("POST", "/api", {"data": {}}) == {"kind": "ConfigMap"}
    assert [headers["Content-Type"] for headers in server.headers] == ["application/json"] * 2


def test_a_write_that_comes_second_is_a_conflict(server: Server) -> None:
    server.answers = [(409, b'{"message": "the object has been modified"}', {})]
    with pytest.raises(StatusError, match="has been modified") as error:
        server.client().write("PUT", "/api", {})
    assert error.value.code == 409
    assert len(server.asked) == 1
