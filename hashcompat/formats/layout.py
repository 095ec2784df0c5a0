"""Tables and lines as a terminal shows them: nothing truncated, control characters escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import Final

from hashcompat.formats.escape import printable
from hashcompat.formats.model import Paint, Style
from hashcompat.report.model import Coloured, Line, Table

_SPACE: Final = "  "

_HEADER_ROOM: Final = 2

Cell = str | Coloured


def table_lines(table: Table, style: Style) -> Iterator[str]:
    """Yield the lines of a table, kubectl's way.

    The rows are made twice, for the widths and for the cells, so that no large table is in memory.
    """
    if table.caption:
        yield printable(table.caption)
    widths = _widths(table, style)
    if table.bare and not any(True for _ in table.rows()):
        return
    head: list[list[Cell]] = [list(table.columns)] if style.headers and table.columns else []
    for cells in chain(head, map(_cells, table.rows())):
        padded = (
            _painted(cell, style.paint) + " " * (width - len(str(cell)))
            for cell, width in zip(cells, widths, strict=False)
        )
        yield _SPACE.join(padded).rstrip()


def _widths(table: Table, style: Style) -> list[int]:
    widths = [len(column) + _HEADER_ROOM for column in table.columns] if style.headers else []
    for cells in map(_cells, table.rows()):
        widths = [max(pair) for pair in zip_longest(widths, (len(str(cell)) for cell in cells), fillvalue=0)]
    return widths


def _cells(row: Iterable[object]) -> list[Cell]:
    return [_cell(value) for value in row]


def _cell(value: object) -> Cell:
    if isinstance(value, Coloured):
        return value
    return "-" if value is None or value == "" else printable(str(value))


def line_text(line: Line, paint: Paint) -> str:
    """Return a line with its colours, every piece escaped."""
    return "".join(
        paint(printable(piece.text), piece.colour) if isinstance(piece, Coloured) else printable(piece)
        for piece in line
    )


def _painted(cell: Cell, paint: Paint) -> str:
    return paint(cell.text, cell.colour) if isinstance(cell, Coloured) else cell
