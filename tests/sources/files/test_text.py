"""Bytes that are text, hardly, or not at all."""

from __future__ import annotations

import codecs
import io

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import content
from hashcompat.sources.content import chunks, joined, lines, whole


def stream(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))


def read(data: bytes) -> str:
    return "".join(chunks(stream(data), "a text"))


@pytest.mark.parametrize(
    "data",
    [
        b"a\xc3\xa4",
        codecs.BOM_UTF8 + b"a\xc3\xa4",
        "aä".encode("utf-16"),
        codecs.BOM_UTF16_BE + "aä".encode("utf-16-be"),
    ],
)
def test_a_byte_order_mark_names_the_encoding(data: bytes) -> None:
    assert read(data) == "aä"


def test_a_mark_within_the_text_is_a_character() -> None:
    assert read(b"a" + codecs.BOM_UTF8) == "a\ufeff"


@pytest.mark.parametrize(
    "data", [b"\xff\xfea", b"\xff\xfe\x00\xd8a\x00", b"\xfe\xff\xdc\x00"], ids=["cut", "half", "other half"]
)
def test_damaged_utf_16_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^damaged UTF-16 text: "):
        read(data)


@pytest.mark.parametrize("data", [b"", b" \n\t\r ", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_nothing_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^empty; want a text$"):
        read(data)


@pytest.mark.parametrize("data", [b"\x00", b"a\x1b[m", "a".encode("utf-32"), b"x" * (1 << 19) + b"\x01"])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^binary data at character \d+; want a text$"):
        read(data)


def test_white_space_before_anything_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_CHUNK", 100)
    monkeypatch.setattr(content, "_LONGEST_SPACE", 1000)
    assert read(b" " * 1000 + b"x") == " " * 1000 + "x"
    assert next(chunks(io.BufferedReader(io.BytesIO(b" " * 250 + b"x")), "a text")).endswith("x")
    with pytest.raises(InputError, match=r"^more than 1000 bytes of white space before anything else"):
        read(b" " * 1100 + b"x")


@pytest.mark.parametrize(("most", "refused"), [(1000, False), (999, True)])
def test_a_text_that_is_needed_whole_is_limited(most: int, refused: bool) -> None:
    if refused:
        with pytest.raises(InputError, match=r"^text of more than 999 bytes, .*; want a text$"):
            whole(stream(b"x" * 1000), "a text", most)
    else:
        assert whole(stream(b"x" * 1000), "a text", most) == "x" * 1000
        assert joined(iter(["x", "y"]), "a text", 2) == "xy"


def test_lines_are_found_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(lines(["a\nb", "c", "d\n", "\n", "e"])) == ["a\n", "bcd\n", "\n", "e"]
    monkeypatch.setattr(content, "_CHUNK", 3)
    assert list(lines(["ab", "cd", "e\n", ""])) == ["abcd", "e\n", ""]
