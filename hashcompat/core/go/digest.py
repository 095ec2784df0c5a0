"""Digests of text that is given in pieces.

FNV-1a is computed in C, by fnv-hash-fast, where that is installed with its compiled code. Without it, most
pieces of a hashed text are the same for every container (``Lifecycle:(*v1.Lifecycle)<nil> ``), so the effect
of a piece is cached instead of computed byte by byte each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib import import_module
from typing import Final, Protocol
from zlib import adler32 as _adler32

_OFFSET: Final = 2166136261
_PRIME: Final = 16777619
_MASK: Final = 0xFFFFFFFF
_INVERSE: Final = pow(_PRIME, -1, 1 << 32)
"""Multiplied by this, a product with the prime is undone (modulo 2^32)."""
_LONGEST_REMEMBERED: Final = 256


class Digest(Protocol):
    """A digest whose result is its state too: given one as ``state``, it goes on from there."""

    def __call__(self, pieces: Iterable[str], state: int = ...) -> int:
        """Return the unsigned 32-bit digest of the UTF-8 bytes of all pieces."""


InC = Callable[[bytes], int]
"""FNV-1a of some bytes, from the start."""


def compiled() -> InC | None:
    """Return FNV-1a in C; None where the library is not installed, or without its compiled code."""
    try:
        function = import_module("fnv_hash_fast").fnv1a_32
    except ImportError:
        return None
    # Without its compiled part the package falls back to a partial, which is slower than ``by_pieces``.
    return None if isinstance(function, partial) else function


_IN_C: Final = compiled()

IS_COMPILED: Final = _IN_C is not None
"""Whether FNV-1a is computed in C."""


def fnv32a(pieces: Iterable[str], state: int = _OFFSET) -> int:
    """Return FNV-1a over the UTF-8 bytes of all pieces, unsigned 32-bit (Go: hash/fnv ``New32a``)."""
    return in_c(pieces, state, _IN_C) if _IN_C else by_pieces(pieces, state)


def in_c(pieces: Iterable[str], state: int, whole: InC) -> int:
    """Return FNV-1a by a function that begins at the start.

    One step is ``state = (state ^ byte) * prime``. The xor changes only the low 8 bits, so bytes map the
    state to ``state * factor + addend`` (mod 2^32), where both depend only on the bytes and on the low 8 bits
    of the state. So from two states with the same low bits the results differ by ``factor`` times their
    difference, and there is one byte that leads from the start to a state with any low bits.
    """
    data = "".join(pieces).encode()
    # From any other state: begin with the byte that leads to the same low bits, and add the difference.
    if state == _OFFSET:
        return whole(data)
    first, reached = _BY_LOW_BITS[state & 0xFF]
    return (whole(first + data) + (state - reached) * _factor(len(data))) & _MASK


Texts = Sequence[str] | Mapping[int, str]
"""Texts by their numbers."""


def going_on(digest: Digest, state: int, after: Sequence[tuple[int, bytes]]) -> Callable[[Texts], int]:
    """Return the digest of what follows a state as a function of texts in it.

    ``after`` has the number of each text, in order, and what follows it in UTF-8.
    """
    if digest is not fnv32a or _IN_C is None:
        return lambda texts: digest(["".join([texts[place] + rest.decode() for place, rest in after])], state)
    whole, (first, reached) = _IN_C, _BY_LOW_BITS[state & 0xFF]
    ahead = state - reached
    if len(after) == 1:  # as in nearly all replicas, and a cluster has many
        ((only, behind),) = after

        def of_one(texts: Texts) -> int:
            data = first + texts[only].encode() + behind
            return (whole(data) + ahead * _factor(len(data) - 1)) & _MASK

        return of_one

    def of(texts: Texts) -> int:
        data = first + b"".join([texts[number].encode() + rest for number, rest in after])
        return (whole(data) + ahead * _factor(len(data) - 1)) & _MASK

    return of


@lru_cache(maxsize=1 << 12)
def _factor(length: int) -> int:
    """Return what so many bytes multiply a state by: the texts of replicas are of few lengths."""
    return pow(_PRIME, length, 1 << 32)


def by_pieces(pieces: Iterable[str], state: int) -> int:
    """Return FNV-1a in Python: factor and addend (see ``in_c``) of short pieces are remembered."""
    for piece in pieces:
        # long pieces are values of env and args, which no other container has: they would only evict others
        if len(piece) > _LONGEST_REMEMBERED:
            state = fnv32a_after(piece, state)
        else:
            factor, addend = _effect(piece, state & 0xFF)
            # a step depends on the low 8 bits alone, so 256 effects of a piece are all there can be
            state = (state * factor + addend) & _MASK
    return state


def fnv32a_after(text: str, state: int = _OFFSET) -> int:
    """Return FNV-1a's 32-bit state after a text, from the state before it."""
    for byte in text.encode():
        # FNV-1a: xor before the product; FNV-1 has them the other way round
        state = ((state ^ byte) * _PRIME) & _MASK
    return state


def fnv32a_before(state: int, text: str) -> int:
    """Return the one state from which FNV-1a reaches another by a text: every step can be undone."""
    # The prime is odd, so it has an inverse modulo 2^32, and the xor is its own.
    for byte in reversed(text.encode()):
        state = (state * _INVERSE & _MASK) ^ byte
    return state


@lru_cache(maxsize=1 << 15)
def _effect(piece: str, low: int) -> tuple[int, int]:
    length = len(piece.encode())
    factor = pow(_PRIME, length, 1 << 32)
    return factor, (fnv32a_after(piece, low) - low * factor) & _MASK


_BY_LOW_BITS: Final = {
    state & 0xFF: (bytes([byte]), state)
    for byte, state in ((byte, ((_OFFSET ^ byte) * _PRIME) & _MASK) for byte in range(256))
}
"""A byte, and the state that it leads to from the start, for each low 8 bits of that state."""


def adler32(pieces: Iterable[str], state: int = 1) -> int:
    """Return Adler-32 over the UTF-8 bytes of all pieces, unsigned 32-bit (Go: hash/adler32; 1.0 - 1.5)."""
    return _adler32("".join(pieces).encode(), state)


BY_NAME: Final[dict[str, Digest]] = {"fnv32a": fnv32a, "adler32": adler32}
"""Digest steps by their name in an era."""
_OFFSET_128: Final = 0x6C62272E07BB014262B821756295C58D
_PRIME_128: Final = (1 << 88) + 0x13B
_MASK_128: Final = (1 << 128) - 1


def md5(data: bytes) -> str:
    """Return MD5 as 32 lower-case hexadecimal digits (Go: crypto/md5): static pods' UIDs up to 1.34."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def fnv128a(data: bytes) -> str:
    """Return FNV-1a of 128 bits in hexadecimal (Go: hash/fnv ``New128a``): static pods' UIDs from 1.35 on."""
    state = _OFFSET_128
    for byte in data:
        state = ((state ^ byte) * _PRIME_128) & _MASK_128
    return f"{state:032x}"


HEX_BY_NAME: Final[dict[str, Callable[[bytes], str]]] = {"md5": md5, "fnv128a": fnv128a}
"""Digests of static pods' UIDs by their name in the row ``staticPodDigest``."""
