"""What a pod's status reports of its containers: whether they run, since when, how often they restarted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.go.jsonpath import is_object, mapping
from hashcompat.core.go.jsontext import clean, kind_of
from hashcompat.core.go.metav1 import is_time
from hashcompat.core.model.escape import word
from hashcompat.core.model.pods import OUT_OF_MEMORY, STATUSES, Ended
from hashcompat.sources.documents import Fields

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
"""Go's zero time, which the API uses for no time at all."""
_NO_TIME: Final = "want a time such as 2026-01-31T12:00:00Z"
_STATES: Final = ("running", "waiting", "terminated")
"""The keys of a container's state, of which one is set (k8s.io/api core/v1 ``ContainerState``)."""

_OF_RUNNING: Final = ("ready", "started")
"""What a kubelet says only of a container that runs, or of an init container that has succeeded
(pkg/kubelet/kubelet_pods.go ``convertStatusToAPIStatus``, prober/prober_manager.go, 1.36.0)."""


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
    docker: bool = False
    """Whether its runtime is reported to be Docker."""


class States:
    """The states of a pod's containers, by spec list and name."""

    def __init__(self, status: Fields) -> None:
        """Raise InputError, with the place, for what no API server would return."""
        self._otherwise = ReportedState(running=False if status.value.get("phase") == "Pending" else None)
        self._states = dict[tuple[str, str], ReportedState]()
        for key, list_name in STATUSES.items():
            for row in status.objects(list_name):
                name = row.string("name")
                if not name:
                    raise row.error("name", "want the name of a container")
                state = state_of(row)
                if self._states.setdefault((key, name), state) != state:
                    raise row.error("name", f"want one status of each container, got two of {word(name)}")

    def of(self, key: str, name: str) -> ReportedState:
        """Return the state of a container of ``spec.<key>``.

        A kubelet reports all containers of a pod that it has synced. Of one that is missing nobody knows
        whether it runs: a dump without its status must not make it look stopped. A pending pod runs none.
        """
        return self._states.get((key, name), self._otherwise)


def state_of(row: Fields) -> ReportedState:
    """Return what a row of a status reports.

    Raises InputError, with the place, for a wrong state and for a start that is not a time.
    """
    state, restarts = row.object("state"), row.value.get("restartCount")
    is_running: bool | None = _is_running(state)
    if not state.value and any(row.value.get(key) is True for key in _OF_RUNNING):
        is_running = None  # a tool has left out its state, for one that waits is neither
    started = mapping(state.value.get("running")).get("startedAt")
    runtime, identity = _identity(row.value)
    return ReportedState(
        is_running,
        None if started is None else _started(started, state),
        restarts if isinstance(restarts, int) and not isinstance(restarts, bool) else None,
        probed if isinstance(probed := row.value.get("started"), bool) else None,
        identity,
        _ended(row.value),
        runtime == "docker",
    )


def _is_running(state: Fields) -> bool:
    """Return whether a state says that a container runs; raises InputError, with its place, for none at all.

    Client libraries write null for the states that it is not in. One that alone is there counts, whatever it
    holds: a start that is not known is null, and tools leave nulls out. An empty state is a waiting one.
    """
    there = [key for key in _STATES if key in state.value]
    for key in there:
        if state.value[key] is not None and not is_object(state.value[key]):
            raise state.error(key, f"want an object, got {kind_of(state.value[key])}")
    if state.value and not there:
        raise state.error(next(iter(state.value)), f"want {', '.join(_STATES[:-1])} or {_STATES[-1]}")
    filled = [key for key in there if state.value[key] is not None]
    return "running" in (filled or there[:1])


def _identity(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of a container's runtime and its id there; empty where they are not reported."""
    whole = row.get("containerID")
    runtime, _, identity = clean(whole).rpartition("://") if isinstance(whole, str) else ("", "", "")
    return runtime, identity


def _ended(row: Mapping[str, Any]) -> Ended | None:
    """Return the end that is the container's state, or else that of the one before it."""
    # in this order: a container that has ended and is not created again has its end in state
    for key in ("state", "lastState"):
        terminated = state.get("terminated") if is_object(state := row.get(key)) else None
        if is_object(terminated):
            code = terminated.get("exitCode")
            return Ended(
                _identity(terminated)[1],
                _shown_time(terminated.get("finishedAt")),
                key == "state",
                # type, not isinstance: true is an int in Python, and no exit code
                code if type(code) is int else None,
                terminated.get("reason") == OUT_OF_MEMORY,
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
    rows = conditions if isinstance(conditions, list) else ()
    return next((row for row in rows if is_object(row) and row.get("type") == "Ready"), None)


def _shown_time(text: object) -> datetime | None:
    """Return a time that no verdict depends on: any other text counts as not shown."""
    return time_of(text)[1] if isinstance(text, str) else None


def _started(text: object, state: Fields) -> datetime | None:
    is_one, time = time_of(text) if isinstance(text, str) else (False, None)
    if not is_one:
        raise state.error("running.startedAt", _NO_TIME)
    return time


def is_deleted(metadata: Fields) -> bool:
    """Return whether an object is being deleted; raises InputError, with its place, for other than a time."""
    text = metadata.value.get("deletionTimestamp")
    if text is None:
        return False
    if not isinstance(text, str) or not time_of(text)[0]:
        raise metadata.error("deletionTimestamp", _NO_TIME)
    return True


@lru_cache(maxsize=4096)
def time_of(text: str) -> tuple[bool, datetime | None]:
    """Return whether a text is a time, and that time, UTC."""
    return (True, _utc(text)) if is_time(text) else (False, None)


def _utc(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):  # the year 1 or 9999 in another time zone; 24:00 and the like
        return None
    # Go writes its zero time as 0001-01-01T00:00:00Z
    return time if time > _NEVER else None
