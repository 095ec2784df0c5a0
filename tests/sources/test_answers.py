"""Headers and bodies of HTTP answers; tests/sources/test_http.py and cluster/test_kubeapi.py have servers."""

from __future__ import annotations

import errno
import io
import time

import pytest
from urllib3 import HTTPResponse

from hashcompat.sources.content import RefusedError
from hashcompat.sources.http import LateError, before, check_encoding, is_delimited, pieces


@pytest.mark.parametrize(
    ("headers", "delimited"),
    [
        ({"Content-Length": "12"}, True),
        ({"Content-Length": "12, 12"}, True),
        ({"Transfer-Encoding": "chunked"}, True),
        ({"Transfer-Encoding": "gzip, Chunked"}, True),
        ({"Transfer-Encoding": "gzip"}, False),
        ({}, False),
    ],
)
def test_a_length_or_chunks_show_the_end(headers: dict[str, str], delimited: bool) -> None:
    assert is_delimited(headers) is delimited


@pytest.mark.parametrize("length", ["abc", "-1", "", "1.5", "0x10", "١", "9" * 5000, "5, x"])
def test_a_length_that_is_not_one_is_refused(length: str) -> None:
    with pytest.raises(RefusedError, match=r"Content-Length is .*; want a number of bytes"):
        is_delimited({"Content-Length": length})


@pytest.mark.parametrize(
    ("encoding", "refused"), [("", False), ("GZIP", False), ("br", True), ("gzip, gzip", True)]
)
def test_only_the_encoding_that_was_asked_for_is_read(encoding: str, refused: bool) -> None:
    if refused:
        with pytest.raises(RefusedError, match="want gzip or none"):
            check_encoding({"Content-Encoding": encoding})
    else:
        check_encoding({"Content-Encoding": encoding})


def body(data: bytes) -> HTTPResponse:
    return HTTPResponse(io.BytesIO(data), preload_content=False)


def test_a_body_is_limited() -> None:
    end = time.monotonic() + 60
    assert b"".join(pieces(body(b"x" * 1000), 1000, end, decode=True)) == b"x" * 1000
    with pytest.raises(RefusedError, match="an answer of more than 1000 bytes"):
        list(pieces(body(b"x" * 1001), 1000, end, decode=True))


def test_a_body_that_is_late_is_given_up() -> None:
    with pytest.raises(LateError):
        list(pieces(body(b"x"), 10, time.monotonic() - 1, decode=True))


def test_what_is_waited_for_comes_back_or_raises() -> None:
    end = time.monotonic() + 60
    assert before(end, lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        before(end, lambda: 1 / 0)
    with pytest.raises(LateError):
        before(time.monotonic(), lambda: time.sleep(1))


def test_a_connection_that_timed_out_is_no_late_answer() -> None:
    def ask() -> None:
        raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")

    with pytest.raises(TimeoutError, match="Connection timed out"):
        before(time.monotonic() + 60, ask)
