"""The content of a file as text: decompressed, decoded, and refused where it is not text or too much.

The limits hold whatever gives the content: a file, a URL, another program, an API server. What is written is
written whole, or not at all.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedIOBase, BufferedReader, RawIOBase
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from hashcompat.core.errors import InputError
from hashcompat.core.regex import regex


class RefusedError(InputError):
    """Content of a size or form that is not read, whatever is in it."""


MOST_BYTES: Final = 8 << 30
"""Bytes of one file, stream or URL, decompressed: more than twice what 150,000 pods need, the most that
Kubernetes supports in a cluster, at 20 kB each."""
LONGEST_TEXT: Final = 32 << 20
"""Bytes of what is held in memory as one text: a page of 500 pods at 65 kB each, or a node's JSON of 1000
containers at 30 kB each. As text, they take four times the memory at the most."""
LONGEST_SOURCE: Final = 4 << 20
"""Bytes of a Go source file; the longest that is read, core/v1/types.go, has 450 kB."""


def size(number: int) -> str:
    """Return a number of bytes in the largest unit that divides it."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if number and not number % (1 << shift):
            return f"{number >> shift} {unit}"
    return f"{number} bytes"


def too_long(what: str, most: int, remedy: str) -> RefusedError:
    """Return the error for what is longer than a limit in bytes."""
    return RefusedError(f"{what} of more than {size(most)}, the most that is read; {remedy}")


GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
_LONGEST_WINDOW: Final = 27
"""Of zstd, as a power of two of bytes: 128 MiB, which ``zstd --long`` and its highest level use."""


class Plain:
    """Reads a file without its compression: gzip or zstd, by its first bytes, or neither."""

    def __init__(self, stream: BufferedReader, most: int | None = None, *, guarded: bool = False) -> None:
        """``most``: how many bytes may come out of it, by default MOST_BYTES.

        ``guarded``: whether what unpacks to more than MOST_TIMES its size is refused.
        """
        self._packed = _Counted(stream) if guarded else None
        if self._packed:
            stream = BufferedReader(self._packed, _CHUNK)
        self._stream, self._form, self._damage = _opened(stream)
        self._most = self._left = MOST_BYTES if most is None else most

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer only at the end.

        Raises InputError for damaged data, for what ends too early, and for more than there may be.
        """
        try:
            data = self._stream.read(size)
        except self._damage as error:
            raise InputError(f"damaged {self._form} data: {error}") from None
        # counted behind the decompressor: 1 MB of gzip can become 1 GB
        self._left -= len(data)
        if self._left < 0:
            raise too_long(f"{self._form} data" if self._form else "content", self._most, "give a part of it")
        taken = self._most - self._left
        if self._form and self._packed and taken > _PACKED + MOST_TIMES * self._packed.number:
            raise RefusedError(
                f"{self._form} data that unpacks to more than {MOST_TIMES} times its size, as a "
                "decompression bomb does; unpack it, and give a part of it"
            )
        return data


MOST_TIMES: Final = 500
"""How much larger than itself an archive may be unpacked: JSON of many replicas is 100 times as large, and
zeros are more than 1000 times."""
_PACKED: Final = 1 << 26
"""Bytes that may come out of anything: small texts are packed better than large ones."""


class _Counted(RawIOBase):
    """Bytes of a stream, and how many were read."""

    def __init__(self, stream: BufferedReader) -> None:
        self._stream, self.number = stream, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        number = self._stream.readinto(buffer)
        self.number += number
        return number


TAR_BLOCK: Final = 512
"""Bytes of the unit of tar archives."""


def is_tar(block: bytes) -> bool:
    """Return whether the first block of a file is that of a tar archive."""
    return block[257:262] == b"ustar"


def all_of(stream: BufferedReader, most: int) -> bytes:
    """Return the content of a file that is needed whole; errors as ``Plain.read``."""
    # one byte more than there may be shows that it is more
    return Plain(stream, most).read(most + 1)


def _opened(stream: BufferedReader) -> tuple[BufferedIOBase, str, tuple[type[Exception], ...]]:
    """Return what to read, the form's name, and the errors that mean damage."""
    # peek, since a pipe cannot be wound back; names prove nothing, many tools compress under any name
    head = stream.peek(len(ZSTD))[: len(ZSTD)]
    if head.startswith(GZIP):
        import gzip  # noqa: PLC0415 - only compressed input pays for the import

        return gzip.GzipFile(fileobj=stream), "gzip", (OSError, EOFError, zlib.error)
    if head == ZSTD:
        zstd = python_zstd()
        # the window is memory, and the file says how much
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LONGEST_WINDOW}
        return zstd.ZstdFile(stream, options=options), "zstd", (OSError, EOFError, zstd.ZstdError)
    return stream, "", ()


