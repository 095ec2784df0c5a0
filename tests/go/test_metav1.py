"""Types with their own JSON methods besides Quantity."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.compile.spew import spew
from hashcompat.core.errors import DecodeError, UndecidedError
from hashcompat.core.go.jsontext import Number, loads
from hashcompat.core.go.metav1 import (
    FIELDS,
    INT_OR_STRING,
    LOCATION,
    WIDE_TYPE,
    RawJson,
    fields_type,
    from_json,
    number_of,
    time_type,
)
from hashcompat.core.go.types import BYTES, Basic, Field, Pointer, Struct

# metav1.Time and metav1.FieldsV1: what decodes, what is refused, and what nobody can foretell.

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


# What apimachinery v0.36.3 decodes into an IntOrString and writes for it.


@pytest.mark.parametrize(
    ("document", "fields", "written"),
    [
        ("1", "Type:(intstr.Type)0 IntVal:(int32)1 StrVal:(string)", 1),
        ("-5", "Type:(intstr.Type)0 IntVal:(int32)-5 StrVal:(string)", -5),
        ("-0", "Type:(intstr.Type)0 IntVal:(int32)0 StrVal:(string)", 0),
        ("null", "Type:(intstr.Type)0 IntVal:(int32)0 StrVal:(string)", 0),
        ('"1"', "Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)1", "1"),
        ('""', "Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)", ""),
        (r'"h\ud800"', "Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)h\ufffd", "h\ufffd"),
    ],
)
def test_a_number_or_a_string(document: str, fields: str, written: int | str) -> None:
    value = from_json(loads(document))
    assert spew(INT_OR_STRING, value) == f"(intstr.IntOrString){{{fields}}}"
    assert number_of(value) == written


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("1.0", "want an integer, got a number with a fraction"),
        ("1e3", "want an integer, got a number with a fraction or an exponent"),
        ("2147483648", "out of the range of int32"),
        ("true", "want an integer or a string, got a boolean"),
        ("[]", "want an integer or a string, got a list"),
        ("{}", "want an integer or a string, got an object"),
    ],
)
def test_other_kinds_are_refused(document: str, problem: str) -> None:
    with pytest.raises(DecodeError, match=problem):
        from_json(loads(document))


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        ("80", "Kind:(util.IntstrKind)0 IntVal:(int)80 StrVal:(string)"),
        ("2147483648", "Kind:(util.IntstrKind)0 IntVal:(int)2147483648 StrVal:(string)"),
        ('"http"', "Kind:(util.IntstrKind)1 IntVal:(int)0 StrVal:(string)http"),
        ("null", "Kind:(util.IntstrKind)0 IntVal:(int)0 StrVal:(string)"),
    ],
)
def test_kubelets_1_0_and_1_1_have_an_int_of_64_bits(document: str, fields: str) -> None:
    assert spew(WIDE_TYPE, WIDE_TYPE.decode(loads(document))) == f"(util.IntOrString){{{fields}}}"


def test_the_number_of_1_0_ends_at_64_bits() -> None:
    with pytest.raises(DecodeError, match="out of the range of int64"):
        WIDE_TYPE.decode(2**63)
