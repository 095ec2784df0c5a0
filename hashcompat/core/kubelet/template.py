"""A container that differs from pod to pod by a few values alone: hashed once, but for these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.compile.spew import in_bytes
from hashcompat.core.go.digest import Digest, Texts, going_on
from hashcompat.core.go.jsontext import ESCAPES, quote
from hashcompat.core.kubelet.hashing import Hasher
from hashcompat.core.model.verdicts import Hash

_ESCAPES: Final = ESCAPES["go1.22"]
_LONGEST_REMEMBERED: Final = 1 << 12
"""Characters; of their bytes as numbers each takes four."""


class Around(msgspec.Struct, frozen=True):
    """A hash as a function of names in the hashed text."""

    digest: Digest
    """What makes the hash of the text."""
    in_bytes: bool
    """Whether the text is JSON's bytes, printed as numbers."""
    before: int
    """The digest of what precedes the first name, or of the whole text if none is in it."""
    after: tuple[tuple[int, bytes], ...]
    """The names in the text by number, each with the text that follows it, in UTF-8."""
    go_on: Callable[[Texts], int]
    """The hash by the names as they are printed."""
    stored: Hash | None = None
    """What a snapshot stores in place of that hash; only where no name is in the text."""

    @classmethod
    def of(cls, hasher: Hasher, before: int, after: tuple[tuple[int, str], ...]) -> Around:
        """Return the hash of a text that follows a digest."""
        encoded = tuple((number, text.encode()) for number, text in after)
        go_on = going_on(hasher.digest, before, encoded)
        return cls(hasher.digest, len(hasher.stages) > 1, before, encoded, go_on)

    @property
    def size(self) -> int:
        """The bytes that it keeps."""
        return sum(len(text) for _, text in self.after)

    @property
    def way(self) -> tuple[object, ...]:
        """What decides the hash besides the names."""
        return self.digest, self.in_bytes, self.before, self.after, self.stored

    def hash(self, names: Sequence[str]) -> Hash:
        """Return the hash of the container with these names."""
        if not self.after:
            return self.before if self.stored is None else self.stored
        # From 1.31 on most names are in no hashed text, and bytes take longer to print than to hash.
        printed = {number: _in_json(names[number]) for number, _ in self.after} if self.in_bytes else names
        return self.go_on(printed)


def _in_json(text: str) -> str:
    """Return how the bytes of JSON hold a text without a character that the tables treat differently."""
    return _printed(text) if len(text) <= _LONGEST_REMEMBERED else _printed.__wrapped__(text)


@lru_cache(maxsize=1 << 10)
def _printed(text: str) -> str:
    # The same for each kubelet that hashes a container, and for most of its replicas.
    return in_bytes(quote(text, _ESCAPES)[1:-1])


def around(hasher: Hasher, container: Mapping[str, Any], names: Sequence[str]) -> Around:
    """Hash a container's JSON but for names of ASCII letters, digits and ``-._:/@+``.

    Each has to be the value of a string field, never a key of a map, and to occur in no other text of the
    container, nor in another name. Then it is in at most one place of the hashed text, as it is or byte by
    byte: no printer changes such characters, and each puts something else between two texts. So another name
    changes nothing but this place.
    """
    return around_in("".join(hasher.pieces_of(container)), hasher, names)


def around_in(whole: str, hasher: Hasher, names: Sequence[str]) -> Around:
    """Return the hash of a text that a hasher printed, but for names as above."""
    # encoding/json's bytes are printed as numbers
    as_bytes = len(hasher.stages) > 1
    written = {number: in_bytes(name) if as_bytes else name for number, name in enumerate(names)}
    places = sorted((whole.index(name), number) for number, name in written.items() if name in whole)
    texts, end = list[str](), 0
    for start, number in places:
        texts.append(whole[end:start])
        end = start + len(written[number])
    texts.append(whole[end:])
    # the caller's promise, checked: a name in two places would be replaced in one of them only
    if any(name in text for text in texts for name in written.values()):
        raise ValueError("a name is in the hashed text twice")
    first, *rest = texts
    after = tuple((number, text) for (_, number), text in zip(places, rest, strict=True))
    return Around.of(hasher, hasher.digest([first]), after)
