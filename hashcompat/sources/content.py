"""How much a source may give, whatever gives it, and the content of a file, whatever compresses it.

What is beyond a limit is refused, with the limit.
"""

from __future__ import annotations

import sys
import zlib
from io import BufferedIOBase, BufferedReader
from typing import Final

from hashcompat.core.errors import InputError


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
        # counted behind the decompressor: 1 MB of gzip can become 1 GB
        self._left -= len(data)
        if self._left < 0:
            raise too_long(f"{self._form} data" if self._form else "content", self._most, "give a part of it")
        return data


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
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415
        # the window is memory, and the file says how much
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LONGEST_WINDOW}
        return zstd.ZstdFile(stream, options=options), "zstd", (OSError, EOFError, zstd.ZstdError)
    return stream, "", ()
