"""A copy of what can be read only once: standard input, a pipe, a URL."""

from __future__ import annotations

import io
import tempfile
import weakref
from collections.abc import Callable
from typing import Any, BinaryIO, Final, Self

from hashcompat.errors import InputError
from hashcompat.sources.limits import MOST_BYTES, too_long

_IN_MEMORY: Final = 1 << 24
"""Bytes of a stream that are held without a temporary file."""

_CHUNK: Final = 1 << 20


class Copy:
    """Holds bytes, beyond some size in a temporary file that vanishes with it."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - it lives as long as this object
        self._left = MOST_BYTES
        weakref.finalize(self, self._file.close)

    def filled(self, stream: BinaryIO) -> Self:
        """Return this copy once it holds a stream to its end; errors as ``add``."""
        while data := stream.read(_CHUNK):
            self.add(data)
        return self

    def add(self, data: bytes) -> None:
        """Append bytes.

        Raises InputError for more than MOST_BYTES, and for what the operating system says of writing them.
        """
        self._left -= len(data)
        if self._left < 0:
            raise too_long("content", MOST_BYTES, "give a part of it")
        try:
            self._file.write(data)
        except OSError as error:
            raise InputError(f"cannot copy to {tempfile.gettempdir()}: {error.strerror}") from None

    def open(self) -> io.BufferedReader:
        """Return a reader with a place of its own."""
        return io.BufferedReader(_Reader(self.read_at), 1 << 16)

    def read_at(self, place: int, size: int) -> bytes:
        """Return up to ``size`` bytes from a place on."""
        self._file.seek(place)
        return self._file.read(size)


class _Reader(io.RawIOBase):
    def __init__(self, read_at: Callable[[int, int], bytes]) -> None:
        self._read_at = read_at
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read_at(self._place, len(buffer))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)
