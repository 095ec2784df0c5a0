"""Tar archives, compressed or not: their regular files by name, read from the start to the end once.

tarfile reads the headers; what it may read of them, and where to, is bounded here. Names are labels and no
paths: nothing is written below them, and no link is followed.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedReader
from typing import Final, NoReturn

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsontext import clean
from hashcompat.sources.content import LONGEST_TEXT, TAR_BLOCK, Plain, is_tar, too_long
from hashcompat.sources.files import BEGINS, Copy, Input, is_like, named

_CHUNK: Final = 1 << 18
_MOST_MEMBERS: Final = 100_000
"""Members of one archive of dumps, each of which takes 0.1 ms: 20 files of each of 5000 nodes."""
_MOST_OBJECTS: Final = 1_000_000
"""Members of one archive of objects: Velero writes two files for each object of a cluster."""
_LONGEST_HEADERS: Final = 64 << 10
"""Bytes of all headers of one member: a long name has up to 4 kB, the parts of a sparse file are endless."""
_LONGEST_END: Final = 16 << 20
"""Bytes of zeros behind the end: a tape has full records, of 10 kB unless somebody chose others."""
_DIGITS: Final = re.compile(rb"[0-9]{256}")
"""More of them than in any file's name; before Python 3.11.10, tarfile takes quadratic time for them."""
_DAMAGE: Final = (tarfile.TarError, ValueError, ArithmeticError, LookupError, RecursionError)
"""What tarfile raises for headers that nobody wrote on purpose."""


def members(stream: BufferedReader, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]] | None:
    """Return the name and the content of each regular file whose name is wanted; None for no archive.

    The iterator raises InputError for a damaged archive, one that ends too early, and what is too long.
    """
    tape = _Tape(Plain(stream))
    return _members(tape, wanted) if is_tar(tape.head()) else None


def _members(tape: _Tape, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    for member in _wanted(tape, lambda member: wanted(member.name), _MOST_MEMBERS):
        if member.isreg():
            yield member.name, tape.content(member)


class Unpacked(msgspec.Struct, frozen=True):
    """What an archive of objects holds."""

    files: tuple[tuple[str, Input], ...]
    """Its regular files by name, in its order."""
    links: tuple[str, ...]
    """The names of links, which are not followed."""
    unread: tuple[str, ...]
    """The names of other files that seem to hold objects, and of archives, which are not unpacked."""


def unpacked(source: Input, wanted: Callable[[str], bool]) -> Unpacked:
    """Return the files of an archive whose names are wanted.

    They are copied as ``Copy`` does, together no more than MOST_BYTES. Raises InputError for a damaged
    archive, for one that ends too early, and for what unpacks to much more than anybody packs.
    """
    with source.open() as stream, named(source.origin):
        tape = _Tape(Plain(stream, guarded=True))
        copy, links, places = Copy(), list[str](), list[tuple[str, int, int]]()
        unread, place = list[str](), 0

        def asked(member: tarfile.TarInfo) -> bool:
            if wanted(member.name):
                return True
            is_plain = member.isreg() and not member.issparse() and "." not in member.name.rpartition("/")[2]
            if is_like(member.name) or (is_plain and BEGINS.match(next(tape.pieces(member), b""))):
                unread.append(clean(member.name))
            return False

        for member in _wanted(tape, asked, _MOST_OBJECTS):
            if source.meter and stream.seekable():
                source.meter.add(stream.tell() - place)
                place = stream.tell()
            if not member.isreg():
                links += [member.name] if member.issym() or member.islnk() else []
                continue
            begin = copy.size
            for piece in tape.pieces(member):
                copy.add(piece)
            places.append((member.name, begin, copy.size))
    # the end of the archive proves that of each file in it
    files = tuple(
        (
            name,
            Input(f"{source.origin}: {clean(name)}", partial(copy.open, begin, end), source.modified),
        )
        for name, begin, end in places
    )
    return Unpacked(files, tuple(links), tuple(unread))


def _wanted(tape: _Tape, wanted: Callable[[tarfile.TarInfo], bool], most: int) -> Iterator[tarfile.TarInfo]:
    """Yield the members that are wanted, of any kind but a sparse file; errors as above."""
    for number, member in enumerate(_headers(tape), 1):
        if number > most:
            raise InputError(f"tar archive of more than {most:,} members, the most that is read")
        if not wanted(member):
            continue
        if member.issparse():
            raise InputError(f"{member.name}: a sparse file; pack the archive again without --sparse")
        yield member
    # tarfile takes the end of the stream for the end of the archive, and so a cut one for a whole
    if tape.last != bytes(TAR_BLOCK):
        raise InputError("damaged tar archive: it ends without the block of zeros that is its end")
    tape.end()


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
        self._head = self._stream.read(TAR_BLOCK)
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

    def end(self) -> None:
        """Raise InputError for what follows the end, such as another archive: nobody would read it."""
        begin = self._place
        while data := self._take(_CHUNK):
            if data.strip(b"\0") or self._place - begin > _LONGEST_END:
                raise InputError(
                    "a tar archive with more behind its end; give archives that were joined each by itself"
                )

    def content(self, member: tarfile.TarInfo) -> bytes:
        """Return the content of the regular file whose header was read last."""
        if member.size > LONGEST_TEXT:
            raise too_long(f"{member.name}: a file", LONGEST_TEXT, "pack a part of it")
        return b"".join(self.pieces(member))

    def pieces(self, member: tarfile.TarInfo) -> Iterator[bytes]:
        """Yield the content of the regular file whose header was read last."""
        # sparse and other extended headers may move it; content from elsewhere would be taken for the file's
        if self._place != member.offset_data:
            _refuse("the content of a file is not behind its header")
        left = member.size
        while left:
            data = self._take(min(left, _CHUNK) if left > 0 else left)
            if not data:
                _refuse("unexpected end of data")
            left -= len(data)
            yield data

    def _take(self, size: int) -> bytes:
        if size < 0:
            _refuse("a size below 0")
        data = self._stream.read(size) if self._head is None else self._head
        if self._head is not None and size != TAR_BLOCK:
            _refuse("its first header is not a block")
        self._head = None
        self._place += len(data)
        return data


def _refuse(why: str) -> NoReturn:
    raise InputError(f"damaged tar archive: {why}")
