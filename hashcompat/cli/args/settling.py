"""Nodes whose kubelets get time to look at their pods, while these are read again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from hashcompat.gating.result import GateResult, Outcome

_BETWEEN: Final = 5.0
"""Seconds between two readings."""


def settled(
    judge: Callable[[bool], GateResult],
    seconds: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> GateResult:
    """Return what came of nodes after so many seconds, or before that the first surprise that stays one.

    What is as predicted is looked at until the end: a kubelet that has not looked at a pod may still restart
    it. ``judge`` reads the nodes, given whether they are still settling.
    """
    end = clock() + seconds
    while (left := end - clock()) > 0:
        result = judge(True)
        if result.outcome is Outcome.FAIL:
            return result
        sleep(min(_BETWEEN, left))
    return judge(False)
