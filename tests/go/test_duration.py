"""Durations as Go reads them."""

from __future__ import annotations

import pytest

from hashcompat.core.go.metav1 import parse_duration

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("-0", 0),
        ("0s", 0),
        ("1m30s", 90 * SECOND),
        ("-1.5h", -5400 * SECOND),
        (".5s", SECOND // 2),
        ("1.s", SECOND),
        ("+2ms", 2_000_000),
        ("3us4µs5μs6ns", 12_006),
        ("9223372036854775807ns", (1 << 63) - 1),
        ("-9223372036854775808ns", -(1 << 63)),
        ("9223372036854775808ns", None),
        ("9" * 5000 + "s", None),
        ("0" * 5000 + "1s", SECOND),
        ("1." + "5" * 5000 + "s", SECOND + SECOND * 5 // 9),
        ("", None),
        ("-", None),
        ("1", None),
        (".s", None),
        ("1d", None),
        ("1min", None),
        ("1h 2m", None),
        ("s", None),
        ("--1s", None),
    ],
)
def test_durations(text: str, nanoseconds: int | None) -> None:
    assert parse_duration(text) == nanoseconds
