"""The state of a rollout as JSON, in a file or in a ConfigMap: strictly read, and written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import LONGEST_NAME
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.sources.documents import Row, loads, row_of

_VERSION: Final = "hashcompat.io/v1"

_KIND: Final = "RolloutState"

Json = dict[str, Any]


def rollout_of(text: str) -> Rollout:
    """Return the state in a text; raises InputError, with the path, for anything else."""
    row = row_of(loads(text), "$")
    if (row.value.get("apiVersion"), row.value.get("kind")) != (_VERSION, _KIND):
        raise InputError(f"$.kind: want {_KIND} of {_VERSION}, as hashcompat gate --state keeps it")
    turns: dict[str, Turn] = {}
    for one in row.rows("items"):
        name = one.text("node")
        if not name or len(name) > LONGEST_NAME or name in turns:
            raise InputError(f"{one.path}.node: want the name of a node, each once")
        turns[name] = _turn(one)
    return Rollout(turns)


def _turn(row: Row) -> Turn:
    phase, started, ended = row.word("phase", Phase), _time(row, "startedAt"), _time(row, "endedAt")
    if started is None:
        raise InputError(f"{row.path}.startedAt: want a time")
    if (ended is None) != (phase is Phase.STARTED):
        raise InputError(f"{row.path}.endedAt: want a time of a node that is done or failed, else null")
    names = (row.text("id"), row.text("holder"), row.text("plan"))
    return Turn(phase, *names, started, ended, row.text("reason"))


def _time(row: Row, key: str) -> datetime | None:
    found = row.time_or_none(key)
    try:
        return found.astimezone(UTC) if found else None
    except OverflowError:
        raise InputError(f"{row.path}.{key}: want a time of the years 1 to 9999, in UTC") from None


def text_of(rollout: Rollout) -> str:
    """Return the JSON of a state, with a line for each node, which a person can read and take out."""
    rows = ",\n".join(f"  {_line(_item(name, turn))}" for name, turn in sorted(rollout.turns.items()))
    head = f'"apiVersion": "{_VERSION}",\n "kind": "{_KIND}"'
    return f'{{\n {head},\n "items": [\n{rows}\n ]\n}}\n'


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True)


def _item(name: str, turn: Turn) -> Json:
    return {
        "node": name,
        "phase": turn.phase.value,
        "id": turn.id,
        "holder": turn.holder,
        "plan": turn.plan,
        "startedAt": turn.started.isoformat(),
        "endedAt": turn.ended.isoformat() if turn.ended else None,
        "reason": turn.reason,
    }
