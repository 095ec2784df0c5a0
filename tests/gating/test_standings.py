"""How it counts: each verdict with each thing that can become of a container."""

from __future__ import annotations

import pytest

from hashcompat.analysis.gating import Standing
from hashcompat.analysis.gating.outcome import STANDINGS, Seen
from hashcompat.core.model.verdicts import Verdict

EXPECTED = {
    Seen.KEPT: "ok surprise surprise",
    Seen.RESTARTED: "surprise ok surprise",
    Seen.CRASHED: "surprise open surprise",
    Seen.ENDED: "surprise open ok",
    Seen.COMPLETED: "changed open ok",
    Seen.STOPPED: "surprise open open",
    Seen.DOUBTFUL: "surprise open surprise",
    Seen.BEFORE: "changed changed changed",
    Seen.SINCE_BEFORE: "changed surprise surprise",
    Seen.IDLE: "ok ok ok",
    Seen.WOKEN: "changed changed changed",
    Seen.UNSEEN: "open open open",
}
WORDS = {
    Standing.AS_PREDICTED: "ok",
    Standing.SURPRISE: "surprise",
    Standing.UNDECIDED: "open",
    Standing.CHANGED: "changed",
}


@pytest.mark.parametrize("seen", Seen, ids=lambda seen: seen.name)
def test_how_it_counts_by_what_was_predicted(seen: Seen) -> None:
    assert (
        " ".join(WORDS[STANDINGS[one][seen]] for one in (Verdict.KEEP, Verdict.RESTART, Verdict.KILL))
        == EXPECTED[seen]
    )
    assert STANDINGS[Verdict.UNKNOWN][seen] is Standing.UNPREDICTED
