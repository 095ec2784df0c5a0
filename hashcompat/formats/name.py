"""``-o name``: one name a line, as other commands take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.escape import printable
from hashcompat.formats.model import Format, Style
from hashcompat.report.model import Report


def _render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:  # noqa: ARG001 - a format's signature
    if report.names:
        yield from (f"{printable(name)}\n" for name in report.names(result))


NAME: Final = Format("name", lambda report: report.names is not None, _render)
