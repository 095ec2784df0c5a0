"""How long nodes are read again, by a clock that only sleeping moves."""

from __future__ import annotations

import pytest

from hashcompat.analysis.gating import GateResult, Line, Outcome
from hashcompat.cli.args.gate import after_settling
from hashcompat.core.policies import Policy
from tests.helpers.plans import plan

PASS, FAIL, OPEN = Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("seconds", "seen", "last", "slept"),
    [
        (0, [], PASS, 0),
        (12, [PASS, PASS, PASS], PASS, 12),
        (12, [OPEN, PASS, PASS], FAIL, 12),
        (12, [OPEN, OPEN, OPEN], OPEN, 12),
        (12, [OPEN, FAIL], None, 5),
        (5, [FAIL], None, 0),
        (0.5, [OPEN], PASS, 0.5),
    ],
)
def test_nodes_are_read_until_the_end_or_a_surprise(
    seconds: float, seen: list[Outcome], last: Outcome | None, slept: float
) -> None:
    """``seen`` is what is read while nodes settle, ``last`` what is read once the time is over."""
    now, asked = [0.0], []
    answers = iter([*seen, *([last] if last else [])])

    def judge(settling: bool) -> GateResult:
        asked.append(settling)
        return GateResult(plan(), Policy(), (Line("after", "", 0, 0, "", next(answers)),), ())

    def sleep(length: float) -> None:
        now[0] += length

    result = after_settling(judge, seconds, sleep=sleep, clock=lambda: now[0])
    assert result.outcome is (last or FAIL)
    assert asked == [True] * len(seen) + [False] * bool(last)
    assert now[0] == slept
