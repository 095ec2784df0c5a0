"""What HTTP servers answer, with an end to its size and to its time; a manifest or a dump behind a URL."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import closing
from functools import partial
from io import BufferedReader, BytesIO
from typing import Final, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
from requests.auth import AuthBase, HTTPBasicAuth
from requests.utils import get_auth_from_url, get_netrc_auth
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError, NameResolutionError

from hashcompat.core import shown
from hashcompat.core.errors import InputError
from hashcompat.sources.content import MOST_BYTES, RefusedError, all_of, too_long
from hashcompat.sources.programs import aside

_TIMEOUT_SECONDS: Final = (10, 60)
_LONGEST_SECONDS: Final = 600
"""For the whole of one URL: 3 GB, the largest cluster as JSON, at 5 MB/s."""
_MOST_REDIRECTS: Final = 5
"""As a link to a release file needs: to the file's page, and on to its storage; more is a circle."""
_OK: Final = (200, 203)
"""Statuses whose content is the whole: 206 is a part, 204 and 205 have none."""


def label(url: str) -> str:
    """Name a URL in messages: without user, password and query, which may be secrets."""
    return shown.url(url)


def download(url: str, most: int) -> bytes:
    """Return the content behind ``url``, decompressed, of ``most`` bytes at the most.

    Raises InputError, naming the URL, when it cannot be downloaded whole; a partial answer is never input.
    """
    content = BytesIO()
    if not save(url, content.write, most):
        # a connection that is closed early looks like the end of such an answer, and half a dump plans half a
        # cluster
        raise InputError(f"{label(url)}: cannot download: the server gave no length, so it may be cut short")
    try:
        return all_of(BufferedReader(BytesIO(content.getvalue())), most)
    except InputError as error:
        raise InputError(f"{label(url)}: {error}") from None


def save(url: str, add: Callable[[bytes], object], most: int = MOST_BYTES) -> bool:
    """Pass the content behind ``url`` to ``add``, gzipped as it may be; return whether its end is proven.

    Raises InputError, naming the URL, for anything but a whole answer.
    """
    end = time.monotonic() + _LONGEST_SECONDS
    try:
        return before(end, partial(_save, url, add, most, end))
    except LateError:
        why = f"no complete answer within {_LONGEST_SECONDS} s"
    except requests.HTTPError as error:
        why = f"the server answered {shown.said(str(error))}"
    except (requests.RequestException, ValueError) as error:  # a redirect may lead to what is not a URL
        why = f"cannot download: {_why(error)}"
    except (HTTPError, OSError):
        why = "cannot download: the answer was cut short"
    except InputError as error:
        why = f"cannot download: {error}"
    raise InputError(f"{label(url)}: {why}") from None


_WHY: Final[tuple[tuple[type[Exception], str], ...]] = (
    (requests.exceptions.ProxyError, "the proxy does not let it through"),
    (requests.exceptions.SSLError, "no TLS connection"),
    (requests.exceptions.ConnectTimeout, "no connection in time"),
    (requests.exceptions.Timeout, "no answer in time"),
    (requests.exceptions.ConnectionError, "no connection"),
    (ValueError, "it leads to something other than an http or https URL"),
)


def _why(error: Exception) -> str:
    """Say why there is no answer, without the URL, which the texts of requests quote."""
    cause = next((words for kind, words in _WHY if isinstance(error, kind)), type(error).__name__)
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(reason, NameResolutionError):
        return "the name of the host is not known"
    # what the system or OpenSSL said first
    while isinstance(reason, BaseException) and not isinstance(reason, OSError):
        inner = reason.args[0] if reason.args else None
        reason = reason.__cause__ or (inner if isinstance(inner, BaseException) else None)
    detail = getattr(reason, "verify_message", None) or getattr(reason, "strerror", None)
    return f"{cause}: {detail}" if detail else cause


def _save(url: str, add: Callable[[bytes], object], most: int, end: float) -> bool:
    with _Session() as session, closing(_final(session, url)) as response:
        if response.status_code not in _OK:
            raise requests.HTTPError(f"{response.status_code} {response.reason}")
        check_encoding(response.headers)
        proven = is_delimited(response.headers)
        for piece in pieces(response.raw, most, end, decode=False):
            add(piece)
        return proven


