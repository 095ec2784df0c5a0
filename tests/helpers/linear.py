"""How the time of a reader grows: four times the input may take eight times the processor's time."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time
from typing import Any

MOST = 8
"""Time that grows by the square takes 16; what no longer fits the processor's cache alone has taken 6.7."""
_SHORTEST_SECONDS = 0.002
_TRIES = 5


def growth(read: Callable[[Any], object], small: Any, large: Any) -> float:
    """Return how many times the time of the small input the large one takes.

    A busy machine makes some measurements wrong, but none of five good where time grows by the square.
    """
    read(small)
    gc.disable()  # a collection takes as long as all that the tests before this one left in memory
    try:
        for _ in range(_TRIES):
            factor = _seconds(read, large, 1) / max(_seconds(read, small, 3), _SHORTEST_SECONDS)
            if factor <= MOST:
                break
        return factor
    finally:
        gc.enable()


def _seconds(read: Callable[[Any], object], given: Any, runs: int) -> float:
    """Return the least processor's time of some runs; a long one is not repeated."""
    times: list[float] = []
    while len(times) < runs and sum(times) < 0.3:
        start = process_time()
        read(given)
        times.append(process_time() - start)
    return min(times)
