"""gzip and zstd: what is damaged, what expands, and how much memory a window may ask for."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import content
from hashcompat.sources.content import Plain, all_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CONTENT = bytes(range(256)) * 40


def stream(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))


FORMS: list[Callable[[bytes], bytes]] = [gzip.compress, zstd.compress, bytes]


@pytest.mark.parametrize("form", FORMS, ids=["gzip", "zstd", "plain"])
def test_content_is_limited_to_what_was_compressed(form: Callable[[bytes], bytes]) -> None:
    packed = form(CONTENT)
    assert all_of(stream(packed), len(CONTENT)) == CONTENT
    with pytest.raises(InputError, match=f"of more than {len(CONTENT) - 1} bytes, the most that is read"):
        all_of(stream(packed), len(CONTENT) - 1)


@pytest.mark.parametrize("form", FORMS, ids=["gzip", "zstd", "plain"])
def test_the_usual_limit_holds_for_each_file(
    monkeypatch: pytest.MonkeyPatch, form: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(content, "MOST_BYTES", 1 << 10)
    plain = Plain(stream(form(CONTENT)))
    assert plain.read(1 << 10) == CONTENT[: 1 << 10]
    with pytest.raises(InputError, match="of more than 1 KiB"):
        plain.read(1)


@pytest.mark.parametrize("form", FORMS[:2], ids=["gzip", "zstd"])
@pytest.mark.parametrize("length", [5, 12, -9, -1])
def test_what_was_cut_is_damaged(form: Callable[[bytes], bytes], length: int) -> None:
    with pytest.raises(InputError, match=r"^damaged (gzip|zstd) data: "):
        all_of(stream(form(CONTENT)[:length]), 1 << 20)


@pytest.mark.parametrize("form", FORMS[:2], ids=["gzip", "zstd"])
@pytest.mark.parametrize("garbage", [b"garbage", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"])
def test_what_follows_must_be_of_the_form(form: Callable[[bytes], bytes], garbage: bytes) -> None:
    with pytest.raises(InputError, match=r"^damaged (gzip|zstd) data: "):
        all_of(stream(form(CONTENT) + garbage), 1 << 20)


@pytest.mark.parametrize("form", FORMS[:2], ids=["gzip", "zstd"])
def test_several_members_are_one_content(form: Callable[[bytes], bytes]) -> None:
    assert all_of(stream(form(CONTENT) * 3), 1 << 20) == CONTENT * 3


@pytest.mark.parametrize(("window", "refused"), [(27, False), (28, True), (31, True)])
def test_a_window_is_limited(window: int, refused: bool) -> None:
    frame = (
        b"\x28\xb5\x2f\xfd" + bytes([0, (window - 10) << 3]) + bytes([1, 0, 0])
    )  # one block, the last, empty
    if refused:
        with pytest.raises(InputError, match=r"^damaged zstd data: .*memory"):
            all_of(stream(frame), 10)
    else:
        assert all_of(stream(frame), 10) == b""
