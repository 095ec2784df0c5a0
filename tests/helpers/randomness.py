"""Choose the random inputs of a run: the same ones every time, or those of RANDOM_SEED.

Property tests are then hypothesis' own random ones of that seed, and more of them. ``.ci/full`` sets a new
seed and prints it: a run with the same seed tries the same inputs.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

FRESH = "RANDOM_SEED" in os.environ
SEED = int(os.environ.get("RANDOM_SEED", "1"))
PROFILE = "fresh" if FRESH else "fixed"

TIMED = (HealthCheck.too_slow,)
"""Checks of the wall clock, which fail on a busy machine whatever the code does."""

_ALWAYS = settings(deadline=None, suppress_health_check=TIMED)
settings.register_profile("fixed", _ALWAYS, derandomize=True, max_examples=30)
settings.register_profile("fresh", _ALWAYS, max_examples=300, print_blob=True, database=None)


def count(variable: str, few: int) -> int:
    """Return how many random inputs a comparison makes: what the environment says, else a few."""
    return int(os.environ.get(variable, few))
