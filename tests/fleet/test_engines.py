"""How many workers are started, and what a planner does with what it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.errors import InputError, UsageError
from hashcompat.fleet import engines


@pytest.mark.parametrize(
    ("processors", "memory", "workers"),
    [(2, 8 << 30, 2), (64, 4 << 30, 8), (64, 256 << 20, 1), (1, 1 << 40, 1)],
)
def test_a_container_with_many_processors_and_little_memory_has_few_workers(
    processors: int, memory: int, workers: int
) -> None:
    assert engines._fitting(processors, memory) == workers


@pytest.mark.parametrize(
    ("memory", "scheduler", "says"),
    [
        ("much", "", "--worker-memory much: want a size such as 2GB"),
        ("-1", "", "--worker-memory -1: "),
        ("0.5", "", "at least 200 MB"),
        ("1KB", "", "at least 200 MB"),
        ("", "host:8786", "--scheduler host:8786: want an address such as tcp://HOST:8786"),
        ("", "http://host:8786", "want an address"),
    ],
)
def test_what_no_worker_can_have_is_said_before_any_is_started(
    memory: str, scheduler: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says), engines.engines(1, scheduler, memory):
        pass


def test_a_scheduler_that_does_not_answer_is_no_missing_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_PATIENCE", 0.01)
    monkeypatch.setattr(engines, "_LOOK", 0.01)

    def connect() -> Any:
        raise OSError("refused")

    with pytest.raises(InputError, match="no scheduler for 0 s: start one"):
        list(engines.Dask(connect).run(str, [1]))