def python_zstd() -> Any:
    """Return Python's module of zstd, or its backport before 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - only compressed files pay for the import
    else:
        from backports import zstd  # noqa: PLC0415 - as above
    return zstd


_CHUNK: Final = 1 << 18
_LONGEST_SPACE: Final = 1 << 20
"""Characters of white space before anything else; it is held until the first character shows the form."""
_CONTROLS: Final = bytes([*range(0x09), *range(0x0E, 0x20)])
_CONTROL: Final = regex(f"[{re.escape(_CONTROLS.decode())}]")


Decoded = Iterator[tuple[str, bool]]
"""Texts, each with whether it has no control character, or need not be checked."""


_BINARY: Final = (
    (regex("PK(?:\x03\x04|\x05\x06)"), "a zip archive; pack it as tar, or unpack it"),
    (regex("\udcfd7zXZ"), "compressed with xz; use gzip or zstd, or unpack it"),
    (regex("BZh[1-9]"), "compressed with bzip2; use gzip or zstd, or unpack it"),
    (regex(r"\0{512}"), "zero bytes, as in an empty tar archive"),
)
"""How files begin that people take for text or for a tar archive, as their first bytes are decoded."""


def chunks(
    stream: BufferedReader,
    wanted: str,
    *,
    checked: bool = True,
    kept: Callable[[Decoded], Decoded] = lambda texts: texts,
) -> Iterator[str]:
    """Yield the text of a file, gzip or zstd or neither, whatever its name.

    The first chunk does not consist of white space alone. Raises InputError for what is empty, damaged,
    too long or not text, naming what is ``wanted``. Without ``checked`` no control character is looked for,
    which takes ten times as long as decoding: whoever parses JSON refuses each of them anyway. ``kept``
    passes on what of the text counts.
    """
    lead: list[str] | None = []
    position = 0
    # pieces of bounded size, however well it is compressed
    pieces = iter(partial(Plain(stream).read, _CHUNK), b"")
    for text, plain in kept(_decoded(pieces, checked=checked)):
        if not plain and (match := _CONTROL.search(text)):
            what = (
                None if position else next((name for pattern, name in _BINARY if pattern.match(text)), None)
            )
            what = what or f"binary data at character {position + match.start()}"
            raise InputError(f"{what}; want {wanted}")
        position += len(text)
        if lead is None:
            yield text
            continue
        lead.append(text)
        if text and not text.isspace():
            yield "".join(lead)
            lead = None
        elif position > _LONGEST_SPACE:
            raise InputError(
                f"more than {size(_LONGEST_SPACE)} of white space before anything else; want {wanted}"
            )
    if lead is not None:
        raise InputError(f"empty; want {wanted}")


def whole(stream: BufferedReader, wanted: str, most: int = LONGEST_TEXT) -> str:
    """Return the text of a file that is needed whole; errors as ``chunks``, also for more than ``most``."""
    return joined(chunks(stream, wanted), wanted, most)


def joined(chunked: Iterable[str], wanted: str, most: int = LONGEST_TEXT) -> str:
    """Return chunks as one text; raises InputError for more than ``most`` characters."""
    texts, length = [], 0
    for text in chunked:
        length += len(text)
        if length > most:
            raise too_long("text", most, f"want {wanted}")
        texts.append(text)
    return "".join(texts)


def lines(chunked: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text in chunks, each with its end; what is too long for a line comes in parts."""
    rest = ""
    for text in chunked:
        # not splitlines: it also splits at the form feeds and separators that log lines contain
        *ended, rest = (rest + text).split("\n")
        yield from (f"{line}\n" for line in ended)
        if len(rest) > _CHUNK:
            yield rest
            rest = ""
    yield rest


def _decoded(pieces: Iterator[bytes], *, checked: bool) -> Decoded:
    """Decode UTF-8, or UTF-16 where it has that byte order mark, as PowerShell's ``>`` writes.

    With each text comes whether it has no control character, or need not be ``checked``: that is ten times
    as fast to see in the bytes of UTF-8 as in text.

    A byte that is not UTF-8 becomes a lone surrogate (``jsontext.clean``); PowerShell writes no UTF-16 that
    is not valid.
    """
    first = next(pieces, b"")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoder, of_bytes = codecs.getincrementaldecoder("utf-16")("strict"), False
    else:
        decoder, of_bytes = codecs.getincrementaldecoder("utf-8")("surrogateescape"), True
        first = first.removeprefix(codecs.BOM_UTF8)
    try:
        for piece in chain([first], pieces):
            # in UTF-8 such a byte is never part of another character; in UTF-16 it is all the time
            plain = not checked or (of_bytes and len(piece.translate(None, _CONTROLS)) == len(piece))
            yield decoder.decode(piece), plain
        yield decoder.decode(b"", final=True), of_bytes or not checked
    except UnicodeDecodeError as error:
        raise InputError(f"damaged UTF-16 text: {error.reason}") from None


# Files that are written whole or not at all.

_PRIVATE: Final = 0o600
"""The mode of a new file: what it holds of a cluster is for its owner alone."""
_PERMISSIONS: Final = 0o777
"""The bits of a mode that are kept: a document has no use for the others."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` once all of it is written, and otherwise vanishes.

    It keeps the permissions of the file that it replaces. Its name is chosen before there is a file, so that
    no interruption leaves one; its content is on the disk before the name is, so that a crash leaves the one
    or the other. Raises OSError.
    """
    temporary = path.with_name(f".hashcompat-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, _PRIVATE)) as stream:
            yield stream
            stream.flush()
            # before the rename: some file systems write the name first, and a crash would leave an empty file
            os.fsync(stream.fileno())
        # after the content is written: a mode that forbids reading would be there too early
        if path.exists():
            temporary.chmod(path.stat().st_mode & _PERMISSIONS)
        temporary.replace(path)
    # Ctrl-C too: nothing may be left over, whatever ends this
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
