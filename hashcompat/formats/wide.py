"""``-o wide``: the table with more in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.layout import table_lines
from hashcompat.formats.model import Format, Style
from hashcompat.report.model import Report


def _render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    if report.wide:
        yield from (f"{line}\n" for line in table_lines(report.wide(result), style))


WIDE: Final = Format("wide", lambda report: report.wide is not None, _render)
