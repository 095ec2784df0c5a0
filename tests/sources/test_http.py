"""URLs, from a real server on the loopback."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.helpers.pods import ARTICLE, as_json, pod
from tests.helpers.program import Run

BODY = as_json(pod(ARTICLE))
PLAN = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-o", "json")


class Handler(BaseHTTPRequestHandler):
    """Answers each path in its own way."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/moved":
            self.answer(302, b"", Location="/pods.json")
        elif path == "/packed":
            self.answer(200, gzip.compress(BODY), **{"Content-Encoding": "gzip"})
        elif path == "/pods.json.gz":
            self.answer(200, gzip.compress(BODY))
        elif path == "/short":
            self.answer(200, BODY[:-20], **{"Content-Length": str(len(BODY))})
        elif path == "/short-but-whole-json":
            self.answer(200, BODY, **{"Content-Length": str(len(BODY) + 10)})
        elif path == "/page":
            self.answer(200, b"<html>Sign in</html>")
        elif path == "/empty":
            self.answer(200, b"")
        else:
            self.answer({"/pods.json": 200, "/forbidden": 403, "/broken": 500}.get(path, 404), BODY)

    def answer(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.mark.parametrize("path", ["/pods.json", "/moved", "/packed", "/pods.json.gz", "/pods.json?token=x"])
def test_a_url_is_read_like_a_file(run: Run, server: str, path: str) -> None:
    assert run(*PLAN, "-f", server + path).item["hash"] == {
        "recorded": None,
        "from": 1559107639,
        "to": 1428860573,
    }


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/missing", "the server answered 404 Not Found"),
        ("/forbidden", "the server answered 403 Forbidden"),
        ("/broken", "the server answered 500 Internal Server Error"),
        ("/short", "cannot download: "),
        ("/short-but-whole-json", "cannot download: "),
        ("/page", "not a Kubernetes object"),
        ("/empty", "empty; want Kubernetes objects"),
    ],
)
def test_anything_but_whole_pods_is_a_failure_that_names_the_url(
    run: Run, server: str, path: str, says: str
) -> None:
    result = run(*PLAN, "-f", server + path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith(f"Error: {server}{path}: ")
    assert says in result.err


def test_a_server_that_is_not_there_is_a_failure(run: Run) -> None:
    result = run(*PLAN, "-f", "http://127.0.0.1:1/pods.json")
    assert (result.code, result.out) == (1, "")
    assert result.err == "Error: http://127.0.0.1:1/pods.json: cannot download: ConnectionError\n"


@pytest.mark.parametrize("url", ["http://", "http://[::1", "https://.x/"])
def test_a_url_that_is_none_is_a_failure(run: Run, url: str) -> None:
    result = run(*PLAN, "-f", url)
    assert (result.code, result.out, result.err.startswith(f"Error: {url}: cannot download: ")) == (
        1,
        "",
        True,
    )


def test_a_wrong_type_in_a_download_names_the_url_without_its_query(
    run: Run, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "BODY", as_json(pod({"name": "c", "args": 1})))
    result = run(*PLAN, "-f", f"{server}/pods.json?token=secret")
    assert (
        result.err == f"Error: {server}/pods.json: $.spec.containers[0].args: want a list, got an integer\n"
    )
