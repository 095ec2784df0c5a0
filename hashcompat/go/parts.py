"""Parts of a stream of documents, so that a list of a million objects is never in memory at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

ITEMS: Final = "items"


@dataclass(frozen=True, slots=True)
class Part:
    """A whole document, or one element of the list under its key ``items``.

    After the elements of a document, its other keys follow as a document without ``items``.
    """

    document: int
    """The document's number in the stream, from 1."""

    value: Any
    """The JSON value of the document or element."""

    index: int | None = None
    """The element's index, from 0; None for a document."""

    kind: Any = None
    """The document's ``kind`` if it precedes the element; ``kubectl get -o json`` writes it after the
    items."""
