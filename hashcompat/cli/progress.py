"""How far a long run is: one line on a terminal, which is gone when the run ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.cli import streams
from hashcompat.model.escape import count
from hashcompat.model.pods import Inventory, Pod

_EVERY: Final = 0.2
"""Seconds between two lines, and before the first one."""

_CLEAR: Final = "\r\x1b[K"
"""Back to the start of the line, and nothing in it."""


def shown(inventory: Inventory, doing: str, *, quiet: bool) -> Inventory:
    """Return an inventory that shows how many of its pods were read; only where stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        return inventory
    return structs.replace(inventory, pods=_Counted(inventory.pods, doing))


class _Counted(msgspec.Struct, frozen=True):
    """Pods that are counted on stderr each time they are iterated over."""

    pods: Iterable[Pod]
    doing: str

    def __iter__(self) -> Iterator[Pod]:
        due, line = time.monotonic() + _EVERY, ""
        try:
            for number, pod in enumerate(self.pods, 1):
                yield pod
                if time.monotonic() >= due:
                    line = f"{_CLEAR}{self.doing}: {count(number, 'pod')}"
                    due = time.monotonic() + _EVERY
                    streams.say(line, end="")
        finally:
            if line:
                streams.say(_CLEAR, end="")
