"""How long pods took until they were Ready, as their status shows it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from hashcompat.analysis.disruption.census import grace_seconds, is_unprobed, median, seconds_to_ready
from tests.disruption.pods import read
from tests.helpers.pods import pod

PROBED = {"name": "c", "image": "i", "readinessProbe": {"tcpSocket": {"port": 1}}}


def started(at: str | None, ready: str | None = "2026-01-01T00:00:30Z", status: str = "True") -> Any:
    running = {"running": {"startedAt": at}} if at else {"waiting": {}}
    condition = {"type": "Ready", "status": status, "lastTransitionTime": ready}
    return pod(
        PROBED, status={"containerStatuses": [{"name": "c", "state": running}], "conditions": [condition]}
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (started("2026-01-01T00:00:10Z"), 20),
        (started("2026-01-01T00:00:30Z"), 0),
        (started("2026-01-01T00:01:30Z"), None),
        (started("2025-12-31T22:00:00Z"), None),
        (started(None), None),
        (started("2026-01-01T00:00:10Z", None), None),
        (started("2026-01-01T00:00:10Z", "soon"), None),
        (started("2026-01-01T00:00:10Z", status="False"), None),
        (pod(), None),
    ],
)
def test_from_the_latest_start_until_ready(value: Any, expected: int | None) -> None:
    assert seconds_to_ready(read(value)) == expected


def test_a_container_without_a_readiness_probe_counts_as_ready_once_it_is_started() -> None:
    init = {"initContainers": [{"name": "i", "image": "i"}]}
    probed, unprobed = pod(PROBED, spec=init), pod(PROBED, {"name": "d", "readinessProbe": None})
    assert [is_unprobed(read(manifest)) for manifest in (probed, unprobed)] == [False, True]


@pytest.mark.parametrize(
    ("value", "expected"), [(None, 30), (0, 0), (-1, 0), (90, 90), ("x", 30), (True, 30)]
)
def test_the_time_to_stop(value: object, expected: int) -> None:
    assert grace_seconds({"terminationGracePeriodSeconds": value}) == expected


def test_the_median_is_that_of_what_was_seen() -> None:
    medians = [median(Counter(times)) for times in ([], [7], [1, 9], [9, 1, 2], [5, 5, 5, 1])]
    assert medians == [None, 7, 1, 2, 5]
