"""Results that no columns would serve: prose and tables under titles, or exact text such as a patch."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hashcompat.formats.layout import line_text, table_lines
from hashcompat.formats.model import Style
from hashcompat.model.escape import printable
from hashcompat.report.model import Report, Section, Table


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.raw:
        yield from report.raw(result)
    elif report.text:
        for number, section in enumerate(report.text(result)):
            yield "\n" if number else ""
            yield f"{_section(section, style)}\n"


def _section(section: Section, style: Style) -> str:
    """Return a section's lines, indented below its title if it has one."""
    body = section.body
    if isinstance(body, Table):
        lines = list(table_lines(body, replace(style, headers=True)))
    else:
        lines = [line_text(line, style) for line in body]
    text = "\n".join(lines)
    title = printable(section.title, style.encoding)
    return f"{title}\n{textwrap.indent(text, '  ')}" if title else text
