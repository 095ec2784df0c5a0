"""``-o custom-columns=SPEC``: a line per item, with columns that are chosen as for kubectl.

Source: k8s.io/kubectl/pkg/cmd/get/customcolumn.go (1.37).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from hashcompat.errors import UsageError
from hashcompat.formats.jsonpath import text
from hashcompat.formats.layout import table_lines
from hashcompat.formats.lookup import find
from hashcompat.formats.model import Style
from hashcompat.formats.template import Path, parse
from hashcompat.model.escape import UTF_8
from hashcompat.report.model import Document, Prose, Report, Table

_PATH: Final = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)")

_BRACKET: Final = re.compile(r"([\[\]])")

_NONE: Final = "<none>"


def check(spec: str) -> None:
    """Raise UsageError for columns that do not parse."""
    _columns(spec)


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the header and a line for each item; a document without items is one."""
    if report.document:
        columns = _columns(style.argument)
        paths = [path for _, path in columns]
        rows = partial(_rows, report, result, paths)
        table = Table([name for name, _ in columns], rows)
        yield from (f"{line}\n" for line in table_lines(table, style))


def _rows(report: Report[Any], result: Any, paths: list[Path]) -> Iterator[list[Prose]]:
    document: Document = report.document(result) if report.document else {}
    for item in document.get("items", [document]):
        yield [Prose(_cell(path, item)) for path in paths]


def _cell(path: Path, item: Any) -> str:
    """Return what a path finds, several values with commas between them, and null as nothing."""
    return ",".join(text(value, UTF_8) for value in find(path, item) if value is not None) or _NONE


def _columns(spec: str) -> list[tuple[str, Path]]:
    return [_column(part) for part in _parts(spec)]


def _parts(spec: str) -> list[str]:
    """Split at the commas that are in no brackets, such as those of ``[0,1]``."""
    pieces = _BRACKET.split(spec)
    parts: list[list[str]] = [[]]
    for piece, bracket in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        first, *rest = [piece] if bracket == "]" else piece.split(",")
        parts[-1].append(first)
        parts += ([more] for more in rest)
        parts[-1].append(bracket)
    return ["".join(part) for part in parts]


def _column(part: str) -> tuple[str, Path]:
    name, colon, path = part.partition(":")
    match = _PATH.fullmatch(path)
    if not colon or not name or not match:
        raise UsageError(f"custom-columns: want HEADER:.path[,HEADER:.path...], got {part!r}")
    (found,) = parse(f"{{.{match[1] or match[2]}}}")
    return name, found
