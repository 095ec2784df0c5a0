"""A container that differs from pod to pod by one name alone: hashed once, but for that name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.compile.spew import in_bytes
from hashcompat.kubelet.hashing import Hasher


@dataclass(frozen=True, slots=True)
class Around:
    """A hash as a function of a name in the hashed text."""

    hasher: Hasher
    """What hashes the text."""
    before: int
    """The digest of what precedes the name, or of the whole text if the name is not in it."""
    after: tuple[str, ...] | None
    """The pieces of text that follow the name; None if it is not in the text."""

    def hash(self, name: str) -> int:
        """Return the unsigned 32-bit hash of the container with this name."""
        if self.after is None:
            return self.before
        return self.hasher.digest([_written(self.hasher, name), *self.after], self.before)


def around(hasher: Hasher, container: Mapping[str, Any], name: str) -> Around:
    """Hash a container's JSON but for a name of ASCII letters, digits and hyphens.

    The name has to be the value of a string field, never a key of a map, and to occur in no other text of the
    container. Then it is in at most one piece of the hashed text, as it is or byte by byte: no printer
    changes such characters, and each puts something else between two texts. So another name changes nothing
    but this place. Errors as Hasher.hash.
    """
    pieces = hasher.pieces(hasher.decode(container))
    written = _written(hasher, name)
    places = [index for index, piece in enumerate(pieces) if written in piece] if name else []
    if not places:
        return Around(hasher, hasher.digest(pieces), None)
    (place,) = places
    head, tail = pieces[place].split(written)
    return Around(hasher, hasher.digest([*pieces[:place], head]), (tail, *pieces[place + 1 :]))


def _written(hasher: Hasher, name: str) -> str:
    """Return a name as the hashed text holds it: encoding/json's bytes are printed as numbers."""
    return in_bytes(name) if len(hasher.stages) > 1 else name
