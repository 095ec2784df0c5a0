"""``-o name``: one name a line, as other commands take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hashcompat.formats.model import Style
from hashcompat.model.escape import printable
from hashcompat.report.model import Report


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.names:
        yield from (f"{printable(name, style.encoding)}\n" for name in report.names(result))
