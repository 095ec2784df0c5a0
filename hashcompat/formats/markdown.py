"""``-o markdown``: a table as GitHub and GitLab show it in comments and summaries (GFM)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hashcompat.formats.model import Style
from hashcompat.formats.sheets import sheet
from hashcompat.model.escape import distinct, prose
from hashcompat.report.model import Prose, Report

_MARKS: Final = re.compile(r"[\\`*_\[\]|~$]|:(?=//|[\w+-]+:)|(?<=www)\.", re.IGNORECASE)
"""What is a mark within a cell: code, emphasis, links, cells, strikes, formulas, emoji and addresses."""

_EDGES: Final = re.compile("^ | $")

_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines; raises TypeError for a result without a table."""
    table = sheet(report, result)
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
