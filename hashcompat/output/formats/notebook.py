"""How results show themselves in Python: as rows, and in notebooks by their headline and table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import count, distinct, printable
from hashcompat.output.formats import has_sheet
from hashcompat.output.formats.model import facts_of
from hashcompat.output.report import document_of
from hashcompat.output.report.model import Report, Table

_MOST: Final = 50
"""Rows that a notebook shows; ``rows`` and ``to_pandas`` have all."""


class Notebook:
    """Shows the results that ``REPORTS`` lists."""

    def rows(self, result: object) -> list[dict[str, Any]]:
        """Return the rows of ``-o csv``, or of what is prose the scalars of each item of its document."""
        from hashcompat.output.formats.documents import sheet  # noqa: PLC0415 - who asks for no rows needs no csv

        report = _report(result)
        if not has_sheet(report):
            return _scalars(document_of(result)["items"] if report.text else None, result)
        facts = {fact.key.upper().replace("_", " "): fact.text for fact in facts_of(report, result)}
        table = sheet(report, result)
        return [{**dict(zip(table.columns, map(_value, row), strict=True)), **facts} for row in table.rows()]

    def html(self, result: object) -> str:
        """Return its headline and the beginning of its table."""
        from markupsafe import escape  # noqa: PLC0415 - notebooks alone need it

        report = _report(result)
        lines = [f"<p><b>{escape(printable(line))}</b></p>" for line in _headlines(report, result)]
        table = _table(report, result)
        body = "".join(_html(table)) if table else ""
        return f'<div class="hashcompat">{"".join(lines)}{body}</div>'

    def line(self, result: object) -> str:
        """Return its headline, or how many elements it has."""
        return "; ".join(map(printable, _headlines(_report(result), result)))


def _report(result: object) -> Report[Any]:
    from hashcompat.output.report.registry import REPORTS  # noqa: PLC0415 - it imports all that has results

    report = REPORTS.get(type(result))
    if report is None:
        raise UsageError(f"{type(result).__name__} has no rows")
    return report


def _value(cell: object) -> object:
    """Return a cell as a value: a number or None as it is, anything else as text."""
    return cell if cell is None or isinstance(cell, int | float) else str(cell)


def _scalars(items: object, result: object) -> list[dict[str, Any]]:
    if not isinstance(items, list):
        raise UsageError(f"{type(result).__name__} has no rows; hashcompat.to_document has all of it")
    return [
        {key: one for key, one in item.items() if one is None or isinstance(one, str | int | float)}
        for item in items
    ]


def _headlines(report: Report[Any], result: Any) -> Iterator[str]:
    if report.headline is None:
        yield count(len(result), "element")
        return
    headline = report.headline(result)
    yield f"{headline.word}: {headline.text}" if headline.word else headline.text


def _table(report: Report[Any], result: Any) -> Table | None:
    make = report.table or report.folded or report.sheet
    return make(result) if make else None


def _html(table: Table) -> Iterator[str]:
    rows = iter(table.rows())
    yield f"<table><thead>{_line('th', table.columns)}</thead><tbody>"
    yield from (_line("td", row) for row in islice(rows, _MOST))
    yield "</tbody></table>"
    if more := sum(1 for _ in rows):
        yield f"<p>{count(more, 'more row')}; .rows() and .to_pandas() have all</p>"


def _line(tag: str, cells: Iterable[object]) -> str:
    from markupsafe import escape  # noqa: PLC0415 - as above

    texts = ("" if cell is None else escape(distinct(str(cell))) for cell in cells)
    return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"
