"""What a pod's status reports of its containers: whether they run, since when, how often they restarted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import is_object
from hashcompat.core.go.jsontext import clean
from hashcompat.core.go.metav1 import is_time
from hashcompat.core.model.pods import OUT_OF_MEMORY, STATUSES, Ended

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
"""Go's zero time, which the API uses for no time at all."""


class ReportedState(msgspec.Struct, frozen=True):
    """What a status reports of one container."""

    running: bool | None = None
    """Whether it runs; None where the status does not list such containers."""
    started: datetime | None = None
    """When it started, UTC; None where that is not reported."""
    restarts: int | None = None
    """How often it was created again; None where that is not reported."""
    probed: bool | None = None
    """Whether its startupProbe has passed; None where that is not reported."""
    id: str = ""
    """Its id in the runtime, without the runtime's name; empty where that is not reported."""
    ended: Ended | None = None
    """How it ended last; None where that is not reported."""


class States:
    """The states of a pod's containers, by spec list and name."""

    def __init__(self, status: Mapping[str, Any], origin: str, path: str) -> None:
        """Raise InputError, with ``origin`` and the path, for a start that is not a time."""
        self._reported = {
            key for key, name in STATUSES.items() if status.get("phase") == "Pending" or status.get(name)
        }
        self._states = {
            (key, name): state
            for key, list_name in STATUSES.items()
            for name, state in _states(status.get(list_name), f"{origin}: {path}.status.{list_name}")
        }

    def of(self, key: str, name: str) -> ReportedState:
        """Return the state of a container of ``spec.<key>``.

        One that is missing in a list that is reported does not run. A dump without statuses must not make
        containers look stopped.
        """
        return self._states.get((key, name), ReportedState(running=False if key in self._reported else None))


def _states(rows: object, place: str) -> Iterator[tuple[str, ReportedState]]:
    for index, row in enumerate(rows if isinstance(rows, list) else ()):
        if is_object(row) and isinstance(row.get("name"), str):
            yield clean(row["name"]), state_of(row, f"{place}[{index}]")


def state_of(row: Mapping[str, Any], place: str) -> ReportedState:
    """Return what a row of a status reports; raises InputError, with its place, for a wrong time."""
    state, restarts = row.get("state"), row.get("restartCount")
    running = state.get("running") if is_object(state) else None
    started = running.get("startedAt") if is_object(running) else None
    return ReportedState(
        is_object(state) and _is_running(state),
        _time(started, f"{place}.state.running.startedAt"),
        restarts if isinstance(restarts, int) and not isinstance(restarts, bool) else None,
        probed if isinstance(probed := row.get("started"), bool) else None,
        _identity(row),
        _ended(row),
    )


def _is_running(state: Mapping[str, Any]) -> bool:
    """Return whether a state says that a container runs.

    Client libraries write null for the states that it is not in. One that alone is there counts, whatever it
    holds: a start that is not known is null, and tools leave nulls out.
    """
    others = (one for key, one in state.items() if key != "running")
    return "running" in state and (is_object(state["running"]) or not any(map(is_object, others)))


def _identity(row: Mapping[str, Any]) -> str:
    identity = row.get("containerID")
    return id_of(clean(identity)) if isinstance(identity, str) else ""


def id_of(container_id: str) -> str:
    """Return the id in a ``containerID``, without the runtime's name."""
    return container_id.rpartition("://")[2]


def _ended(row: Mapping[str, Any]) -> Ended | None:
    """Return the end that is the container's state, or else that of the one before it."""
    # in this order: a container that has ended and is not created again has its end in state
    for key in ("state", "lastState"):
        found = state.get("terminated") if is_object(state := row.get(key)) else None
        if is_object(found):
            code = found.get("exitCode")
            return Ended(
                _identity(found),
                _shown_time(found.get("finishedAt")),
                key == "state",
                # type, not isinstance: true is an int in Python, and no exit code
                code if type(code) is int else None,
                found.get("reason") == OUT_OF_MEMORY,
            )
    return None


def readiness(conditions: object) -> tuple[bool | None, datetime | None]:
    """Return whether a pod's condition Ready is True, and since when; None each where that is not shown.

    No verdict depends on either, so a text that is not a time counts as not shown.
    """
    row = _ready(conditions)
    if row is None:
        return None, None
    is_ready = row.get("status") == "True"
    return is_ready, _shown_time(row.get("lastTransitionTime")) if is_ready else None


def heartbeat(conditions: object) -> datetime | None:
    """Return when a kubelet last renewed its node's condition Ready; None where that is not shown."""
    row = _ready(conditions)
    return _shown_time(row.get("lastHeartbeatTime")) if row else None


def _ready(conditions: object) -> Mapping[str, Any] | None:
    place = place_of_ready(conditions)
    return conditions[place] if isinstance(conditions, list) and place is not None else None


def place_of_ready(conditions: object) -> int | None:
    """Return the index of the condition Ready; None without one."""
    rows = enumerate(conditions if isinstance(conditions, list) else ())
    return next((index for index, row in rows if is_object(row) and row.get("type") == "Ready"), None)


def _shown_time(text: object) -> datetime | None:
    """Return a time that no verdict depends on: any other text counts as not shown."""
    return time_of(text)[1] if isinstance(text, str) else None


def _time(text: object, place: str) -> datetime | None:
    if text is None:
        return None
    is_one, found = time_of(text) if isinstance(text, str) else (False, None)
    if not is_one:
        raise InputError(f"{place}: want a time such as 2026-01-31T12:00:00Z")
    return found


@lru_cache(maxsize=4096)
def time_of(text: str) -> tuple[bool, datetime | None]:
    """Return whether a text is a time, and that time, UTC."""
    return (True, _utc(text)) if is_time(text) else (False, None)


def _utc(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):  # the year 1 or 9999 in another time zone; 24:00 and the like
        return None
    # Go writes its zero time as 0001-01-01T00:00:00Z
    return found if found > _NEVER else None
