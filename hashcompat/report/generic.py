"""Any result as a page: what its text says, and its table with every column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hashcompat.report.model import Coloured, Line, Report, Screen, Section, Table
from hashcompat.report.page import Listing, Main, Page, Piece, Row

_WORDS = {"red": "bad", "magenta": "open", "yellow": "open", "green": "good"}


def generic_page(report: Report[Any], result: Any) -> Page:
    """Return the page of a result that has no page of its own."""
    table = report.sheet or report.wide or report.table
    return Page(
        title=report.kind,
        texts=list(_texts(report, result)),
        notes=list(report.notes(result)),
        main=_main(report.kind, table(result)) if table else None,
    )


def _texts(report: Report[Any], result: Any) -> Iterator[Listing | Sequence[Sequence[Piece]]]:
    """Yield what comes before the table: the sections that people see in place of one."""
    sections: Sequence[Section] = ()
    if report.overview:
        sections = list(report.overview(result, Screen()))
    elif report.text and not report.raw:
        sections = list(report.text(result))
    for section in sections:
        if section.title:
            yield [[Piece(section.title, "title")]]
        yield _body(section)


def _body(section: Section) -> Listing | Sequence[Sequence[Piece]]:
    body = section.body
    if isinstance(body, Table):
        return Listing(body.columns, body.rows, body.caption, body.after)
    return [_line(line) for line in body]


def _line(line: Line) -> Sequence[Piece]:
    return [
        Piece(piece.text, _WORDS.get(piece.colour, "")) if isinstance(piece, Coloured) else Piece(piece)
        for piece in line
    ]


def _main(kind: str, table: Table) -> Main:
    return Main("rows", table.caption or kind, table.columns, lambda: map(Row, table.rows()))
