"""Who does the work: this process, processes of this machine, or workers of a Dask scheduler.

An engine takes tasks and yields what became of each, in any order. The function may run more than once for a
task; that changes nothing, because what it writes is the same. The only module that knows Dask.

A worker that dies takes with it what else it was given, and after some deaths a scheduler gives all of that
up (``KilledWorker``), whichever of them was the cause. So what was given up is tried again one at a time,
with nothing beside it: what is given up then is lost.

A worker holds no file. It gives each to a process that has imported what a plan needs and nothing else
(``apart``): what the file takes is what a plan takes, and what it kills is that process alone.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any, Final, NoReturn, Protocol, TypeVar, cast

import msgspec

import hashcompat
from hashcompat.core.errors import HashcompatError, InputError, UsageError

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_AHEAD: Final = 2
"""Tasks that each thread of a worker is given at once: one at work, and the next one."""
_LOOK: Final = 1.0
"""Seconds after which it is looked whether the scheduler is still there, and how many workers it has."""
_PATIENCE: Final = 120.0
"""Seconds in which a scheduler that vanished may come back, and in which the first worker has to appear."""
_WATCH: Final = 0.1
"""Seconds after which it is looked how much memory a planner has."""
_HELD: Final = 96 << 20
"""Bytes that a planner may hold between two files; about three times what it has at its start."""
_SMALLEST: Final = 200_000_000
"""Bytes of a worker, with a plan of a small file; one that may take less is ended again and again."""
_SCHEMES: Final = ("tcp", "tls", "ucx", "ws", "wss")
"""How the address of a scheduler may begin."""
_PRELOAD: Final = "import signal as s\ns.signal(s.SIGINT, s.SIG_IGN)\n"
"""What a worker of this machine runs first: a Ctrl-C goes to the program too, which ends its workers."""
_LEAST: Final = 512 << 20
"""Bytes below which another worker of this machine is none: most of them would be those of its libraries."""
_IDLE: Final = 60.0
"""Seconds after which a planner ends that is asked for nothing."""
_SERVE: Final = (
    "import sys; sys.path[:] = {!r}; from hashcompat.fleet import engines, parts; engines.serve(parts.answer)"
)


class Lost(msgspec.Struct, frozen=True):
    """What became of a task that no process survived."""

    why: str = "every process that took it died"


class Engine(Protocol):
    """Does some work."""

    @property
    def apart(self) -> Apart | None:
        """What does a part of the work in a process of its own; None where it is done in this one."""

    def run(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Answer | Lost]]:
        """Yield each task with what the function returned, or that no process survived it.

        Raises what the function raises.
        """


class Here:
    """This process: nothing is started, and what kills it ends the run."""

    apart: Apart | None = None

    @staticmethod
    def run(
        function: Callable[[Task], Answer], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Answer | Lost]]:
        """Do one task after the other; see ``Engine``."""
        for task in tasks:
            yield task, function(task)


@contextmanager
def engines(workers: int | None, scheduler: str, memory: str) -> Iterator[Callable[[], Engine]]:
    """Give what starts an engine when it is first asked for one; the engine ends with the context.

    It has ``workers`` processes here (0: this one alone; None: one per processor), or those of a scheduler.
    ``memory`` is how much each process may take, such as ``2GB``; empty for an equal share of the machine's,
    or of the container's. Raises UsageError for what is no size, and no address of a scheduler.
    """
    if memory:
        _check_memory(memory)
    if scheduler and scheduler.partition("://")[0] not in _SCHEMES:
        raise UsageError(f"--scheduler {scheduler}: want an address such as tcp://HOST:8786")
    with ExitStack() as stack:
        yield cache(lambda: stack.enter_context(_engine(workers, scheduler, memory)))


@contextmanager
def _engine(workers: int | None, scheduler: str, memory: str) -> Iterator[Engine]:
    if not scheduler and workers == 0:
        yield Here()
        return
    import dask  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra
    import distributed  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra

    with ExitStack() as stack:
        # what dies is in a row, and people read the messages of this program
        logging.disable(logging.CRITICAL)
        stack.callback(logging.disable, logging.NOTSET)
        stack.enter_context(
            dask.config.set(
                {
                    "distributed.scheduler.allowed-failures": 1,  # then alone: a killer kills few workers
                    "distributed.worker.daemon": True,
                    "distributed.admin.tick.limit": "1h",
                    # a worker that is busy with one plan answers late, and is not gone
                    "distributed.comm.timeouts.tcp": "120s",
                }
            )
        )
        place: Any = scheduler or stack.enter_context(
            distributed.LocalCluster(  # type: ignore[no-untyped-call,unused-ignore]
                n_workers=workers or _fitting(dask.system.CPU_COUNT, distributed.system.MEMORY_LIMIT),
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # otherwise every host may ask it
                memory_limit=memory or "auto",
                silence_logs=50,
                preload=_PRELOAD,
            )
        )
        # which raises OSError or ValueError
        yield Dask(lambda: distributed.Client(place, timeout=_PATIENCE / 4))  # type: ignore[no-untyped-call,unused-ignore]


def _check_memory(text: str) -> None:
    from dask.utils import parse_bytes  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra

    try:
        size = parse_bytes(text)
    except ValueError:
        raise UsageError(f"--worker-memory {text}: want a size such as 2GB") from None
    if size < _SMALLEST:
        raise UsageError(f"--worker-memory {text}: a worker takes at least {_SMALLEST // 10**6} MB by itself")


def _fitting(processors: int, memory: int) -> int:
    """Return how many workers to start on so many processors with so many bytes."""
    return max(min(processors, memory // _LEAST), 1)


def _version() -> str:
    """Return the version of a worker's program; it runs there."""
    return hashcompat.__version__


