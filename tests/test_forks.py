"""Work in other processes: its results in order, and nothing of it left, whatever happens."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hashcompat.core import forks
from hashcompat.core.forks import FailedError, begun


def numbers(first: int, wait: float = 0.0) -> Iterator[object]:
    time.sleep(wait)
    yield os.getpid()
    yield from range(first, first + 3)


def test_results_come_in_the_order_of_the_works() -> None:
    with begun([partial(numbers, 0, 0.3), partial(numbers, 10), list[object]().__iter__]) as results:
        rows = [list(result) for result in results()]
    assert [row[1:] for row in rows] == [[0, 1, 2], [10, 11, 12], []]
    pids = {row[0] for row in rows if row}
    assert len(pids) == 2
    assert os.getpid() not in pids


def fails() -> Iterator[object]:
    yield 1
    raise ValueError


def leaves() -> NoReturn:
    raise SystemExit(0)


def unsendable() -> Iterator[object]:
    yield threading.Lock()


def killed() -> Iterator[object]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield from ()


@pytest.mark.parametrize("work", [fails, leaves, unsendable, killed])
def test_what_does_not_succeed_is_an_error_and_never_a_part(
    work: Callable[[], Iterator[Any]], capfd: pytest.CaptureFixture[str]
) -> None:
    with begun([partial(numbers, 0), work]) as results:
        first, second = results()
        assert len(list(first)) == 4
        with pytest.raises(FailedError):
            list(second)
    assert capfd.readouterr() == ("", "")


def children() -> list[str]:
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()


def test_no_process_outlives_the_block() -> None:
    before = children()

    def interrupted() -> None:
        with begun([partial(numbers, 0, 600.0)] * 2):
            assert len(children()) == len(before) + 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert children() == before


def test_a_process_that_cannot_begin_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    begin, left = os.fork, [1]

    def fork() -> int:
        if not left:
            raise BlockingIOError
        left.pop()
        return begin()

    before = children()
    monkeypatch.setattr(os, "fork", fork)
    with pytest.raises(FailedError), begun([partial(numbers, 0, 600.0)] * 2):
        raise AssertionError
    assert children() == before


def test_nothing_is_forked_where_a_thread_would_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert not forks.possible()


def test_nothing_is_forked_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert forks.possible()
    assert forks.processors() == len(os.sched_getaffinity(0))
    monkeypatch.setattr("sys.platform", "darwin")
    assert not forks.possible()
    assert forks.processors() == (os.cpu_count() or 1)
