"""Batches of a thousand random clusters: none breaches what can be avoided, and they are the fewest."""

from __future__ import annotations

from itertools import groupby
from random import Random

import pytest

import hashcompat
from hashcompat.core.model.impact import Role
from tests.disruption.simulated import NEW, OLD, Rules, cluster
from tests.helpers.randomness import SEED
from tests.helpers.slices import sliced

EACH = 50
"""Clusters of one test; all tests have a thousand."""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("part", sliced(range(1000 // EACH), [0]))
def test_no_batch_breaches_what_another_one_would_not(part: int) -> None:
    for number in range(EACH):
        seed = f"{SEED}-{part}-{number}"
        random = Random(seed)
        objects, size = cluster(random), random.randint(1, 4)
        impact = hashcompat.impact(objects, OLD, NEW, batch=size, all_budgets=True)
        rules = Rules(objects, {node.name: node.step.value for node in impact.nodes})
        for batch in impact.batches:
            assert len(batch.nodes) <= size, seed
            assert rules.allow(batch.nodes), (seed, batch)
        roles = [batch.role for batch in impact.batches]
        assert roles == sorted(roles, key=list(Role).index), seed
        placed = [name for batch in impact.batches for name in batch.nodes]
        kept = [node.name for node in impact.nodes if not node.left_out]
        assert sorted(placed) == sorted(kept), seed
        fewest = sum(
            rules.fewest([name for batch in group for name in batch.nodes], size)
            for _, group in groupby(impact.batches, lambda batch: (batch.role, batch.step))
        )
        assert len(impact.batches) == impact.at_least == fewest, seed
