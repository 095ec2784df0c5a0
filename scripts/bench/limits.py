"""What the benchmarks may take at most; ``--check`` fails where one takes more.

The limits are what users get promised, so some are not kept yet. A ratio that is committed in ratios.json is
a limit as well, so that what is not kept gets no worse.
"""

from __future__ import annotations

from typing import Final

LOSS: Final = 1.15
"""How many times the committed ratio is too much: rounds on a busy machine differ by less."""

PLANS: Final = {
    "services": 0.55,
    "services, all different": 1.5,
    "platform": 0.55,
    "platform, all different": 1.5,
}
"""By cluster, how many times the CPU time of Go ``plan`` takes."""

COMMANDS: Final = {
    "plan": 1.0,
    "plan 1.20.15 -> 1.31.14, with its steps": 2.2,
    "plan, from YAML": 4.0,
    "plan, from JSON lines": 1.5,
    "plan, from JSON in one line": 1.5,
    "plan, from a file for each object": 2.0,
    "plan, with managedFields": 2.0,
    "plan, of a live cluster": 1.5,
    "plan -o html": 2.0,
    "patch --audit": 2.0,
    "snapshot": 3.0,
    "hash -o json": 3.0,
    "matrix, all releases": 10.0,
}
"""How many times the CPU time of ``plan`` of the same file each takes."""

STARTS: Final = {"--version": 0.05, "plan of one pod": 0.15}
"""Seconds of CPU time."""

MEMORY: Final = {"plan, of a file": 200, "plan, of a live cluster": 200, "snapshot": 200}
"""Peaks in MB (1e6 bytes), for 150,000 pods."""


def allowed(committed: float, most: float) -> float:
    """Return how large a ratio may be whose limit and committed value are these.

    The stricter counts of those that the committed one keeps.
    """
    return min(committed * LOSS, most) if committed <= most else committed * LOSS
