"""``-o json``: the document, as schemas/documents describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.model import Format, Style
from hashcompat.report.model import Document, Report, Rows

UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON lets pass and a terminal could take for a command."""


def to_json(document: Document) -> Iterator[str]:
    """Yield indented JSON in pieces, without a last line break; what a terminal could read is escaped."""
    lead = "{\n  "
    for key, value in document.items():
        yield f"{lead}{json.dumps(key)}: "
        yield from _rows(value) if isinstance(value, Rows) else [_value(value, "\n  ")]
        lead = ",\n  "
    yield "\n}"


def _rows(rows: Rows[Any]) -> Iterator[str]:
    lead = "["
    for row in rows:
        yield lead + "\n    " + _value(row, "\n    ")
        lead = ","
    yield "\n  ]" if rows.values else "[]"


def _value(value: object, line: str) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", line)
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:  # noqa: ARG001 - a format's signature
    if report.document:
        yield from to_json(report.document(result))
        yield "\n"


JSON: Final = Format("json", lambda report: report.document is not None, _render)
