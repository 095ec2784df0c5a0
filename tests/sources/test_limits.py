"""How limits are named, and what counts as a value."""

from __future__ import annotations

import json

import pytest

from hashcompat.sources import limits


@pytest.mark.parametrize(
    ("number", "text"),
    [(8 << 30, "8 GiB"), (32 << 20, "32 MiB"), (1 << 10, "1 KiB"), (1500, "1500 bytes"), (0, "0 bytes")],
)
def test_a_limit_is_named_in_its_unit(number: int, text: str) -> None:
    assert limits.size(number) == text
    assert text in str(limits.too_long("x", number, "y"))


def test_values_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_VALUES", 5)
    limits.check_values(json.dumps([1, {"a": 2}, 3, "x"]))
    with pytest.raises(limits.RefusedError, match="JSON of more than 5 values"):
        limits.check_values(json.dumps([1, {"a": 2}, 3, "x", []]))
