"""The state of a rollout as JSON, strictly read and written, and the file with it.

Pipelines on one machine share a file; ``sources/cluster/own.py`` keeps the same JSON in a ConfigMap.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.allowance import LONGEST_NAME
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.sources.content import LONGEST_TEXT, replacing
from hashcompat.sources.documents import loads, row_of
from hashcompat.sources.files import named

_KIND: Final = "RolloutState"
Json = dict[str, Any]


def rollout_of(text: str) -> Rollout:
    """Return the state in a text; raises InputError, with the path, for anything else."""
    row = row_of(loads(text), "$")
    if (row.value.get("apiVersion"), row.value.get("kind")) != (API_VERSION, _KIND):
        raise InputError(f"$.kind: want {_KIND} of {API_VERSION}, as hashcompat gate --state keeps it")
    turns: dict[str, Turn] = {}
    for entry in row.rows("items"):
        name = entry.text("node")
        if not name or len(name) > LONGEST_NAME or name in turns:
            raise InputError(f"{entry.path}.node: want the name of a node, each once")
        phase = entry.word("phase", Phase)
        started, ended = entry.time_or_none("startedAt"), entry.time_or_none("endedAt")
        if started is None:
            raise InputError(f"{entry.path}.startedAt: want a time")
        if (ended is None) != (phase is Phase.STARTED):
            raise InputError(f"{entry.path}.endedAt: want a time of a node that is done or failed, else null")
        names = (entry.text("id"), entry.text("holder"), entry.text("plan"))
        turns[name] = Turn(phase, *names, started, ended, entry.text("reason"))
    return Rollout(turns)


def text_of(rollout: Rollout) -> str:
    """Return the JSON of a state, with a line for each node, which a person can read and take out."""
    rows = ",\n".join(f"  {json.dumps(_item(name, turn))}" for name, turn in sorted(rollout.turns.items()))
    head = f'"apiVersion": "{API_VERSION}",\n "kind": "{_KIND}"'
    return f'{{\n {head},\n "items": [\n{rows}\n ]\n}}\n'


def _item(name: str, turn: Turn) -> Json:
    return {
        "node": name,
        "phase": turn.phase.value,
        "id": turn.id,
        "holder": turn.holder,
        "plan": turn.plan,
        "startedAt": turn.started.isoformat(),
        "endedAt": turn.ended.isoformat() if turn.ended else None,
        "reason": turn.reason,
    }


T = TypeVar("T")
_PRIVATE: Final = 0o600
"""The mode of a new lock."""
LOCK_SECONDS: Final = 30.0
"""How long others may hold the lock: they need it for less than a second."""
_BETWEEN_SECONDS: Final = 0.05
_LOCKS: Final = Path("/proc/locks")
_PROCESS, _INODE = 4, 5
"""The columns of that file (proc_locks(5))."""


class RolloutFile(msgspec.Struct, frozen=True):
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
        """Write the state that ``edit`` returns, if any, while no other process can; errors as ``read``.

        The file is replaced whole: a process that is killed leaves the one state or the other.
        """
        with self._locked():
            changed, result = edit(self.read())
            if changed is not None:
                self._write(text_of(changed))
            return result

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
            lock = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, _PRIVATE)
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
                # flock, not a file that exists: a process that is killed leaves no lock behind
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
    # without O_NONBLOCK opening a pipe waits for a writer that never comes
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
