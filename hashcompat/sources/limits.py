"""How much a source may give, whatever gives it: beyond these it is refused, with the limit."""

from __future__ import annotations

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
