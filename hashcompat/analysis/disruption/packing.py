"""Batches: which nodes are upgraded at once, in as few batches as possible.

What nodes do at once uses up what there is of something: the pods that a budget lets go, all replicas of an
owner but one, all nodes of a zone but one. A set of nodes may be a batch if together they use no more of
anything than there is, or if only one of them uses it: what a node does alone, no choice of batches avoids.

To find the fewest batches is bin packing in as many dimensions as there are budgets and owners, with
conflicts, and so NP-hard. A first fit of the nodes that are the hardest to place, repeated in other orders
that can only need fewer batches (Culberson's iterated greedy), is compared with a lower bound; where they
differ, a search of a limited number of steps goes on, which is exhaustive for small clusters. The bound is
part of the result, so that whoever reads it knows whether these are the fewest. docs/decisions.md says why
no solver does this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

Resource = int | str | tuple[str, str]
"""What is used up: a budget or Service by its place, a zone, an owner."""

_ROUNDS: Final = 12
"""How often a first fit is repeated in another order."""
_WORK: Final = 20_000
"""How many nodes all rounds of one packing place, at the most: a large cluster has fewer rounds."""
_SEARCHED: Final = 60
"""Of how many nodes the search goes on after these; it is recursive."""
_STEPS: Final = 100_000
"""How much it may look at, at the most: for each node that it places, what that uses up."""


class Load(msgspec.Struct, frozen=True):
    """A node, and what upgrading it uses up."""

    name: str
    uses: Mapping[Resource, int]
    """Each at least 1."""


class Packing(msgspec.Struct, frozen=True):
    """Nodes in batches."""

    batches: tuple[tuple[Load, ...], ...]
    """In the order of their first nodes, each in the order of the nodes."""
    at_least: int
    """How many batches any packing has."""


class Conflict(msgspec.Struct, frozen=True):
    """Why two batches are not one: two nodes, one of each, and what they would use up together."""

    first: str
    second: str
    resource: Resource
    used: int
    """How much of it the two batches would use."""


def pack(loads: Sequence[Load], capacity: Mapping[Resource, int], size: int) -> Packing:
    """Return nodes in batches of ``size`` at the most; ``capacity`` has every resource that they use."""
    if size == 1 or len(loads) <= 1:
        return Packing(tuple((load,) for load in loads), len(loads))
    scarce, bound = _scarce(loads, capacity, size), -(-len(loads) // size)
    bound = max([bound, *(_at_least(uses, capacity[resource]) for resource, uses in scarce.items())])
    # What is never used up has no part in it, and that is most of what there is.
    slim = [
        Load(load.name, {resource: use for resource, use in load.uses.items() if resource in scarce})
        for load in loads
    ]
    weights = {load.name: _weight(load, scarce, capacity) for load in slim}
    slim.sort(key=lambda load: -weights[load.name])
    batches = _repeated(slim, capacity, size, bound)
    if len(batches) > bound and len(loads) <= _SEARCHED:
        batches, bound = _searched(slim, batches, capacity, size, bound)
    places = {load.name: place for place, load in enumerate(loads)}
    numbers = (sorted(places[load.name] for load in batch) for batch in batches)
    return Packing(tuple(tuple(loads[number] for number in batch) for batch in sorted(numbers)), bound)


def conflict(first: Sequence[Load], second: Sequence[Load], capacity: Mapping[Resource, int]) -> Conflict:
    """Return why two batches of a packing are not one, though one has room for the nodes of both.

    There is a reason: a first fit leaves no node for a later batch that an earlier one has room for.
    """
    sums = [Counter[Resource](), Counter[Resource]()]
    for batch, total in zip((first, second), sums, strict=True):
        for load in batch:
            total.update(load.uses)
    totals = {resource: sums[0][resource] + sums[1][resource] for resource in sums[0].keys() & sums[1].keys()}
    exceeded = [(resource, used) for resource, used in totals.items() if used > capacity[resource]]
    # First what two nodes alone use up; of that a budget, then an owner.
    pairs = []
    for resource, used in exceeded:
        first_load, second_load = _heaviest(first, resource), _heaviest(second, resource)
        fits = first_load.uses[resource] + second_load.uses[resource] <= capacity[resource]
        pairs.append(((fits, *_rank(resource)), Conflict(first_load.name, second_load.name, resource, used)))
    return min(pairs, key=lambda pair: pair[0])[1]


def _rank(resource: Resource) -> tuple[int, Resource]:
    return (int, tuple, str).index(type(resource)), resource


def _heaviest(batch: Sequence[Load], resource: Resource) -> Load:
    return max((load for load in batch if resource in load.uses), key=lambda load: load.uses[resource])


def _scarce(loads: Sequence[Load], capacity: Mapping[Resource, int], size: int) -> dict[Resource, list[int]]:
    """Return how much nodes use of what the worst batch would use up."""
    uses: dict[Resource, list[int]] = {}
    for load in loads:
        for resource, use in load.uses.items():
            uses.setdefault(resource, []).append(use)
    return {
        resource: amounts
        for resource, amounts in uses.items()
        if len(amounts) > 1 and sum(sorted(amounts)[-size:]) > capacity[resource]
    }


def _at_least(uses: Sequence[int], capacity: int) -> int:
    # Whoever uses more than there is, or all of it, shares it with nobody.
    alone = sum(use >= capacity for use in uses)
    rest = sum(use for use in uses if use < capacity)
    return alone + (-(-rest // capacity) if rest else 0)


def _weight(load: Load, scarce: Mapping[Resource, Sequence[int]], capacity: Mapping[Resource, int]) -> float:
    """Return how hard it is to place a node: with how many others it competes, and for how much."""
    return sum(
        len(scarce[resource]) * min(use / max(capacity[resource], 1), 1.0)
        for resource, use in load.uses.items()
    )


Batches = list[list[Load]]


def _repeated(loads: Sequence[Load], capacity: Mapping[Resource, int], size: int, bound: int) -> Batches:
    best = _fitted(loads, capacity, size)
    orders: tuple[Callable[[Batches], Batches], ...] = (
        lambda batches: batches[::-1],
        lambda batches: sorted(batches, key=len),
        lambda batches: sorted(batches, key=len, reverse=True),
        lambda batches: batches[1::2] + batches[::2],
    )
    current = best
    for number in range(min(_ROUNDS, _WORK // len(loads))):
        if len(best) <= bound:
            break
        # Batch by batch, so the nodes of each fit together again, and there can be no more of them.
        batches = orders[number % len(orders)](current)
        current = _fitted([load for batch in batches for load in batch], capacity, size)
        best = min(best, current, key=len)
    return best


def _fitted(loads: Sequence[Load], capacity: Mapping[Resource, int], size: int) -> Batches:
    """Return nodes in batches, each node in the first that has room for it."""
    room = _Room(capacity, size)
    for load in loads:
        place = next(room.places(load), None)
        room.add(load, len(room.batches) if place is None else place)
    return room.batches


class _Room:
    """Batches that are being filled; sets of them are bits of integers, so that thousands are one."""

    def __init__(self, capacity: Mapping[Resource, int], size: int) -> None:
        self.batches: Batches = []
        self._capacity, self._size = capacity, size
        self._open = 0
        self._users: dict[Resource, int] = {}
        """The batches that use a resource."""
        self._full: dict[Resource, int] = {}
        """Those of them that can use no more of it."""
        self._used: dict[Resource, Counter[int]] = {}
        """How much each of them uses."""

    def places(self, load: Load) -> Iterator[int]:
        """Yield the batches that have room for a node."""
        free, several = self._open, list[tuple[Mapping[int, int], int]]()
        for resource, use in load.uses.items():
            capacity = self._capacity[resource]
            free &= ~(self._users if use > capacity else self._full).get(resource, 0)
            if 1 < use <= capacity:
                several.append((self._used.get(resource, {}), capacity - use))
        while free:
            place = (free & -free).bit_length() - 1
            free &= free - 1
            if all(used.get(place, 0) <= left for used, left in several):
                yield place

    def add(self, load: Load, place: int) -> None:
        """Put a node into a batch, or into a new one behind all others."""
        if place == len(self.batches):
            self.batches.append([])
            self._open |= 1 << place
        batch = self.batches[place]
        batch.append(load)
        self._note(place, full=len(batch) == self._size)
        for resource, use in load.uses.items():
            self._count(resource, place, use)

    def remove(self, load: Load, place: int) -> None:
        """Take the node out again that was added last."""
        batch = self.batches[place]
        batch.pop()
        self._note(place, full=False)
        for resource, use in load.uses.items():
            self._count(resource, place, -use)
        if not batch:
            self.batches.pop()
            self._open &= ~(1 << place)

    def _note(self, place: int, *, full: bool) -> None:
        self._open = self._open & ~(1 << place) if full else self._open | 1 << place

    def _count(self, resource: Resource, place: int, use: int) -> None:
        used = self._used.setdefault(resource, Counter())
        before, after = used[place], used[place] + use
        used[place] = after
        if not before or not after:
            self._users[resource] = self._users.get(resource, 0) ^ 1 << place
        # A batch is full of what it uses, whatever that is where there is none of it.
        most = max(self._capacity[resource], 1)
        if (before >= most) is not (after >= most):
            self._full[resource] = self._full.get(resource, 0) ^ 1 << place


def _searched(
    loads: Sequence[Load], batches: Batches, capacity: Mapping[Resource, int], size: int, bound: int
) -> tuple[Batches, int]:
    """Return fewer batches where a limited search finds them, and the best bound that it proves."""
    room, spent = _Room(capacity, size), 0

    def fits(number: int, place: int = 0) -> bool:
        """Return whether the nodes from a place on fit into so many batches; False too if steps run out."""
        nonlocal spent
        if place == len(loads):
            return True
        load = loads[place]
        for batch in (*room.places(load), *([len(room.batches)] if len(room.batches) < number else ())):
            spent += 1 + len(load.uses)
            if spent >= _STEPS:
                return False
            room.add(load, batch)
            if fits(number, place + 1):
                return True
            room.remove(load, batch)
        return False

    while bound < len(batches) and spent < _STEPS:
        if fits(bound):
            return room.batches, bound
        # There are steps left, so there is no way to put them into that many.
        bound += spent < _STEPS
    return batches, bound
