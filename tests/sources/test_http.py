"""URLs, from a real server on the loopback."""

from __future__ import annotations

import gzip
import io
import socketserver
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
import requests
import trustme
import yaml

from hashcompat.core.errors import InputError
from hashcompat.sources import http
from tests.helpers.pods import ARTICLE, as_json, listed, pod
from tests.helpers.program import Run
from tests.helpers.slices import every

BODY = as_json(pod(ARTICLE))
LISTED = as_json(listed(pod(ARTICLE)))
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
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
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
        ("/page", "a page of HTML"),
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


def test_why_there_is_no_answer_is_said_in_words(run: Run) -> None:
    result = run(*PLAN, "-f", "http://nobody.invalid/pods.json")
    assert "cannot download: the name of the host is not known\n" in result.err


def test_a_server_that_is_not_there_is_a_failure(run: Run) -> None:
    result = run(*PLAN, "-f", "http://127.0.0.1:1/pods.json")
    assert (result.code, result.out) == (1, "")
    assert (
        result.err
        == "Error: http://127.0.0.1:1/pods.json: cannot download: no connection: Connection refused\n"
    )


@pytest.mark.parametrize(
    ("url", "shown"),
    [("http://", "http://"), ("http://[::1", "http://***"), ("https://.x/", "https://.x/")],
    ids=["no host", "no end of an address", "an empty label"],
)
def test_a_url_that_is_none_is_a_failure(run: Run, url: str, shown: str) -> None:
    result = run(*PLAN, "-f", url)
    assert (result.code, result.out, result.err.startswith(f"Error: {shown}: cannot download: ")) == (
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


class Raw(socketserver.StreamRequestHandler):
    """Sends the next of some pieces after each pause, to whoever asks."""

    pieces: tuple[bytes, ...] = ()
    pause = 0.0
    stop = threading.Event()

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        try:
            for piece in self.pieces:
                self.wfile.write(piece)
                self.stop.wait(self.pause)
        except OSError:  # nobody waits any more
            pass


@contextmanager
def sending(*pieces: bytes, pause: float = 0) -> Iterator[str]:
    """Serve bytes as they are, whatever is asked for."""
    stop = threading.Event()
    handler = type("Sending", (Raw,), {"pieces": pieces, "pause": pause, "stop": stop})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as listening:
        listening.daemon_threads = True
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_address[1]}/pods.json"
        stop.set()
        listening.shutdown()
        thread.join()


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode() + body


def chunked(body: bytes) -> bytes:
    half = len(body) // 2
    parts = (body[:half], body[half:])
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


