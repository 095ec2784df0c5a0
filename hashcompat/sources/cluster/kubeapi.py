"""Objects from a Kubernetes API server as raw JSON: retries, and never a part of an answer for the whole.

Source: apimachinery ``metav1.Status``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import msgspec
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPHeaderDict, Retry
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, ProtocolError, ReadTimeoutError
from urllib3.util import Timeout

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsontext import clean, kind_of
from hashcompat.core.model.escape import agree, count
from hashcompat.core.shown import said
from hashcompat.sources.content import LONGEST_TEXT, RefusedError
from hashcompat.sources.documents import loads
from hashcompat.sources.http import LateError, before, check_encoding, pieces, seconds_until
from hashcompat.sources.replicas.shape import Replica

_OK: Final = frozenset({200, 201})
_LONGEST_WAIT_SECONDS: Final = 30.0
_LONGEST_MESSAGE: Final = 400
_TOO_LATE: Final = "no complete answer within the timeout (--request-timeout)"
Json = dict[str, Any]
"""An object of JSON."""


class UnreachableError(InputError):
    """No whole answer came from the API server, however often it was asked."""


class StatusError(InputError):
    """The API server answered, but with a failure; ``code`` is HTTP's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class _BusyError(UnreachableError):
    """No complete answer this time; ``response`` is what arrived, and may hold the time to retry after."""

    def __init__(self, message: str, response: BaseHTTPResponse | None = None) -> None:
        super().__init__(message)
        self.response = response


class _Retry(Retry):
    """Wait as the server asks, but no longer than a person would watch."""

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        try:
            seconds = super().get_retry_after(response)
        except (HTTPError, ValueError, OverflowError):  # neither a number of seconds nor a date
            return None
        return None if seconds is None else min(seconds, _LONGEST_WAIT_SECONDS)


# API servers ask for a pause with 429 (priority and fairness), load balancers fail with 502 to 504
_POLICY: Final = _Retry(total=5, backoff_factor=0.2, status_forcelist=(429, 500, 502, 503, 504))


class _Question(msgspec.Struct, frozen=True):
    """One request."""

    method: str
    url: str
    body: bytes | None = None
    parse: Callable[[str], Any] = loads

    @property
    def path(self) -> str:
        """The URL without its query."""
        return self.url.partition("?")[0]


class Client(msgspec.Struct, frozen=True):
    """Reads, and rarely writes, JSON documents over one pool; ``headers`` are asked for before each request.

    ``timeout`` (seconds) holds for a whole answer with all tries, so that a server that drips is none.
    """

    pool: HTTPConnectionPool
    timeout: float
    headers: Callable[[], HTTPHeaderDict] = HTTPHeaderDict

    def get(
        self, path: str, query: Mapping[str, str] | None = None, parse: Callable[[str], Any] = loads
    ) -> Json:
        """Return the object behind a path; ``parse`` makes it of its text, with the errors of ``loads``.

        Raises StatusError for what the server refuses, UnreachableError when there is no complete answer.
        """
        url = f"{path}?{urlencode(query)}" if query else path
        return self._answer(_Question("GET", url, parse=parse))

    def write(self, method: str, path: str, document: Json) -> Json:
        """Create (POST) or replace (PUT) an object, and return what became of it; errors as ``get``.

        It is tried again as a read is: the object has a name, and a resourceVersion where it is replaced, so
        what was written already is refused as a conflict.
        """
        return self._answer(_Question(method, path, json.dumps(document).encode()))

    def _answer(self, asked: _Question) -> Json:
        end = time.monotonic() + self.timeout
        retries: Retry = _POLICY
        while True:
            try:
                return before(end, partial(self._once, asked, end))
            except LateError:
                raise UnreachableError(_TOO_LATE) from None
            except RefusedError as error:
                raise InputError(f"{asked.path}: {error}") from None
            except _BusyError as busy:
                retries = _counted(retries, asked.url, busy)
                # no pause that the deadline would end: the last error says more than a time-out
                if time.monotonic() + _pause(retries, busy) > end:
                    raise
                retries.sleep(busy.response)

    def _once(self, asked: _Question, end: float) -> Json:
        try:
            response = self._ask(asked, end)
            body = self._body(response, end)
        except HTTPError as error:
            raise _BusyError(_reason(error)) from None
        # as a GET also for writes: urllib3 would not retry these, and here each can be repeated
        if _POLICY.is_retry("GET", response.status):
            raise _BusyError(_message(response.status, body), response)
        return _document(response.status, body, asked.parse)

    def _ask(self, asked: _Question, end: float) -> BaseHTTPResponse:
        headers = HTTPHeaderDict(
            {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "hashcompat"}
        )
        headers.extend(self.headers())
        if asked.body is not None:
            headers["Content-Type"] = "application/json"
        return self.pool.urlopen(
            asked.method,
            asked.url,
            body=asked.body,
            headers=headers,
            retries=False,
            # an API server redirects nobody; what does is a login page in front of it
            redirect=False,
            timeout=Timeout(total=seconds_until(end)),
            preload_content=False,
        )

    def _body(self, response: BaseHTTPResponse, end: float) -> bytes:
        """Read an answer piece by piece, so that a read which nobody waits for ends soon after its time."""
        try:
            check_encoding(response.headers)
            body = b"".join(pieces(response, LONGEST_TEXT, end, decode=True))
        except (HTTPError, InputError):
            response.close()
            raise
        response.release_conn()
        return body


def _pause(retries: Retry, busy: _BusyError) -> float:
    """Return the seconds that ``retries.sleep`` would wait."""
    asked = retries.get_retry_after(busy.response) if busy.response else None
    return retries.get_backoff_time() if asked is None else asked


