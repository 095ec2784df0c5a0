"""How limits are named."""

from __future__ import annotations

import pytest

from hashcompat.sources import content


@pytest.mark.parametrize(
    ("number", "text"),
    [(8 << 30, "8 GiB"), (32 << 20, "32 MiB"), (1 << 10, "1 KiB"), (1500, "1500 bytes"), (0, "0 bytes")],
)
def test_a_limit_is_named_in_its_unit(number: int, text: str) -> None:
    assert content.size(number) == text
    assert text in str(content.too_long("x", number, "y"))
