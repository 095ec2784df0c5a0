"""The time at which something is read."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Final

_CHOSEN: Final = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 that take its place, so that outputs are reproducible (reproducible-builds.org)."""

_LONGEST: Final = 10
"""Digits of a time within the years that Python knows."""


def now() -> datetime:
    """Return the time in UTC and whole seconds."""
    chosen = os.environ.get(_CHOSEN, "")
    if chosen.isdecimal() and len(chosen) <= _LONGEST:
        return datetime.fromtimestamp(int(chosen), UTC)
    return datetime.now(UTC).replace(microsecond=0)
