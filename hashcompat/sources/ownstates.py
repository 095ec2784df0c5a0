"""What the statuses of replicas report of a container: read of the first one, and what is each one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashcompat.go.jsonpath import mapping, part, rows
from hashcompat.go.jsontext import clean
from hashcompat.go.pattern import Values
from hashcompat.model.pods import Container
from hashcompat.sources.holes import Form, Places
from hashcompat.sources.statuses import State, id_of, state_of, time_of

_READ: Final = frozenset({"state", "lastState", "restartCount", "started", "containerID"})
"""The keys of a row that are read."""


class Row(msgspec.Struct, frozen=True):
    """The row of a status that reports a container."""

    form: Form
    path: str
    """Where it is, ``.status.containerStatuses[0]``."""
    id: int | None
    """The hole of the container's id."""
    started: int | None
    """That of the time at which it started."""
    restarts: int | None
    """That of the number of restarts."""
    is_plain: bool
    """Whether these are all holes in it that are read."""


class Reported(msgspec.Struct, frozen=True):
    """The state of a container in the pods of one pattern."""

    first: State
    """That of the first pod."""
    row: Row | None
    """None where the status does not report it."""

    def state(self, values: Values, origin: str, path: str) -> State:
        """Return that of the pod with these values; errors as ``state_of``."""
        first, row = self.first, self.row
        if row is None:
            return first
        is_time, started = (True, first.started) if row.started is None else time_of(values[row.started])
        if not (row.is_plain and is_time):
            return state_of(row.form.filled(values), f"{origin}: {path}{row.path}")
        return State(
            first.running,
            started,
            first.restarts if row.restarts is None else int(values[row.restarts]),
            first.probed,
            first.id if row.id is None else id_of(values[row.id]),
            first.ended,
        )


def reported_of(container: Container, name: str, status: Mapping[str, Any], places: Places) -> Reported:
    """Return what a status reports of a container in one of its lists; ``places`` are those in the status."""
    names = [mapping(row).get("name") for row in rows(status, name)]
    found = [
        number
        for number, of_row in enumerate(names)
        if isinstance(of_row, str) and clean(of_row) == container.name
    ]
    if not found:
        return Reported(State(running=container.running), None)
    row = status[name][found[-1]]
    first = state_of(row, "")  # names no place: the container was made of this row, so nothing is wrong in it
    return Reported(first, _row(row, name, found[-1], places))


def _row(row: Mapping[str, Any], name: str, place: int, places: Places) -> Row:
    own = places.at(name, place)
    holes = (
        _hole(own, row, "containerID", str),
        _hole(own.at("state", "running"), part(part(row, "state"), "running"), "startedAt", str),
        _hole(own, row, "restartCount", int),
    )
    read = Places({key: inner for key, inner in own.items() if key in _READ})
    is_plain = set(read.holes()) == set(holes) - {None}
    return Row(own.form(row), f".status.{name}[{place}]", *holes, is_plain)


def _hole(own: Places, value: Mapping[str, Any], key: str, kind: type) -> int | None:
    """Return the hole of a value; None where it has none, or is not of the kind that the API has there."""
    return own.get(key) if type(value.get(key)) is kind else None
