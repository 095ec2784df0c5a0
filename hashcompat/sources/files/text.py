"""Turn the bytes of a file into text in chunks: decompress, decode, and refuse what is not text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from io import BufferedReader
from itertools import chain
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.regex import regex
from hashcompat.sources.content import LONGEST_TEXT, Plain, size, too_long

_CHUNK: Final = 1 << 18
_LONGEST_SPACE: Final = 1 << 20
"""Characters of white space before anything else; it is held until the first character shows the form."""
_CONTROLS: Final = bytes([*range(0x09), *range(0x0E, 0x20)])
_CONTROL: Final = regex(f"[{re.escape(_CONTROLS.decode())}]")


def chunks(stream: BufferedReader, wanted: str, *, checked: bool = True) -> Iterator[str]:
    """Yield the text of a file, gzip or zstd or neither, whatever its name.

    The first chunk does not consist of white space alone. Raises InputError for what is empty, damaged,
    too long or not text, naming what is ``wanted``. Without ``checked`` no control character is looked for,
    which takes ten times as long as decoding: whoever parses JSON refuses each of them anyway.
    """
    lead: list[str] | None = []
    position = 0
    for text, plain in _decoded(_pieces(Plain(stream)), checked=checked):
        if not plain and (place := _control(text)) is not None:
            raise InputError(f"binary data at character {position + place}; want {wanted}")
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
    found, length = [], 0
    for text in chunked:
        length += len(text)
        if length > most:
            raise too_long("text", most, f"want {wanted}")
        found.append(text)
    return "".join(found)


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


def _control(text: str) -> int | None:
    """Return the place of the first control character that text cannot hold."""
    match = _CONTROL.search(text)
    return match.start() if match else None


def _decoded(pieces: Iterator[bytes], *, checked: bool) -> Iterator[tuple[str, bool]]:
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


def _pieces(stream: Plain) -> Iterator[bytes]:
    """Yield the content in pieces of bounded size, however well it was compressed."""
    while piece := stream.read(_CHUNK):
        yield piece
