"""Which records are of a container before the one that a pod's status shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hashcompat.core.model.pods import Container, ContainerType
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import is_older

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def container(**known: Any) -> Container:
    return Container("c", ContainerType.CONTAINER, "$", {}, **known)


def record(**known: Any) -> Recorded:
    return Recorded("uid", "ns", "p", "c", 7, running=True, **known)


@pytest.mark.parametrize(
    ("told", "shown", "older"),
    [
        pytest.param({}, {}, False, id="nothing known"),
        pytest.param({"id": "a"}, {"id": "a"}, False, id="the same container"),
        pytest.param({"id": "a"}, {"id": "b"}, True, id="another one, and nothing says that it is newer"),
        pytest.param({"id": "a", "attempt": 1}, {"id": "b", "restarts": 2}, True, id="an attempt before"),
        pytest.param({"id": "a", "attempt": 2}, {"id": "b", "restarts": 1}, False, id="an attempt after"),
        pytest.param({"attempt": 0}, {"restarts": 3}, True, id="no ids"),
        pytest.param({"attempt": None}, {"restarts": 3}, False, id="no attempt, as up to 1.5"),
        pytest.param({"attempt": 3}, {"restarts": 3}, False, id="the same attempt"),
        pytest.param(
            {"id": "a", "created": START - timedelta(seconds=1)},
            {"id": "b", "started": START},
            True,
            id="another one that is older",
        ),
        pytest.param(
            {"id": "a", "created": START + timedelta(seconds=1)},
            {"id": "b", "started": START},
            False,
            id="another one that is newer",
        ),
        pytest.param(
            {"created": START - timedelta(minutes=59)}, {"started": START}, False, id="it took its time"
        ),
        pytest.param(
            {"created": START - timedelta(minutes=61)}, {"started": START}, True, id="too long before"
        ),
        pytest.param({"created": START + timedelta(days=900)}, {"started": START}, False, id="long after"),
    ],
)
def test_a_record_that_is_older_than_the_container_does_not_count(
    told: dict[str, Any], shown: dict[str, Any], *, older: bool
) -> None:
    assert is_older(record(**told), container(**shown)) == older


@pytest.mark.parametrize(
    ("line", "start", "older"),
    [
        ((3, 1, 11, 59), START, False),
        ((3, 1, 10, 59), START, True),
        ((1, 14, 0, 0), START, True),
        ((6, 1, 0, 0), START, False),
        ((12, 31, 23, 59), datetime(2026, 1, 1, tzinfo=UTC), False),
        ((1, 1, 0, 1), datetime(2025, 12, 31, 23, 59, tzinfo=UTC), False),
        ((2, 29, 12, 0), START, False),
        ((2, 29, 12, 0), datetime(2024, 3, 1, 12, tzinfo=UTC), True),
        ((3, 1, 11, 59), datetime(9999, 3, 1, 12, tzinfo=UTC), False),
        ((3, 1, 11, 59), datetime(1, 3, 1, 12, tzinfo=UTC), False),
    ],
)
def test_a_line_without_a_year_is_of_the_nearest_one(
    line: tuple[int, int, int, int], start: datetime, *, older: bool
) -> None:
    created = datetime(2000, *line, tzinfo=UTC)
    assert is_older(record(created=created, any_year=True), container(started=start)) == older
