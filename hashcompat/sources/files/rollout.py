"""The state of a rollout in a file, which pipelines on one machine share."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.model.rollout import Rollout
from hashcompat.sources.files.inputs import named
from hashcompat.sources.limits import LONGEST_TEXT
from hashcompat.sources.replacing import replacing
from hashcompat.sources.rollouts import rollout_of, text_of

T = TypeVar("T")

_OWN: Final = 0o600
"""The mode of a new lock."""


class StateFile(msgspec.Struct, frozen=True):
    """A file; one that is not there is a rollout in which no node was started."""

    path: Path

    def read(self) -> Rollout:
        """Return the state; raises InputError, naming the file, where it cannot be read."""
        with named(str(self.path)):
            try:
                with self.path.open("rb") as stream:
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
        two processes lock two files.
        """
        try:
            lock = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_CREAT | os.O_RDWR, _OWN)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be locked: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
