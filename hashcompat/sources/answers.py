"""What an HTTP server answers, with an end to its size and to its time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from urllib3 import BaseHTTPResponse

from hashcompat.errors import InputError
from hashcompat.sources.aside import aside
from hashcompat.sources.limits import RefusedError, too_long

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
    try:
        return aside(ask).result(seconds_until(end))
    except TimeoutError:
        raise LateError("no complete answer in time") from None


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
    while piece := response.read1(_CHUNK, decode_content=decode):
        left -= len(piece)
        if left < 0:
            raise too_long("an answer", most, "ask for less of it")
        yield piece
        if time.monotonic() > end:
            raise LateError("no complete answer in time")
