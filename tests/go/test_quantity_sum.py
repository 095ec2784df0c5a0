"""Quantity.Add and Quantity.Cmp, in Go's representation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.errors import DecodeError
from hashcompat.go.quantity import BINARY_SI, DECIMAL_SI, decimal, parse
from hashcompat.go.quantity_sum import HELD_TYPE, Held, add, from_json_or_held, larger_one

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
def test_a_sum_is_the_sum_and_has_no_text(one: str, other: str) -> None:
    total = add(parse(one), parse(other))
    unscaled, scale = decimal(total)
    assert Fraction(unscaled) / Fraction(10) ** scale == number(one) + number(other)
    assert total[2] == ""


@given(TEXTS, TEXTS)
def test_the_larger_one_exceeds(one: str, other: str) -> None:
    unscaled, scale = decimal(larger_one(parse(one), parse(other)))
    assert Fraction(unscaled) / Fraction(10) ** scale == max(number(one), number(other))


@pytest.mark.parametrize(
    ("one", "other", "amount", "form"),
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
    one: str, other: str, amount: tuple[int, int], form: str
) -> None:
    assert add(parse(one), parse(other)) == (amount, (None,), "", form)


@pytest.mark.parametrize(("one", "other"), [("900P", "1n"), ("1E", "1m"), ("1.5Gi", "1")])
def test_what_does_not_fit_goes_through_inf_dec(one: str, other: str) -> None:
    assert add(parse(one), parse(other))[1][0] is not None


def test_a_larger_one_is_made_inf_dec_by_the_comparison_with_one() -> None:
    wide = add(parse("1.5Gi"), parse("0.5"))
    assert wide[1][0] is not None
    assert larger_one(parse("5G"), wide) == ((0, 0), ((((False, (5,)), -9),),), "5G", DECIMAL_SI)
    assert larger_one(parse("1"), wide) == wide


def test_absurd_distances_are_refused() -> None:
    with pytest.raises(DecodeError, match="scales differ too much"):
        add(parse("1e20000"), parse("1"))


def test_a_held_quantity_is_taken_as_it_is() -> None:
    quantity = add(parse("1"), parse("2"))
    assert from_json_or_held(Held(quantity)) is quantity
    assert HELD_TYPE.decode("3") == parse("3")
    assert HELD_TYPE.encode(quantity) == "3"
