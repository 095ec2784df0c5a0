"""What a result says of how it was made."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from hashcompat.core.model.results import Making


@pytest.mark.parametrize(
    ("made", "known", "said"),
    [
        (datetime(2026, 11, 1, tzinfo=UTC), date(2026, 10, 28), ""),
        (datetime(2027, 1, 26, tzinfo=UTC), date(2026, 10, 28), ""),
        (
            datetime(2027, 1, 27, tzinfo=UTC),
            date(2026, 10, 28),
            "the release data is 91 days old: newest known",
        ),
        (None, date(2026, 10, 28), ""),
        (datetime(2027, 1, 27, tzinfo=UTC), None, ""),
    ],
)
def test_release_data_of_more_than_ninety_days_is_old(
    made: datetime | None, known: date | None, said: str
) -> None:
    stale = Making(at=made, newest="1.37.2", data_date=known).stale
    assert stale.startswith(said)
    assert bool(stale) is bool(said)
