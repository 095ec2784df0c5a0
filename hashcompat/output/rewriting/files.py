"""Files of a node: read without following a link, and replaced whole, with their owner and mode."""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, Final

from hashcompat.core.errors import InputError
from hashcompat.output.rewriting import Found, MeanwhileError

_MOST: Final = 16 << 20
"""Bytes of a file that is read: Docker's of a container are a few kB, manifests 10 MB at most."""
_OWN: Final = 0o600
_TO_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TO_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


@contextmanager
def directory_of(path: Path, root: Path) -> Iterator[int]:
    """Open the directory of a file below ``root``, whose own path may have links, and what follows none.

    Raises InputError for a link on the way, and OSError.
    """
    below = path.relative_to(root).parent.parts
    current = os.open(os.path.realpath(root), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in below:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def content(path: Path, root: Path) -> bytes:
    """Return what is in a regular file below a directory; raises InputError, naming it."""
    try:
        with directory_of(path, root) as directory:
            handle = os.open(path.name, _TO_READ, dir_fd=directory)
            with os.fdopen(handle, "rb") as stream:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise InputError(f"{path}: not a regular file")
                found = stream.read(_MOST + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if len(found) > _MOST:
        raise InputError(f"{path}: more than {_MOST:,} bytes")
    return found


def replace(path: Path, root: Path, before: bytes, after: bytes) -> None:
    """Put other content into a file; its owner and mode stay. What is there must be ``before``.

    The new file is on the disk before it takes the old one's name, and its name begins with a dot, which
    kubelets skip. Raises InputError, naming it, and leaves no half file.
    """
    if content(path, root) != before:
        raise MeanwhileError(f"{path}: it changed meanwhile")
    temporary = f".hashcompat-{os.urandom(8).hex()}"
    try:
        with directory_of(path, root) as directory:
            seen = os.stat(path.name, dir_fd=directory, follow_symlinks=False)
            try:
                handle = os.open(temporary, _TO_WRITE, _OWN, dir_fd=directory)
                with os.fdopen(handle, "wb") as stream:
                    stream.write(after)
                    os.fchown(handle, seen.st_uid, seen.st_gid)
                    os.fchmod(handle, stat.S_IMODE(seen.st_mode))
                    stream.flush()
                    os.fsync(handle)
                os.rename(temporary, path.name, src_dir_fd=directory, dst_dir_fd=directory)
                os.fsync(directory)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=directory)
                raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def save(path: Path, data: bytes) -> None:
    """Write a file of one's own, mode 0600, whole or not at all; it and its name are on the disk then."""
    temporary = path.with_name(f".hashcompat-{os.urandom(8).hex()}")
    try:
        try:
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, _OWN)) as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


class InFiles(ABC):
    """The records of a runtime that keeps each container in a file of its own below a directory."""

    usual: ClassVar[str]
    """That directory, by default."""

    def __init__(self, root: str = "") -> None:
        self.root = Path(root or self.usual).absolute()

    @abstractmethod
    def ids(self) -> Iterable[str]:
        """Return the ids of what has a file, sandboxes included. Raises InputError."""

    @abstractmethod
    def path(self, identity: str) -> Path:
        """Return where the file is. Raises InputError for one that is gone."""

    @abstractmethod
    def found(self, identity: str) -> Found | None:
        """Return what is in it; None for what is no container of a kubelet. Raises InputError."""

    def find(self, wanted: Iterable[str]) -> list[Found]:  # noqa: ARG002 - all are needed to know the newest
        """Return all containers that a kubelet created."""
        return [found for one in self.ids() if (found := self.found(one)) is not None]

    def replace(self, found: Found, value: bytes) -> None:
        """Replace the file of a container."""
        replace(self.path(found.id), self.root, found.value, value)
