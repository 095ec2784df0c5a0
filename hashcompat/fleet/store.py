"""Files where the fleet's are: a directory, or what fsspec opens (``s3://``, ``gs://``, ``abfs://``).

The only module that knows fsspec. What is written here is there whole or not at all: an object store shows
an object once all of it was sent, and a local file is written under another name first.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.shown import said, urls
from hashcompat.sources.content import MOST_BYTES, replacing, size
from hashcompat.sources.files import COMPRESSED
from hashcompat.sources.files.layouts import SUFFIXES

Returned = TypeVar("Returned")

_TRIES: Final = 5
_PAUSE: Final = 0.2
"""Seconds before the second try; each further one waits twice as long, up to as much more by chance."""
_ONCE: Final = {"s3": {"config_kwargs": {"retries": {"total_max_attempts": 1}}}}
"""By protocol, what keeps botocore from trying again: s3fs does so for each request, and this module for all
that they are for; three times five tries in a row would take minutes."""
_CHUNK: Final = 1 << 20
_AT_ONCE: Final = 16
"""Small objects that are read at the same time."""
_ENDINGS: Final = tuple(f"{suffix}{packed}" for suffix in SUFFIXES for packed in ("", *COMPRESSED))
PARTS: Final = "_parts"
"""Where the parts of an output are; readers of tables leave out what begins with an underscore."""
RUN: Final = "run.json"
"""What is written last into an output; it is no cluster of a source above it."""
_FOR_GOOD: Final = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
"""Errors that another try does not change."""


class StoreError(InputError):
    """A store failed, so that another run may find what this one did not."""


class StoredFile(msgspec.Struct, frozen=True):
    """An input, as its store lists it."""

    url: str
    name: str
    """What its cluster is called unless its snapshot says: the path below the source, without suffixes."""
    size: int
    stamp: str
    """What changes with the content: its ETag, or its size and when it was written."""
    modified: str = ""
    """When it was written, as a text in the order of time; empty where the store does not say."""


def missing_extra() -> UsageError:
    """Return the error of a program that was installed without the extra ``fleet``."""
    return UsageError("the extra fleet is not installed: pip install 'hashcompat[fleet]'")


def check_extra() -> None:
    """Raise UsageError where the extra ``fleet`` is not installed."""
    from importlib.util import find_spec  # noqa: PLC0415 - for one command alone

    if any(find_spec(name) is None for name in ("fsspec", "pyarrow", "distributed")):
        raise missing_extra()


def tried(call: Callable[[], Returned], what: str) -> Returned:
    """Return what a call to a store returns; one that fails is made again, later and later.

    Raises StoreError, naming what was asked for.
    """
    for number in range(_TRIES):
        try:
            return call()
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - each store has errors of its own
            full = isinstance(error, OSError) and error.errno == errno.ENOSPC
            if number + 1 == _TRIES or full or isinstance(error, _FOR_GOOD):
                raise StoreError(f"{urls(what)}: {_words(error)}") from None
        time.sleep(_PAUSE * 2**number * (1 + random.random()))  # noqa: S311 - no secret
    raise AssertionError(what)


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return said(error.strerror)
    return said(str(error)) or type(error).__name__


class Directory:
    """A directory, local or behind a URL."""

    def __init__(self, url: str) -> None:
        """Take its URL or path; raises UsageError for a protocol that is not installed, or the extra."""
        try:
            import fsspec  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra
        except ImportError:
            raise missing_extra() from None
        self.url = url if "://" in url else os.path.realpath(url)
        try:
            self.system, self.root = fsspec.core.url_to_fs(
                self.url, **_ONCE.get(self.url.partition("://")[0], {})
            )
        except (ImportError, ValueError) as error:
            raise UsageError(f"{urls(url)}: {said(str(error))}") from None
        protocol = self.system.protocol  # one, or all that a store answers to
        self.local = "local" in ([protocol] if isinstance(protocol, str) else protocol)

    def url_of(self, name: str) -> str:
        """Return the path or URL of something in it."""
        return self._url(self.path(name))

    def _url(self, path: str) -> str:
        url: str = path if self.local else self.system.unstrip_protocol(path)
        return url

    def path(self, name: str) -> str:
        """Return the path of something in it, as its store names it."""
        return f"{self.root.rstrip('/')}/{name}" if name else self.root

    def entries(self, besides: str = "") -> list[StoredFile]:
        """List the files with Kubernetes objects in it, or the one that it is; none of an output below.

        ``besides`` is the output of this run.

        Raises StoreError, also where there is none, and for a directory that cannot be listed.
        """

        def find() -> dict[str, Any]:
            self.system.invalidate_cache()
            if self.local:
                return {path: self._local_info(path) for path in _local_files(self.root)}
            listing: dict[str, Any] = self.system.find(self.root, detail=True)
            if not listing and not self.system.exists(self.root):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            return listing

        infos = tried(find, self.url)
        outputs = {path.partition(f"/{PARTS}/")[0] for path in infos if f"/{PARTS}/" in path}
        runs = {f"{output}/{RUN}" for output in outputs}
        chosen = [
            self._entry(path, info)
            for path, info in sorted(infos.items())
            if (path == self.root or path.endswith(_ENDINGS))
            and not (besides and path.startswith(f"{besides.rstrip('/')}/"))
            and path not in runs
        ]
        if not chosen:
            raise StoreError(f"{urls(self.url)}: no file of Kubernetes objects ({', '.join(SUFFIXES)}) in it")
        return chosen

    def _local_info(self, path: str) -> dict[str, Any]:
        """Return what is known of a local file; a link to nothing is an input too."""
        try:
            info: dict[str, Any] = self.system.info(path)
        except OSError:
            return {"size": 0}
        return info

    def _entry(self, path: str, info: Mapping[str, Any]) -> StoredFile:
        stamp, modified = _stamp(info)
        below = path.removeprefix(self.root).lstrip("/") or path.rsplit("/", 1)[-1]
        length = int(info.get("size") or 0)
        return StoredFile(self._url(path), _without_suffixes(below), length, stamp, modified)

    def names(self, folder: str) -> dict[str, str]:
        """Return the files of a folder in it, not of those below, with the stamp of each."""

        def listed() -> list[Any]:
            self.system.invalidate_cache()
            try:
                listing: list[Any] = self.system.ls(self.path(folder), detail=True)
            except FileNotFoundError:
                return []
            return listing

        rows = tried(listed, f"{self.url}/{folder}")
        return {row["name"].rsplit("/", 1)[-1]: _stamp(row)[0] for row in rows if row["type"] == "file"}

    def read(self, name: str) -> bytes:
        """Return the content of a file of this program; raises StoreError."""
        content: bytes = tried(lambda: self.system.cat_file(self.path(name)), f"{self.url}/{name}")
        return content

    def read_each(self, names: Iterable[str]) -> Iterator[bytes]:
        """Yield the contents of some small files in their order, several of which are read at once."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(self.read, names)

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole; raises StoreError."""

        def put() -> None:
            if not self.local:
                self.system.pipe_file(self.path(name), content)
                return
            with self._replacing(name) as stream:
                stream.write(content)

        tried(put, f"{self.url}/{name}")

    def write_file(self, name: str, file: Path) -> None:
        """Write a file whole, with the content of a local one; raises StoreError."""

        def put() -> None:
            if not self.local:
                self.system.put_file(str(file), self.path(name))
                return
            with self._replacing(name) as stream, file.open("rb") as content:
                shutil.copyfileobj(content, stream, _CHUNK)

        tried(put, f"{self.url}/{name}")

    def _replacing(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a local file that is there whole once the context ends, and its directory."""
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        return replacing(path)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there; raises StoreError."""

        def gone() -> None:
            with suppress(FileNotFoundError):
                self.system.rm_file(self.path(name))

        tried(gone, f"{self.url}/{name}")

    def below(self, folder: str) -> list[str]:
        """Return the files of a folder in it and of those below, by their names in the place."""

        def listing() -> list[str]:
            self.system.invalidate_cache()
            paths: list[str] = self.system.find(self.path(folder))
            return paths

        start = len(self.path("x")) - 1
        return [path[start:] for path in tried(listing, f"{self.url}/{folder}")]


def _local_files(root: str) -> Iterator[str]:
    """Yield the files of a local directory; fsspec would leave out what of it cannot be listed."""

    def fail(error: OSError) -> None:
        raise StoreError(f"{error.filename}: cannot read: {error.strerror}")

    if Path(root).is_file():
        yield root
        return
    for folder, _, names in os.walk(root, onerror=fail):
        yield from (str(Path(folder, name)) for name in names)


def _without_suffixes(path: str) -> str:
    for packed in COMPRESSED:
        path = path.removesuffix(packed)
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def _stamp(info: Mapping[str, Any]) -> tuple[str, str]:
    """Return what changes with the content of a file, and when it was written."""
    time_ = next(
        (info[key] for key in ("mtime", "LastModified", "last_modified", "created") if info.get(key)), ""
    )
    if isinstance(time_, datetime):
        time_ = time_.astimezone(UTC).timestamp()
    written = f"{time_:020.6f}" if isinstance(time_, int | float) else str(time_)
    tag = next((str(info[key]) for key in ("ETag", "etag", "md5Hash", "content_md5") if info.get(key)), "")
    return tag.strip('"') or f"{info.get('size')}-{written}", written


@contextmanager
def local_copy(entry: StoredFile) -> Iterator[Path]:
    """Give an input as a local file: itself, or a copy that is as long as the store says and then vanishes.

    Raises StoreError where the store fails, and where there is no room for a copy; InputError for an input
    that is larger than any that is read.
    """
    if "://" not in entry.url:
        path = Path(entry.url)
        try:
            if path.exists() and not path.is_file():
                raise StoreError("not a file")  # to open a named pipe would wait for ever
            path.open("rb").close()
        except OSError as error:
            raise StoreError(f"cannot read: {_words(error)}") from None
        yield path
        return
    if entry.size > MOST_BYTES:
        raise InputError(f"more than {size(MOST_BYTES)}, the most that is read")
    if entry.size > (free := shutil.disk_usage(tempfile.gettempdir()).free):
        raise StoreError(f"{tempfile.gettempdir()}: {free:,} bytes are free, and {entry.size:,} are needed")
    import fsspec  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra

    system, path = fsspec.core.url_to_fs(entry.url)
    with tempfile.TemporaryDirectory(prefix="hashcompat-") as folder:
        copy = Path(folder) / "input"
        tried(lambda: _copied(system, path, copy, entry.size), entry.url)
        yield copy


def _copied(system: Any, path: str, copy: Path, length: int) -> None:
    left = length
    with (
        system.open(path, "rb", cache_type="readahead", block_size=_CHUNK * 8) as stream,
        copy.open("wb") as out,
    ):
        while data := stream.read(min(_CHUNK, left + 1)):
            left -= len(data)
            if left < 0:
                break
            out.write(data)
    if left:
        raise OSError(errno.EIO, f"not the {length:,} bytes that the store lists")
