"""Whose turn it is: which node of a rollout may be upgraded next, and how its turn ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from msgspec import structs

from hashcompat.analysis.gating.result import GateResult, Line, Outcome
from hashcompat.core.errors import InputError
from hashcompat.core.model.escape import printable, word
from hashcompat.core.model.impact import Phase, Rollout, Turn

_STOPS: Final = {Phase.FAILED: Outcome.FAIL, Phase.STARTED: Outcome.UNDECIDED}
"""A failed node is a finding; what becomes of one that was started is not known yet."""


def taken(
    rollout: Rollout, names: Iterable[str], turn: Turn, *, take_over: bool
) -> tuple[Rollout | None, tuple[Line, ...]]:
    """Return the state in which the turn of some nodes is taken, and the line of each node that stops that.

    There is no state where any stops it, or where this run has taken the turn already. ``take_over`` takes it
    also of these nodes themselves, where they were started or have failed.
    """
    wanted = set(names)
    # a run that is repeated because its answer was lost finds its own turn
    if all(name in rollout.turns and rollout.turns[name].id == turn.id for name in wanted):
        return None, tuple(_free())
    stops = tuple(_stops(rollout, wanted if take_over else set()))
    if stops:
        return None, stops
    return Rollout({**rollout.turns, **dict.fromkeys(sorted(wanted), turn)}), tuple(_free())


def _free() -> Iterator[Line]:
    yield Line("state", "", 0, 0, "nodes in the way", Outcome.PASS)


def _stops(rollout: Rollout, own: set[str]) -> Iterator[Line]:
    for name, turn in sorted(rollout.turns.items()):
        if turn.phase in _STOPS and name not in own:
            yield Line("state", word(name), 1, 0, "node in the way", _STOPS[turn.phase], _words(turn))


def _words(turn: Turn) -> str:
    by = f" by {printable(turn.holder)}" if turn.holder else ""
    if turn.phase is Phase.FAILED:
        when = turn.ended or turn.started
        return f"failed at {when:%Y-%m-%dT%H:%M:%SZ}: {printable(turn.reason)}"
    return f"started at {turn.started:%Y-%m-%dT%H:%M:%SZ}{by}, and not decided yet"


def own_turns(rollout: Rollout, names: Iterable[str], plan: str) -> dict[str, Turn]:
    """Return the turns of some nodes; raises InputError for one that was not taken, or by another plan."""
    turns = {}
    for name in names:
        turn = rollout.turns.get(name)
        if turn is None:
            raise InputError(f"no turn of {word(name)}: it is taken by the gate before the node is upgraded")
        if turn.plan != plan:
            raise InputError(f"the turn of {word(name)} was taken by another plan, of the digest {turn.plan}")
        turns[name] = turn
    return turns


def decided(
    rollout: Rollout, turns: dict[str, Turn], result: GateResult, now: datetime
) -> tuple[Rollout | None, None]:
    """Return the state in which these turns are done or have failed; none where that is undecided.

    Raises InputError where one of them was taken over meanwhile.
    """
    if result.outcome is Outcome.UNDECIDED:
        return None, None
    phase = Phase.DONE if result.outcome is Outcome.PASS else Phase.FAILED
    why = str(result.deciding)
    ended = {name: structs.replace(turn, phase=phase, ended=now, reason=why) for name, turn in turns.items()}
    for name, turn in ended.items():
        taken = rollout.turns.get(name)
        # another run has the node now: writing this outcome would hide what that one does
        if taken is None or taken.id != turn.id:
            raise InputError(f"the turn of {word(name)} was taken over meanwhile")
    if all((structs.replace(rollout.turns[name], ended=turn.ended) == turn) for name, turn in ended.items()):
        return None, None
    return Rollout({**rollout.turns, **ended}), None
