"""resource.Quantity: every expected text was printed by apimachinery itself (data/README.md)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.compile.spew import spew
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import Number, loads
from hashcompat.core.go.quantity import (
    MILLI_TYPE,
    TYPE,
    ZERO,
    Quantity,
    canonical,
    canonical_text,
    from_json,
    parse,
    round_up_to_milli,
    to_json,
)
from hashcompat.core.go.types import Coded
from tests.helpers.support import rows

ROWS = rows("quantities.jsonl")


def fields(value: Quantity) -> str:
    """Return what ``%v`` prints: ``%#v`` without types and names of fields, and ``<*>`` for a pointer."""
    text = spew(TYPE, value).replace("(*inf.Dec){", "<*>{")
    return re.sub(r"\w+:(?=\(|<)|\([\w.*]+\)", "", text)


def test_the_private_fields_are_those_of_go() -> None:
    for row in ROWS:
        assert fields(parse(row["text"])) == row["fields"], row["text"]


def test_the_written_and_the_canonical_text_are_those_of_go() -> None:
    for row in ROWS:
        value = parse(row["text"])
        assert (to_json(value), canonical(value)) == (row["json"], row["canonical"]), row["text"]


def test_rounding_up_to_milli_is_gos() -> None:
    for row in ROWS:
        value = round_up_to_milli(parse(row["text"]))
        assert (fields(value), to_json(value)) == (row["milliFields"], row["milli"]), row["text"]


def test_the_hashed_text_of_a_cached_quantity() -> None:
    assert spew(TYPE, parse("100m")) == (
        "(resource.Quantity){i:(resource.int64Amount){value:(int64)100 scale:(resource.Scale)-3} "
        "d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)100m Format:(resource.Format)DecimalSI}"
    )


def test_the_hashed_text_of_a_quantity_on_the_slow_path() -> None:
    assert spew(TYPE, parse("0.0001Ki")) == (
        "(resource.Quantity){i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} "
        "d:(resource.infDecAmount){Dec:(*inf.Dec)"
        "{unscaled:(big.Int){neg:(bool)false abs:(big.nat)[102400000]} scale:(inf.Scale)9}} "
        "s:(string) Format:(resource.Format)DecimalSI}"
    )


REFUSED = {
    "not a quantity": (
        *("", " ", "+ 1", "1..2", "1.2.3", "1 m", "1_000", "0x10", "inf", "NaN"),
        *("\u0661", "\uff11", "1\n1", "1m\u20071"),
    ),
    "unknown suffix": (
        *("1K", "1mi", "1ki", "1i", "1Kii", "1KiKi", "1mm", "1ke3", "1n-", "1k+", "1e", "1E+", "1EE3"),
        *("1Ei3", "1-3", "++1", "--1", "-+1", "+n-3", "1e9223372036854775808"),
    ),
    # on the slow path, as inf.Dec does
    "without digits": ("e-10", "+e-10", "-.e-10"),
    # on the slow path: no memory would hold them
    "exponent is too large": (
        *("1e-2147483648", "12345678901234567890e2147483647", "12345678901234567890e10000"),
    ),
    "too many digits": (
        *("9" * 5000, "1e" + "9" * 5000, "0." + "0" * 5000, "0" * 5000, "1" + "0" * 5000 + "Ki"),
    ),
}
"""Why texts are no quantities."""


@pytest.mark.parametrize(("why", "text"), [(why, text) for why, texts in REFUSED.items() for text in texts])
def test_what_is_no_quantity_is_refused(why: str, text: str) -> None:
    with pytest.raises(DecodeError, match=why):
        parse(text)


@pytest.mark.parametrize("text", ["1e10001", "-1e2147483647", "0e99999999", "0e-99999999"])
@pytest.mark.parametrize("kind", [TYPE, MILLI_TYPE])
def test_a_pod_has_none_whose_amount_no_memory_would_hold(kind: Coded, text: str) -> None:
    with pytest.raises(DecodeError, match="exponent is too large: more than 10,000"):
        kind.decode(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-5000", "{{0 0} {<*>{{false [1]} 9}}  DecimalExponent}"),
        ("-123456789e-3000", "{{0 0} {<*>{{true [1]} 9}}  DecimalExponent}"),
    ],
)
def test_whatever_is_far_below_nano_is_one_nano(text: str, expected: str) -> None:
    assert fields(parse(text)) == expected


def test_the_message_does_not_repeat_the_text() -> None:
    with pytest.raises(DecodeError) as caught:
        parse("hunter2")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("exponent", ["e9000", "e5000"])
