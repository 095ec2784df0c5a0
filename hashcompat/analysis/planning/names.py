"""Names in a line: the first few are shown, the others only counted, so that none keeps a whole cluster."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from itertools import islice
from typing import Final

_SHOWN: Final = 3
"""How many names a line shows before it counts them; the documents mark each."""


class Names:
    """Counts names that are added, and keeps the first few of them in their order."""

    def __init__(self) -> None:
        self._number = 0
        self._first: list[str] = []
        self._latest = ""

    def __len__(self) -> int:
        return self._number

    def add(self, name: str, *, again: bool = True) -> None:
        """Add a name; not ``again`` right after itself, as that of a pod by its containers."""
        if self._number and name == self._latest and not again:
            return
        self._number, self._latest = self._number + 1, name
        insort(self._first, name)
        del self._first[_SHOWN:]

    def merge(self, others: Names) -> None:
        """Add names that were added elsewhere, after these."""
        self._number, self._latest = self._number + others._number, others._latest
        self._first = sorted((*self._first, *others._first))[:_SHOWN]

    def __str__(self) -> str:
        return listed(self._first, self._number)


def listed(names: Iterable[str], number: int) -> str:
    """Return the first few of so many names, and how many there are besides."""
    more = [f"{number - _SHOWN} more"] if number > _SHOWN else []
    return ", ".join([*islice(names, _SHOWN), *more])
