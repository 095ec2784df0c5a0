"""What a format is: which results it can show, and the text that it makes of one.

Here are those of a terminal: tables, names, and sections of text that fit its columns. Nothing in it can fake
anything: what is not visible is escaped before it is measured. Where the columns are fewer than the text
needs, the widest columns of a table give way, and lines break between words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final
from unicodedata import east_asian_width

import msgspec
from msgspec import structs

from hashcompat.core.model.escape import IN_TEXT, UTF_8, Escapes, printable, prose, unobeyed, word
from hashcompat.output.report.model import Coloured, Line, Prose, Report, Screen, Section, Table

if TYPE_CHECKING:
    from hashcompat.core.model.results import Fact

Paint = Callable[[str, str], str]
"""Colours a text by a colour's name, or leaves it as it is."""


def facts_of(report: Report[Any], result: Any) -> list[Fact]:
    """Return what a result says of itself; nothing where that is not kept."""
    return list(report.provenance(result).facts()) if report.provenance else []


def plain(text: str, colour: str) -> str:  # noqa: ARG001 - the signature of Paint
    """Leave a text uncoloured."""
    return text


class Style(msgspec.Struct, frozen=True):
    """How people want to see a result."""

    headers: bool = True
    """Whether a table has its header line."""
    paint: Paint = plain
    screen: Screen = msgspec.field(default_factory=Screen)
    """What the result has to fit."""
    encoding: str = UTF_8
    """What the characters are written in, as ``codecs`` names it; what it lacks is escaped."""
    argument: str = ""
    """What follows the ``=`` of the format: columns, a template."""


class Format(msgspec.Struct, frozen=True):
    """One value of ``-o``, by functions of a module of this package, which is imported when it is used.

    The module has ``render_NAME``, which yields the text of a result in pieces, so that a large one is never
    held as a whole; and ``check_NAME`` and ``summary_NAME`` as ``takes`` and ``summary_in`` demand.
    """

    name: str
    module: str
    parts: tuple[str, ...]
    """What it shows of a report; it can show such results as have one of these."""
    for_programs: bool = False
    """Whether programs read it: it is UTF-8 then, and ASCII where the style's encoding is another."""
    takes: str = ""
    """What follows its name and ``=``, as ``--help`` shows it; empty where nothing does."""
    summary_in: str = ""
    """The environment variable that names a file for its summary; empty where it has none."""
    escapes: Escapes | None = IN_TEXT
    """How it escapes what a CI runner would obey; None where it does that itself."""
    exact: bool = False
    """Whether it shows exact text where a result is that (``Report.raw``)."""
    details: bool = False
    """Whether it shows the details of a plan, which are gathered only where something shows them."""

    def shows(self, report: Report[Any]) -> bool:
        """Return whether it can show such results."""
        return any(getattr(report, part) for part in self.parts)

    def render(self, report: Report[Any], result: Any, style: Style) -> Iterator[str]:
        """Yield the text of a result in pieces."""
        yield from self._function("render")(report, result, style)

    def check(self, argument: str) -> None:
        """Raise UsageError for what cannot follow the ``=``, before there is a result."""
        if self.takes:
            self._function("check")(argument)

    def summary(self, report: Report[Any], result: Any) -> Iterator[str]:
        """Yield what is added to the file of summaries."""
        yield from self._function("summary")(report, result)

    def _function(self, does: str) -> Any:
        module = import_module(f"hashcompat.output.formats.{self.module}")
        return getattr(module, f"{does}_{self.name.replace('-', '_')}")

    def written(self, report: Report[Any], result: Any, style: Style) -> Iterator[str]:
        """Yield the text of a result in pieces; a CI runner obeys only the format's own commands in it.

        Exact text stays as it is.
        """
        pieces = self.render(report, result, style)
        exact = self.exact and report.raw
        return pieces if exact or not self.escapes else unobeyed(pieces, self.escapes)


# What a terminal shows: tables, names, and sections of text that fit its columns.

