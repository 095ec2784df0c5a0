"""Whose turn it is: what stops a turn, and how it ends."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec import structs

from hashcompat.analysis.gating import GateResult, Line, Outcome, decided, own_turns, taken
from hashcompat.core.errors import InputError
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.core.policies import Policy
from tests.helpers.plans import item, plan

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
MINE = Turn(Phase.STARTED, "mine", "ci@a", "sha256:1", NOON)
THEIRS = structs.replace(MINE, id="theirs", holder="ci@b")
DONE = structs.replace(THEIRS, phase=Phase.DONE, ended=NOON, reason="fine")
FAILED = structs.replace(DONE, phase=Phase.FAILED, reason="after: x: was restarted")

STOPS: dict[str, tuple[dict[str, Turn], bool, str]] = {
    "nothing": ({}, False, ""),
    "done ones": ({"a": DONE, "b": DONE}, False, ""),
    "another that was started": (
        {"b": THEIRS},
        False,
        "UNDECIDED state: b: started at 2026-01-31T12:00:00Z by ci@b, and not decided yet",
    ),
    "one without a holder": (
        {"b": structs.replace(THEIRS, holder="")},
        False,
        "UNDECIDED state: b: started at 2026-01-31T12:00:00Z, and not decided yet",
    ),
    "another that failed": (
        {"b": FAILED},
        False,
        "FAIL state: b: failed at 2026-01-31T12:00:00Z: after: x: was restarted",
    ),
    "itself": (
        {"a": THEIRS},
        False,
        "UNDECIDED state: a: started at 2026-01-31T12:00:00Z by ci@b, and not decided yet",
    ),
    "itself, taken over": ({"a": THEIRS}, True, ""),
    "itself, which failed, taken over": ({"a": FAILED}, True, ""),
    "others are not taken over": (
        {"a": FAILED, "b": FAILED},
        True,
        "FAIL state: b: failed at 2026-01-31T12:00:00Z: after: x: was restarted",
    ),
}


@pytest.mark.parametrize("how", STOPS)
def test_what_stops_a_turn(how: str) -> None:
    turns, take_over, why = STOPS[how]
    changed, (line,) = taken(Rollout(turns), ["a"], MINE, take_over=take_over)
    assert why == ("" if line.outcome is Outcome.PASS else f"{line.outcome} {line}")
    assert changed == (None if why else Rollout({**turns, "a": MINE}))


def test_a_run_knows_that_it_has_the_turn_already() -> None:
    """An answer of the API server may be lost after it has written."""
    changed, (line,) = taken(Rollout({"a": MINE, "b": MINE}), ["b", "a"], MINE, take_over=False)
    assert (changed, line.outcome, str(line)) == (None, Outcome.PASS, "state: 0 nodes in the way, allowed 0")


def result(outcome: Outcome) -> GateResult:
    return GateResult(plan(item()), Policy(), (Line("after", "x", 0, 0, "", outcome, "as it is"),), ())


@pytest.mark.parametrize(("outcome", "phase"), [(Outcome.PASS, Phase.DONE), (Outcome.FAIL, Phase.FAILED)])
@pytest.mark.parametrize(
    "before", [MINE, structs.replace(MINE, phase=Phase.FAILED, ended=NOON, reason="bad")]
)
def test_a_turn_ends_as_its_node_was_judged(before: Turn, outcome: Outcome, phase: Phase) -> None:
    ended = structs.replace(MINE, phase=phase, ended=NOON, reason="after: x: as it is")
    changed, _ = decided(Rollout({"a": before, "b": DONE}), {"a": before}, result(outcome), NOON)
    assert changed == Rollout({"a": ended, "b": DONE})
    assert decided(Rollout({"a": ended}), {"a": before}, result(outcome), NOON) == (None, None)


def test_an_undecided_turn_goes_on() -> None:
    assert decided(Rollout({"a": MINE}), {"a": MINE}, result(Outcome.UNDECIDED), NOON) == (None, None)


@pytest.mark.parametrize("turns", [{}, {"a": THEIRS}])
def test_a_turn_that_was_taken_over_is_not_ended(turns: dict[str, Turn]) -> None:
    with pytest.raises(InputError, match="the turn of a was taken over meanwhile"):
        decided(Rollout(turns), {"a": MINE}, result(Outcome.PASS), NOON)


def test_the_turns_of_nodes_are_those_of_one_plan() -> None:
    assert own_turns(Rollout({"a": MINE, "b": DONE}), ["a"], "sha256:1") == {"a": MINE}
    with pytest.raises(InputError, match="no turn of c: the gate without --after takes it"):
        own_turns(Rollout({"a": MINE}), ["a", "c"], "sha256:1")
    with pytest.raises(InputError, match="the turn of a was taken by another plan, of the digest sha256:1"):
        own_turns(Rollout({"a": MINE}), ["a"], "sha256:2")
