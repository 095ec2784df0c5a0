"""Sums of quantities, and the quantities of 1.0 - 1.2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.compile.spew import spew
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import Number
from hashcompat.core.go.quantity import (
    BINARY_SI,
    DECIMAL_SI,
    HELD_TYPE,
    MILLI_TYPE_1_0,
    NANO_TYPE_1_0,
    Held,
    add,
    decimal,
    from_json_or_held,
    larger,
    nano_from_json,
    old_milli_from_json,
    parse,
    to_json_1_0,
)

# Quantity.Add and Quantity.Cmp, in Go's representation.

TEXTS = st.builds(
    lambda sign, number, suffix: f"{sign}{number}{suffix}",
    st.sampled_from(["", "-"]),
    st.decimals(min_value=0, max_value=10**18, places=4, allow_nan=False),
    st.sampled_from(["", "m", "k", "Ki", "Gi", "Ei", "n", "e5"]),
)


def number(text: str) -> Fraction:
    unscaled, scale = decimal(parse(text))
    return Fraction(unscaled) / Fraction(10) ** scale


@given(TEXTS, TEXTS)
def test_a_sum_is_the_sum_and_has_no_text(text: str, other: str) -> None:
    total = add(parse(text), parse(other))
    unscaled, scale = decimal(total)
    assert Fraction(unscaled) / Fraction(10) ** scale == number(text) + number(other)
    assert total[2] == ""


@given(TEXTS, TEXTS)
def test_the_larger_one_exceeds(text: str, other: str) -> None:
    unscaled, scale = decimal(larger(parse(text), parse(other)))
    assert Fraction(unscaled) / Fraction(10) ** scale == max(number(text), number(other))


@pytest.mark.parametrize(
    ("text", "other", "amount", "form"),
    [
        ("1", "500m", (1500, -3), DECIMAL_SI),
        ("100m", "2", (2100, -3), DECIMAL_SI),
        ("1Mi", "1k", (1049576, 0), BINARY_SI),
        ("0", "64Mi", (67108864, 0), BINARY_SI),
        ("64Mi", "0", (67108864, 0), BINARY_SI),
        ("0", "0", (0, 0), DECIMAL_SI),
    ],
)
def test_int64_amounts_stay_int64_at_the_finer_scale(
    text: str, other: str, amount: tuple[int, int], form: str
) -> None:
    assert add(parse(text), parse(other)) == (amount, (None,), "", form)


@pytest.mark.parametrize(("text", "other"), [("900P", "1n"), ("1E", "1m"), ("1.5Gi", "1")])
def test_what_does_not_fit_goes_through_inf_dec(text: str, other: str) -> None:
    assert add(parse(text), parse(other))[1][0] is not None


def test_a_larger_one_is_made_inf_dec_by_the_comparison_with_one() -> None:
    wide = add(parse("1.5Gi"), parse("0.5"))
    assert wide[1][0] is not None
    assert larger(parse("5G"), wide) == ((0, 0), ((((False, (5,)), -9),),), "5G", DECIMAL_SI)
    assert larger(parse("1"), wide) == wide


def test_absurd_distances_are_refused() -> None:
    with pytest.raises(DecodeError, match="scales differ too much"):
        add(parse("1e20000"), parse("1"))


def test_a_held_quantity_is_taken_as_it_is() -> None:
    quantity = add(parse("1"), parse("2"))
    assert from_json_or_held(Held(quantity)) is quantity
    assert HELD_TYPE.decode("3") == parse("3")
    assert HELD_TYPE.encode(quantity) == "3"


# The Quantity of kubelets 1.0 - 1.2, as pkg/api/resource of v1.1.8 and v1.2.7 reads these texts.


def shown(unscaled: str, scale: int, form: str) -> str:
    sign = "true" if unscaled.startswith("-") else "false"
    words = f"[{unscaled.lstrip('-')}]" if unscaled else "<nil>"
    amount = f"{{unscaled:(big.Int){{neg:(bool){sign} abs:(big.nat){words}}} scale:(inf.Scale){scale}}}"
    return f"(resource.Quantity){{Amount:(*inf.Dec){amount} Format:(resource.Format){form}}}"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        pytest.param("100m", ("100", 3, "DecimalSI"), ("100", 3, "DecimalSI"), id="milli"),
        pytest.param("0.1", ("100", 3, "DecimalSI"), ("100", 3, "DecimalSI"), id="the same in other words"),
        pytest.param("64Mi", ("67108864000", 3, "BinarySI"), ("67108864000", 3, "BinarySI"), id="binary"),
        pytest.param(" 1k\n", ("1000000", 3, "DecimalSI"), ("1000000", 3, "DecimalSI"), id="white space"),
        pytest.param(
            "1e3", ("1000000", 3, "DecimalExponent"), ("1000000", 3, "DecimalExponent"), id="exponent"
        ),
        pytest.param("+5.", ("5000", 3, "DecimalSI"), ("5000", 3, "DecimalSI"), id="plus, no fraction"),
        pytest.param("-.5", ("-500", 3, "DecimalSI"), ("-500", 3, "DecimalSI"), id="minus, no whole"),
        pytest.param(
            "0",
            ("", 0, "DecimalSI"),
            ("", 3, "DecimalSI"),
            id="zero is rounded on the way into the list only",
        ),
        pytest.param("0.00", ("", 2, "DecimalSI"), ("", 3, "DecimalSI"), id="zero has a scale"),
        pytest.param("-0m", ("", 3, "DecimalSI"), ("", 3, "DecimalSI"), id="no negative zero"),
        pytest.param("0Ki", ("", 0, "BinarySI"), ("", 3, "BinarySI"), id="binary zero"),
        pytest.param("0.1m", ("1", 3, "DecimalSI"), ("1", 3, "DecimalSI"), id="rounded up"),
        pytest.param("-0.1m", ("-1", 3, "DecimalSI"), ("-1", 3, "DecimalSI"), id="away from zero"),
        pytest.param("1e-30", ("1", 3, "DecimalExponent"), ("1", 3, "DecimalExponent"), id="next to nothing"),
        pytest.param(
            "0.0001Ki",
            ("103", 3, "DecimalSI"),
            ("103", 3, "DecimalSI"),
            id="a fraction of one is no BinarySI",
        ),
        pytest.param("9223372036854775808", ("9223372036854775807", 0, "DecimalSI"), None, id="capped"),
        pytest.param("5u", None, ("1", 3, "DecimalSI"), id="micro since 1.2"),
        pytest.param("5n", None, ("1", 3, "DecimalSI"), id="nano since 1.2"),
    ],
)
def test_what_a_text_becomes(
    text: str, old: tuple[str, int, str] | None, new: tuple[str, int, str] | None
) -> None:
    if old:
        assert spew(MILLI_TYPE_1_0, old_milli_from_json(text)) == shown(*old)
    if new:
        assert spew(NANO_TYPE_1_0, nano_from_json(text)) == shown(*new)


def test_the_cap_of_1_2_is_brought_to_milli_in_two_words() -> None:
    text = spew(NANO_TYPE_1_0, nano_from_json("1e20"))
    assert "abs:(big.nat)[18446744073709550616 499]} scale:(inf.Scale)3}" in text


@pytest.mark.parametrize("text", ["5n", "5u"])
def test_1_0_knows_nothing_below_milli(text: str) -> None:
    with pytest.raises(DecodeError, match="not a quantity"):
        old_milli_from_json(text)


REFUSED_TEXTS = [
    "",
    ".",
    "+",
    "-.",
    "1.2.3",
    "1mm",
    "1e",
    "1KiKi",
    "1 m",
    "--1",
    "m",
    "1e9223372036854775808",
    "9" * 5000,
    "1e-20000e",
]


@pytest.mark.parametrize("value", [*REFUSED_TEXTS, None, True, [], {}])
@pytest.mark.parametrize("decode", [old_milli_from_json, nano_from_json])
def test_what_is_no_quantity(decode: Any, value: Any) -> None:
    with pytest.raises(DecodeError):
        decode(value)


def test_an_exponent_that_go_would_not_survive_is_refused() -> None:
    with pytest.raises(DecodeError, match="exponent is too large"):
        old_milli_from_json("1e20000")


@pytest.mark.parametrize("value", [1, Number("1.0"), "1"])
def test_bare_numbers_are_read_by_their_text(value: Any) -> None:
    assert old_milli_from_json(value) == old_milli_from_json("1")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1.5Gi", "1536Mi"),
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1e4", "10e3"),
        ("0", "0"),
        ("1000Ki", "1000Ki"),
        ("0.1m", "1m"),
    ],
)
def test_the_text_that_is_written(text: str, canonical: str) -> None:
    assert to_json_1_0(old_milli_from_json(text)) == canonical
    assert to_json_1_0(nano_from_json(text)) == canonical


def test_a_quantity_without_an_amount_is_written_as_zero() -> None:
    assert to_json_1_0((None, "")) == "0"


@given(
    st.decimals(min_value=-(10**9), max_value=10**9, places=6, allow_nan=False).map(
        lambda number: f"{number:f}"
    )
)
def test_rounding_goes_away_from_zero_by_less_than_a_milli(text: str) -> None:
    pointer, _ = old_milli_from_json(text)
    assert pointer is not None
    (negative, words), scale = pointer[0]
    rounded = Fraction(sum(word << 64 * index for index, word in enumerate(words or ())), 10**scale)
    assert 0 <= rounded - abs(Fraction(text)) < Fraction(1, 1000)
    assert negative == (Fraction(text) < 0)
