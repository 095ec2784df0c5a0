"""Find the files, directories, URLs or standard input of a ``-f`` value; each can be opened repeatedly."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from hashcompat.errors import InputError

STDIN: Final = "-"

COMPRESSED: Final = (".gz", ".zst")

_IN_MEMORY: Final = 1 << 24
"""Bytes of a stream that are held without a temporary file."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file's label in messages, and the function that opens its bytes again; that raises InputError."""

    origin: str
    open: Callable[[], io.BufferedReader]


def called(name: str) -> str:
    """Name a ``-f`` value in messages: standard input in words, a URL without what may be secret in it."""
    if name.startswith(("http://", "https://")):
        from hashcompat.sources.http import label  # noqa: PLC0415 - only a URL pays for importing requests

        return label(name)
    return "standard input" if name == STDIN else name


def inputs(name: str, recursive: bool, suffixes: tuple[str, ...]) -> Iterator[Input]:
    """Yield the files of a ``-f`` value: in a directory those with such a suffix, also compressed.

    What can be read only once (standard input, a pipe, a URL) is copied, beyond some size into a temporary
    file that vanishes with it.
    """
    if name == STDIN:
        with _readable(called(name)):
            copy = _Copy(sys.stdin.buffer)
        yield Input(called(name), copy.open)
    elif name.startswith(("http://", "https://")):
        from hashcompat.sources.http import download  # noqa: PLC0415 - only a URL pays for importing requests

        yield Input(called(name), _Copy(io.BytesIO(download(name))).open)
    elif Path(name).is_dir():
        yield from map(_file, _files_in(Path(name), recursive, suffixes))
    else:
        yield _file(Path(name))


def _files_in(directory: Path, recursive: bool, suffixes: tuple[str, ...]) -> list[Path]:
    """List a directory, or a whole tree without following links to directories.

    A part that cannot be read is an error, never left out.
    """
    endings = (*suffixes, *(suffix + ending for suffix in suffixes for ending in COMPRESSED))
    paths = []
    for folder, below, names in os.walk(directory, onerror=_cannot_list):
        paths += [Path(folder, name) for name in names if name.endswith(endings)]
        if not recursive:
            below.clear()
    if not paths:
        hint = "" if recursive else "; -R looks below it too"
        raise InputError(f"{directory}: no {', '.join(suffixes)} file in this directory{hint}")
    return sorted(paths)


def _cannot_list(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot read: {error.strerror}") from None


def _file(path: Path) -> Input:
    with _readable(path):
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            with path.open("rb") as pipe:
                return Input(str(path), _Copy(pipe).open)
    return Input(str(path), partial(_open, path, _stamp(state)))


class _readable:  # noqa: N801 - a context manager
    """Turn what the operating system says about a file into an InputError that names it."""

    def __init__(self, path: Path | str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, OSError):
            raise InputError(f"{self._path}: cannot read: {error.strerror}") from None


def _stamp(state: os.stat_result) -> tuple[int, int]:
    return state.st_size, state.st_mtime_ns


def _open(path: Path, stamp: tuple[int, int]) -> io.BufferedReader:
    """Open a file that has not changed since it was found: nodes are read first, and pods must match them."""
    with _readable(path):
        stream = path.open("rb")
    if _stamp(os.fstat(stream.fileno())) != stamp:
        stream.close()
        raise InputError(f"{path}: changed while it was read; try again when nobody writes to it")
    return stream


class _Copy:
    """Holds what could be read only once, beyond some size in a temporary file that vanishes with it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - it lives as long as this object
        weakref.finalize(self, self._file.close)
        shutil.copyfileobj(stream, self._file, 1 << 20)

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