class DiedError(Exception):
    """The process died that was asked for something; the message says of what, if that is known."""


def apart(*words: Any) -> Any:
    """Return what ``parts.answer`` returns in a process that has imported nothing but that.

    Runs in a worker. Raises DiedError where that process dies, or where it and the worker together take more
    memory than the worker has.
    """
    import distributed  # noqa: PLC0415 - of the extra, as above

    idle = _idle()
    planner = idle.pop() if idle else _Planner()
    if not planner.lives():  # it was asked for nothing for long
        planner = _Planner()
    answer = planner.ask(words, distributed.get_worker().memory_manager.memory_limit)
    if planner.memory() > _HELD:
        planner.end()
    else:
        idle.append(planner)
    return answer


Apart = Callable[..., Any]
"""``apart``."""


@cache
def _idle() -> list[_Planner]:
    """Return the planners of this worker that have nothing to do: one for each of its threads."""
    return []


class _Planner:
    """A process that answers one request after the other, for as long as somebody holds the other end."""

    def __init__(self) -> None:
        import psutil  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of distributed

        self._process = subprocess.Popen(  # noqa: S603 - this program
            [sys.executable, "-P", "-c", _SERVE.format(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._stdin, self._stdout = cast("Any", self._process.stdin), cast("Any", self._process.stdout)
        self._sizes = psutil.Process(self._process.pid), psutil.Process()

    def lives(self) -> bool:
        """Return whether it can be asked."""
        return self._process.poll() is None

    def memory(self, *, with_worker: bool = False) -> int:
        """Return the bytes in memory of the process, or of the worker too; 0 if it ended."""
        with suppress(Exception):  # psutil has errors of its own
            return sum(process.memory_info().rss for process in self._sizes[: 1 + with_worker])
        return 0

    def ask(self, words: tuple[Any, ...], most: int | None) -> Any:
        """Return the answer; the process dies where it takes more than so many bytes. Raises DiedError."""
        done, full = threading.Event(), threading.Event()

        def watch() -> None:
            while not done.wait(_WATCH):
                if most and self.memory(with_worker=True) > most:
                    full.set()
                    self._process.kill()
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            pickle.dump(words, self._stdin)
            self._stdin.flush()
            return pickle.load(self._stdout)  # noqa: S301 - this program wrote it
        except (OSError, EOFError, pickle.UnpicklingError):
            self.end()
            raise DiedError(
                f"it takes more memory than the {most:,} bytes of a worker" if full.is_set() else Lost().why
            ) from None
        finally:
            done.set()
            watcher.join()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()


def serve(function: Callable[..., Any]) -> NoReturn:
    """Answer on stdout what is asked on stdin, until nobody is there who asks: what a planner runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; whoever asks ends then
    asked: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    stdin, stdout = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
    sys.stdout = sys.stderr  # what prints would spoil an answer

    def read() -> None:
        try:
            while True:
                asked.put(pickle.load(stdin))  # noqa: S301 - this program wrote it
        finally:
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    with suppress(queue.Empty):
        while True:
            pickle.dump(function(*asked.get(timeout=_IDLE)), stdout)
            stdout.flush()
    os._exit(0)


class Dask:
    """Workers of a Dask scheduler."""

    apart: Apart | None = staticmethod(apart)

    def __init__(self, connect: Callable[[], Any]) -> None:
        """``connect`` returns a client."""
        self._connect = connect
        self._client: Any = None

    def run(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Answer | Lost]]:
        """Do some tasks at once; see ``Engine``."""
        retries: list[tuple[Task, Lost]] = []
        try:
            yield from self._run(function, deque(tasks), retries, 0)
            for task, _ in retries:
                given_up: list[tuple[Task, Lost]] = []
                yield from self._run(function, deque([task]), given_up, 1)
                yield from given_up
        finally:
            self._leave()

    def _run(
        self,
        function: Callable[[Task], Answer],
        waiting: deque[Task],
        given_up: list[tuple[Task, Lost]],
        most: int,
    ) -> Iterator[tuple[Task, Answer]]:
        """Do tasks, at most so many at once (0: as many as workers want); add those that are given up."""
        flying: dict[Any, Task] = {}
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        width, looked, client = 0, 0.0, None
        while waiting or flying:
            try:
                if time.monotonic() - looked > _LOOK or not flying:
                    capacity = self._width()
                    looked, width = time.monotonic(), most or capacity
                if self._is_gone(flying) or (flying and client is not self._client):
                    raise ConnectionError
                while waiting and len(flying) < width:
                    future = self._client.submit(function, waiting[0], pure=False)
                    flying[future] = waiting.popleft()
                    client = self._client
                    future.add_done_callback(done.put)
            except (OSError, ValueError, CancelledError):  # of a scheduler that is gone
                waiting.extendleft(reversed(flying.values()))
                flying.clear()
                self._leave()
                continue
            with suppress(queue.Empty):
                future = done.get(timeout=_LOOK)
                if future not in flying:  # of a scheduler that is gone
                    continue
                task, status = flying.pop(future), future.status
                try:
                    answer: Any = future.result() if status == "finished" else None
                    error = future.exception() if status == "error" else None
                except (OSError, CancelledError):  # the scheduler went before it handed this over
                    status = "lost"
                if status == "finished":
                    yield task, answer
                elif status == "error":
                    self._check(error)
                    given_up.append((task, Lost(str(error)) if isinstance(error, DiedError) else Lost()))
                else:
                    waiting.appendleft(task)

    @staticmethod
    def _check(error: BaseException | None) -> None:
        """Raise what the function raised; a worker's death is no such error."""
        if isinstance(error, HashcompatError):
            raise error

    def _is_gone(self, flying: Iterable[Any]) -> bool:
        """Return whether the scheduler, or what it knew, is gone."""
        return self._client.status != "running" or any(
            future.status in ("lost", "cancelled") for future in flying
        )

    def _width(self) -> int:
        """Return how many tasks to have at work; raises InputError where no scheduler or worker comes."""
        until, missing = time.monotonic() + _PATIENCE, "worker"
        while time.monotonic() < until:
            try:
                if self._client is None:
                    self._client = self._connect()
                    self._check_versions()
                threads, missing = sum(self._client.nthreads().values()), "worker"
            except (OSError, ValueError):
                self._leave()
                threads, missing = 0, "scheduler"
            if threads:
                return int(threads) * _AHEAD
            time.sleep(_LOOK)
        raise InputError(
            f"no {missing} for {_PATIENCE:.0f} s: start one, and run this again; what is done stays done"
        )

    def _check_versions(self) -> None:
        """Raise UsageError for workers of another version, by whose answers other keys would be filled."""
        builds = {str(version) for version in self._client.run(_version, on_error="return").values()}
        if builds - {hashcompat.__version__}:
            raise UsageError(
                f"workers have hashcompat {', '.join(sorted(builds))}, and this is {hashcompat.__version__}; "
                "install this version on all of them"
            )

    def _leave(self) -> None:
        if self._client is not None:
            with suppress(Exception):
                self._client.close(timeout=5)
            self._client = None
