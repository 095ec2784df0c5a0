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
    return [Load(f"n{number}", one) for number, one in enumerate(uses)]


def fits(batch: Sequence[Load]) -> bool:
    """Return whether nodes may be a batch, as the page of the module says it."""
    used, users = Counter[Resource](), Counter[Resource]()
    for load in batch:
        used.update(load.uses)
        users.update(load.uses.keys())
    return all(used[one] <= CAPACITY[one] or users[one] == 1 for one in used)


def fewest(nodes: Sequence[Load], size: int) -> int:
    @cache
    def best(left: frozenset[int]) -> int:
        if not left:
            return 0
        first, others = min(left), left - {min(left)}
        batches = ((first, *more) for number in range(size) for more in combinations(others, number))
        return 1 + min(best(left - set(one)) for one in batches if fits([nodes[place] for place in one]))

    return best(frozenset(range(len(nodes))))


@given(st.lists(USES, max_size=8), st.integers(1, 5))
def test_batches_are_valid_and_the_fewest(uses: list[dict[Resource, int]], size: int) -> None:
    nodes = loads(uses)
    found = pack(nodes, CAPACITY, size)
    assert sorted(load.name for batch in found.batches for load in batch) == [load.name for load in nodes]
    assert all(fits(batch) and len(batch) <= size for batch in found.batches)
    assert len(found.batches) == found.at_least == fewest(nodes, size)


@given(st.lists(USES, min_size=9, max_size=70), st.integers(2, 9))
def test_any_two_batches_of_many_nodes_have_a_reason(uses: list[dict[Resource, int]], size: int) -> None:
    found = pack(loads(uses), CAPACITY, size)
    assert all(fits(batch) and len(batch) <= size for batch in found.batches)
    assert found.at_least <= len(found.batches)
    for one, other in combinations(found.batches, 2):
        if len(one) + len(other) <= size:
            why = conflict(one, other, CAPACITY)
            assert why.first in {load.name for load in one}
            assert why.second in {load.name for load in other}
            assert why.used > CAPACITY[why.resource]


def hard() -> tuple[list[Load], dict[Resource, int]]:
    """Return twelve nodes for which a first fit, in whatever order it is repeated, takes a batch too many."""
    random = Random(706)
    number, resources = random.randint(8, 16), random.randint(4, 14)
    capacity: dict[Resource, int] = {one: random.randint(1, 3) for one in range(resources)}
    uses: list[dict[Resource, int]] = []
    for _ in range(number):
        chosen = random.sample(range(resources), random.randint(1, min(resources, 4)))
        uses.append({one: random.randint(1, 2) for one in chosen})
    return loads(uses), capacity


def test_a_search_finds_fewer_batches_than_a_first_fit() -> None:
    nodes, capacity = hard()
    found = pack(nodes, capacity, 4)
    assert len(found.batches) == found.at_least
    assert all(len(batch) <= 4 for batch in found.batches)


def test_a_search_that_runs_out_of_steps_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, capacity = hard()
    fewer = pack(nodes, capacity, 4)
    monkeypatch.setattr(packing, "_STEPS", 5)
    found = pack(nodes, capacity, 4)
    assert len(found.batches) == len(fewer.batches) + 1
    assert found.at_least <= len(fewer.batches)


def test_batches_are_in_the_order_of_their_nodes() -> None:
    found = pack(loads([{2: 1}, {}, {2: 1}, {}, {}]), CAPACITY, 2)
    assert [[load.name for load in batch] for batch in found.batches] == [["n0", "n1"], ["n2", "n3"], ["n4"]]


def test_a_pair_that_is_too_much_comes_before_a_sum_that_is() -> None:
    one, other = loads([{4: 2, 2: 1}, {4: 2, 2: 1}])
    assert conflict([one], [other], CAPACITY).resource == 2
    many = loads([{5: 3, ("ns", "web"): 1}, {5: 3}, {5: 3, ("ns", "web"): 1}])
    capacity = {**CAPACITY, ("ns", "web"): 1}
    assert conflict(many[:2], many[2:], capacity).resource == ("ns", "web")
