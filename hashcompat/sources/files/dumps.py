"""What was collected on nodes, in files, directories and tar archives, compressed or not, by its content.

``dumps_in`` reads the dumps of nodes as the collector prints them, ``records_in`` recorded hashes: of dumps,
docker, crictl, rkt's pod manifests and kubelet logs. An archive is read from its start to its end once.
tarfile reads the headers; what it may read of them, and where to, is bounded here.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import Final, NoReturn

from hashcompat.core.errors import InputError
from hashcompat.core.model.records import Record
from hashcompat.core.records.collected import Keeper, from_documents, from_log
from hashcompat.core.records.probes import Dump, dumps
from hashcompat.sources.content import LONGEST_TEXT, Plain, chunks, joined, lines, too_long
from hashcompat.sources.documents import load_all
from hashcompat.sources.files.inputs import Input, inputs, named, require_end

_BLOCK: Final = tarfile.BLOCKSIZE
_TAR_MAGIC: Final = slice(257, 262)
_CHUNK: Final = 1 << 18
_MOST_MEMBERS: Final = 100_000
"""Members of one archive, each of which takes 0.1 ms: 20 files of each of 5000 nodes."""
_LONGEST_HEADERS: Final = 64 << 10
"""Bytes of all headers of one member: a long name has up to 4 kB, the parts of a sparse file are endless."""
_DIGITS: Final = re.compile(rb"[0-9]{256}")
"""More of them than in any file's name; before Python 3.11.10, tarfile takes quadratic time for them."""
_DAMAGE: Final = (tarfile.TarError, ValueError, ArithmeticError, LookupError, RecursionError)
"""What tarfile raises for headers that nobody wrote on purpose."""


def members(stream: BufferedReader, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]] | None:
    """Return the name and the content of each regular file whose name is wanted; None for no archive.

    The iterator raises InputError for a damaged archive, one that ends too early, and what is too long.
    """
    tape = _Tape(Plain(stream))
    return _members(tape, wanted) if tape.head()[_TAR_MAGIC] == b"ustar" else None


