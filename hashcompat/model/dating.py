"""When what was read was taken, by the times in it.

Somebody saw the cluster at each of them, so the newest one in a file is the earliest at which it can have
been taken: by it a file is rather too old than too young. When the file itself was written shows nothing: a
copy is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

SKEW: Final = timedelta(minutes=5)
"""How far the clocks of two machines may be apart."""


class Reach(msgspec.Struct, frozen=True):
    """How far some times reach."""

    newest: datetime | None = None
    """The newest one, UTC; None where there is none."""
    ahead: int = 0
    """How many have not come yet: none of these counts."""
    latest: datetime | None = None
    """The latest of these, UTC."""

    def joined(self, other: Reach) -> Reach:
        """Return that of the times of both."""
        return Reach(
            newest_of((self.newest, other.newest)),
            self.ahead + other.ahead,
            newest_of((self.latest, other.latest)),
        )


def newest_of(times: Iterable[datetime | None]) -> datetime | None:
    """Return the newest of some times; None where none of them is known."""
    return max((time for time in times if time is not None), default=None)


def reach_of(times: Iterable[datetime | None], until: datetime) -> Reach:
    """Return how far times reach that count up to a time."""
    known = [time for time in times if time is not None]
    ahead = [time for time in known if time > until]
    return Reach(newest_of(time for time in known if time <= until), len(ahead), newest_of(ahead))


class Dated(msgspec.Struct, frozen=True):
    """What shows when a file was taken, besides its pods."""

    file: str
    """As its pods name it."""
    reach: Reach
    says: bool = False
    """Whether it says itself when it was taken: then its pods do not count."""


class Dating(msgspec.Struct, frozen=True):
    """What shows when the files of an inventory were taken, besides their pods."""

    until: datetime
    """When they were read, and as much later as clocks differ: no time behind that counts."""
    files: tuple[Dated, ...] = ()
    """Those that say when they were taken, or hold nodes."""


def taken_of(files: Mapping[str, Reach]) -> datetime | None:
    """Return when the oldest of some files was taken; None where that of any of them is not known."""
    times = [reach.newest for reach in files.values()]
    known = [time for time in times if time is not None]
    return min(known) if known and len(known) == len(times) else None
