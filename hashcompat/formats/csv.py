"""``-o csv``: a row an item, as RFC 4180 has them, for spreadsheets and databases.

A spreadsheet runs what begins like a formula, so an apostrophe goes before it (OWASP, CSV Injection). What
nobody sees is escaped, line breaks included, so that a row is a line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from hashcompat.formats.model import Style
from hashcompat.formats.sheets import sheet
from hashcompat.model.escape import distinct
from hashcompat.report.model import Report

_GUARDED: Final = tuple("=+-@＝＋－＠'")
"""How a formula begins, and the apostrophe itself, so that removing one gives the text.

A tab and a carriage return, which OWASP lists too, are escaped anyway.
"""


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines; raises TypeError for a result without a table."""
    table = sheet(report, result)
    head = [table.columns] if style.headers and table.columns else []
    for cells in chain(head, table.rows()):
        yield _line(cells, style)


def _line(cells: Sequence[object], style: Style) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(_cell(value, style) for value in cells)
    return line.getvalue()


def _cell(value: object, style: Style) -> object:
    """Return a number as it is, nothing for None, and a text that is not a formula."""
    if value is None or isinstance(value, int):
        return value
    text = distinct(str(value), style.encoding)
    return f"'{text}" if text.startswith(_GUARDED) else text
