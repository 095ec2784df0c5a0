"""Where a reader of files finds an input: mostly in memory, which takes less time than a file."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

from hashcompat.core.go.digest import HEX_BY_NAME, md5
from hashcompat.core.kubelet import staticpods
from hashcompat.sources.files import Input
from tests.suites.fuzz.target import replaced, sometimes


def stream(data: bytes) -> BufferedReader:
    """Return bytes as an opened file has them."""
    return BufferedReader(BytesIO(data))


def opened(data: bytes) -> bool:
    """Return whether these bytes are among the sixteenth that is read from a real file."""
    return sometimes(data, 16)


@contextmanager
def named(module: Any, data: bytes, name: str = "input") -> Iterator[str]:
    """Yield the name of a file with these bytes for a module that finds its files with ``inputs``."""
    if opened(data):
        yield str(on_disk(data, name))
        return
    path = f"/{name}"
    with replaced(
        module, "inputs", lambda *_, **__: iter((Input(path, partial(stream, data), size=len(data)),))
    ):
        yield path


def quick_digest() -> replaced:
    """Let UIDs be MD5 in every release: FNV takes longer than all that is read, and any bytes."""
    return replaced(staticpods, "HEX_BY_NAME", dict.fromkeys(HEX_BY_NAME, md5))


@cache
def _directory() -> Path:
    """Return a directory of this process, in memory where the system has such a place."""
    memory = Path("/dev/shm")  # noqa: S108 - a directory of its own is made in it
    directory = tempfile.mkdtemp(prefix="hashcompat-fuzz-", dir=memory if memory.is_dir() else None)
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


def on_disk(data: bytes, name: str = "input") -> Path:
    """Write a file for readers of files; the next call overwrites it."""
    path = _directory() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path
