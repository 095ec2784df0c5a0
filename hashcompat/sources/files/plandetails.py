"""Read the details of a saved plan."""

from __future__ import annotations

from collections.abc import Iterable

from hashcompat.errors import InputError
from hashcompat.model.details import Details, Difference, Kind, Pair, Piece, Scope
from hashcompat.model.items import Item
from hashcompat.sources.documents import Row


def details_of(row: Row, items: Iterable[Item]) -> Details:
    """Return the details of a plan with these items.

    Raises InputError, with the path, for what no details have, and for an item with a difference that is
    not among them.
    """
    found = Details(
        tuple(map(_difference, row.rows("differences"))),
        row.number("omitted"),
        row.texts("releases"),
        row.number("passed"),
        tuple(map(_pair, row.rows("pairs"))),
    )
    if any(item.difference > len(found.differences) for item in items):
        raise InputError(f"{row.path}.differences: fewer than an item counts: the plan was cut or edited")
    return found


def _difference(row: Row) -> Difference:
    begins = [_pieces(one.rows("pieces")) for one in row.rows("begins")]
    return Difference(
        row.text("from"),
        row.text("to"),
        _pieces(row.rows("fragment")),
        row.truth("more"),
        row.texts("hashes"),
        tuple(begins),
        row.text("example"),
    )


def _pieces(rows: Iterable[Row]) -> tuple[Piece, ...]:
    return tuple(Piece(row.word("kind", Kind), row.text("text")) for row in rows)


def _pair(row: Row) -> Pair:
    counts = [None if row.value.get(key) is None else row.number(key) for key in ("findings", "unknown")]
    return Pair(row.text("from"), row.text("to"), row.word("scope", Scope), *counts)
