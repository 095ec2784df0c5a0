"""Work that is done in a thread of its own, so that whoever needs the result decides how long to wait."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def aside(work: Callable[[], T]) -> Future[T]:
    """Start work and return its result to be: what it returns, or what it raises.

    The process ends without it where nobody waits any more, which an executor's thread would not allow.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is waited for
            result.set_exception(error)

    Thread(target=run, daemon=True).start()
    return result
