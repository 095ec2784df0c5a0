"""Go's ``time.ParseDuration``, Go 1.26."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # U+00B5, the micro sign
    "μs": 1_000,  # U+03BC, the Greek letter mu
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
"""Nanoseconds."""

_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)")

_MOST: Final = 1 << 63

_DIGITS: Final = 19
"""What has more of them is beyond 64 bits, or of a fraction below a nanosecond."""


def parse_duration(text: str) -> int | None:
    """Return the nanoseconds of a duration as Go writes it (``1m30s``, ``-1.5h``); None for what is none."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    total, place = 0, 0
    while part := _PART.match(rest, place):
        whole, fraction, unit = part[1].lstrip("0"), (part[2] or "")[:_DIGITS], part[3]
        if not (part[1] or part[2]) or unit not in _UNITS or len(whole) > _DIGITS:
            return None
        total += int(whole or "0") * _UNITS[unit] + int(fraction or "0") * _UNITS[unit] // 10 ** len(fraction)
        place = part.end()
    if not rest or place < len(rest) or total > _MOST - (sign > 0):
        return None
    return sign * total
