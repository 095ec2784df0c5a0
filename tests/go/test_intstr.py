"""What apimachinery v0.36.3 decodes into an IntOrString and writes for it."""

from __future__ import annotations

import pytest

from hashcompat.compile.spew import spew
from hashcompat.errors import DecodeError
from hashcompat.go.jsontext import loads
from hashcompat.go.metav1 import INT_OR_STRING, WIDE_TYPE, from_json, number_of


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