LINES = BODY + b"\n"
YAML = yaml.safe_dump(pod(ARTICLE, status={"phase": "Running"})).encode()
OPEN = "the server gave no length, so nothing shows whether the content was cut"
LENGTH = f"Content-Length: {len(BODY)}"


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        pytest.param(answer(BODY, LENGTH), "", id="a length"),
        pytest.param(answer(BODY, LENGTH, LENGTH), "", id="one length twice"),
        pytest.param(answer(chunked(BODY), "Transfer-Encoding: chunked"), "", id="chunks"),
        pytest.param(answer(LISTED), "", id="a List without a length"),
        pytest.param(answer(gzip.compress(LISTED)), "", id="gzip of a List without a length"),
        pytest.param(answer(chunked(YAML), "Transfer-Encoding: chunked"), "", id="YAML in chunks"),
        pytest.param(answer(LINES), OPEN, id="JSON lines without a length"),
        pytest.param(answer(LINES + LISTED), OPEN, id="JSON documents without a length"),
        pytest.param(answer(YAML), OPEN, id="YAML without a length"),
        pytest.param(answer(LISTED[:-5]), "is it cut short?", id="a cut List without a length"),
        pytest.param(
            answer(chunked(BODY)[:-5], "Transfer-Encoding: chunked"),
            "the answer was cut short",
            id="cut chunks",
        ),
        pytest.param(answer(BODY, "Content-Length: abc"), "Content-Length is 'abc'", id="a word"),
        pytest.param(answer(BODY, "Content-Length: -1"), "Content-Length is '-1'", id="below 0"),
        pytest.param(answer(BODY, LENGTH, "Content-Length: 3"), "cannot download: ", id="two lengths"),
        pytest.param(
            answer(BODY, LENGTH, "Content-Range: bytes 0-9/99", status="206 Partial Content"),
            "the server answered 206 Partial Content",
            id="a part",
        ),
        pytest.param(answer(b"", status="204 No Content"), "answered 204 No Content", id="nothing"),
        pytest.param(
            answer(b"", "Content-Length: 0", status="304 Not Modified"),
            "answered 304 Not Modified",
            id="unchanged",
        ),
        pytest.param(answer(BODY, LENGTH, "Content-Encoding: br"), "Content-Encoding is 'br'", id="Brotli"),
        pytest.param(answer(BODY, LENGTH, "Content-Encoding: gzip, gzip"), "is 'gzip, gzip'", id="a chain"),
        pytest.param(b"SSH-2.0-OpenSSH\r\n", "cannot download: ", id="another protocol"),
        pytest.param(answer(b"", *["X: y"] * 500), "cannot download: ", id="many headers"),
        pytest.param(answer(b"", "X: " + "y" * 100_000), "cannot download: ", id="a long header"),
    ],
)
def test_only_what_is_certainly_whole_is_read(run: Run, sent: bytes, says: str) -> None:
    with sending(sent) as url:
        result = run(*PLAN, "-f", url)
    if says:
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert result.err.startswith(f"Error: {url}: ")
        assert says in result.err
    else:
        assert result.item["hash"]["to"] == 1428860573


def test_records_need_a_proven_end(run: Run) -> None:
    with sending(answer(b'{"containers": []}')) as url:
        result = run("verify", "--kubelet", "1.9.11", "--sample", "--recorded", url)
    assert (result.code, result.out) == (1, "")
    assert OPEN in result.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pieces", "pause"),
    [
        ((answer(b"{", "Content-Length: 99"), *[b" "] * 40), 0.1),
        ((b"HTTP/1.1 200 OK\r\nX: ", *[b"y"] * 40), 0.1),
        ((b"HTTP/1.1 100 Continue\r\n\r\n",) * 40, 0.1),
        ((b"", b""), 2),
    ],
    ids=["body", "header", "endless continue", "silence"],
)
def test_a_server_that_drips_is_given_up(
    run: Run, monkeypatch: pytest.MonkeyPatch, pieces: tuple[bytes, ...], pause: float
) -> None:
    monkeypatch.setattr(http, "_LONGEST_SECONDS", 0.3)
    start = time.monotonic()
    with sending(*pieces, pause=pause) as url:
        result = run(*PLAN, "-f", url)
        taken = time.monotonic() - start
    assert (result.code, result.err) == (1, f"Error: {url}: no complete answer within 0.3 s\n")
    assert taken < 10


@pytest.mark.parametrize(("most", "refused"), [(len(BODY), False), (len(BODY) - 1, True)])
def test_what_is_downloaded_is_limited(most: int, refused: bool) -> None:
    with sending(answer(BODY, LENGTH)) as url:
        if refused:
            with pytest.raises(
                InputError, match=f"^{url}: cannot download: an answer of more than {most} bytes"
            ):
                http.download(url, most)
        else:
            assert http.download(url, most) == BODY


def test_what_expands_is_limited() -> None:
    packed = gzip.compress(bytes(1 << 20))
    with sending(answer(packed, f"Content-Length: {len(packed)}", "Content-Encoding: gzip")) as url:
        assert http.download(url, 1 << 20) == bytes(1 << 20)
        with pytest.raises(InputError, match=f"^{url}: gzip data of more than 10000 bytes"):
            http.download(url, 10_000)


def test_a_source_file_needs_a_proven_end() -> None:
    with (
        sending(answer(b"package v1\n")) as url,
        pytest.raises(InputError, match="the server gave no length"),
    ):
        http.download(url, 100)


