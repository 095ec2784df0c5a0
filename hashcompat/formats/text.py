"""Results that no columns would serve: prose and tables under titles, or exact text such as a patch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from hashcompat.formats.model import Style
from hashcompat.formats.sections import sections
from hashcompat.report.model import Report


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.raw:
        yield from report.raw(result)
    elif report.text:
        yield from sections(report.text(result), structs.replace(style, headers=True))
