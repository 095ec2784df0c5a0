"""Read recorded hashes from kubelets' logs.

Only logs up to 1.13 carry the values, the recorded one first (the rows ``restartLog`` of behaviour.json).
Such a line is written when a container is killed to be created again: from then on the second is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from sys import intern
from typing import Final

from hashcompat.core.model.records import Recorded

_HEADER: Final = re.compile(
    r"[IWE](?P<month>\d\d)(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d)(?:\.\d{1,6})? +\d+ "
    r"(?P<file>[a-z_]+)\.go:\d+\] "
)
"""What glog writes before a message (github.com/golang/glog ``formatHeader``)."""

_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")

_UNIT: Final = re.compile(r"(?:kubelet[\w.-]*|hyperkube|origin-node|atomic-openshift-node)(?:\[\d+\])?:")
"""The unit of a kubelet in the journal, the last two those of OpenShift 3."""

_JOURNAL: Final = ("Jan", "14", "17:57:42", "host", "kubelet[1]:")
"""The words that the journal writes before a line."""

_MOST_LINES: Final = 8
"""Lines of one message; kubelets write each into one."""

LEAP_YEAR: Final = 2000
"""Stands for a year that is not known; it has every day."""

_CREATED_AT: Final = re.compile(r"Log file created at: (?P<year>\d{4})/")
"""The first line of a file that glog wrote by itself."""

_POD: Final = r"(?P<pod>[^_\s\"]+)(?:_(?P<namespace>[^(\s\"]+))?(?:\((?P<uid>[^)\s]+)\))?"

_VALUES: Final = r"hash changed \([0-9]{1,10} vs (?P<now>[0-9]{1,10})\)"

_FORMATS: Final = {
    re.compile(
        rf'[Pp]od "{_POD}" container "(?P<container>[^"]+)" {_VALUES}, it will be killed and re-created\.'
    ): ("manager", "docker_manager", "rkt", "kuberuntime_manager"),
    re.compile(
        r'Container "(?P<container>[^"]+)" \(\{"[^"]*" "[^"]*"\}\)\s+of pod '
        rf"{_POD}:\s+Container spec {_VALUES}\.\. Container will be killed and recreated\."
    ): ("kuberuntime_manager",),
}
"""The messages up to 1.7 and of 1.8 - 1.13, whole, and the source files that write them.

A pod is ``name_namespace(uid)``; in 1.1 without the uid, in the CRI runtime of 1.6 and 1.7 the name alone.
Every part that others choose is a name without quotes, or quoted by ``%q``.
"""


def from_log(lines: Iterable[str]) -> Iterator[Recorded]:
    """Yield the hashes of the containers that a kubelet says it creates again, as of each line's time.

    A message counts where it follows a kubelet's own header and fills the rest of its line, or of the lines
    after it that begin with white space: within another message it is text that somebody else chose.
    """
    year = None
    for line in _entries(lines):
        if match := _CREATED_AT.match(line):
            year = int(match["year"])
        elif header := _HEADER.search(line):
            stamp = line[: header.start()].split()
            if not stamp or _is_prefix(stamp):
                known = int(stamp[0][:4]) if stamp and _STAMP.fullmatch(stamp[0]) else year
                yield from _recorded(header, line[header.end() :], known)


def _entries(lines: Iterable[str]) -> Iterator[str]:
    """Join to each line those that were broken off it, as few as a person breaks it into."""
    entry: list[str] = []
    for line in lines:
        if entry and not line[:1].isspace():
            yield " ".join(entry)
            entry.clear()
        if len(entry) < _MOST_LINES:
            entry.append(line.strip() if entry else line.rstrip())
    yield from [" ".join(entry)] if entry else ()


def _is_prefix(words: Sequence[str]) -> bool:
    """Return whether a runtime or the journal wrote these words: a time, or a time, a host and a unit."""
    if len(words) == 1:
        return bool(_STAMP.fullmatch(words[0]))
    timed = len(words) == len(_JOURNAL) or (len(words) == 3 and _STAMP.fullmatch(words[0]))
    return bool(timed and _UNIT.fullmatch(words[-1]))


def _recorded(header: re.Match[str], message: str, year: int | None) -> Iterator[Recorded]:
    for pattern, files in _FORMATS.items():
        match = pattern.fullmatch(message) if header["file"] in files else None
        if match and int(match["now"]) < 1 << 32:
            yield Recorded(
                match["uid"] or "",
                intern(match["namespace"] or ""),
                match["pod"],
                intern(match["container"]),
                int(match["now"]),
                running=None,
                created=_time(header, year),
                any_year=year is None,
            )


def _time(header: re.Match[str], year: int | None) -> datetime | None:
    """Return when a line was written, read as UTC; glog writes local time without a year or a zone."""
    text = f"{year or LEAP_YEAR:04}-{header['month']}-{header['day']}T{header['clock']}+00:00"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
