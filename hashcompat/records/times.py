"""When a runtime created a container or sandbox, in whatever form it reports that."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from hashcompat.go.metav1 import is_time

_NANOSECONDS: Final = re.compile(r"[0-9]{1,19}")


def nanoseconds(created: object) -> int | None:
    """Return when something was created, in nanoseconds since 1970; None for what is not a time.

    crictl and ``docker inspect`` write RFC 3339, or the former the nanoseconds in a text; Docker's container
    list has seconds.
    """
    if isinstance(created, int) and not isinstance(created, bool):
        return created * 10**9
    text = str(created)
    if _NANOSECONDS.fullmatch(text):
        return int(text)
    if not is_time(text):
        return None
    try:
        seconds = datetime.fromisoformat(text[:19] + re.sub(r"[.,]\d+", "", text[19:])).timestamp()
    except (ValueError, OverflowError):
        return None
    fraction = re.match(r"[.,](\d+)", text[19:])
    return int(seconds) * 10**9 + (int(fraction[1].ljust(9, "0")[:9]) if fraction else 0)


def time_of(created: object) -> datetime | None:
    """Return when something was created as a time in UTC; None for what is not a time."""
    found = nanoseconds(created)
    try:
        return None if found is None else datetime.fromtimestamp(found // 10**9, UTC)
    except (ValueError, OverflowError, OSError):
        return None
