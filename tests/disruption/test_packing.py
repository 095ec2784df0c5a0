"""Batches by what nodes use up: what each may have, how few there are, and why two are not one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.analysis.disruption import packing
from hashcompat.analysis.disruption.packing import Load, Resource, conflict, pack

CAPACITY: Mapping[Resource, int] = {0: -1, 1: 0, 2: 1, 3: 2, 4: 3, 5: 6}
USES = st.dictionaries(st.sampled_from(sorted(CAPACITY, key=str)), st.integers(1, 4), max_size=4)


def loads(uses: Sequence[Mapping[Resource, int]]) -> list[Load]:
    return [Load(f"n{number}", usage) for number, usage in enumerate(uses)]


def fits(batch: Sequence[Load]) -> bool:
    """Return whether nodes may be a batch, as the page of the module says it."""
    used, users = Counter[Resource](), Counter[Resource]()
    for load in batch:
        used.update(load.uses)
        users.update(load.uses.keys())
    return all(used[resource] <= CAPACITY[resource] or users[resource] == 1 for resource in used)


def fewest(nodes: Sequence[Load], size: int) -> int:
    @cache
    def best(left: frozenset[int]) -> int:
        if not left:
            return 0
        first, others = min(left), left - {min(left)}
        batches = ((first, *more) for number in range(size) for more in combinations(others, number))
        return 1 + min(
            best(left - set(batch)) for batch in batches if fits([nodes[place] for place in batch])
        )

    return best(frozenset(range(len(nodes))))


@given(st.lists(USES, max_size=8), st.integers(1, 5))
def test_batches_are_valid_and_the_fewest(uses: list[dict[Resource, int]], size: int) -> None:
    nodes = loads(uses)
    packed = pack(nodes, CAPACITY, size)
    assert sorted(load.name for batch in packed.batches for load in batch) == [load.name for load in nodes]
    assert all(fits(batch) and len(batch) <= size for batch in packed.batches)
    assert len(packed.batches) == packed.at_least == fewest(nodes, size)


@given(st.lists(USES, min_size=9, max_size=70), st.integers(2, 9))
def test_any_two_batches_of_many_nodes_have_a_reason(uses: list[dict[Resource, int]], size: int) -> None:
    packed = pack(loads(uses), CAPACITY, size)
    assert all(fits(batch) and len(batch) <= size for batch in packed.batches)
    assert packed.at_least <= len(packed.batches)
    for batch, other in combinations(packed.batches, 2):
        if len(batch) + len(other) <= size:
            why = conflict(batch, other, CAPACITY)
            assert why.first in {load.name for load in batch}
            assert why.second in {load.name for load in other}
            assert why.used > CAPACITY[why.resource]


def hard() -> tuple[list[Load], dict[Resource, int]]:
    """Return twelve nodes for which a first fit, in whatever order it is repeated, takes a batch too many."""
    random = Random(706)
    number, resources = random.randint(8, 16), random.randint(4, 14)
    capacity: dict[Resource, int] = {resource: random.randint(1, 3) for resource in range(resources)}
    uses: list[dict[Resource, int]] = []
    for _ in range(number):
        chosen = random.sample(range(resources), random.randint(1, min(resources, 4)))
        uses.append({resource: random.randint(1, 2) for resource in chosen})
    return loads(uses), capacity


def test_a_search_finds_fewer_batches_than_a_first_fit() -> None:
    nodes, capacity = hard()
    packed = pack(nodes, capacity, 4)
    assert len(packed.batches) == packed.at_least
    assert all(len(batch) <= 4 for batch in packed.batches)


def test_a_search_that_runs_out_of_steps_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, capacity = hard()
    fewer = pack(nodes, capacity, 4)
    monkeypatch.setattr(packing, "_STEPS", 5)
    packed = pack(nodes, capacity, 4)
    assert len(packed.batches) == len(fewer.batches) + 1
    assert packed.at_least <= len(fewer.batches)


def test_batches_are_in_the_order_of_their_nodes() -> None:
    packed = pack(loads([{2: 1}, {}, {2: 1}, {}, {}]), CAPACITY, 2)
    assert [[load.name for load in batch] for batch in packed.batches] == [["n0", "n1"], ["n2", "n3"], ["n4"]]


def test_a_pair_that_is_too_much_comes_before_a_sum_that_is() -> None:
    load, other = loads([{4: 2, 2: 1}, {4: 2, 2: 1}])
    assert conflict([load], [other], CAPACITY).resource == 2
    many = loads([{5: 3, ("ns", "web"): 1}, {5: 3}, {5: 3, ("ns", "web"): 1}])
    capacity = {**CAPACITY, ("ns", "web"): 1}
    assert conflict(many[:2], many[2:], capacity).resource == ("ns", "web")
