"""Work in other processes: forked, so that only what they find has to be sent."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

Work = Callable[[], Iterator[Any]]
"""Work that finds one value after the other."""

_END: Final = "that is all"
"""What is sent last."""


class FailedError(Exception):
    """Work in another process did not succeed; done in this one it succeeds, or shows why not."""


def possible() -> bool:
    """Return whether a process can be forked safely.

    A fork copies one thread alone, and on macOS not even what the system's own libraries need.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def processors() -> int:
    """Return how many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class _Child:
    """A process that does some work and sends what it finds."""

    def __init__(self, work: Work) -> None:
        """Begin; raises FailedError where there can be no other process."""
        try:
            reader, writer = os.pipe()
            self._pid = os.fork()
        except OSError as error:
            raise FailedError from error
        if not self._pid:
            os.close(reader)
            _do(work, writer)
        os.close(writer)
        self._stream = os.fdopen(reader, "rb")
        self._running = True

    def results(self) -> Iterator[Any]:
        """Yield what the work finds, once it is done; raises FailedError where it does not succeed."""
        import pickle  # noqa: PLC0415 - only a large file pays for the import

        try:
            while (result := pickle.load(self._stream)) != _END:  # noqa: S301 - this program wrote it
                yield result
        except (EOFError, pickle.UnpicklingError):
            raise FailedError from None
        self.stop()

    def stop(self) -> None:
        """Let the process end, whatever it does."""
        if self._running:
            self._running = False
            self._stream.close()
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


def _do(work: Work, writer: int) -> None:
    """Do the work of a child, and end the process without what its parent does at its own end."""
    import pickle  # noqa: PLC0415 - as above

    code = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        with os.fdopen(writer, "wb") as stream:
            for result in work():
                pickle.dump(result, stream, pickle.HIGHEST_PROTOCOL)
            pickle.dump(_END, stream)
        code = 0
    except BaseException:  # noqa: BLE001, S110 - the parent does it again, and says what is wrong
        pass
    finally:
        os._exit(code)


@contextmanager
def begun(works: Sequence[Work]) -> Iterator[Callable[[], Iterator[Iterator[Any]]]]:
    """Begin each work in a process of its own; none of them outlives the block.

    Yields what waits for the results, in the order of the works, and raises FailedError, as beginning does.
    """
    children: list[_Child] = []
    try:
        for work in works:
            children.append(_Child(work))  # noqa: PERF401 - those that began are stopped
        yield lambda: (child.results() for child in children)
    finally:
        for child in children:
            child.stop()
