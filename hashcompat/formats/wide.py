"""``-o wide``: the table with more in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hashcompat.formats.layout import table_lines
from hashcompat.formats.model import Style
from hashcompat.report.model import Report


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.wide:
        yield from (f"{line}\n" for line in table_lines(report.wide(result), style))
