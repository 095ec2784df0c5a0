"""FNV-1a and Adler-32: known values of Go's hash/fnv and hash/adler32 tests, and the plain byte loops."""

from __future__ import annotations

import sys
from functools import partial
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.go import digest
from hashcompat.core.go.digest import (
    BY_NAME,
    HEX_BY_NAME,
    adler32,
    by_pieces,
    compiled,
    fnv32a,
    going_on,
    in_c,
)

text = st.text(st.characters(exclude_categories=["Cs"]))


def plain(data: bytes) -> int:
    state = 0x811C9DC5
    for byte in data:
        state = (state ^ byte) * 0x01000193 % 2**32
    return state


@pytest.mark.parametrize(
    ("content", "expected"),
    [("", 0x811C9DC5), ("a", 0xE40C292C), ("ab", 0x4D2505CA), ("abc", 0x1A47E90B), ("foobar", 0xBF9CF968)],
)
def test_known_values(content: str, expected: int) -> None:
    assert fnv32a([content]) == expected


def test_no_pieces_are_the_empty_text() -> None:
    assert fnv32a([]) == 0x811C9DC5


@given(st.lists(text))
def test_pieces_hash_as_their_joined_bytes(pieces: list[str]) -> None:
    assert fnv32a(pieces) == plain("".join(pieces).encode())


@pytest.mark.parametrize("length", [255, 256, 257, 5000])
@pytest.mark.parametrize("char", ["x", "\u20ac", "\U0001f600"])
def test_the_length_of_a_piece_does_not_matter(char: str, length: int) -> None:
    pieces = ["head ", char * length, " tail"]
    assert fnv32a(pieces) == plain("".join(pieces).encode())


@given(text.filter(bool), st.integers(2, 5))
def test_a_remembered_piece_has_the_effect_that_its_place_asks_for(piece: str, times: int) -> None:
    assert fnv32a([piece] * times) == plain(piece.encode() * times)


def test_the_digest_is_found_by_the_name_that_eras_give_it() -> None:
    assert BY_NAME["fnv32a"]([]) == 0x811C9DC5


@pytest.mark.parametrize(
    ("content", "expected"),
    [("", 0x00000001), ("a", 0x00620062), ("ab", 0x012600C4), ("abc", 0x024D0127)],
)
def test_known_values_of_adler32(content: str, expected: int) -> None:
    assert adler32([content]) == expected


@given(st.lists(text))
def test_adler32_of_pieces_is_that_of_their_joined_bytes(pieces: list[str]) -> None:
    low, high = 1, 0
    for byte in "".join(pieces).encode():
        low = (low + byte) % 65521
        high = (high + low) % 65521
    assert BY_NAME["adler32"](pieces) == (high << 16) + low


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("md5", b"", "d41d8cd98f00b204e9800998ecf8427e"),
        ("md5", b"a", "0cc175b9c0f1b6a831c399e269772661"),
        ("fnv128a", b"", "6c62272e07bb014262b821756295c58d"),
        ("fnv128a", b"a", "d228cb696f1a8caf78912b704e4a8964"),
        ("fnv128a", b"foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ],
)
def test_digests_of_uids_by_published_vectors(name: str, text: bytes, expected: str) -> None:
    assert HEX_BY_NAME[name](text) == expected


states = st.integers(0, 2**32 - 1)


@given(st.lists(text), st.lists(text))
def test_a_digest_goes_on_from_its_own_result(before: list[str], after: list[str]) -> None:
    for function in BY_NAME.values():
        assert function(after, function(before)) == function([*before, *after])


@given(st.lists(text), states)
def test_in_python_and_by_any_whole_function_the_result_is_the_same(pieces: list[str], state: int) -> None:
    expected = state
    for byte in "".join(pieces).encode():
        expected = (expected ^ byte) * 0x01000193 % 2**32
    assert by_pieces(pieces, state) == expected
    assert in_c(pieces, state, plain) == expected


@given(text, st.lists(text, min_size=1), st.lists(st.tuples(st.integers(0, 8), text), min_size=1, max_size=4))
def test_what_follows_a_state_is_digested_alike(
    before: str, texts: list[str], after: list[tuple[int, str]]
) -> None:
    after = [(number % len(texts), rest) for number, rest in after]
    pieces = [piece for number, rest in after for piece in (texts[number], rest)]
    for function in BY_NAME.values():
        encoded = [(number, rest.encode()) for number, rest in after]
        assert going_on(function, function([before]), encoded)(texts) == function([before, *pieces])


def test_what_is_installed_without_its_c_code_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled() is not None
    monkeypatch.setitem(sys.modules, "fnv_hash_fast", SimpleNamespace(fnv1a_32=partial(plain)))
    assert compiled() is None
    monkeypatch.setitem(sys.modules, "fnv_hash_fast", None)
    assert compiled() is None


def test_without_the_library_python_computes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = ["head", "x" * 300, "\u20ac"]
    by_library = fnv32a(pieces)
    monkeypatch.setattr(digest, "_IN_C", None)
    assert fnv32a(pieces) == by_library == plain("".join(pieces).encode())
    assert going_on(fnv32a, fnv32a(pieces[:1]), [(0, pieces[2].encode())])(pieces[1:2]) == by_library
