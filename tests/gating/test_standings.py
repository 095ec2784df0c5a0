"""How it counts: each verdict with each thing that can become of a container."""

from __future__ import annotations

import pytest

from hashcompat.analysis.gating import Standing
from hashcompat.analysis.gating.outcome import STANDINGS, Observation
from hashcompat.core.model.verdicts import Verdict

EXPECTED = {
    Observation.KEPT: "ok surprise surprise",
    Observation.RESTARTED: "surprise ok surprise",
    Observation.CRASHED: "surprise open surprise",
    Observation.ENDED: "surprise open ok",
    Observation.COMPLETED: "changed open ok",
    Observation.STOPPED: "surprise open open",
    Observation.DOUBTFUL: "surprise open surprise",
    Observation.BEFORE: "changed changed changed",
    Observation.SINCE_BEFORE: "changed surprise surprise",
    Observation.IDLE: "ok ok ok",
    Observation.WOKEN: "changed changed changed",
    Observation.UNSEEN: "open open open",
}
WORDS = {
    Standing.AS_PREDICTED: "ok",
    Standing.SURPRISE: "surprise",
    Standing.UNDECIDED: "open",
    Standing.CHANGED: "changed",
}


@pytest.mark.parametrize("seen", Observation, ids=lambda seen: seen.name)
def test_how_it_counts_by_what_was_predicted(seen: Observation) -> None:
    assert (
        " ".join(WORDS[STANDINGS[verdict][seen]] for verdict in (Verdict.KEEP, Verdict.RESTART, Verdict.KILL))
        == EXPECTED[seen]
    )
    assert STANDINGS[Verdict.UNKNOWN][seen] is Standing.UNPREDICTED
