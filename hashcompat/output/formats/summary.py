"""Results in brief: ``-o summary``, for a chat or its webhook, and how they show themselves in Python.

A summary has five lines: the verdict and what it is of, the line that decided, the counts, who is concerned
most, and the command to go on with. In the JSON every text is plain, so that no name in it is a link, a mark
or a mention.

Sources: docs.slack.dev, Block Kit (header, section, plain_text) and their limits; adaptivecards.io, schema
of Adaptive Cards 1.4 (RichTextBlock, TextRun). In notebooks a result is its headline and its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import count, distinct, few, printable
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.documents import sheet, value_text
from hashcompat.output.formats.model import Style, facts_of
from hashcompat.output.report import document_of
from hashcompat.output.report.model import Report, Table

_NAMED: Final = 3
_HEADER: Final = 150
"""Characters of a header in Slack."""
_SECTION: Final = 3000
"""Characters of a section in Slack."""
_COLOURS: Final = {"red": "Attention", "yellow": "Warning", "green": "Good"}
"""The colours of Adaptive Cards."""


class _Said(msgspec.Struct, frozen=True):
    first: str
    """The verdict, and what it is of."""
    lines: tuple[str, ...]
    """The other lines; the last one is a command."""
    colour: str
    command: str = ""


def render_summary(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines."""
    said = _said(report, result, style)
    for text in (said.first, *said.lines, f"Next: {said.command}" if said.command else ""):
        if text:
            yield f"{text}\n"


def render_slack(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the message that an incoming webhook of Slack takes."""
    said = _said(report, result, style)
    lines = (*said.lines, *([f"Next: {said.command}"] if said.command else []))
    sections = [{"type": "section", "text": _plain(text, _SECTION)} for text in lines]
    blocks = [{"type": "header", "text": _plain(said.first, _HEADER)}, *sections]
    # the text is what a notification shows; Slack obeys these three characters in it
    text = said.first.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    yield value_text({"text": text, "blocks": blocks}, "\n", style.encoding) + "\n"


def _plain(text: str, most: int) -> dict[str, Any]:
    shown = text if len(text) <= most else f"{text[: most - 3]}..."
    return {"type": "plain_text", "text": shown, "emoji": False}


def render_teams(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the message that a workflow of Teams takes from a webhook: one with an Adaptive Card."""
    said = _said(report, result, style)
    body = [_run(said.first, weight="Bolder", size="Large", color=_COLOURS.get(said.colour, "Default"))]
    body += [_run(text) for text in said.lines]
    if said.command:
        body.append(_run(said.command, fontType="Monospace"))
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    yield value_text({"type": "message", "attachments": [attachment]}, "\n", style.encoding) + "\n"


def _run(text: str, **looks: str) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **looks}]}


def _said(report: Report[Any], result: Any, style: Style) -> _Said:
    """Return what the lines say."""
    if report.headline is None or report.provenance is None:
        raise TypeError(f"{report.kind} has no summary")
    headline, made = report.headline(result), report.provenance(result)
    what = f"{report.title}: kubelet {made.upgrade}" if made.upgrade else report.title
    texts = [headline.text, _counts(report, result), _most(report, result)]
    command = made.making.command
    return _Said(
        printable(": ".join(filter(None, (headline.word, what))), style.encoding),
        tuple(printable(text, style.encoding) for text in texts if text),
        headline.colour,
        printable(f"{command} -o html > {command.split()[1]}.html", style.encoding) if command else "",
    )


def _counts(report: Report[Any], result: Any) -> str:
    """Return how many there are of what, as far as there are any."""
    if report.counted:
        return report.counted(result)
    if report.findings:
        findings = report.findings(result)
        counts = [f"{number} {word}" for word, number in findings.totals.items() if number]
        whole = count(sum(findings.totals.values()), findings.noun.removesuffix("s"))
        return f"{', '.join(counts) or 'none'} of {whole}"
    page = report.page(result) if report.page else None
    return ", ".join(f"{total.number} {total.label}" for total in page.counts) if page else ""


def _most(report: Report[Any], result: Any) -> str:
    """Return who is concerned most; empty where nobody is."""
    ranking = report.ranking(result) if report.ranking else None
    if ranking is None or not ranking.rows:
        return ""
    names = few([f"{name} ({number})" for name, number in ranking.rows], _NAMED)
    return f"{ranking.title}: {names}"


# Results in Python: rows, and in notebooks their headline and table.

_MOST: Final = 50
"""Rows that a notebook shows; ``rows`` and ``to_pandas`` have all."""


class Notebook:
    """Shows the results that ``REPORTS`` lists."""

    def rows(self, result: object) -> list[dict[str, Any]]:
        """Return the rows of ``-o csv``, or of what is prose the scalars of each item of its document."""
        report = _report(result)
        if not FORMATS["csv"].shows(report):
            return _scalars(document_of(result)["items"] if report.text else None, result)
        facts = {fact.key.upper().replace("_", " "): fact.text for fact in facts_of(report, result)}
        table = sheet(report, result)
        # a number or None as it is, anything else as text
        rows = (
            [cell if cell is None or isinstance(cell, int | float) else str(cell) for cell in row]
            for row in table.rows()
        )
        return [{**dict(zip(table.columns, row, strict=True)), **facts} for row in rows]

    def html(self, result: object) -> str:
        """Return its headline and the beginning of its table."""
        from markupsafe import escape  # noqa: PLC0415 - notebooks alone need it

        report = _report(result)
        line = f"<p><b>{escape(printable(_headline(report, result)))}</b></p>"
        make = report.table or report.folded or report.sheet
        body = "".join(_html(make(result))) if make else ""
        return f'<div class="hashcompat">{line}{body}</div>'

    def line(self, result: object) -> str:
        """Return its headline, or how many elements it has."""
        return printable(_headline(_report(result), result))


def _report(result: object) -> Report[Any]:
    from hashcompat.output.report.registry import REPORTS  # noqa: PLC0415 - it imports all that has results

    report = REPORTS.get(type(result))
    if report is None:
        raise UsageError(f"{type(result).__name__} has no rows")
    return report


def _scalars(items: object, result: object) -> list[dict[str, Any]]:
    if not isinstance(items, list):
        raise UsageError(f"{type(result).__name__} has no rows; hashcompat.to_document has all of it")
    return [
        {key: value for key, value in item.items() if value is None or isinstance(value, str | int | float)}
        for item in items
    ]


def _headline(report: Report[Any], result: Any) -> str:
    if report.headline is None:
        return count(len(result), "element")
    headline = report.headline(result)
    return f"{headline.word}: {headline.text}" if headline.word else headline.text


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
