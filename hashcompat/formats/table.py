"""``-o table``: one line an item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.layout import table_lines
from hashcompat.formats.model import Format, Style
from hashcompat.report.model import Report


def _render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    if report.table:
        yield from (f"{line}\n" for line in table_lines(report.table(result), style))


TABLE: Final = Format("table", lambda report: report.table is not None, _render)
