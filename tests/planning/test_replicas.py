"""What replicas share is remembered, but never more than a few of them."""

from __future__ import annotations

from hashcompat.planning.replicas import KEPT, Latest


def test_memory_does_not_grow_with_the_cluster() -> None:
    known: Latest[int, int] = Latest()
    for number in range(3 * KEPT):
        known[number] = number
        assert len(known) <= KEPT
    assert known[3 * KEPT - 1] == 3 * KEPT - 1
