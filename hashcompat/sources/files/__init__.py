"""Files, directories, streams and URLs: those of a ``-f`` value, each of which can be opened repeatedly.

The other modules read what is in them: objects (``collect``), what this program saved (``saved``), what was
collected on nodes (``dumps``), static pods' manifests, settings, and the state of a rollout.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, Self

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.escape import few
from hashcompat.core.regex import regex
from hashcompat.core.shown import said, urls
from hashcompat.sources.content import MOST_BYTES, too_long

STDIN: Final = "-"
COMPRESSED: Final = (".gz", ".zst")
_MOST_FILES: Final = 100_000
"""Files of one directory that are read, each of about 1 kB in memory: a file for each of 100,000 pods."""
_DEVICES: Final = {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}
"""What has no end, or is not read as a file at all."""


class ReadingMeter(Protocol):
    """Is told how far the reading is."""

    def stage(self, doing: str, total: int = 0) -> None:
        """Begin something else, of so many bytes; 0 if unknown."""

    def add(self, number: int) -> None:
        """Count so many bytes more."""


class Input(msgspec.Struct, frozen=True):
    """A file's label in messages, and the function that opens its bytes again; that raises InputError."""

    origin: str
    open: Callable[[], io.BufferedReader]
    modified: datetime | None = None
    """When a file was last written, UTC; None for anything else."""
    proven: bool = True
    """Whether its end is certainly the end of the content: not of a download without a length."""
    stdin: bool = False
    size: int = 0
    """The bytes of a regular file; 0 for anything else."""
    meter: ReadingMeter | None = None
    """What counts the bytes that are read."""

    @property
    def file(self) -> str:
        """Its name for programs, as given: ``-`` for standard input, a URL without what may be secret."""
        return STDIN if self.stdin else clean(self.origin)


def called(name: str) -> str:
    """Name a ``-f`` value in messages: standard input in words, a URL without what may be secret in it."""
    if _is_url(name):
        from hashcompat.sources.http import label  # noqa: PLC0415 - only a URL pays for importing requests

        return label(name)
    return "standard input" if name == STDIN else urls(name)


def without_secrets(name: str) -> str:
    """Return a ``-f`` value, or any other word, as it is; a URL without what may be secret in it."""
    return called(name) if _is_url(name) else name


