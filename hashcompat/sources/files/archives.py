"""Tar archives, gzipped or not: the dumps of many nodes in one file."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from typing import Final

from hashcompat.errors import InputError

_GZIP_MAGIC: Final = b"\x1f\x8b"

_TAR_MAGIC: Final = slice(257, 262)


def members(origin: str, data: bytes) -> Iterator[tuple[str, bytes]] | None:
    """Return the label and the content of each file in a tar archive; None where the data is not an archive.

    The iterator raises InputError for a damaged one.
    """
    try:
        plain = gzip.decompress(data) if data.startswith(_GZIP_MAGIC) else data
    except (OSError, EOFError, zlib.error):
        return None  # the reader of files says what is wrong with it
    return _members(origin, plain) if plain[_TAR_MAGIC] == b"ustar" else None


def _members(origin: str, plain: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            for member in archive:
                if member.isfile() and (stream := archive.extractfile(member)):
                    yield f"{origin}: {member.name}", stream.read()
    except tarfile.TarError as error:
        raise InputError(f"{origin}: damaged tar archive: {error}") from None
