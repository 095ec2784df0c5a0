"""``-o csv`` and ``-o markdown``: the table of a result, for spreadsheets and for comments.

CSV has a row an item, as RFC 4180 has them. A spreadsheet runs what begins like a formula, so an apostrophe
goes before it (OWASP, CSV Injection). What nobody sees is escaped, line breaks included, so that a row is a
line.

Markdown is that of GitHub and GitLab (GFM); results with pages, such as a runbook, are written as these.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from hashcompat.core.model.escape import distinct, printable, prose
from hashcompat.output.formats.model import Style, facts_of
from hashcompat.output.report.model import Block, Bullets, Code, Heading, Prose, Report, Script, Table


def sheet(report: Report[Any], result: Any) -> Table:
    """Return the table of a result; raises TypeError where there is none."""
    make = report.sheet or report.wide or report.table
    if make is None:
        raise TypeError(f"{report.kind} has no table")
    return make(result)


_GUARDED: Final = tuple("=+-@＝＋－＠'")
"""How a formula begins, and the apostrophe itself, so that removing one gives the text.

A tab and a carriage return, which OWASP lists too, are escaped anyway.
"""


def render_csv(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines; raises TypeError for a result without a table."""
    table = sheet(report, result)
    # a row may be filtered, sorted and pasted anywhere, so each says where it comes from
    facts = facts_of(report, result)
    columns = [fact.key.upper().replace("_", " ") for fact in facts]
    made = [_cell(fact.text, style) for fact in facts]
    head = [[*map(partial(_cell, style=style), table.columns), *columns]] if style.headers else []
    rows = ([*map(partial(_cell, style=style), cells), *made] for cells in table.rows())
    for cells in chain(head if table.columns else [], rows):
        line = io.StringIO()
        csv.writer(line).writerow(cells)
        yield line.getvalue()


def _cell(value: object, style: Style) -> object:
    """Return a number as it is, nothing for None, and a text that is not a formula."""
    if value is None or isinstance(value, int):
        return value
    text = distinct(str(value), style.encoding)
    return f"'{text}" if text.startswith(_GUARDED) else text


_MARKS: Final = re.compile(r"[\\`*_\[\]|~$]|:(?=//|[\w+-]+:)|(?<=www)\.", re.IGNORECASE)
"""What is a mark within a cell: code, emphasis, links, cells, strikes, formulas, emoji and addresses."""
_TICKS: Final = re.compile("`+")
_EDGES: Final = re.compile("^ | $")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render_markdown(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines; raises TypeError for a result without a table."""
    made = Bullets([f"{fact.name}: {fact.text}" for fact in facts_of(report, result)])
    if report.pages:
        # what is followed line by line begins with what it is about; a table ends with that
        first, *blocks = report.pages(result)
        for number, block in enumerate([first, *([made] if made.lines else []), *blocks]):
            yield "\n" if number else ""
            yield from _block(block, style)
    else:
        for text in report.lead(result):
            yield f"{escaped(text, style)}\n\n"
        yield from _table(report.folded(result) if report.folded else sheet(report, result), style)
        yield "\n" if made.lines else ""
        yield from _block(made, style)


def _block(block: Block, style: Style) -> Iterator[str]:
    match block:
        case Heading():
            yield f"{'#' * block.level} {_plain(printable(block.text, style.encoding))}\n"
        case Bullets():
            yield from (f"- {_plain(prose(text, style.encoding))}\n" for text in block.lines)
        case Script():
            lines = [_typed(words, style) for words in block.lines]
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall("".join(lines))), default=0))
            yield f"{fence}sh\n{''.join(lines)}{fence}\n"
        case _:
            yield from _table(block, style)


def _typed(words: str | tuple[str, ...] | Code, style: Style) -> str:
    """Return a comment, or a command as a shell takes it; none with a name that people do not see whole."""
    if isinstance(words, str):
        return f"# {printable(words, style.encoding)}\n"
    names = words.names if isinstance(words, Code) else words
    if any(printable(part, style.encoding) != part for part in names):
        return "# no command: a name in it has characters that are not visible, or that a CI runner obeys\n"
    return f"{words.shell if isinstance(words, Code) else shlex.join(words)}\n"


def _table(table: Table, style: Style) -> Iterator[str]:
    if table.caption:
        yield f"{escaped(table.caption, style)}\n\n"
    yield line([escaped(name, style) for name in table.columns])
    yield line(["---"] * len(table.columns))
    for cells in table.rows():
        yield line([cell(value, style) for value in cells])


def line(cells: Sequence[str]) -> str:
    """Return one line of a table, of cells that are escaped."""
    return f"| {' | '.join(cells)} |\n"


def cell(value: object, style: Style) -> str:
    """Return a cell: empty for None, and a text in which nothing is a mark."""
    if isinstance(value, Prose):
        return _plain(prose(value.text, style.encoding))
    return "" if value is None else escaped(str(value), style)


def escaped(text: str, style: Style) -> str:
    """Escape a text, so that it is shown as it is and a line break in it ends no row."""
    return _plain(distinct(text, style.encoding))


def _plain(text: str) -> str:
    return _EDGES.sub("&#32;", _MARKS.sub(r"\\\g<0>", text).translate(_ENTITIES))
