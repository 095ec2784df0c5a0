"""The details of a plan as a part of its document."""

from __future__ import annotations

from collections.abc import Iterable

from hashcompat.model.details import Details, Difference, Pair, Piece
from hashcompat.report.model import Document


def details_document(details: Details) -> Document:
    """Return the details; an item's ``difference`` counts the differences from 1."""
    return {
        "differences": list(map(_difference, details.differences)),
        "omitted": details.omitted,
        "releases": list(details.releases),
        "passed": details.passed,
        "pairs": list(map(_pair, details.pairs)),
    }


def _difference(found: Difference) -> Document:
    return {
        "from": found.old,
        "to": found.new,
        "fragment": _pieces(found.pieces),
        "more": found.more,
        "hashes": list(found.hashes),
        "begins": [{"pieces": _pieces(pieces)} for pieces in found.begins],
        "example": found.example,
    }


def _pieces(pieces: Iterable[Piece]) -> list[Document]:
    return [{"kind": piece.kind.value, "text": piece.text} for piece in pieces]


def _pair(pair: Pair) -> Document:
    return {
        "from": pair.old,
        "to": pair.new,
        "scope": pair.scope.value,
        "findings": pair.findings,
        "unknown": pair.unknown,
    }