def test_redirects_are_limited_and_their_bodies_left_alone(run: Run) -> None:
    with sending(answer(b"x" * 10, "Content-Length: 99999", "Location: /", status="302 Found")) as url:
        result = run(*PLAN, "-f", url)
    assert (result.code, result.err) == (1, f"Error: {url}: cannot download: more than 5 redirects\n")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("file:///etc/passwd", "cannot download: it leads to something other than an http or https URL"),
        ("http://[::1", "cannot download: "),
        ("ftp://host/x", "cannot download: it leads to something other than an http or https URL"),
    ],
)
def test_a_redirect_leads_to_another_url(run: Run, target: str, says: str) -> None:
    with sending(answer(b"", "Content-Length: 0", f"Location: {target}", status="302 Found")) as url:
        result = run(*PLAN, "-f", url)
    assert (result.code, result.out, result.err.startswith(f"Error: {url}: {says}")) == (1, "", True)


def test_a_redirect_never_leaves_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = requests.Response()
    moved.status_code, moved.headers["Location"] = 302, "http://host/pods.json"
    moved.raw = io.BytesIO()
    monkeypatch.setattr(http._Session, "get", lambda *_, **__: moved)
    with pytest.raises(InputError, match="the server redirects from https to a URL that is not https"):
        http.save("https://host/pods.json", bytearray().extend)


class Asking(Handler):
    """Remembers who asks for what."""

    seen: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization", "")))
        if self.path.startswith("/to/"):
            self.answer(302, b"", Location=self.path.removeprefix("/to/"))
        else:
            self.answer(200, BODY)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Serve with and without TLS; a netrc has credentials for this host, under both of its names."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("HOME", str(tmp_path))
    entries = "".join(f"machine {host} login of password netrc\n" for host in ("localhost", "127.0.0.1"))
    (tmp_path / ".netrc").write_text(entries)
    (tmp_path / ".netrc").chmod(0o600)
    Asking.seen.clear()
    with ExitStack() as stack:
        ports = {}
        for scheme in ("http", "https"):
            listening = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Asking))
            if scheme == "https":
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                ca.issue_cert("localhost", "127.0.0.1").configure_cert(context)
                listening.socket = context.wrap_socket(listening.socket, server_side=True)
            threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
            stack.callback(listening.shutdown)
            ports[scheme] = listening.server_port
        yield ports


def basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


NETRC = basic("of", "netrc")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://localhost:{https}/a", [NETRC]),
        ("https://my:own@localhost:{https}/a", [basic("my", "own")]),
        ("https://my:@localhost:{https}/a", [basic("my", "")]),
        ("https://:@localhost:{https}/a", [""]),
        ("https://my@localhost:{https}/a", [""]),
        ("http://localhost:{http}/a", [""]),
        ("http://my:own@localhost:{http}/a", [basic("my", "own")]),
        ("https://localhost:{https}/to//a", [NETRC, ""]),
        ("https://localhost:{https}/to/https://127.0.0.1:{https}/a", [NETRC, ""]),
        ("https://my:own@localhost:{https}/to/https://localhost:{https}/a", [basic("my", "own"), ""]),
        ("http://localhost:{http}/to/https://localhost:{https}/a", ["", ""]),
        ("https://localhost:{https}/to/http://localhost:{http}/a", [NETRC]),  # and no further
    ],
)
@pytest.mark.parametrize("by_variable", every(2, [False, True]))
def test_a_netrc_is_for_the_url_that_was_given_alone(
    asked: dict[str, int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    url: str,
    sent: list[str],
    *,
    by_variable: bool,
) -> None:
    if by_variable:
        (tmp_path / ".netrc").rename(tmp_path / "other")
        monkeypatch.setenv("NETRC", str(tmp_path / "other"))
    with suppress(InputError):
        http.download(url.format(**asked), 1 << 20)
    assert [value for _, value in Asking.seen] == sent
