"""What is left on a file system, as df(1) shows it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from hashcompat.records.probes import UnreadError

_LINE: Final = re.compile(r".*?\s(\d+|-)\s+(\d+|-)\s+(-?\d+|-)\s+(?:\d+%|-)\s+/.*")
_LINES: Final = 2


class Usage(msgspec.Struct, frozen=True):
    """What a file system has and what of it is used; 0 where it does not count such things."""

    kilobytes: int
    """Blocks of 1024 bytes."""
    used: int
    """Those that hold something; what is kept for root counts as free."""
    inodes: int
    """Files and directories that it can hold."""
    inodes_used: int
    """Those that it holds."""


def usage(text: str) -> Usage:
    """Read the last line of ``df -Pk`` and that of ``df -Pi``; raises UnreadError for something else."""
    matches = [_LINE.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    rows = [tuple(0 if word == "-" else int(word) for word in match.groups()) for match in matches if match]
    if len(rows) != len(matches) or len(rows) != _LINES:
        raise UnreadError("want a line of df -Pk and one of df -Pi")
    return Usage(rows[0][0], rows[0][1], rows[1][0], rows[1][1])
