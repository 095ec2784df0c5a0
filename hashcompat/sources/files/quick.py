"""Many items of a saved document at once, by msgspec: only what the strict decoder would read alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from hashcompat.go.parts import Run
from hashcompat.model.digest import Digest, line_of

_PLAIN: Final = msgspec.json.Decoder(list[dict[str, Any]])
_ENCODER: Final = msgspec.json.Encoder(order="sorted")


Typed = Callable[[str], tuple[Sequence[Any], bytes] | None]
"""Makes values of a whole JSON list of items, and the lines of these; None for a list that it leaves."""


class Summed:
    """Adds up the digest of a document while its items are decoded."""

    def __init__(self, typed: Typed | None = None) -> None:
        """``typed`` is asked first."""
        self.digest = Digest()
        self._typed = typed
        self._ahead = 0  # items that were added when they were decoded

    def decoded(self, text: str) -> list[tuple[dict[str, Any], str]] | Run | None:
        """Return a JSON list of objects, as ``decoded``; whoever takes the items adds them in their order.

        Those that ``typed`` took are a run, and are added.
        """
        if self._typed and (taken := self._typed(text)) is not None:
            self.digest.add(taken[1])
            return Run(taken[0])
        found = decoded(text)
        if found is None:
            return None
        items, lines = found
        self._ahead += len(items)
        self.digest.add(lines)
        return [(item, "") for item in items]

    def add(self, item: object) -> None:
        """Add the next item."""
        if self._ahead:
            self._ahead -= 1
        else:
            self.digest.add(line(item))


def decoded(text: str) -> tuple[list[dict[str, Any]], bytes] | None:
    """Return the objects of a JSON list, and their lines; None where a key may be there twice.

    Each key and string has two quotes: where as many are left once it is written again, no key was dropped.
    None too for what is not plain.
    """
    if "\\u" in text:
        return None
    try:
        found = _PLAIN.decode(text)
        lines = _ENCODER.encode_lines(found)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return (found, lines) if lines.count(b'"') == text.count('"') else None


def line(value: object) -> bytes:
    """Return the canonical JSON of an item with a line break, as ``line`` of the digest."""
    try:
        return _ENCODER.encode(value) + b"\n"
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return line_of(value)
