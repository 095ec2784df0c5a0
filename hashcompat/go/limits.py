"""How large one object of an input may be, so that no input needs much memory, whatever it repeats or nests.

API servers accept no request above 3 MiB (k8s.io/apiserver ``MaxRequestBodyBytes``) and etcd stores no value
above 1.5 MiB (``--max-request-bytes``). The limits leave space for JSON, which writes one byte of protobuf as
up to six, and for indentation. They hold for one object: lists and files may be of any length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from hashcompat.errors import InputError

DEEPEST: Final = 700
"""Levels of lists and objects in JSON; no type of core/v1 has 20, and Python's own encoder ends at 1,000."""

LONGEST: Final = 8 << 20
"""Characters of one object: several times what an API server accepts. In a text with one beyond U+FFFF each
counts twice, for it takes four bytes of memory."""

MOST_VALUES: Final = 500_000
"""Values in one object; each needs up to 250 bytes of memory, and an object of 1.5 MiB has fewer."""

LONGEST_DOCUMENT: Final = 64 << 20
"""Characters of what a document holds outside its ``items``: the records of a snapshot of 300,000 containers,
the most that Kubernetes supports in one cluster."""

MOST_DOCUMENT_VALUES: Final = 2_000_000
"""Values there."""

_PIECE: Final = 1 << 16
"""Characters that are looked at together, so few that they stay in the processor's cache."""

_OBJECT: Final = "one object"

_CHARACTERS: Final = "characters"

_REASON: Final = "API servers accept no object above 3 MiB"


class Meter:
    """Adds up the size of one thing while it is read."""

    def __init__(self, what: str, longest: int, most: int) -> None:
        self._what, self._longest, self._most = what, longest, most
        self._characters = self._values = 0

    def add(self, characters: int, values: int) -> None:
        """Raise InputError where there are now more characters or values than one thing may have."""
        self._characters += characters
        self._values += values
        if self._characters > self._longest:
            raise _too_much(self._longest, _CHARACTERS, self._what)
        if self._values > self._most:
            raise _too_much(self._most, "values", self._what)


def object_meter() -> Meter:
    """Return a meter for one object."""
    return Meter(_OBJECT, LONGEST, MOST_VALUES)


def document_meter() -> Meter:
    """Return a meter for what one document holds outside its ``items``."""
    return Meter("one document besides its items", LONGEST_DOCUMENT, MOST_DOCUMENT_VALUES)


def too_long() -> InputError:
    """Return the error for a text that is longer than any object before it ends."""
    return _too_much(LONGEST, _CHARACTERS, _OBJECT)


def _too_much(most: int, noun: str, what: str) -> InputError:
    return InputError(f"more than {most:,} {noun} in {what}; {_REASON}")


def characters_in(text: str, start: int = 0, end: int | None = None) -> int:
    """Return how many characters a part of a text counts as; lone surrogates are as long as others."""
    end = len(text) if end is None else end
    if text.isascii():
        return end - start
    wide = any(_is_wide(text[place:behind]) for place, behind in _pieces(start, end))
    return (end - start) * (2 if wide else 1)


def _is_wide(text: str) -> bool:
    """Return whether a character is beyond U+FFFF, which takes two units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


def values_in(text: str, start: int = 0, end: int | None = None) -> int:
    """Return how many values a part of a JSON text has at most: what separates them is counted."""
    pieces = _pieces(start, len(text) if end is None else end)
    return 1 + sum(text.count(char, *piece) for piece in pieces for char in ",[{")


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a part begin and end."""
    return ((place, min(place + _PIECE, end)) for place in range(start, end, _PIECE))


def is_small(start: int, end: int) -> bool:
    """Return whether a part of a JSON text is within an object's limits by its length alone.

    No value is shorter than a character, and no character counts more than twice. Counting takes as long as
    decoding.
    """
    return end - start <= min(MOST_VALUES, LONGEST // 2)


def may_be_deep(text: str, start: int, end: int) -> bool:
    """Return whether a part of a JSON text opens so many lists and objects that it may be too deep."""
    return text.count("{", start, end) + text.count("[", start, end) > DEEPEST


def check_depth(value: Any) -> None:
    """Raise InputError for a value of JSON that is nested deeper than ``DEEPEST``."""
    level = _below([value])
    for _ in range(DEEPEST):
        if not level:
            return
        level = _below(child for parent in level for child in _children(parent))
    if level:
        raise too_deep()


def _below(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if type(value) in (dict, list)]


def _children(parent: Any) -> Iterable[Any]:
    return parent.values() if type(parent) is dict else parent


def too_deep(most: int = DEEPEST) -> InputError:
    """Return the error for nesting deeper than any Kubernetes object needs."""
    return InputError(f"nested too deeply to be a Kubernetes object: more than {most} levels")
