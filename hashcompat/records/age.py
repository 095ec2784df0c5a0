"""Whether a record is of the container that a pod's status shows, or of one before it."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from typing import Final

from hashcompat.model.pods import Container
from hashcompat.model.records import Recorded

_WITHIN: Final = timedelta(hours=1)
"""How long after it is created, or a log says that it will be, a container may start.

In between, the old one may take its grace period, and an image may be pulled.
"""


def is_older(record: Recorded, container: Container) -> bool:
    """Return whether a record is of a container before the one that the status shows.

    A newer record counts: a kubelet that starts finds what runs now, whatever the status says.
    """
    if record.id and record.id == container.id:
        return False
    attempt, restarts = record.attempt, container.restarts
    if attempt is not None and restarts is not None and attempt != restarts:
        return attempt < restarts
    other = bool(record.id and container.id)
    if record.created is None or container.started is None:
        return other
    made = _nearest(record.created, container.started) if record.any_year else record.created
    return made <= container.started if other else container.started - made > _WITHIN


def _nearest(time: datetime, to: datetime) -> datetime:
    """Return a time in the year that brings it nearest to another one."""
    years = [year for year in (to.year - 1, to.year, to.year + 1) if MINYEAR <= year <= MAXYEAR]
    return min((_in_year(time, year) for year in years), key=lambda found: abs(found - to))


def _in_year(time: datetime, year: int) -> datetime:
    if (time.month, time.day) == (2, 29):
        from calendar import isleap  # noqa: PLC0415 - it takes longer to import than all others here

        if not isleap(year):
            return time.replace(year=year, month=3, day=1)
    return time.replace(year=year)
