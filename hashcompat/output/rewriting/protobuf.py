"""The wire format of protocol buffers, as far as a few messages need it: no schema, and no field is lost.

A message is a sequence of fields, each with its number and the bytes that it had. What is not asked for is
neither decoded nor changed. Source: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hashcompat.core.errors import InputError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED: Final = {FIXED64: 8, FIXED32: 4}
_LONGEST: Final = 10
"""Bytes of the longest varint."""

Value = int | bytes
"""What a field holds: a number of a varint, else bytes."""


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """Yield the number and the value of each field, in their order; raises InputError for no message."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        kind = tag & 7
        if kind == VARINT:
            value, place = _varint(message, place)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            size, place = _varint(message, place)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise InputError(f"not a message: a field of kind {kind}")
        if place + size > len(message):
            raise InputError("not a message: it ends within a field")
        yield tag >> 3, message[place : place + size]
        place += size


def all_of(message: bytes, number: int) -> Iterator[bytes]:
    """Yield the bytes of each field of a number; errors as ``fields``."""
    for found, value in fields(message):
        if found == number:
            yield _bytes(value)


def one_of(message: bytes, number: int) -> bytes:
    """Return the bytes of the field of a number, the last one if there are several; empty for none."""
    last = b""
    for value in all_of(message, number):
        last = value
    return last


def text_of(message: bytes, number: int) -> str:
    """Return a string; empty for none. Raises InputError for what is not UTF-8."""
    try:
        return one_of(message, number).decode()
    except UnicodeDecodeError:
        raise InputError("not a message: a string is not UTF-8") from None


def number_of(message: bytes, number: int) -> int:
    """Return an integer; 0 for none. Negative ones are as two's complement in 64 bits."""
    last = 0
    for found, value in fields(message):
        if found == number:
            if not isinstance(value, int):
                raise InputError("not a message: bytes in place of a number")
            last = value
    return last


def map_of(message: bytes, number: int) -> dict[str, bytes]:
    """Return a map of strings to bytes; of a key that is there twice the last one counts, as in Go."""
    return {text_of(entry, 1): one_of(entry, 2) for entry in all_of(message, number)}


def texts_of(message: bytes, number: int) -> dict[str, str]:
    """Return a map of strings to strings; bytes that are not UTF-8 become surrogates."""
    found = map_of(message, number)
    return {key: value.decode(errors="surrogateescape") for key, value in found.items()}


def made(content: Mapping[int, bytes | str]) -> bytes:
    """Return a message of strings, bytes and messages by the numbers of their fields."""
    pieces = bytearray()
    for number, value in content.items():
        data = value.encode() if isinstance(value, str) else value
        pieces += _as_varint(number << 3 | BYTES) + _as_varint(len(data)) + data
    return bytes(pieces)


def _bytes(value: Value) -> bytes:
    if isinstance(value, int):
        raise InputError("not a message: a number in place of bytes")
    return value


def _varint(message: bytes, place: int) -> tuple[int, int]:
    result = 0
    for index in range(_LONGEST):
        if place + index >= len(message):
            break
        byte = message[place + index]
        result |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return result, place + index + 1
    raise InputError("not a message: a number without an end")


def _as_varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
