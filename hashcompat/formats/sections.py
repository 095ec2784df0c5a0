"""Sections of a text, one by one and line by line; they fit a terminal where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hashcompat.formats.fitting import cut, wrapped
from hashcompat.formats.layout import table_lines
from hashcompat.formats.model import Style
from hashcompat.model.escape import printable
from hashcompat.report.model import Coloured, Line, Section, Table

_INDENT: Final = "  "
"""Comes before what is below a title."""

_NARROWEST: Final = 40
"""The columns of a terminal that everything is made to fit; on a narrower one lines break."""


def sections(found: Iterable[Section], style: Style) -> Iterator[str]:
    """Yield the text of some sections in pieces, with an empty line between two."""
    width = style.screen.width and max(style.screen.width, _NARROWEST)
    for number, section in enumerate(found):
        yield "\n" if number else ""
        yield from (f"{line}\n" for line in _lines(section, style, width))


def _lines(section: Section, style: Style, width: int | None) -> Iterator[str]:
    """Yield a section's lines, indented below its title if it has one."""
    if not section.title:
        yield from _body(section, style, width)
        return
    yield printable(section.title, style.encoding)
    for line in _body(section, style, width and width - len(_INDENT)):
        yield f"{_INDENT}{line}" if line else ""


def _body(section: Section, style: Style, width: int | None) -> Iterator[str]:
    if isinstance(section.body, Table):
        yield from table_lines(section.body, style, width if section.fits else None)
        return
    room = width if section.wraps or section.fits else None
    for line in section.body:
        yield from _line_texts(line, style, room, section)


def _line_texts(line: Line, style: Style, width: int | None, section: Section) -> Iterator[str]:
    """Yield a line of a section with its colours and everything escaped."""
    pieces = [(printable(str(piece), style.encoding), _colour(piece)) for piece in line]
    text = "".join(shown for shown, _ in pieces)
    colours = [colour for shown, colour in pieces for _ in shown]
    if section.short and width is not None:
        text = cut(text, width, style.encoding)
    ends = iter([(0, len(text))])
    if width is not None:
        ends = wrapped(text, width, section.hanging, breaks=section.fits)
    for start, end in ends:
        yield " " * (section.hanging if start else 0) + _painted(text[start:end], colours[start:end], style)


def _colour(piece: str | Coloured) -> str:
    return piece.colour if isinstance(piece, Coloured) else ""


def _painted(text: str, colours: list[str], style: Style) -> str:
    """Return a text with runs of one colour painted at once."""
    painted, start = "", 0
    for end in range(1, len(text) + 1):
        if end == len(text) or colours[end] != colours[start]:
            run = text[start:end]
            painted += style.paint(run, colours[start]) if colours[start] else run
            start = end
    return painted
