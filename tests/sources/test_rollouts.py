"""The state of a rollout as text: what is written reads the same, and nothing else is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.sources.files.rollout import rollout_of, text_of

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
STATE = Rollout(
    {
        "a": Turn(Phase.STARTED, "1", "ci@a", "sha256:1", NOON),
        "b\u202e": Turn(Phase.FAILED, "2", "", "sha256:1", NOON, NOON, "after: x: was\nrestarted"),
        "c": Turn(Phase.DONE, "3", "\ud800".encode(errors="replace").decode(), "sha256:2", NOON, NOON),
    }
)


@pytest.mark.parametrize("state", [STATE, Rollout()])
def test_what_is_written_reads_the_same(state: Rollout) -> None:
    assert rollout_of(text_of(state)) == state


def test_a_node_is_a_line_that_a_person_can_take_out() -> None:
    lines = text_of(STATE).splitlines()
    assert [json.loads(line.rstrip(","))["node"] for line in lines if '"node"' in line] == [*STATE.turns]


Change = Callable[[Any], object]
WRONG: dict[str, tuple[Change, str]] = {
    "kind": (lambda d: d.update(kind="RestartPlan"), r"\$.kind: want RolloutState of hashcompat.io/v1"),
    "version": (lambda d: d.update(apiVersion="v2"), r"\$.kind: want RolloutState"),
    "items": (lambda d: d.update(items={}), r"\$.items: want a list"),
    "no name": (lambda d: d["items"][0].update(node=""), r"\$.items\[0\].node: want the name of a node"),
    "a name twice": (lambda d: d["items"][1].update(node="a"), r"\$.items\[1\].node: want .* each once"),
    "a long name": (lambda d: d["items"][0].update(node="x" * 99999), r"\$.items\[0\].node: want the name"),
    "phase": (lambda d: d["items"][0].update(phase="new"), r"\$.items\[0\].phase: want one of started"),
    "no start": (lambda d: d["items"][0].update(startedAt=None), r"\$.items\[0\].startedAt: want a time"),
    "no end": (lambda d: d["items"][2].update(endedAt=None), r"\$.items\[2\].endedAt: want a time of a node"),
    "an early end": (
        lambda d: d["items"][0].update(endedAt="2026-01-31T12:00:00Z"),
        r"\$.items\[0\].endedAt: want",
    ),
    "a time before the year 1": (
        lambda d: d["items"][0].update(startedAt="0001-01-01T00:00:00+23:00"),
        r"\$.items\[0\].startedAt: want a time of the years",
    ),
    "holder": (lambda d: d["items"][0].update(holder=7), r"\$.items\[0\].holder: want a string"),
}


@pytest.mark.parametrize("how", WRONG)
def test_anything_else_is_refused(how: str) -> None:
    change, why = WRONG[how]
    document = json.loads(text_of(STATE))
    change(document)
    with pytest.raises(InputError, match=why):
        rollout_of(json.dumps(document))
