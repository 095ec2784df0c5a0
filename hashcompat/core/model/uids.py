"""What shows who gave a pod its UID, by its form, and when an input was taken, by the times in it.

Source of the forms: pkg/kubelet/config/common.go ``applyDefaults``: MD5, and FNV-1a of 128 bits from 1.35 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

import msgspec

from hashcompat.core.regex import regex

_COMPUTED: Final = regex(r"[0-9a-f]{32}")

_OF_API_SERVERS: Final = regex(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_computed(uid: str) -> bool:
    """Return whether a kubelet computed the UID, of a static pod; a manifest may set any instead."""
    return _COMPUTED.fullmatch(uid) is not None


def is_of_api_server(uid: str) -> bool:
    """Return whether an API server made the UID, which has hyphens; nobody else chooses one of its pods."""
    return _OF_API_SERVERS.fullmatch(uid) is not None


@lru_cache(maxsize=16)
def packed(uid: str) -> str | bytes:
    """Return a UID in little memory: as bytes where an API server made it.

    One object for all that ask for the UID of one pod, one after the other.
    """
    return bytes.fromhex(uid.replace("-", "")) if is_of_api_server(uid) else uid


def unpacked(key: str | bytes) -> str:
    """Return the UID of what ``packed`` returned."""
    if isinstance(key, str):
        return key
    text = key.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


# When what was read was taken, by the times in it.
#
# Somebody saw the cluster at each of them, so the newest one in a file is the earliest at which it can have
# been taken: by it a file is rather too old than too young. When the file itself was written shows nothing: a
# copy is new.

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
        """Return how far the times of both reach."""
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
    bundles: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Files that one tool wrote at one time, by what they belong to: the newest time of all counts."""


def taken_of(files: Mapping[str, Reach]) -> datetime | None:
    """Return when the oldest of some files was taken; None where that of any of them is not known."""
    times = [reach.newest for reach in files.values()]
    known = [time for time in times if time is not None]
    return min(known) if known and len(known) == len(times) else None
