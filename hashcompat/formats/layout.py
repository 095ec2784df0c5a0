"""Tables and lines as a terminal shows them: nothing truncated, and nothing that a name could fake."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, zip_longest
from typing import Final
from unicodedata import east_asian_width

from hashcompat.formats.model import Style
from hashcompat.model.escape import printable, prose, word
from hashcompat.report.model import Coloured, Line, Prose, Table

_SPACE: Final = "  "

_HEADER_ROOM: Final = 2

Cell = str | Coloured


def table_lines(table: Table, style: Style) -> Iterator[str]:
    """Yield the lines of a table, kubectl's way.

    The rows are made twice, for the widths and for the cells, so that no large table is in memory.
    """
    if table.caption:
        yield printable(table.caption, style.encoding)
    widths = _widths(table, style)
    if table.bare and not any(True for _ in table.rows()):
        return
    head: list[list[Cell]] = [list(table.columns)] if style.headers and table.columns else []
    for cells in chain(head, _rows(table, style)):
        padded = (
            _painted(cell, style) + " " * (width - _width(str(cell)))
            for cell, width in zip(cells, widths, strict=False)
        )
        yield _SPACE.join(padded).rstrip()


def _widths(table: Table, style: Style) -> list[int]:
    widths = [len(column) + _HEADER_ROOM for column in table.columns] if style.headers else []
    for cells in _rows(table, style):
        widths = [max(pair) for pair in zip_longest(widths, map(_width, map(str, cells)), fillvalue=0)]
    return widths


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes in which all is visible (UAX #11)."""
    return len(text) if text.isascii() else sum(1 + (east_asian_width(char) in "WF") for char in text)


def _rows(table: Table, style: Style) -> Iterator[list[Cell]]:
    cell = partial(_cell, encoding=style.encoding)
    return ([*map(cell, row)] for row in table.rows())


def _cell(value: object, encoding: str) -> Cell:
    """Return a cell's text: a name is one word, prose has single spaces."""
    if isinstance(value, Coloured):
        return value
    text = str(value)
    if value is None or not text:
        return "-"
    return prose(text, encoding) if isinstance(value, Prose) else word(text, encoding)


def line_text(line: Line, style: Style) -> str:
    """Return a line with its colours, every piece escaped."""
    return "".join(
        style.paint(printable(piece.text, style.encoding), piece.colour)
        if isinstance(piece, Coloured)
        else printable(piece, style.encoding)
        for piece in line
    )


def _painted(cell: Cell, style: Style) -> str:
    return style.paint(cell.text, cell.colour) if isinstance(cell, Coloured) else cell
