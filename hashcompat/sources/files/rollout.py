"""The state of a rollout in a file, which pipelines on one machine share."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.model.impact import Rollout
from hashcompat.sources.files.inputs import named
from hashcompat.sources.limits import LONGEST_TEXT
from hashcompat.sources.replacing import replacing
from hashcompat.sources.rollouts import rollout_of, text_of

T = TypeVar("T")

_OWN: Final = 0o600
"""The mode of a new lock."""

LOCK_SECONDS: Final = 30.0
"""How long others may hold the lock: they need it for less than a second."""

_BETWEEN_SECONDS: Final = 0.05

_LOCKS: Final = Path("/proc/locks")

_PROCESS, _INODE = 4, 5
"""The columns of that file (proc_locks(5))."""


class StateFile(msgspec.Struct, frozen=True):
    """A file; one that is not there is a rollout in which no node was started."""

    path: Path

    def read(self) -> Rollout:
        """Return the state; raises InputError, naming the file, where it cannot be read."""
        with named(str(self.path)):
            try:
                with open(self.path, "rb", opener=_opened) as stream:
                    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                        raise InputError("not a regular file")
                    content = stream.read(LONGEST_TEXT + 1)
            except FileNotFoundError:
                return Rollout()
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror}") from None
            if len(content) > LONGEST_TEXT:
                raise InputError(f"more than {LONGEST_TEXT:,} bytes")
            return rollout_of(jsontext.decode_text(content))

    def update(self, edit: Callable[[Rollout], tuple[Rollout | None, T]]) -> T:
        """Write what becomes of the state, if anything does, while no other process can; errors as ``read``.

        The file is replaced whole: a process that is killed leaves the one state or the other.
        """
        with self._locked():
            changed, found = edit(self.read())
            if changed is not None:
                self._write(text_of(changed))
            return found

    def _write(self, text: str) -> None:
        try:
            with replacing(self.path) as stream:
                stream.write(text.encode())
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock, which the kernel releases when a process ends, however that ends.

        It is a file of its own, because the state's is replaced, and stays, because removing it would let
        two processes lock two files. Raises InputError, saying who holds it, where that takes too long.
        """
        path, flags = self.path.with_name(f"{self.path.name}.lock"), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW
        try:
            lock = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, _OWN)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be locked: {error.strerror}") from None
        try:
            self._wait(lock, path)
            yield
        finally:
            os.close(lock)

    def _wait(self, lock: int, path: Path) -> None:
        """Take the lock; a gate holds it for as long as it takes to read and write the state."""
        end = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise InputError(
                        f"{path}: locked for more than {LOCK_SECONDS:g} s by {_holder(lock)}; try again "
                        "once it has ended"
                    ) from None
                time.sleep(_BETWEEN_SECONDS)
            except OSError as error:
                raise InputError(f"{path}: cannot be locked: {error.strerror}") from None
            else:
                return


def _opened(name: str, flags: int) -> int:
    """Open without waiting for whoever may write to a pipe."""
    return os.open(name, flags | os.O_NONBLOCK)


def _holder(lock: int) -> str:
    """Return which process holds a lock, as far as the system shows it."""
    state = os.fstat(lock)
    wanted = f"{os.major(state.st_dev):02x}:{os.minor(state.st_dev):02x}:{state.st_ino}"
    try:
        rows = [line.split() for line in _LOCKS.read_text(errors="replace").splitlines()]
    except OSError:
        rows = []
    for row in rows:
        if (
            len(row) > _INODE
            and row[1] == "FLOCK"
            and row[_INODE] == wanted
            and row[_PROCESS] not in ("0", "-1")
        ):
            return f"the process {row[_PROCESS]}{_command(row[_PROCESS])}"
    return "another process, which this system does not name (on another machine, or in another container)"


def _command(process: str) -> str:
    """Return the name of a process, in brackets; empty where it has ended."""
    try:
        return f" ({Path('/proc', process, 'comm').read_text(errors='replace').strip()})"
    except OSError:
        return ""
