"""Go's strconv, and sets of CPUs."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import DecodeError
from hashcompat.core.go.metav1 import CPU_ENTRY, format_float, json_float, parse_cpus, show_cpus

# Expected texts are those of Go's strconv.FormatFloat(value, 'g', -1, bits) and encoding/json (Go 1.26).

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (100.0, "100"),
        (999999.0, "999999"),
        (1e6, "1e+06"),
        (1234567.0, "1.234567e+06"),
        (1e20, "1e+20"),
        (1e21, "1e+21"),
        (1e100, "1e+100"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333333333"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (math.inf, "+Inf"),
        (-math.inf, "-Inf"),
        (math.nan, "NaN"),
    ],
)
def test_a_float64_in_g_form(value: float, expected: str) -> None:
    assert format_float(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(0.1, "0.1", id="a double that is no float32 is rounded to one first"),
        pytest.param(16777217.0, "1.6777216e+07", id="beyond 24 bits"),
        pytest.param(3.4028234663852886e38, "3.4028235e+38", id="the largest"),
        pytest.param(1e300, "+Inf", id="beyond the largest"),
        pytest.param(-1e300, "-Inf", id="below the lowest"),
        pytest.param(1e-300, "0", id="below the smallest"),
        pytest.param(-0.0, "-0", id="minus zero"),
        pytest.param(1e-45, "1e-45", id="the smallest"),
        pytest.param(1.401298464324817e-45, "1e-45", id="the smallest, as a double"),
        pytest.param(
            2.0**90, "1.2379401e+27", id="2^90: the nearest decimal does not read back, the next one does"
        ),
        pytest.param(-(2.0**87), "-1.5474251e+26", id="-2^87"),
        pytest.param(2.0**-96, "1.2621775e-29", id="2^-96"),
        pytest.param(0.33333334, "0.33333334", id="a third"),
    ],
)
def test_a_float32_in_g_form(value: float, expected: str) -> None:
    assert format_float(value, 32) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.5, "1.5"),
        (1000.0, "1000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (1e-10, "1e-10"),
        (1e-300, "1e-300"),
        (-1e-7, "-1e-7"),
        (-123.25, "-123.25"),
        (123456789.125, "123456789.125"),
    ],
)
def test_a_float64_as_json(value: float, expected: str) -> None:
    assert json_float(value) == expected


@given(finite)
def test_the_text_reads_back_as_the_same_float64(value: float) -> None:
    assert float(format_float(value)) == value
    assert float(json_float(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_the_text_reads_back_as_the_same_float32(value: float) -> None:
    text = format_float(value, 32)
    assert struct.pack("f", float(text)) == struct.pack("f", value)
    assert len(text.lstrip("-").replace(".", "").partition("e")[0].strip("0")) <= 9


# Sets of CPUs, and the CPUs of a pod in a checkpoint.


@pytest.mark.parametrize(
    ("text", "cpus", "shown"),
    [
        ("", set(), ""),
        ("0", {0}, "0"),
        ("0-3,7", {0, 1, 2, 3, 7}, "0-3,7"),
        ("7,0-1,2", {0, 1, 2, 7}, "0-2,7"),
        ("3-3", {3}, "3"),
    ],
)
def test_texts_of_cpus(text: str, cpus: set[int], shown: str) -> None:
    assert parse_cpus(text) == cpus
    assert show_cpus(parse_cpus(text)) == shown


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "1,,2", "0-99999999", " 1", "1-2-3"])
def test_what_is_no_set_of_cpus(text: str) -> None:
    with pytest.raises(DecodeError, match="not a set of CPUs"):
        parse_cpus(text)


@pytest.mark.parametrize(
    ("value", "typed", "written"),
    [
        ({"cpuSet": "2-3"}, (({2: (), 3: ()},),), "2-3"),
        ({"cpuSet": ""}, (({},),), ""),
        ({}, (({},),), ""),
    ],
)
def test_the_cpus_of_a_pod(value: object, typed: object, written: str) -> None:
    assert CPU_ENTRY.decode(value) == typed
    assert CPU_ENTRY.encode(typed) == written


@pytest.mark.parametrize("value", [None, "2", {"cpuSet": 2}])
def test_what_are_no_cpus_of_a_pod(value: object) -> None:
    with pytest.raises(DecodeError, match="want an object with a text"):
        CPU_ENTRY.decode(value)
