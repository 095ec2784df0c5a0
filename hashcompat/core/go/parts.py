"""Parts of a stream of documents, so that a list of a million objects is never in memory at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec

ITEMS: Final = "items"
Lines = Callable[[str, Sequence[Any]], Sequence[int]]
"""Returns the lines, from 1, at which the objects in a list begin; 0 for one that is not known.

It takes the list's key, and the very list in the value. A line ends with LF or CRLF, as in editors.
"""


class Run(msgspec.Struct, frozen=True):
    """Elements of ``items`` that were decoded together, and are the value of one part."""

    values: Sequence[Any]
    """What each of them became, in their order."""


class Part(msgspec.Struct, frozen=True, eq=False):  # noqa: PLW1641 - it holds JSON
    """A whole document, or one element of the list under its key ``items``, or a run of them.

    After the elements of a document, its other keys follow as a document without ``items``.
    """

    document: int
    """The document's number in the stream, from 1."""

    value: Any
    """The JSON value of the document or element; a ``Run`` of some elements."""

    index: int | None = None
    """The element's index, from 0; the first one's of a run; None for a document."""

    kind: Any = None
    """The document's ``kind`` if it precedes the element; ``kubectl get -o json`` writes it after the
    items."""

    lines: Lines | None = None
    """Where the objects in lists of the value begin; None where nobody knows."""

    def __eq__(self, other: object) -> bool:
        """Return whether all is equal but for the lines."""
        return isinstance(other, Part) and _facts(self) == _facts(other)


_facts = attrgetter("document", "value", "index", "kind")
