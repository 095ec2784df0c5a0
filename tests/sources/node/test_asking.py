"""Questions with deadlines: what becomes of each answer."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any, NoReturn

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.records.probes import Probe
from hashcompat.sources.node import MOST_AT_ONCE, NodeQuery, NodeReader, NoneSuchError


def failing(error: Exception) -> Any:
    def read() -> NoReturn:
        raise error

    return read


def late(seconds: float) -> str:
    time.sleep(seconds)
    return "late"


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (lambda: "x", "x", ""),
        (failing(FileNotFoundError(2, "No such file")), None, ""),
        (failing(NoneSuchError("no")), None, ""),
        (failing(PermissionError(13, "Permission denied")), None, "permission denied"),
        (failing(OSError("odd")), None, "oserror"),
        (failing(InputError("why")), None, "why"),
        (lambda: late(2), None, "no answer within 0.2 s"),
    ],
)
def test_what_becomes_of_an_answer(read: Any, text: str | None, problem: str) -> None:
    assert NodeReader(0.2, 5).ask(NodeQuery("k", "n", read)) == Probe("k", "n", text, problem)


def test_answers_keep_the_order_of_questions() -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def read(number: int) -> str:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.02)
        with lock:
            at_once -= 1
        return str(number)

    questions = [NodeQuery("k", str(number), partial(read, number)) for number in range(30)]
    assert [probe.text for probe in NodeReader(5, 30).ask_all(questions)] == [
        str(number) for number in range(30)
    ]
    assert 1 < most <= MOST_AT_ONCE


def test_nothing_is_asked_after_the_end() -> None:
    asking = NodeReader(1, 0.05)
    time.sleep(0.1)
    probe = asking.ask(NodeQuery("k", "n", lambda: "x"))
    assert probe.problem == "not read: the 0.05 s for the whole node were over"


def test_an_answer_that_the_end_of_the_whole_cuts_off_does_not_hang() -> None:
    probe = NodeReader(5, 0.2).ask(NodeQuery("k", "n", lambda: late(1)))
    assert probe.problem == "not read: the 0.2 s for the whole node were over"


def test_questions_that_take_too_long_to_make() -> None:
    def make() -> list[NodeQuery]:
        time.sleep(1)
        return []

    asking = NodeReader(0.2, 5)
    [probe] = asking.ask_all(asking.gather(make, "/"))
    assert probe == Probe("directory", "/", problem="no answer within 0.2 s")
    assert asking.gather(list, "/") == []
