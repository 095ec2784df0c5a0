"""How many workers are started, and what a planner does with what it is asked."""

from __future__ import annotations

import pytest

from hashcompat.fleet import engines


@pytest.mark.parametrize(
    ("processors", "memory", "workers"),
    [(2, 8 << 30, 2), (64, 4 << 30, 8), (64, 256 << 20, 1), (1, 1 << 40, 1)],
)
def test_a_container_with_many_processors_and_little_memory_has_few_workers(
    processors: int, memory: int, workers: int
) -> None:
    assert engines._fitting(processors, memory) == workers
