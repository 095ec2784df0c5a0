"""Paths from one release to another, and releases that behave alike as one.

Of the paths, the one that kills fewest containers, and the one of fewest steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from hashcompat.analysis.planning.options import AUTO
from hashcompat.core.model.plan import Hop

Cost = Callable[[str, str], Hop]
"""What an upgrade from one release to another does to some containers."""

Allowed = Callable[[str, str], bool]
"""Whether a step from one release to another is allowed."""


class Path(msgspec.Struct, frozen=True):
    """A path from one release to another, hop by hop."""

    hops: tuple[Hop, ...] = ()
    """The hops, in their order."""

    @property
    def findings(self) -> int:
        """How many times a container is killed on the whole path."""
        return sum(step.findings for step in self.hops)

    @property
    def unknown(self) -> int:
        """How many times it is unknown whether one is killed."""
        return sum(step.unknown for step in self.hops)


def cheapest_path(releases: Sequence[str], cost: Cost) -> Path:
    """Return the path from the first release to the last, by any of those between, that kills fewest.

    UNKNOWN counts as killed. Of equal paths the one with most hops wins, because upstream supports small
    hops.
    """
    found = _best(releases, cost, lambda step: (step.findings + step.unknown, step.findings, -1))
    return Path() if found is None else found


def shortest_path(releases: Sequence[str], cost: Cost, allowed: Allowed) -> Path | None:
    """Return the path of fewest hops, all of them allowed; None where there is none.

    Of equal paths the one wins that kills fewest; UNKNOWN counts as killed.
    """
    return _best(releases, cost, lambda step: (1, step.findings + step.unknown, step.findings), allowed)


def _best(
    releases: Sequence[str],
    cost: Cost,
    worth: Callable[[Hop], tuple[int, int, int]],
    allowed: Allowed = lambda old, new: True,  # noqa: ARG005 - every step
) -> Path | None:
    """Return the path whose hops together are worth least, of equal ones that by the oldest releases."""
    best: dict[str, tuple[tuple[int, int, int], Hop | None]] = {releases[0]: ((0, 0, 0), None)}
    for index, release in enumerate(releases[1:], 1):
        steps = [cost(old, release) for old in releases[:index] if old in best and allowed(old, release)]
        ways = [(_sum(best[step.old][0], worth(step)), step) for step in steps]
        if ways:
            best[release] = min(ways, key=lambda way: way[0])
    return _traced(releases[-1], best) if releases[-1] in best else None


def _sum(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _traced(last: str, best: dict[str, tuple[tuple[int, int, int], Hop | None]]) -> Path:
    hops: list[Hop] = []
    step = best[last][1]
    while step is not None:
        hops.append(step)
        step = best[step.old][1]
    return Path(tuple(reversed(hops)))


Value = TypeVar("Value")


def folded(
    releases: Sequence[str], values: Mapping[tuple[str, str], Value], same: Value
) -> tuple[tuple[str, ...], ...]:
    """Group neighbours that have equal rows and columns, and ``same`` between one another.

    ``values`` has each ordered pair of ``releases``; to ``auto``, which is a group of its own, leads none.
    """
    groups: list[list[str]] = []
    for release in releases:
        if groups and _alike(groups[-1][0], release, releases, values, same):
            groups[-1].append(release)
        else:
            groups.append([release])
    return tuple(map(tuple, groups))


def _alike(
    one: str, other: str, releases: Sequence[str], values: Mapping[tuple[str, str], Value], same: Value
) -> bool:
    """Return whether two releases have the same values with every other one, and ``same`` with each other."""
    if one == AUTO or values[one, other] != same or values[other, one] != same:
        return False
    others = [release for release in releases if release not in (one, other)]
    return all(
        values[one, release] == values[other, release] for release in others if release != AUTO
    ) and all(values[release, one] == values[release, other] for release in others)
