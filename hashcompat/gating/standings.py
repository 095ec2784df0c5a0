"""How it counts what became of a container, by what the plan predicted of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat.gating.result import Standing
from hashcompat.gating.seen import Seen
from hashcompat.model.verdicts import Verdict

_SURPRISE, _OPEN = Standing.SURPRISE, Standing.UNDECIDED

_EITHER: Final = {
    Seen.BEFORE: Standing.CHANGED,
    Seen.IDLE: Standing.AS_PREDICTED,
    Seen.WOKEN: Standing.CHANGED,
    Seen.UNSEEN: _OPEN,
}
"""What counts alike for each verdict: what a kubelet found not running it did not kill."""

STANDINGS: Final[Mapping[Verdict, Mapping[Seen, Standing]]] = {
    Verdict.KEEP: {
        **_EITHER,
        Seen.KEPT: Standing.AS_PREDICTED,
        Seen.RESTARTED: _SURPRISE,
        Seen.CRASHED: _SURPRISE,
        Seen.ENDED: _SURPRISE,
        Seen.COMPLETED: Standing.CHANGED,
        Seen.STOPPED: _SURPRISE,
        Seen.DOUBTFUL: _SURPRISE,
        Seen.SINCE_BEFORE: Standing.CHANGED,
    },
    Verdict.RESTART: {
        **_EITHER,
        Seen.KEPT: _SURPRISE,
        Seen.RESTARTED: Standing.AS_PREDICTED,
        Seen.CRASHED: _OPEN,
        Seen.ENDED: _OPEN,
        Seen.COMPLETED: _OPEN,
        Seen.STOPPED: _OPEN,
        Seen.DOUBTFUL: _OPEN,
        Seen.SINCE_BEFORE: _SURPRISE,
    },
    Verdict.KILL: {
        **_EITHER,
        Seen.KEPT: _SURPRISE,
        Seen.RESTARTED: _SURPRISE,
        Seen.CRASHED: _SURPRISE,
        Seen.ENDED: Standing.AS_PREDICTED,
        Seen.COMPLETED: Standing.AS_PREDICTED,
        Seen.STOPPED: _OPEN,
        Seen.DOUBTFUL: _SURPRISE,
        Seen.SINCE_BEFORE: _SURPRISE,
    },
    Verdict.UNKNOWN: dict.fromkeys(Seen, Standing.UNPREDICTED),
}
"""How each of them counts, by the verdict that the plan predicts."""
