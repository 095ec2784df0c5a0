"""metav1.Time and metav1.FieldsV1: what decodes, what is refused, and what nobody can foretell."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.errors import DecodeError, UndecidedError
from hashcompat.go.jsontext import Number
from hashcompat.go.metav1 import FIELDS, LOCATION, RawJson, fields_type, time_type
from hashcompat.go.types import BYTES, Basic, Field, Pointer, Struct

GO_TIME = Struct(
    "time.Time", (Field("wall", Basic("uint64", "uint64")), Field("loc", Pointer("*time.Location", LOCATION)))
)
TIME = time_type(Struct("v1.Time", (Field("Time", GO_TIME, embedded=True),)))
FIELDS_V1 = fields_type(Struct("v1.FieldsV1", (Field("Raw", BYTES, "-"),)))


def test_null_is_the_zero_time() -> None:
    assert TIME.decode(None) == ((0, None),)
    assert TIME.encode(TIME.decode(None)) == ""


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00", "2026-01-31T12:00:00-07:30"]
)
def test_a_time_is_undecided(text: str) -> None:
    with pytest.raises(UndecidedError, match="time zone of the host"):
        TIME.decode(text)


@pytest.mark.parametrize(
    "value", ["", "now", "2026-13-31T12:00:00Z", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00", 5, {}]
)
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(DecodeError, match="want a time") as caught:
        TIME.decode(value)
    assert not isinstance(caught.value, UndecidedError)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, b"{}"),
        (
            {"f:b": {"a": 1, "B": [None, True, False, "<"]}, "f:a": {}},
            rb'{"f:a":{},"f:b":{"B":[null,true,false,"\u003c"],"a":1}}',
        ),
        ({"v": Number("1.50")}, b'{"v":1.50}'),
        (RawJson(b'{ "as": "it came" }'), b'{ "as": "it came" }'),
    ],
)
def test_fields_keep_their_json(value: Any, text: bytes) -> None:
    assert FIELDS_V1.decode(value) == (text,)
    assert FIELDS_V1.encode((text,)) == text.decode()


@pytest.mark.parametrize("char", "\b\f")
def test_two_escapes_are_undecided(char: str) -> None:
    with pytest.raises(UndecidedError, match="backspace or form feed"):
        FIELDS_V1.decode({char: {}})


def test_fields_that_are_no_json_are_refused() -> None:
    with pytest.raises(DecodeError, match="want JSON"):
        FIELDS_V1.decode({"a": object()})


def test_the_recursive_fields_of_1_14_are_undecided() -> None:
    with pytest.raises(UndecidedError, match=r"1\.14 and 1\.15"):
        FIELDS.decode({})
    assert FIELDS.encode(()) == ""
