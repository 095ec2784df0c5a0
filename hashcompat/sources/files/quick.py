"""Many items of a saved document at once, by msgspec: only what the strict decoder would read alike."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from hashcompat.model.digest import canonical

_PLAIN: Final = msgspec.json.Decoder(list[dict[str, Any]])
_ENCODER: Final = msgspec.json.Encoder(order="sorted")


def decoded(text: str) -> list[dict[str, Any]] | None:
    """Return a JSON list of objects; None where a key may be there twice, and for what is not plain.

    Each key and string has two quotes: where as many are left once it is written again, no key was dropped.
    """
    if "\\u" in text:
        return None
    try:
        found = _PLAIN.decode(text)
        written = _ENCODER.encode(found)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return found if written.count(b'"') == text.count('"') else None


def line(value: object) -> bytes:
    """Return the canonical JSON of an item, as ``canonical``."""
    try:
        return _ENCODER.encode(value)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return canonical(value)
