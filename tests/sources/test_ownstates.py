"""The state of a replica's container is what its own status says, whatever of it is its own."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from msgspec import structs

from hashcompat.errors import InputError
from hashcompat.model.pods import Container, ContainerType
from hashcompat.sources.holes import Places
from hashcompat.sources.ownstates import Reported, reported_of
from hashcompat.sources.statuses import state_of

ROWS = "containerStatuses"
STARTED = ("state", "running", "startedAt")
ENDED = ("lastState", "terminated", "finishedAt")
ROW: dict[str, Any] = {
    "containerID": "containerd://ab",
    "image": "i:1",
    "lastState": {
        "terminated": {"containerID": "containerd://cd", "exitCode": 1, "finishedAt": "2026-03-02T08:00:00Z"}
    },
    "name": "c",
    "restartCount": 1,
    "started": True,
    "state": {"running": {"startedAt": "2026-03-02T08:15:00Z"}},
}


def reported(row: dict[str, Any], *own: tuple[str, ...]) -> Reported:
    """Return what a status reports of the one container, with holes at some places of its row."""
    places = Places()
    for hole, steps in enumerate(own):
        places.put((ROWS, 0, *steps), hole)
    state = state_of(row, "first")
    container = structs.replace(
        Container("c", ContainerType.CONTAINER, "$.spec.containers[0]", {}),
        running=state.running,
        started=state.started,
        restarts=state.restarts,
        probed=state.probed,
        id=state.id,
        ended=state.ended,
    )
    return reported_of(container, ROWS, {ROWS: [row]}, places.at())


def other(row: dict[str, Any], steps: tuple[str, ...], value: object) -> dict[str, Any]:
    new = copy.deepcopy(row)
    *above, last = steps
    inner = new
    for step in above:
        inner = inner[step]
    inner[last] = value
    return new


@pytest.mark.parametrize(
    ("steps", "value", "given"),
    [
        (("containerID",), "docker://ef", "docker://ef"),
        (("containerID",), "no-runtime", "no-runtime"),
        (("restartCount",), 7, "7"),
        (("image",), "i:2", "i:2"),
        (STARTED, "2026-03-03T09:00:00+01:00", "2026-03-03T09:00:00+01:00"),
        (ENDED, "2026-03-03T09:00:00Z", "2026-03-03T09:00:00Z"),
        (ENDED, "no-time", "no-time"),
    ],
)
def test_what_is_its_own_is_read(steps: tuple[str, ...], value: object, given: str) -> None:
    found = reported(ROW, steps).state((given,), "f.json", "$.items[3]")
    assert found == state_of(other(ROW, steps, value), "place")


@pytest.mark.parametrize(("steps", "first"), [(("containerID",), 5), (("restartCount",), "5")])
def test_what_is_of_another_kind_than_the_apis_is_read_as_it_is(
    steps: tuple[str, ...], first: object
) -> None:
    row = other(ROW, steps, first)
    found = reported(row, steps).state(("6",), "f.json", "$.items[3]")
    assert found == state_of(other(row, steps, type(first)(6)), "place")  # type: ignore[call-arg]  # int or str


def test_a_start_that_is_no_time_is_refused_where_it_is() -> None:
    with pytest.raises(InputError) as refusal:
        reported(ROW, STARTED).state(("soon",), "f.json", "$.items[3]")
    path = f"f.json: $.items[3].status.{ROWS}[0].state.running.startedAt"
    assert str(refusal.value) == f"{path}: want a time such as 2026-01-31T12:00:00Z"


def test_a_container_that_no_row_reports_has_the_state_of_the_first() -> None:
    found = reported({**ROW, "name": "d"}, ("containerID",))
    assert found.row is None
    assert found.state(("x",), "f.json", "$") is found.first
