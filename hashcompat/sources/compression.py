"""The content of a file, whatever compresses it, with an end to how much that may be."""

from __future__ import annotations

import sys
import zlib
from io import BufferedIOBase, BufferedReader
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.sources.limits import MOST_BYTES, too_long

GZIP: Final = b"\x1f\x8b"

ZSTD: Final = b"\x28\xb5\x2f\xfd"

_LONGEST_WINDOW: Final = 27
"""Of zstd, as a power of two of bytes: 128 MiB, which ``zstd --long`` and its highest level use."""


class Plain:
    """Reads a file without its compression: gzip or zstd, by its first bytes, or neither."""

    def __init__(self, stream: BufferedReader, most: int | None = None) -> None:
        """``most``: how many bytes may come out of it, by default MOST_BYTES."""
        self._stream, self._form, self._damage = _opened(stream)
        self._most = self._left = MOST_BYTES if most is None else most

    def read(self, size: int) -> bytes:
        """Return that many bytes, fewer only at the end.

        Raises InputError for damaged data, for what ends too early, and for more than there may be.
        """
        try:
            data = self._stream.read(size)
        except self._damage as error:
            raise InputError(f"damaged {self._form} data: {error}") from None
        self._left -= len(data)
        if self._left < 0:
            raise too_long(f"{self._form} data" if self._form else "content", self._most, "give a part of it")
        return data


def all_of(stream: BufferedReader, most: int) -> bytes:
    """Return the content of a file that is needed whole; errors as ``Plain.read``."""
    return Plain(stream, most).read(most + 1)


def _opened(stream: BufferedReader) -> tuple[BufferedIOBase, str, tuple[type[Exception], ...]]:
    """Return what to read, the form's name, and the errors that mean damage."""
    head = stream.peek(len(ZSTD))[: len(ZSTD)]
    if head.startswith(GZIP):
        import gzip  # noqa: PLC0415 - only compressed input pays for the import

        return gzip.GzipFile(fileobj=stream), "gzip", (OSError, EOFError, zlib.error)
    if head == ZSTD:
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LONGEST_WINDOW}
        return zstd.ZstdFile(stream, options=options), "zstd", (OSError, EOFError, zstd.ZstdError)
    return stream, "", ()
