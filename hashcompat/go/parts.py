"""Pieces of a stream of documents, so that a list of a million objects need not be in memory at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

ITEMS: Final = "items"


@dataclass(frozen=True, slots=True)
class Part:
    """A whole document, or one element of the list under its key ``items`` (``index``, from 0).

    ``document`` counts from 1. Of a document whose elements came one by one, the other keys come last, as a
    document without ``items``; ``kind`` is what the document has told of its kind before the element:
    ``kubectl get -o json`` writes it behind the items.
    """

    document: int
    value: Any
    index: int | None = None
    kind: Any = None
