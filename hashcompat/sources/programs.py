"""What another program prints, with an end to its size and to its time."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import IO, Final, TypeVar

from hashcompat.core.errors import InputError
from hashcompat.core.shown import said as without_secrets
from hashcompat.sources.content import LONGEST_TEXT, too_long

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

    # a daemon: Python waits for all other threads at its end, and for an executor's
    Thread(target=run, daemon=True).start()
    return result


_CHUNK: Final = 1 << 16
_LONGEST_WORDS: Final = 1 << 16
"""Bytes that are kept of what a program says on stderr, its last ones."""
_AFTERWARDS_SECONDS: Final = 1.0
"""For what a program that has ended still says."""


class ExitCodeError(InputError):
    """A program ended with another exit code than 0; the message is the last line that it said."""


def find(name: str) -> str:
    """Return the path of a program on the PATH that nobody else can have put there.

    Directories that depend on where this program was started (``.``, an empty one) are passed over, as is
    what other users can write; root runs nothing that belongs to another user. Raises InputError with why.
    """
    refused = ""
    for directory in os.get_exec_path():
        # not shutil.which: it takes the first that fits, whoever may have put it there
        path = os.path.join(directory, name)  # noqa: PTH118 - the name as it is
        if not os.path.isfile(path) or not os.access(path, os.X_OK):  # noqa: PTH113
            continue
        if not (why := _why_not(path)):
            return path
        refused = refused or f"; {path} is not run: {why}"
    raise InputError(f"{name} is not on the PATH{refused}")


def _why_not(path: str) -> str:
    """Return why a program is not run: its file, what links lead to, and each directory above both count."""
    if not os.path.isabs(path):  # noqa: PTH117
        return "its directory on the PATH is not absolute"
    # a link may stand in a safe directory and lead to one that is not
    ways = (Path(path), Path(os.path.realpath(path)))
    reasons = (_why_not_of(place) for way in ways for place in (way, *way.parents))
    return next(filter(None, reasons), "")


def _why_not_of(place: Path) -> str:
    """Return who else can write an entry of a directory, or put another in its place."""
    user, seen, above = os.geteuid(), place.lstat(), place.parent.stat()
    is_shared = above.st_mode & stat.S_IWOTH and place != place.parent
    # with the sticky bit, as in /tmp, only the owner of an entry can replace it
    if is_shared and not above.st_mode & stat.S_ISVTX:
        return f"others can write {place.parent}"
    # whoever owns a file can change it at any time; for root that would be a way to become root
    if seen.st_uid not in (0, user) and (is_shared or user == 0):
        return f"{place} belongs to the user {seen.st_uid} (chown root {place})"
    if stat.S_ISREG(seen.st_mode) and seen.st_mode & stat.S_IWOTH:
        return f"others can write {place}"
    return ""


def inherited() -> dict[str, str]:
    """Return the variables for another program: those of this one, but for what of PATH is not absolute.

    An empty entry stands for the working directory, and a relative one begins there; others may write it.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return {**os.environ, "PATH": os.pathsep.join(filter(os.path.isabs, entries))}


def output(
    command: Sequence[str],
    seconds: float,
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Return what a program prints; it has neither a terminal nor a standard input.

    It runs in a directory, with an environment; None stands for this program's own, and ``inherited``.

    Raises FailedError, and InputError for a program that cannot be started, that takes longer than
    ``seconds``, or that prints more than LONGEST_TEXT.
    """
    end = time.monotonic() + seconds
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            # a group of its own, so that whatever the program started is stopped with it
            start_new_session=True,
            cwd=directory,
            env=inherited() if environment is None else environment,
        )
    except OSError as error:
        raise InputError(error.strerror or type(error).__name__) from None
    try:
        return _printed(process, end)
    except (TimeoutError, subprocess.TimeoutExpired):
        raise InputError(f"no answer within {seconds:g} s") from None
    finally:
        _end(process)


def _printed(process: subprocess.Popen[bytes], end: float) -> bytes:
    """Read both streams at once: a program that writes to both waits for nobody."""
    said = aside(partial(_last, process.stderr))  # type: ignore[arg-type]  # a pipe
    # a pipe stays open as long as any child of the program holds it, so a read has no end of its own
    printed = aside(partial(_first, process.stdout)).result(max(end - time.monotonic(), 0))  # type: ignore[arg-type]  # a pipe
    if len(printed) > LONGEST_TEXT:
        raise too_long("output", LONGEST_TEXT, "save it in smaller parts, and give the files")
    if process.wait(max(end - time.monotonic(), 0)):
        # programs print warnings before the line with the error
        try:
            lines = said.result(_AFTERWARDS_SECONDS).decode(errors="replace").strip().splitlines()
        except TimeoutError:
            lines = []
        raise ExitCodeError(without_secrets(lines[-1]) if lines else "no message")
    return printed


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop what still runs of a program, with all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # a system call that never returns, as of a dead NFS server
        process.wait(_AFTERWARDS_SECONDS)


def _first(stream: IO[bytes]) -> bytes:
    """Return a stream to its end, or one byte more than there may be."""
    with stream:
        return stream.read(LONGEST_TEXT + 1)


def _last(stream: IO[bytes]) -> bytes:
    last = b""
    with stream:
        # os.read returns what is there, so a program that writes without end never fills the memory
        while data := os.read(stream.fileno(), _CHUNK):
            last = (last + data)[-_LONGEST_WORDS:]
    return last
