"""What became of a container, by all that its status can show."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis.gating.outcome import Observation, seen_of
from hashcompat.core.model.items import Observed
from hashcompat.core.model.pods import Container, ContainerType, Ended
from tests.gating.containers import AFTER, BEGUN, HOUR, IDLE, MINUTE, OLD, RUNS, now, pod, stopped

SEEN: dict[str, tuple[Observed | None, Container, Observation]] = {
    "the same": (RUNS, now(), Observation.KEPT),
    "without a start": (RUNS, now(started=None), Observation.KEPT),
    "another": (RUNS, now("new", AFTER, 3), Observation.RESTARTED),
    "another, whose start is not shown": (RUNS, now("new", None, 3), Observation.RESTARTED),
    "another within the skew of clocks": (RUNS, now("new", BEGUN - MINUTE, 3), Observation.RESTARTED),
    "another since before": (RUNS, now("new", BEGUN - HOUR, 3), Observation.SINCE_BEFORE),
    "another, of one that crashed before": (
        RUNS,
        now("new", AFTER, 3, ended=Ended("old", BEGUN - HOUR, final=False)),
        Observation.BEFORE,
    ),
    "another, which does not run": (RUNS, stopped("new", AFTER, final=False), Observation.CRASHED),
    "more restarts of the same": (RUNS, now(restarts=3), Observation.DOUBTFUL),
    "another start of the same": (RUNS, now(started=AFTER), Observation.DOUBTFUL),
    "ended": (RUNS, stopped("old", AFTER, final=True), Observation.ENDED),
    "ended before": (RUNS, stopped("old", BEGUN - HOUR, final=True), Observation.BEFORE),
    "ended, to be started again": (RUNS, stopped("old", AFTER, final=False), Observation.STOPPED),
    "not running, no end shown": (RUNS, now(running=False), Observation.UNSEEN),
    "no state": (RUNS, now(running=None), Observation.UNSEEN),
    "no ID, the same start": (RUNS, now(""), Observation.KEPT),
    "no ID, another start": (RUNS, now("", AFTER), Observation.RESTARTED),
    "no ID, no start": (RUNS, now("", None), Observation.UNSEEN),
    "no plan of it": (None, now(), Observation.UNSEEN),
    "no state in the plan": (structs.replace(RUNS, running=None), now(), Observation.UNSEEN),
    "idle": (IDLE, now("", None, 0, running=False), Observation.IDLE),
    "idle, started since": (IDLE, now("new", AFTER, 0), Observation.WOKEN),
}


@pytest.mark.parametrize("how", SEEN)
def test_what_became_of_a_container(how: str) -> None:
    before, after, seen = SEEN[how]
    assert seen_of(before, pod(after), after, BEGUN) is seen


def test_without_the_begin_nothing_was_before_it() -> None:
    for container, seen in (
        (now("new", OLD + HOUR, 3), Observation.RESTARTED),
        (stopped("old", OLD, final=True), Observation.ENDED),
    ):
        assert seen_of(RUNS, pod(container), container, None) is seen


ENDS: dict[str, tuple[dict[str, Any], dict[str, Any], Observation]] = {
    "of a Job that is done": ({"restart_policy": "Never", "phase": "Succeeded"}, {}, Observation.COMPLETED),
    "next to one that runs": ({"restart_policy": "OnFailure"}, {}, Observation.COMPLETED),
    "by its own policy": ({}, {"spec": {"restartPolicy": "Never"}}, Observation.COMPLETED),
    "against its pod's policy": (
        {"restart_policy": "Never"},
        {"spec": {"restartPolicy": "Always"}},
        Observation.ENDED,
    ),
    "to be started again": ({}, {}, Observation.ENDED),
    "without success": ({"restart_policy": "Never"}, {"code": 143}, Observation.ENDED),
    "with no code shown": ({"restart_policy": "Never"}, {"code": None}, Observation.ENDED),
    "of a pod that was evicted": ({"restart_policy": "Never", "phase": "Failed"}, {}, Observation.ENDED),
    "after another restart": ({"restart_policy": "Never"}, {"restarts": 3}, Observation.ENDED),
    "of an init container": ({}, {"type": ContainerType.INIT}, Observation.COMPLETED),
    "of a debugging session": ({}, {"type": ContainerType.EPHEMERAL}, Observation.COMPLETED),
    "of a sidecar": ({}, {"type": ContainerType.SIDECAR}, Observation.ENDED),
    "of a sidecar of a pod that is done": (
        {"phase": "Succeeded"},
        {"type": ContainerType.SIDECAR, "code": 143},
        Observation.COMPLETED,
    ),
}


@pytest.mark.parametrize("how", ENDS)
def test_an_end_with_success_that_nothing_undoes_is_no_surprise(how: str) -> None:
    of_pod, of_container, seen = ENDS[how]
    shown = {"restarts": 2, "code": 0, **of_container}
    container = structs.replace(
        stopped("old", AFTER, final=True, code=shown.pop("code"), restarts=shown.pop("restarts")), **shown
    )
    assert seen_of(RUNS, pod(container, **of_pod), container, BEGUN) is seen
