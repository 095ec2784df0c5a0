"""Turn the bytes of a file into text in chunks: decompress, decode, and refuse what is not text."""

from __future__ import annotations

import codecs
import re
import sys
import zlib
from collections.abc import Iterator
from io import BufferedIOBase, BufferedReader
from typing import Final

from hashcompat.errors import InputError

_CHUNK: Final = 1 << 18

_CONTROLS: Final = bytes([*range(0x09), *range(0x0E, 0x20)])

_CONTROL: Final = re.compile(f"[{re.escape(_CONTROLS.decode())}]")

_GZIP: Final = b"\x1f\x8b"

_ZSTD: Final = b"\x28\xb5\x2f\xfd"


def chunks(stream: BufferedReader, wanted: str) -> Iterator[str]:
    """Yield the text of a file, gzip or zstd or neither, whatever its name.

    The first chunk does not consist of white space alone. Raises InputError for what is empty, damaged or
    not text, naming what is ``wanted``.
    """
    lead: str | None = ""
    position = 0
    for text in _decoded(_decompressed(stream)):
        if (place := _control(text)) is not None:
            raise InputError(f"binary data at character {position + place}; want {wanted}")
        position += len(text)
        if lead is None:
            yield text
        else:
            lead += text
            if lead.strip():
                yield lead
                lead = None
    if lead is not None:
        raise InputError(f"empty; want {wanted}")


def _control(text: str) -> int | None:
    """Return the place of the first control character that text cannot hold.

    Searching only where there is one is ten times as fast.
    """
    data = text.encode(errors="surrogatepass")
    if len(data.translate(None, _CONTROLS)) == len(data):
        return None
    match = _CONTROL.search(text)
    return match.start() if match else None


def _decoded(pieces: Iterator[bytes]) -> Iterator[str]:
    """Decode UTF-8, or UTF-16 where it has that byte order mark, as PowerShell's ``>`` writes.

    A byte that is not UTF-8 becomes a lone surrogate (``jsontext.clean``).
    """
    first = next(pieces, b"")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
    else:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        first = first.removeprefix(codecs.BOM_UTF8)
    yield decoder.decode(first)
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _decompressed(stream: BufferedReader) -> Iterator[bytes]:
    """Yield the content in pieces of bounded size, however well it was compressed."""
    head = stream.peek(4)[:4]
    if head.startswith(_GZIP):
        import gzip  # noqa: PLC0415 - only compressed input pays for the import

        yield from _pieces(gzip.GzipFile(fileobj=stream), "gzip", (OSError, EOFError, zlib.error))
    elif head == _ZSTD:
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415
        yield from _pieces(zstd.ZstdFile(stream), "zstd", (OSError, EOFError, zstd.ZstdError))
    else:
        yield from _pieces(stream, "", ())


def _pieces(stream: BufferedIOBase, form: str, damage: tuple[type[Exception], ...]) -> Iterator[bytes]:
    try:
        while piece := stream.read(_CHUNK):
            yield piece
    except damage as error:
        raise InputError(f"damaged {form} data: {error}") from None