def _members(tape: _Tape, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    for number, member in enumerate(_headers(tape), 1):
        if number > _MOST_MEMBERS:
            raise InputError(f"tar archive of more than {_MOST_MEMBERS:,} members, the most that is read")
        if member.issparse() and wanted(member.name):
            raise InputError(f"{member.name}: a sparse file; pack the archive again without --sparse")
        if member.isreg() and wanted(member.name):
            yield member.name, tape.content(member)
    # tarfile takes the end of the stream for the end of the archive, and so a cut one for a whole
    if tape.last != bytes(_BLOCK):
        raise InputError("damaged tar archive: it ends without the block of zeros that is its end")


def _headers(tape: _Tape) -> Iterator[tarfile.TarInfo]:
    try:
        with tarfile.TarFile(fileobj=tape, mode="r") as archive:  # type: ignore[arg-type]  # all that it uses
            while (member := archive.next()) is not None:
                # nobody asks for a member again
                archive.members.clear()  # type: ignore[attr-defined]  # which tarfile keeps to find one by its name
                tape.start_of_content()
                yield member
    except _DAMAGE as error:
        raise InputError(f"damaged tar archive: {error}") from None


class _Tape:
    """A stream that goes forward only, as tarfile sees it: it may read headers and skip the rest."""

    def __init__(self, stream: Plain) -> None:
        self._stream = stream
        self._head: bytes | None = None
        self._place = self._headers = 0
        self.last = b""
        """The last block that was read as a header."""

    def head(self) -> bytes:
        """Return the first block, which remains to be read."""
        self._head = self._stream.read(_BLOCK)
        return self._head

    def read(self, size: int) -> bytes:
        """Return a header; raises InputError for one that no archive needs."""
        self._headers += abs(size)
        if self._headers > _LONGEST_HEADERS:
            raise too_long("damaged tar archive: a header", _LONGEST_HEADERS, "pack it again")
        self.last = self._take(size)
        if _DIGITS.search(self.last):
            _refuse("a header of digits")
        return self.last

    def tell(self) -> int:
        """Return the place in the archive, in bytes."""
        return self._place

    def seek(self, place: int) -> None:
        """Skip forward to a place, or to the end of the stream."""
        # an archive whose offsets lead back could be read without end
        if place < self._place:
            _refuse("it leads back to what was read")
        while self._place < place and self._take(min(place - self._place, _CHUNK)):
            pass

    def start_of_content(self) -> None:
        """Begin to count headers again, for the next member."""
        self._headers = 0

    def content(self, member: tarfile.TarInfo) -> bytes:
        """Return the content of the regular file whose header was read last."""
        if member.size > LONGEST_TEXT:
            raise too_long(f"{member.name}: a file", LONGEST_TEXT, "pack a part of it")
        # sparse and other extended headers may move it; content from elsewhere would be taken for the file's
        if self._place != member.offset_data:
            _refuse("the content of a file is not behind its header")
        data = self._take(member.size)
        if len(data) < member.size:
            _refuse("unexpected end of data")
        return data

    def _take(self, size: int) -> bytes:
        if size < 0:
            _refuse("a size below 0")
        data = self._stream.read(size) if self._head is None else self._head
        if self._head is not None and size != _BLOCK:
            _refuse("its first header is not a block")
        self._head = None
        self._place += len(data)
        return data


def _refuse(why: str) -> NoReturn:
    raise InputError(f"damaged tar archive: {why}")


_WANTED: Final = "the output of hashcompat collector"
_EVERY: Final = ("",)
"""The suffixes of files that are read."""


def dumps_in(names: tuple[str, ...]) -> list[Dump]:
    """Read the dumps in files, in all files below directories, and in archives.

    Raises InputError, naming the file, for what cannot be read, for a name without any dump in it, and for
    two dumps of one node.
    """
    found: dict[str, Dump] = {}
    for name in names:
        several: list[Dump] = []
        for source in inputs(name, recursive=True, suffixes=_EVERY):
            require_end(source)
            with named(source.origin):
                several += _of_file(source)
        if not several:
            raise InputError(f"{name}: no dump of a node in it; want {_WANTED}")
        for dump in several:
            if dump.node in found:
                other = found[dump.node].origin
                raise InputError(f"{dump.origin}: a second dump of node {dump.node}, after {other}; give one")
            found[dump.node] = dump
    return list(found.values())


def _of_file(source: Input) -> list[Dump]:
    with source.open() as stream:
        archive = members(stream, lambda _name: True)
        if archive is not None:
            return [
                dump
                for name, data in archive
                for dump in _parse(f"{source.origin}: {name}", BufferedReader(BytesIO(data)))
            ]
    with source.open() as stream:
        return _parse(source.origin, stream)


def _parse(origin: str, stream: BufferedReader) -> list[Dump]:
    """Return the dumps of a stream of JSON; none where it is something else."""
    text = chunks(stream, _WANTED)
    first = next(text)
    if not first.lstrip().startswith(("{", "[")):
        return []
    return list(dumps(load_all(joined(chain([first], text), _WANTED)), origin))


_WANTED_RECORDS: Final = (
    "a dump of the collector, docker inspect or crictl JSON, or a kubelet's log of 1.0 - 1.13"
)
_TEXTS: Final = (".json", ".jsonl", ".ndjson", ".log", ".txt")
_SUFFIXES: Final = (*_TEXTS, ".tar", ".tgz")


def records_in(names: tuple[str, ...]) -> list[Record]:
    """Read every file, and of every directory those that hold records: a node's dump has other files too.

    Raises InputError, naming the file, for what cannot be read and for a file or directory without any
    record.
    """
    keeper = Keeper()
    return [record for name in names for record in _records_of(name, keeper)]


def _records_of(name: str, keeper: Keeper) -> list[Record]:
    found: list[Record] = []
    several = Path(name).is_dir()
    for source in inputs(name, recursive=True, suffixes=_SUFFIXES):
        records, is_archive = _records_read(source, keeper)
        several = several or is_archive
        if not (records or several):
            raise InputError(f"{source.origin}: no kubelet's container in it; want {_WANTED_RECORDS}")
        found += records
    if not found:
        raise InputError(f"{name}: no kubelet's container in any file of it; want {_WANTED_RECORDS}")
    return found


def _records_read(source: Input, keeper: Keeper) -> tuple[list[Record], bool]:
    """Return the records of a file, and whether it is an archive."""
    require_end(source)
    with source.open() as stream, named(source.origin):
        if (archive := members(stream, _is_text)) is not None:
            return [record for one, data in archive for record in _in_member(one, data, keeper)], True
    with source.open() as stream, named(source.origin):
        return _records_in(chunks(stream, _WANTED_RECORDS), keeper), False


def _is_text(name: str) -> bool:
    return name.removesuffix(".gz").endswith(_TEXTS)


def _in_member(name: str, data: bytes, keeper: Keeper) -> list[Record]:
    with named(name):
        return _records_in(chunks(BufferedReader(BytesIO(data)), _WANTED_RECORDS), keeper)


def _records_in(text: Iterator[str], keeper: Keeper) -> list[Record]:
    first = next(text)
    whole = _seen(chain([first], text), keeper)
    is_json = first.lstrip().startswith(("{", "["))
    return [keeper.kept(record) for record in (_from_json(whole) if is_json else from_log(lines(whole)))]


def _seen(text: Iterator[str], keeper: Keeper) -> Iterator[str]:
    for chunk in text:
        keeper.saw(len(chunk))
        yield chunk


def _from_json(chunked: Iterable[str]) -> Iterator[Record]:
    yield from from_documents(load_all(joined(chunked, _WANTED_RECORDS)), "a dump")