def _counted(retries: Retry, url: str, busy: _BusyError) -> Retry:
    """Count one try; raises the error that it ended with when it was the last."""
    try:
        return retries.increment(
            "GET", url, response=busy.response, error=None if busy.response else ProtocolError(str(busy))
        )
    except MaxRetryError:
        raise busy from None


def _document(status: int, body: bytes, parse: Callable[[str], Any]) -> Json:
    """Return the JSON object of an answer, another try for what is none."""
    if status not in _OK:
        raise StatusError(status, _message(status, body))
    try:
        document = parse(jsontext.decode_text(body))
    except RefusedError:
        raise
    except InputError as error:
        # a proxy that gives up in the middle of an answer ends it like a complete one
        raise _BusyError(f"the answer is not complete JSON: {error}") from None
    if not isinstance(document, dict):
        raise _BusyError("the answer is JSON, but no object")
    return document


def _message(status: int, body: bytes) -> str:
    """Say what a failed answer says: the message of a ``Status``, or else its text."""
    text = body.decode(errors="replace").strip()
    try:
        answer = loads(text)
    except InputError:
        answer = None
    message = answer.get("message") if isinstance(answer, dict) else None
    words = " ".join(said(str(message or text)).split())[:_LONGEST_MESSAGE]
    # kubectl proxy answers so where it does not reach an API server
    return words if words.startswith("dial ") else f"{words} (HTTP {status})".strip()


def _reason(error: HTTPError) -> str:
    """Say why no answer came, in the system's words where it has some."""
    cause = next((arg for arg in error.args if isinstance(arg, OSError)), error.__cause__)
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    if isinstance(error, ReadTimeoutError | ConnectTimeoutError):
        return _TOO_LATE
    return said(str(error.args[0])) if error.args else type(error).__name__


# Lists from a Kubernetes API server: page after page, and never a part of a list for the whole. Source: the
# API concepts "Retrieving large results sets in chunks"; apimachinery ``metav1.ListMeta``.

PAGE: Final = 500
"""Objects a page, as kubectl asks for."""
_RESTARTS: Final = 3
_GONE: Final = 410
_MOST_PAGES: Final = 10_000
"""Of one list: 5 million objects, or fewer where a selector leaves pages nearly empty."""
_LONGEST_SECONDS: Final = 3600
"""For one list: the tokens of its pages are valid for minutes, and each answer has a time-out of its own."""
_LONGEST_TOKEN: Final = 16 << 10
"""Characters; it goes into a URL, and servers take no longer ones."""
T = TypeVar("T")
Get = Callable[[str, Mapping[str, str]], Json]
"""Gets a page, by its path and query."""


def list_all(
    client: Client,
    path: str,
    query: Mapping[str, str],
    read: Callable[[Json], T],
    seen: Callable[[int], None],
    get: Get | None = None,
) -> list[T]:
    """Return what ``read`` makes of every object of a list, with all pages joined.

    ``seen`` gets the count so far, and ``get`` gets a page in place of ``client``. A list whose snapshot
    expires on the way (410 Gone) is read again from its beginning. Raises StatusError, UnreachableError; and
    InputError for an answer that is not a list, or not complete.
    """
    for _ in range(_RESTARTS):
        objects: list[T] = []
        try:
            for item in _items(get or client.get, path, query):
                objects.append(read(item))
                if len(objects) % PAGE == 0:
                    seen(len(objects))
        except StatusError as error:
            if error.code != _GONE:
                raise
        else:
            seen(len(objects))
            return objects
    raise UnreachableError(
        f"the list expired {_RESTARTS} times before its end was read; "
        "the server keeps snapshots for too short a time"
    )


def _items(get: Get, path: str, query: Mapping[str, str]) -> Iterator[Json]:
    token, tokens = "", set[str]()
    end = time.monotonic() + _LONGEST_SECONDS
    for _ in range(_MOST_PAGES):
        # the same query each time: a token is only valid with the selector that it was made for
        page = get(path, {**query, "limit": str(PAGE), **({"continue": token} if token else {})})
        items, metadata = _page(path, page)
        yield from items
        token = metadata.get("continue") or ""
        if not isinstance(token, str) or len(token) > _LONGEST_TOKEN:
            raise InputError(f"{path}: metadata.continue is not the token of a next page")
        token = clean(token)
        if not token:
            # a server need not count, but one that does must not end before its own count
            remaining = metadata.get("remainingItemCount")
            if remaining and not isinstance(remaining, int):
                raise InputError(f"{path}: metadata.remainingItemCount is not a number of objects")
            if remaining:
                left = f"{count(remaining, 'object')} {agree(remaining, 'remain')}"
                raise InputError(f"{path}: the server ends the list although {left}")
            return
        # a broken aggregated server may repeat itself, and the list would never end
        if token in tokens:
            raise InputError(f"{path}: the server gives the same page again and again")
        tokens.add(token)
        if time.monotonic() > end:
            raise UnreachableError(f"{path}: no end of the list within {_LONGEST_SECONDS} s")
    raise InputError(f"{path}: the server's list has more than {_MOST_PAGES:,} pages, the most that are read")


def _page(path: str, page: Json) -> tuple[list[Json], Json]:
    items, metadata = page.get("items"), page.get("metadata") or {}
    if (
        # a single object or a Status has no items either, and would look like an empty cluster
        not str(page.get("kind", "")).endswith("List")
        or not isinstance(items, list | None)
        or not isinstance(metadata, dict)
    ):
        raise InputError(
            f"{path}: the server's answer is not a list but {page.get('kind') or 'an object without kind'}"
        )
    for index, item in enumerate(items or ()):
        if not isinstance(item, dict | Replica):
            raise InputError(f"{path}: $.items[{index}]: want an object, got {kind_of(item)}")
    return items or [], metadata