def _is_url(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def inputs(
    name: str, recursive: bool, suffixes: tuple[str, ...], meter: ReadingMeter | None = None
) -> Iterator[Input]:
    """Yield the files of a ``-f`` value: in a directory those with such a suffix, also compressed.

    What can be read only once (standard input, a pipe, a URL) is copied, beyond some size into a temporary
    file that vanishes with it; ``meter`` counts that.
    """
    if name == STDIN:
        with named(called(name)):
            # files are read twice: first the nodes, which decide about pods that precede them
            copy = Copy(meter).filled(sys.stdin.buffer)
        yield Input(called(name), copy.open, stdin=True)
    elif _is_url(name):
        from hashcompat.sources.http import save  # noqa: PLC0415 - only a URL pays for importing requests

        copy = Copy(meter)
        yield Input(called(name), copy.open, proven=save(name, copy.add))
    elif Path(name).is_dir():
        yield from listed(Path(name), recursive, suffixes).files()
    # s3:// and the like would otherwise be reported as a missing file
    elif "://" in name and not Path(name).exists():
        yield _of_fsspec(name)
    else:
        yield _file(Path(name), meter)


def of_stream(stream: Readable, name: str) -> Input:
    """Return what a file object has from where it is to its end, copied as ``inputs`` copies a pipe."""
    with named(name):
        copy = Copy()
        try:
            while data := stream.read(_CHUNK):
                copy.add(data if isinstance(data, bytes) else data.encode(errors="surrogatepass"))
        except ValueError as error:  # it is closed, not for reading, or its text is not of its encoding
            raise InputError(f"cannot read: {error}") from None
    return Input(name, copy.open)


class Readable(Protocol):
    """A file object of bytes or text."""

    def read(self, size: int, /) -> bytes | str:
        """Return so much more of it, and nothing at its end."""


def _of_fsspec(name: str) -> Input:
    """Return what fsspec opens for a URL; raises InputError where it is not installed, and for its errors."""
    try:
        import fsspec  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - who needs it has it
    except ImportError:
        raise InputError(
            f"{called(name)}: not a URL that is read; want http:// or https://, or install fsspec"
        ) from None
    try:
        with fsspec.open(name, "rb") as stream:
            return of_stream(stream, called(name))
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - each of its file systems has errors of its own
        raise InputError(f"{called(name)}: cannot read: {said(str(error)) or type(error).__name__}") from None


class Unread(msgspec.Struct, frozen=True):
    """What in a directory or an archive seems to hold objects by its name, and is not read."""

    names: tuple[str, ...] = ()
    """Files, by their paths in it."""
    folders: tuple[str, ...] = ()
    """Directories below it, with a slash at the end."""
    links: tuple[str, ...] = ()
    """Links to directories elsewhere."""

    def __str__(self) -> str:
        """Say it in one line; empty for nothing."""
        archives = [*filter(is_archive, self.names)]
        names = [name for name in self.names if not is_archive(name)]
        said = (
            f"not read by their names: {few(names, _NAMED)}" if names else "",
            packed(archives) if archives else "",
            f"not read: {few(self.folders, _NAMED)} (-R reads what is below)" if self.folders else "",
            f"links to directories are not followed: {few(self.links, _NAMED)}" if self.links else "",
        )
        return "; ".join(filter(None, said))


class Listed(msgspec.Struct, frozen=True):
    """What a directory holds."""

    paths: tuple[Path, ...]
    """The files that are read, in their order."""
    unread: Unread

    def files(self) -> Iterator[Input]:
        """Yield the files; errors as ``inputs``."""
        return map(_file_of_directory, self.paths)


_LIKE: Final = regex(r"(?i)\.(?:jsonl?|ndjson|ya?ml|tar|tgz|tzst|zip)(?![a-z])")
"""Is in the name of a file that holds objects, or an archive of them, such as ``pods.yaml.bak``."""
_OTHERWISE: Final = (".j2", ".jinja", ".jinja2", ".tpl", ".tmpl", ".gotmpl", ".md", ".sig", ".asc", ".sha256")
"""How names end of what is made of such a file, or it is made of."""
_LOOKED_AT: Final = 10_000
"""Names in a directory that is not read that are looked at."""


def ends_in(name: str, endings: tuple[str, ...]) -> bool:
    """Return whether the name of a file ends so, in whatever case."""
    return name.lower().endswith(endings)


def is_like(name: str) -> bool:
    """Return whether a file that is not read seems to hold objects by its name."""
    return _LIKE.search(name.rpartition("/")[2]) is not None and not ends_in(name, _OTHERWISE)


BEGINS: Final = regex(rb'\s*(?:\{\s*"(?:apiVersion|kind|items|metadata)"|(?:apiVersion|kind|items):)')
"""How objects begin."""
_LONGEST_BEGINNING: Final = 256
"""Bytes."""


def _begins_like(path: Path) -> bool:
    """Return whether a file begins with an object, where its name, such as a pod's, does not say so."""
    with suppress(OSError):  # nobody named it
        if "." not in path.name and stat.S_ISREG(path.stat().st_mode):
            with path.open("rb") as stream:
                return BEGINS.match(stream.read(_LONGEST_BEGINNING)) is not None
    return False


def listed(directory: Path, recursive: bool, suffixes: tuple[str, ...]) -> Listed:
    """List a directory, or a whole tree without following links to directories.

    A part that cannot be read is an error, never left out.
    """
    endings = (*suffixes, *(suffix + ending for suffix in suffixes for ending in COMPRESSED))
    paths, others, folders, links = list[Path](), list[str](), list[str](), list[str]()
    try:
        for folder, below, names in os.walk(directory, onerror=_cannot_list):
            here = Path(folder)
            paths += [here / name for name in names if ends_in(name, endings)]
            others += [
                (here / name).relative_to(directory).as_posix()
                for name in names
                if not ends_in(name, endings) and (is_like(name) or _begins_like(here / name))
            ]
            if max(len(paths), len(others)) > _MOST_FILES:
                raise InputError(f"{directory}: more than {_MOST_FILES:,} files, the most that are read")
            seen = [here / name for name in below if not name.startswith(".")]
            links += [
                path.relative_to(directory).as_posix()
                for path in seen
                if path.is_symlink() and not _is_within(path, directory) and _holds_like(path)
            ]
            if not recursive:
                folders += [f"{path.name}/" for path in seen if not path.is_symlink() and _holds_like(path)]
                below.clear()
    except RecursionError:  # of os.walk, up to Python 3.11
        raise InputError(f"{directory}: directories are nested too deeply") from None
    unread = (
        Unread(*(tuple(sorted(entries)) for entries in (others, folders, links)))
        if any(suffixes)
        else Unread()
    )
    if not paths:
        hint = "" if recursive else "; -R looks below it too"
        hint += f"; {structs.replace(unread, folders=())}" if unread.names or unread.links else ""
        kinds = f"{', '.join(suffixes)} file" if any(suffixes) else "file"
        raise InputError(f"{directory}: no {kinds} in this directory{hint}")
    # os.walk has the order of the directory, which differs from disk to disk
    return Listed(tuple(sorted(paths)), unread)


def _is_within(link: Path, directory: Path) -> bool:
    """Return whether a link leads to what is in the directory anyway."""
    try:
        return link.resolve().is_relative_to(directory.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return True


def _holds_like(folder: Path) -> bool:
    """Return whether a directory that is not read holds files that seem to hold objects by their names."""
    left = _LOOKED_AT
    for _, below, names in os.walk(folder):
        if any(map(is_like, names)):
            return True
        below[:] = [name for name in below if not name.startswith(".")]
        left -= len(names) + len(below)
        if left < 0:
            return True  # nobody looked at the rest
    return False


_ARCHIVE: Final = regex(r"\.(?:tar(?:\.[a-z0-9]+)?|tgz|tzst|zip)$")
_NAMED: Final = 8
"""Names in a message."""


def is_archive(name: str) -> bool:
    """Return whether a file is an archive by its name."""
    return _ARCHIVE.search(name.lower()) is not None


def packed(archives: Sequence[str]) -> str:
    """Say that archives in a directory or another archive are not read."""
    return f"archives in it are not unpacked, give each by itself: {few(archives, _NAMED)}"


def _cannot_list(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot read: {error.strerror}") from None


def _file_of_directory(path: Path) -> Input:
    """Return a regular file; a pipe that nobody writes to would keep everything waiting."""
    with _readable(path):
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"{path}: not a regular file; name it alone, not its directory, to read it")
    return _file(path)


def _file(path: Path, meter: ReadingMeter | None = None) -> Input:
    with _readable(path):
        state = path.stat()
        if stat.S_ISREG(state.st_mode):
            return Input(str(path), partial(_open, path, _stamp(state)), _time(state), size=state.st_size)
        with path.open("rb") as pipe, named(str(path)):
            kind = _DEVICES.get(stat.S_IFMT(state.st_mode))
            # a terminal is a device too, and people do type or paste an object
            if kind and not pipe.isatty():
                raise InputError(f"is {kind}, expected a file, a directory, a pipe or a URL")
            return Input(str(path), Copy(meter).filled(pipe).open)


def require_end(source: Input) -> None:
    """Raise InputError for content that may go on behind its end."""
    if not source.proven:
        raise InputError(
            f"{source.origin}: the server gave no length, so nothing shows whether the content was cut; "
            "download it, and give the file"
        )


@contextmanager
def _readable(path: Path | str) -> Iterator[None]:
    """Turn what the operating system says about a file into an InputError that names it."""
    try:
        yield
    except OSError as error:
        is_pattern = isinstance(error, FileNotFoundError) and not {"*", "?", "["}.isdisjoint(str(path))
        hint = "; the shell expands patterns only without quotes" if is_pattern else ""
        raise InputError(f"{path}: cannot read: {error.strerror}{hint}") from None


@contextmanager
def named(origin: str) -> Iterator[None]:
    """Put a file's name before what is wrong in it."""
    with _readable(origin):
        try:
            yield
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith(f"{origin}: ") else f"{origin}: {text}") from None


def _stamp(state: os.stat_result) -> tuple[int, int]:
    return state.st_size, state.st_mtime_ns


def _time(state: os.stat_result) -> datetime | None:
    """Return when a file was written; None where it has a number that no clock shows."""
    try:
        return datetime.fromtimestamp(int(state.st_mtime), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _open(path: Path, stamp: tuple[int, int]) -> io.BufferedReader:
    """Open a file that has not changed since it was found: nodes are read first, and pods must match them."""
    with _readable(path):
        stream = path.open("rb")
    # of the open file, not of the name: that may lead to another file by now
    if _stamp(os.fstat(stream.fileno())) != stamp:
        stream.close()
        raise InputError(f"{path}: changed while it was read; try again when nobody writes to it")
    return stream


_IN_MEMORY: Final = 1 << 24
"""Bytes of a stream that are held without a temporary file."""
_CHUNK: Final = 1 << 20


class Copy:
    """Holds bytes, beyond some size in a temporary file that vanishes with it."""

    def __init__(self, meter: ReadingMeter | None = None) -> None:
        """``meter`` counts what is added."""
        import tempfile  # noqa: PLC0415 - files need no copy

        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - it lives as long as this object
        self._meter, self.size = meter, 0
        """The bytes that it holds."""
        weakref.finalize(self, self._file.close)

    def filled(self, stream: BinaryIO) -> Self:
        """Return this copy once it holds a stream to its end; errors as ``add``."""
        read = getattr(stream, "read1", stream.read)  # what is there by now, so that it is counted
        while data := read(_CHUNK):
            self.add(data)
        return self

    def add(self, data: bytes) -> None:
        """Append bytes.

        Raises InputError for more than MOST_BYTES, and for what the operating system says of writing them.
        """
        self.size += len(data)
        if self._meter:
            self._meter.add(len(data))
        if self.size > MOST_BYTES:
            raise too_long("content", MOST_BYTES, "give a part of it")
        try:
            self._file.write(data)
        except OSError as error:
            import tempfile  # noqa: PLC0415 - as above

            raise InputError(f"cannot copy to {tempfile.gettempdir()}: {error.strerror}") from None

    def open(self, begin: int = 0, end: int | None = None) -> io.BufferedReader:
        """Return a reader of its bytes, or of some of them, with a place of its own."""
        reader = _Reader(self.read_at, begin, self.size if end is None else end)
        return io.BufferedReader(reader, 1 << 16)

    def read_at(self, place: int, size: int) -> bytes:
        """Return up to ``size`` bytes from a place on."""
        self._file.seek(place)
        return self._file.read(size)


class _Reader(io.RawIOBase):
    def __init__(self, read_at: Callable[[int, int], bytes], begin: int, end: int) -> None:
        self._read_at = read_at
        self._place, self._end = begin, end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read_at(self._place, min(len(buffer), self._end - self._place))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


def joined(streams: Sequence[BinaryIO]) -> io.BufferedReader:
    """Return some streams as one."""
    return io.BufferedReader(_Joined(streams))


class _Joined(io.RawIOBase):
    def __init__(self, streams: Sequence[BinaryIO]) -> None:
        self._streams = list(streams)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._streams:
            if data := self._streams[0].read(len(buffer)):
                buffer[: len(data)] = data
                return len(data)
            self._streams.pop(0).close()
        return 0
