"""The path from one release to another that kills fewest containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hashcompat.model.plan import Hop

Cost = Callable[[str, str], Hop]
"""What an upgrade from one release to another does to some containers."""


@dataclass(frozen=True, slots=True)
class Path:
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
    best = {releases[0]: Path()}
    for index, release in enumerate(releases[1:], 1):
        ways = [Path((*best[earlier].hops, cost(earlier, release))) for earlier in releases[:index]]
        best[release] = min(ways, key=_worth)
    return best[releases[-1]]


def _worth(path: Path) -> tuple[int, int, int]:
    return path.findings + path.unknown, path.findings, -len(path.hops)