class _Credentials(AuthBase):
    """Credentials of a request: those in its URL, and of ``~/.netrc`` only where that can be meant.

    requests would prefer the file to the URL, and send it without TLS and to wherever a server redirects.
    """

    def __init__(self, *, redirected: bool) -> None:
        self._redirected = redirected

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        url = request.url or ""
        if "@" in urlsplit(url).netloc:
            credentials: tuple[str, str] | None = get_auth_from_url(url)
        else:
            credentials = get_netrc_auth(url) if url.startswith("https:") and not self._redirected else None
        return HTTPBasicAuth(*credentials)(request) if credentials and any(credentials) else request


class _Session(requests.Session):
    """Leaves redirects alone: requests would read their bodies whole, and go on without TLS."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002
        return None

    def target(self, response: requests.Response) -> str | None:
        """Return where an answer redirects to."""
        return super().get_redirect_target(response)


def _final(session: _Session, url: str) -> requests.Response:
    """Return the answer at the end of all redirects, unread."""
    for number in range(_MOST_REDIRECTS + 1):
        response = session.get(
            url,
            timeout=_TIMEOUT_SECONDS,
            stream=True,
            # requests would ask for all encodings that are installed
            headers={"Accept-Encoding": GZIP},
            # given here, because requests looks into ~/.netrc for every request that has no auth of its own
            auth=_Credentials(redirected=number > 0),
        )
        target = session.target(response)
        if target is None:
            return response
        response.close()
        # a Location may be relative (RFC 9110, 10.2.2)
        target = urljoin(url, target)
        if url.startswith("https:") and not target.startswith("https:"):
            raise InputError("the server redirects from https to a URL that is not https")
        url = target
    raise InputError(f"more than {_MOST_REDIRECTS} redirects")


T = TypeVar("T")
_CHUNK: Final = 1 << 16
_SHORTEST_WAIT_SECONDS: Final = 0.1
_LENGTHS: Final = re.compile(r"[0-9]{1,18}(, *[0-9]{1,18})*")
"""One length, perhaps repeated; urllib3 refuses different ones."""
GZIP: Final = "gzip"
"""The one encoding that is asked for: a chain of encodings would expand without a limit."""


class LateError(InputError):
    """The whole answer did not come in time."""


def before(end: float, ask: Callable[[], T]) -> T:
    """Return what ``ask`` returns, or raise what it raises, but wait no longer than until ``end``.

    A socket's time-out starts again with every byte, for headers too, and looking a name up has none; so the
    clock that decides is not the asking thread's. Raises LateError.
    """
    answer = aside(ask)
    if not wait([answer], seconds_until(end)).done:
        raise LateError("no complete answer in time")
    return answer.result()  # what it raises may be a TimeoutError of its own


def seconds_until(end: float) -> float:
    """Return how long to wait for something that is to end at a time of the monotonic clock."""
    return max(end - time.monotonic(), _SHORTEST_WAIT_SECONDS)


def check_encoding(headers: Mapping[str, str]) -> None:
    """Raise RefusedError for a content encoding that was not asked for."""
    encoding = headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", GZIP):
        raise RefusedError(f"the answer's Content-Encoding is {encoding[:40]!r}; want gzip or none")


def is_delimited(headers: Mapping[str, str]) -> bool:
    """Return whether the end of an answer's body is known, by a length or by chunks.

    Raises RefusedError for a Content-Length that is not one length.
    """
    length = headers.get("Content-Length")
    if length is not None and not _LENGTHS.fullmatch(length):
        raise RefusedError(f"the answer's Content-Length is {length[:40]!r}; want a number of bytes")
    return length is not None or headers.get("Transfer-Encoding", "").lower().endswith("chunked")


def pieces(response: BaseHTTPResponse, most: int, end: float, *, decode: bool) -> Iterator[bytes]:
    """Yield a body as it comes in, decoded or as it was sent.

    Raises LateError after ``end``, RefusedError for more than ``most`` bytes, and urllib3's HTTPError for a
    body that ends too early.
    """
    left = most
    # read1 returns what is there; read would wait for a whole piece, past any deadline
    while piece := response.read1(_CHUNK, decode_content=decode):
        left -= len(piece)
        if left < 0:
            raise too_long("an answer", most, "ask for less of it")
        yield piece
        if time.monotonic() > end:
            raise LateError("no complete answer in time")