LEAST: Final = 3
"""The columns that every cell keeps."""
_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes in which all is visible (UAX #11)."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    return 1 + (east_asian_width(char) in "WF")


def fitted(widths: Sequence[int], room: int) -> list[int]:
    """Return widths of columns that together take no more than ``room``: the widest give way, all at once.

    None becomes narrower than LEAST, or than it was.
    """
    narrowed = list(widths)
    while (excess := sum(narrowed) - room) > 0:
        widest = max(narrowed, default=0)
        if widest <= LEAST:
            break
        # all of the widest give way together, so that equal columns stay equal
        places = [place for place, width in enumerate(narrowed) if width == widest]
        below = max((width for width in narrowed if width < widest), default=LEAST)
        step = max(min(widest - max(below, LEAST), excess // len(places)), 1)
        for place in places[: max(excess, 1)]:
            narrowed[place] -= step
    return narrowed


def shortened(text: str, room: int, encoding: str) -> str:
    """Return a text with an ellipsis for what does not fit in its middle."""
    if width_of(text) <= room:
        return text
    gap = ellipsis_in(encoding)[:room]
    left = room - len(gap)
    return _start(text, left - left // 2) + gap + _start(text[::-1], left // 2)[::-1]


def cut(text: str, room: int, encoding: str) -> str:
    """Return a text with an ellipsis for what does not fit at its end."""
    if width_of(text) <= room:
        return text
    gap = ellipsis_in(encoding)[:room]
    return _start(text, room - len(gap)).rstrip() + gap


def ellipsis_in(encoding: str) -> str:
    """Return the ellipsis, in dots where an encoding lacks it."""
    try:
        _ELLIPSIS.encode(encoding)
    except UnicodeEncodeError:
        return "..."
    return _ELLIPSIS


def _start(text: str, room: int) -> str:
    """Return as much of the start of a text as fits."""
    for place, char in enumerate(text):
        room -= _width(char)
        if room < 0:
            return text[:place]
    return text


def wrapped(text: str, room: int, indent: int, *, breaks: bool) -> Iterator[tuple[int, int]]:
    """Yield where each line of a text starts and ends: at a space, or within a word too long if it breaks.

    The first line has ``room`` columns, the others some less, for an indent. An empty text is one line.
    """
    start = 0
    while start < len(text) or not start:
        end = start + max(len(_start(text[start:], room)), 1)
        if end < len(text):
            space = text.rfind(" ", start + 1, end + 1)
            if space > start:
                end = space
            elif not breaks:
                space = text.find(" ", end)
                end = space if space > 0 else len(text)
        yield start, min(end, len(text))
        room -= indent if not start else 0
        start = end + (text[end : end + 1] == " ")


_SPACE: Final = "  "
_HEADER_ROOM: Final = 2
Cell = str | Coloured | Prose


def table_lines(table: Table, style: Style, width: int | None = None) -> Iterator[str]:
    """Yield the lines of a table, kubectl's way; long cells are shortened to fit a ``width``.

    The rows are made twice, for the widths and for the cells, so that no large table is in memory.
    """
    if table.caption:
        yield printable(table.caption, style.encoding)
    room = _HEADER_ROOM if width is None else 0
    widths = [len(column) + room for column in table.columns] if style.headers else []
    for cells in _rows(table, style):
        widths = [max(pair) for pair in zip_longest(widths, map(width_of, map(str, cells)), fillvalue=0)]
    if table.bare and not any(True for _ in table.rows()):
        return
    if width is not None:
        widths = fitted(widths, width - len(_SPACE) * (len(widths) - 1))
    head: list[list[Cell]] = [list(table.columns)] if style.headers and table.columns else []
    for cells in chain(head, _rows(table, style)):
        padded = (
            _table_painted(cell, style, room) + " " * (room - width_of(str(cell)))
            for cell, room in zip(cells, widths, strict=False)
        )
        yield _SPACE.join(padded).rstrip()
    if table.after:
        after = f"{ellipsis_in(style.encoding)} {printable(table.after, style.encoding)}"
        ends = [(0, len(after))] if width is None else wrapped(after, width, 0, breaks=True)
        yield from (after[start:end] for start, end in ends)


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


def _table_painted(cell: Cell, style: Style, room: int) -> str:
    shorten = cut if isinstance(cell, Prose) else shortened
    text = shorten(str(cell), room, style.encoding)
    return style.paint(text, cell.colour) if isinstance(cell, Coloured) else text


_INDENT: Final = "  "
"""Comes before what is below a title."""
_NARROWEST: Final = 40
"""The columns of a terminal that everything is made to fit; on a narrower one lines break."""


def sections(parts: Iterable[Section], style: Style) -> Iterator[str]:
    """Yield the text of some sections in pieces, with an empty line between two, indented below a title."""
    width = style.screen.width and max(style.screen.width, _NARROWEST)
    for number, section in enumerate(parts):
        yield "\n" if number else ""
        if section.title:
            yield f"{printable(section.title, style.encoding)}\n"
        indent = _INDENT if section.title else ""
        for line in _body(section, style, width and width - len(indent)):
            yield f"{indent}{line}\n" if line else "\n"


def _body(section: Section, style: Style, width: int | None) -> Iterator[str]:
    if isinstance(section.body, Table):
        yield from table_lines(section.body, style, width if section.fits else None)
        return
    room = width if section.wraps or section.fits else None
    for line in section.body:
        yield from _line_texts(line, style, room, section)


def _line_texts(line: Line, style: Style, width: int | None, section: Section) -> Iterator[str]:
    """Yield a line of a section with its colours and everything escaped."""
    pieces = [
        (printable(str(piece), style.encoding), piece.colour if isinstance(piece, Coloured) else "")
        for piece in line
    ]
    text = "".join(shown for shown, _ in pieces)
    colours = [colour for shown, colour in pieces for _ in shown]
    if section.short and width is not None:
        text = cut(text, width, style.encoding)
    ends = iter([(0, len(text))])
    if width is not None:
        ends = wrapped(text, width, section.hanging, breaks=section.fits)
    for start, end in ends:
        yield " " * (section.hanging if start else 0) + _line_painted(
            text[start:end], colours[start:end], style
        )


def _line_painted(text: str, colours: list[str], style: Style) -> str:
    """Return a text with runs of one colour painted at once."""
    painted, start = "", 0
    for end in range(1, len(text) + 1):
        if end == len(text) or colours[end] != colours[start]:
            run = text[start:end]
            painted += style.paint(run, colours[start]) if colours[start] else run
            start = end
    return painted


def render_text(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.raw:
        yield from report.raw(result)
    elif report.text:
        yield from sections(report.text(result), structs.replace(style, headers=True))


def render_table(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces: what people see in place of the table, if there is such."""
    if report.overview:
        yield from sections(report.overview(result, style.screen), style)
    elif report.table:
        yield from (f"{line}\n" for line in table_lines(report.table(result), style))
    else:
        yield from render_text(report, result, style)


def render_wide(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.wide:
        yield from (f"{line}\n" for line in table_lines(report.wide(result), style))


def render_name(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.names:
        yield from (f"{printable(name, style.encoding)}\n" for name in report.names(result))
