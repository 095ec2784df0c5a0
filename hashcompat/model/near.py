"""Which of the names that exist somebody may have meant by one that does not."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from typing import Final

_LONGEST: Final = 253
"""Characters of a name that are compared: those of a DNS subdomain, the longest name in Kubernetes."""

_COMPARED: Final = 64
"""How many names are compared letter by letter: those with the longest start and end in common."""

_SHOWN: Final = 3

_START: Final = 3
"""Letters of a start that says something."""


def near(wanted: str, names: Iterable[str], *, most: int = _SHOWN) -> list[str]:
    """Return some names, the nearest first; none where nothing is near.

    Near are names that differ in at most a third of the letters, and those that start with one another.
    Every name is looked at once, and few letter by letter, so that a large cluster's take no time.
    """
    asked = wanted[:_LONGEST].lower()
    likely = nsmallest(_COMPARED, dict.fromkeys(names), key=lambda name: _unlike(asked, name.lower()))
    ranked = [(_rank(asked, name[:_LONGEST].lower()), name) for name in likely]
    found = sorted((rank, name) for rank, name in ranked if rank is not None)
    return [name for _, name in found[:most]]


def _unlike(asked: str, name: str) -> tuple[int, int]:
    """Return how many letters are neither of the start nor of the end that two names share."""
    start = _shared(asked, name)
    end = _shared(asked[start:][::-1], name[start:][::-1])
    return len(asked) - start - end, len(name)


def _shared(one: str, other: str) -> int:
    """Return how many letters two texts start with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (letter, wanted) in pairs if letter != wanted), min(len(one), len(other)))


def _rank(asked: str, name: str) -> tuple[int, int] | None:
    """Return how far two names are apart, misspelled ones before longer and shorter ones; None if too far."""
    steps = distance(asked, name)
    if steps <= max(1, len(asked) // 3):
        return 0, steps
    starts = min(len(asked), len(name)) >= _START and (name.startswith(asked) or asked.startswith(name))
    return (1, abs(len(name) - len(asked))) if starts else None


def distance(one: str, other: str) -> int:
    """Return how many letters to insert, leave out, replace or swap with the next make one text the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one):
        earlier, before, row = before, row, [index + 1]
        for place, wanted in enumerate(other):
            steps = min(before[place + 1] + 1, row[place] + 1, before[place] + (letter != wanted))
            if index and place and letter == other[place - 1] and one[index - 1] == wanted:
                steps = min(steps, earlier[place - 1] + 1)
            row.append(steps)
    return row[-1]
