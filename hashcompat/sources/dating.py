"""When what was read was taken: the times in a node's status, and what a snapshot says of itself.

A kubelet renews the conditions of its node, by its own clock, every five minutes and whenever one changes
(``nodeStatusReportFrequency``; before 1.14 every ten seconds). So the newest of these times is that of a
dump, within minutes. Only kubelets, and those who may patch the status of nodes, choose it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from hashcompat.core.go.jsonpath import is_object, part, rows
from hashcompat.core.model.uids import SKEW, Dated, Reach, reach_of
from hashcompat.sources import snapshots
from hashcompat.sources.statuses import time_of
from hashcompat.sources.workloads import group_of


def until() -> datetime:
    """Return up to when times have come, where clocks may differ; no variable replaces the time."""
    return datetime.now(UTC).replace(microsecond=0) + SKEW


class Dater:
    """Collects what the objects of a file, but for its pods, show of when it was taken."""

    def __init__(self) -> None:
        self._until = until()
        self._has_nodes = False
        self._nodes = Reach()
        self._snapshots: list[datetime | None] = []

    def add(self, value: Mapping[str, Any], origin: str) -> None:
        """Take an object into account; raises InputError, with ``origin``, as ``snapshots.taken_at``."""
        kind = value.get("kind")
        if kind == "Node" and not group_of(value):
            self._has_nodes = True
            self._nodes = self._nodes.joined(reach_of(heartbeats(value), self._until))
        elif kind == snapshots.KIND:
            self._snapshots.append(snapshots.taken_at(value, origin))

    def merge(self, other: Dater) -> None:
        """Take what was found in another part of the file into account."""
        self._has_nodes |= other._has_nodes
        self._nodes = self._nodes.joined(other._nodes)
        self._snapshots += other._snapshots

    def dated(self, file: str, *, alone: bool) -> Iterator[Dated]:
        """Yield what was found, if anything; ``alone``: whether the file holds nothing but snapshots.

        Of several snapshots the oldest counts. One that does not say when is dated as any other file.
        """
        times = [time for time in self._snapshots if time is not None]
        # a snapshot's own time counts only if all of the file is snapshots that have one
        says = alone and bool(times) and len(times) == len(self._snapshots)
        if says:
            yield Dated(file, reach_of([min(times)], self._until), says=True)
        elif self._has_nodes or times:
            yield Dated(file, self._nodes.joined(reach_of(times, self._until)))


def heartbeats(node: Mapping[str, Any]) -> Iterator[datetime | None]:
    """Yield when the conditions of a node were renewed; None where a text is not a time."""
    for row in rows(part(node, "status"), "conditions"):
        text = row.get("lastHeartbeatTime") if is_object(row) else None
        yield time_of(text)[1] if isinstance(text, str) else None


_CHOSEN: Final = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 that take its place, so that outputs are reproducible (reproducible-builds.org)."""
_LONGEST: Final = 10
"""Digits of a time within the years that Python knows."""


def now() -> datetime:
    """Return the time in UTC and whole seconds."""
    chosen = os.environ.get(_CHOSEN, "")
    # anything else is no time, and builds set the variable to all sorts of things
    if chosen.isdecimal() and len(chosen) <= _LONGEST:
        return datetime.fromtimestamp(int(chosen), UTC)
    return datetime.now(UTC).replace(microsecond=0)