def test_a_very_large_number_is_still_written(exponent: str) -> None:
    digits = "1234567890123456789"
    value = parse(digits + exponent)
    assert Fraction(canonical(value)) == Fraction(digits + exponent)
    assert canonical(round_up_to_milli(value)) == canonical(value)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param("null", "{{0 0} {<nil>}  }", id="null is the zero value"),
        pytest.param("0", "{{0 0} {<nil>} 0 DecimalSI}", id="bare zero"),
        pytest.param("-0", "{{0 0} {<nil>}  DecimalSI}", id="bare minus zero"),
        pytest.param("1", "{{1 0} {<nil>} 1 DecimalSI}", id="bare integer"),
        pytest.param("1.500", "{{1500 -3} {<nil>} 1.500 DecimalSI}", id="bare fraction keeps its zeros"),
        pytest.param("1E3", "{{1 3} {<nil>} 1E3 DecimalExponent}", id="bare exponent keeps its letter"),
        pytest.param('"100m"', "{{100 -3} {<nil>} 100m DecimalSI}", id="string"),
        pytest.param('" 100m "', "{{100 -3} {<nil>} 100m DecimalSI}", id="spaces are trimmed"),
        pytest.param(
            '"\u00a0100m\u3000"', "{{100 -3} {<nil>} 100m DecimalSI}", id="spaces of Unicode are trimmed"
        ),
    ],
)
def test_a_json_value_is_decoded_from_its_raw_text(document: str, expected: str) -> None:
    assert fields(from_json(loads(document))) == expected


def test_python_floats_are_taken_by_their_text() -> None:
    assert from_json(0.1) == parse("0.1")


@pytest.mark.parametrize("value", [True, [], {}, b"1"])
def test_other_kinds_are_refused(value: object) -> None:
    with pytest.raises(DecodeError, match="want a quantity"):
        from_json(value)


@pytest.mark.parametrize("text", ["\x1f1", "\u200b1", "\ufeff1", "1\x1c"])
def test_what_only_python_takes_for_space_is_not_trimmed(text: str) -> None:
    with pytest.raises(DecodeError):
        from_json(text)


def test_the_zero_value_is_written_as_zero() -> None:
    assert (to_json(ZERO), canonical(ZERO)) == ("0", "0")


def test_a_value_without_a_format_is_written_with_an_exponent() -> None:
    assert canonical(((5000, 0), (None,), "", "")) == "5e3"


SUFFIXES = [
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "e3",
    "e-2",
    "E+4",
]
SCALES = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "": 0}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
plain_numbers = st.from_regex(r"[+-]?(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?", fullmatch=True)
texts = st.builds("".join, st.tuples(plain_numbers, st.sampled_from(SUFFIXES)))


def number(text: str) -> Fraction:
    """Read a quantity by the table of suffixes alone."""
    digits = text.rstrip("numkMGTPEiK")
    suffix = text[len(digits) :]
    factor = Fraction(2 ** BINARY[suffix]) if suffix in BINARY else Fraction(f"1e{SCALES[suffix]}")
    return Fraction(digits) * factor


@given(texts)
def test_the_canonical_text_is_a_fixed_point(text: str) -> None:
    once = canonical(parse(text))
    assert canonical(parse(once)) == once


small = st.builds(
    "".join,
    st.tuples(
        st.from_regex(r"-?[0-9]{1,6}(\.[0-9]{1,3})?", fullmatch=True),
        st.sampled_from(["", "m", "k", "G", "Ki", "Gi"]),
    ),
)


@given(small)
def test_the_canonical_text_keeps_the_value(text: str) -> None:
    assert number(canonical(parse(text))) == number(text)


@given(small)
def test_rounding_to_milli_goes_away_from_zero_by_less_than_a_milli(text: str) -> None:
    exact, rounded = number(text), number(to_json(round_up_to_milli(parse(text))))
    assert 0 <= abs(rounded) - abs(exact) < Fraction(1, 1000)
    assert exact * rounded >= 0


@given(texts)
def test_cached_text_is_the_text_that_was_given(text: str) -> None:
    assert parse(text)[2] in ("", text)


def test_a_kept_number_and_the_same_string_are_one() -> None:
    values: list[Any] = [Number("1.50"), "1.50"]
    assert from_json(values[0]) == from_json(values[1])


@pytest.mark.parametrize("form", ["BinarySI", "DecimalExponent", ""])
def test_a_computed_quantity_of_too_many_digits_is_refused(form: str) -> None:
    """Python converts no number of more than 4,300 digits to text."""
    assert canonical_text(10**4949, 0, "DecimalExponent") == "100e4947"
    with pytest.raises(DecodeError, match="too many digits: more than 4000"):
        canonical_text(7**9000, 0, form)
