"""Tables and lines as a terminal shows them: nothing that a name could fake, and shortened if asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, zip_longest
from typing import Final

from hashcompat.formats.fitting import cut, ellipsis_in, fitted, shortened, width_of, wrapped
from hashcompat.formats.model import Style
from hashcompat.model.escape import printable, prose, word
from hashcompat.report.model import Coloured, Prose, Table

_SPACE: Final = "  "

_HEADER_ROOM: Final = 2

Cell = str | Coloured | Prose


def table_lines(table: Table, style: Style, width: int | None = None) -> Iterator[str]:
    """Yield the lines of a table, kubectl's way; long cells are shortened to fit a ``width``.

    The rows are made twice, for the widths and for the cells, so that no large table is in memory.
    """
    if table.caption:
        yield printable(table.caption, style.encoding)
    widths = _widths(table, style, _HEADER_ROOM if width is None else 0)
    if table.bare and not any(True for _ in table.rows()):
        return
    if width is not None:
        widths = fitted(widths, width - len(_SPACE) * (len(widths) - 1))
    head: list[list[Cell]] = [list(table.columns)] if style.headers and table.columns else []
    for cells in chain(head, _rows(table, style)):
        padded = (
            _painted(cell, style, room) + " " * (room - width_of(str(cell)))
            for cell, room in zip(cells, widths, strict=False)
        )
        yield _SPACE.join(padded).rstrip()
    if table.after:
        after = f"{ellipsis_in(style.encoding)} {printable(table.after, style.encoding)}"
        ends = [(0, len(after))] if width is None else wrapped(after, width, 0, breaks=True)
        yield from (after[start:end] for start, end in ends)


def _widths(table: Table, style: Style, header_room: int) -> list[int]:
    widths = [len(column) + header_room for column in table.columns] if style.headers else []
    for cells in _rows(table, style):
        widths = [max(pair) for pair in zip_longest(widths, map(width_of, map(str, cells)), fillvalue=0)]
    return widths


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
    return Prose(prose(text, encoding)) if isinstance(value, Prose) else word(text, encoding)


def _painted(cell: Cell, style: Style, room: int) -> str:
    shorten = cut if isinstance(cell, Prose) else shortened
    text = shorten(str(cell), room, style.encoding)
    return style.paint(text, cell.colour) if isinstance(cell, Coloured) else text
