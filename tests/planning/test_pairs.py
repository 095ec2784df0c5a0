"""A function of two kubelets is asked once for all pairs that agree on what it reads, no more rarely."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest

from hashcompat.analysis.planning.pairs import Pairs, PairSums, crossed, numbers, of_numbers, together
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import same_minor
from tests.helpers import randomness

RELEASES = ("1.3.10", "1.5.8", "1.9.11", "1.16.15", "1.24.17", "1.27.4", "1.27.16", "1.33.13", "1.36.6")


@pytest.fixture(scope="module")
def pairs(catalog: Catalog) -> Pairs:
    return Pairs(list(permutations(map(catalog.kubelet, RELEASES), 2)))


def by_behaviour(old: Kubelet, new: Kubelet) -> object:
    if old.behaviour.dockershim:
        return new.behaviour.sandbox_checks
    return new.gates.is_on("InPlacePodVerticalScaling"), new.gates.knows("SidecarContainers")


def by_release(old: Kubelet, new: Kubelet) -> object:
    assert str(new.release) in f"{old.release} -> {new.release}"
    return same_minor(old.release, new.release)


def by_hash(old: Kubelet, new: Kubelet) -> object:
    return old.era is new.era, old.way == new.way, new.vendor


@pytest.mark.parametrize("function", [by_behaviour, by_release, by_hash])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_each_pair_has_the_result_of_the_function(pairs: Pairs, function: object, share: float) -> None:
    assert callable(function)
    rng = random.Random(randomness.SEED)
    among = of_numbers([number for number in range(len(pairs.ends)) if rng.random() < share])
    seen = 0
    for value, some in pairs.split(function, among):
        assert some & seen == 0
        seen |= some
        assert all(function(*pairs.ends[number]) == value for number in numbers(some))
    assert seen == among


def test_what_agrees_is_asked_once(pairs: Pairs) -> None:
    asked = Counter[str]()

    def count(old: Kubelet, new: Kubelet) -> bool:
        asked["calls"] += 1
        return old.behaviour.dockershim and new.behaviour.dockershim

    list(pairs.split(count, pairs.all_pairs))
    assert asked["calls"] == 3  # not the old one; both; the old one alone


def test_pairs_are_grouped_by_either_side(pairs: Pairs) -> None:
    for side in (0, 1):
        for release, some in pairs.grouped(side, lambda kubelet: str(kubelet.release)).items():
            assert {str(pairs.ends[number][side].release) for number in numbers(some)} == {release}
    assert together(pairs.grouped(0, lambda kubelet: kubelet.era).values()) == pairs.all_pairs


def test_sets_of_pairs() -> None:
    assert list(numbers(of_numbers([3, 0, 17]))) == [0, 3, 17]
    assert of_numbers([]) == 0
    assert crossed({"a": 0b0011, "b": 0b1100}, {1: 0b0101, 2: 0b0010}) == {
        ("a", 1): 0b0001,
        ("a", 2): 0b0010,
        ("b", 1): 0b0100,
    }


def test_sums_are_counts() -> None:
    rng, sums, counts = random.Random(randomness.SEED), PairSums(), [0] * 40
    assert sums.counts(3) == [0, 0, 0]
    for _ in range(200):
        some = rng.getrandbits(40)
        sums.add(some)
        for number in numbers(some):
            counts[number] += 1
    assert sums.counts(40) == counts
