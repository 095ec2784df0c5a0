"""Messages are read and made without a schema, and what is not known is not lost."""

from __future__ import annotations

import pytest

from hashcompat.core.errors import InputError
from hashcompat.output.rewriting.containerd import all_of, fields, made, map_of, number_of, one_of, text_of

MESSAGE = bytes.fromhex("0a0161 10ac02 1d01000000 210200000000000000 0a0162 9a060178")
"""a string, 300, four bytes, eight bytes, the string again, and a field of a high number."""


def test_every_kind_of_field_is_read() -> None:
    assert list(fields(MESSAGE)) == [
        (1, b"a"),
        (2, 300),
        (3, b"\1\0\0\0"),
        (4, b"\2" + bytes(7)),
        (1, b"b"),
        (99, b"x"),
    ]
    assert (text_of(MESSAGE, 1), number_of(MESSAGE, 2), one_of(MESSAGE, 5)) == ("b", 300, b"")
    assert list(all_of(MESSAGE, 1)) == [b"a", b"b"]


def test_a_map_is_a_list_of_pairs() -> None:
    assert map_of(made({7: made({1: "k", 2: b"\xff"})}), 7) == {"k": b"\xff"}


def test_what_is_made_is_read() -> None:
    assert list(fields(made({1: "é", 300: b"x" * 300}))) == [(1, "é".encode()), (300, b"x" * 300)]


@pytest.mark.parametrize(
    "message", ["0a", "0a02 61", "0b", "ff" * 11, "80", "0d 010000", "09 01"], ids=lambda text: text[:8]
)
def test_what_is_no_message_is_refused(message: str) -> None:
    with pytest.raises(InputError, match="not a message"):
        list(fields(bytes.fromhex(message)))


def test_another_kind_than_is_asked_for_is_refused() -> None:
    with pytest.raises(InputError, match="bytes in place of a number"):
        number_of(MESSAGE, 1)
    with pytest.raises(InputError, match="a number in place of bytes"):
        one_of(MESSAGE, 2)
    with pytest.raises(InputError, match="not UTF-8"):
        text_of(made({1: b"\xff"}), 1)
