"""``-o table``: one line an item, or what stands for a table where columns would not do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.layout import table_lines
from hashcompat.formats.model import Format, Style
from hashcompat.formats.sections import sections
from hashcompat.report.model import Report


def _shows(report: Report[Any]) -> bool:
    return bool(report.overview or report.table or report.text or report.raw)


def _render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    if report.overview:
        yield from sections(report.overview(result, style.screen), style)
    elif report.table:
        yield from (f"{line}\n" for line in table_lines(report.table(result), style))
    else:
        from hashcompat.formats import text  # noqa: PLC0415 - few results have neither

        yield from text.render(report, result, style)


TABLE: Final = Format("table", _shows, _render, exact=True)
