"""The time at which something is read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hashcompat.sources import dating


@pytest.mark.parametrize(("chosen", "year"), [("0", 1970), ("1767225600", 2026)])
def test_a_chosen_time_takes_its_place(monkeypatch: pytest.MonkeyPatch, chosen: str, year: int) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", chosen)
    assert (dating.now().year, dating.now().tzinfo) == (year, UTC)


@pytest.mark.parametrize("chosen", ["", "soon", "-1", "99999999999", "1.5"])
def test_anything_else_is_no_time(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", chosen)
    now = dating.now()
    assert abs((datetime.now(UTC) - now).total_seconds()) < 60
    assert (now.microsecond, now.tzinfo) == (0, UTC)
