"""``-o name``: one name a line, as other commands take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.model import Format, Style
from hashcompat.model.escape import printable
from hashcompat.report.model import Report


def _render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    if report.names:
        yield from (f"{printable(name, style.encoding)}\n" for name in report.names(result))


NAME: Final = Format("name", lambda report: report.names is not None, _render)
