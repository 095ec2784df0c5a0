"""What is done in another thread comes back, or is not waited for."""

from __future__ import annotations

import threading

import pytest

from hashcompat.sources.programs import aside


def test_what_is_done_comes_back() -> None:
    assert aside(lambda: 6 * 7).result(10) == 42


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), MemoryError()], ids=repr)
def test_what_is_raised_is_raised_where_the_result_is_waited_for(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        aside(fail).result(10)
    assert caught.value is error


def test_nobody_has_to_wait() -> None:
    going_on = threading.Event()
    result = aside(lambda: going_on.wait(60))
    with pytest.raises(TimeoutError):
        result.result(0.01)
    going_on.set()
    assert result.result(10)
