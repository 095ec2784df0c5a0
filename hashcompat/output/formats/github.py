"""``-o github``: annotations of a GitHub workflow, and a summary of its step.

A workflow command is a line, in whose parts ``%``, line breaks, ``:`` and ``,`` are escaped
(docs.github.com, Workflow commands).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.core.model.escape import distinct, printable
from hashcompat.output.formats.model import Style
from hashcompat.output.formats.sheets import escaped, line
from hashcompat.output.report.model import FOUND, Case, Findings, Outcome, Report

_COMMANDS: Final[Mapping[Outcome, str]] = {
    Outcome.FAILED: "error",
    Outcome.UNDECIDED: "warning",
    Outcome.WARNED: "warning",
    Outcome.NOTED: "notice",
}

_LONGEST: Final = 900_000
"""Bytes of a summary; GitHub shows none of one above 1 MiB."""

_PLAIN: Final = Style()


def render_github(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield a command for each finding."""
    if report.findings:
        cases = report.findings(result).cases()
        yield from (_command(case, style) for case in cases if case.outcome in FOUND)


def _command(case: Case, style: Style) -> str:
    name = f"{case.group}/{case.name}"
    properties = {"title": f"{case.verdict} {case.rule}".rstrip()}
    if case.file:
        place = {"file": distinct(case.file, style.encoding)}
        properties = {**place, **({"line": str(case.line)} if case.line else {}), **properties}
    parts = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = printable(f"{name}: {case.text}", style.encoding)
    return f"::{_COMMANDS[case.outcome]} {parts}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary_github(report: Report[Any], result: Any) -> Iterator[str]:
    """Yield the step's summary: the totals, and the findings as far as GitHub shows them."""
    if report.findings:
        findings = report.findings(result)
        yield f"### hashcompat: {escaped(findings.title, _PLAIN)}\n\n"
        words = {
            **findings.totals,
            **{name.replace("_", " "): number for name, number in findings.more.items()},
        }
        yield line([escaped(findings.noun, _PLAIN), "number"])
        yield line(["---", "---:"])
        for word, number in words.items():
            yield line([escaped(word, _PLAIN), str(number)])
        yield "\n"
        yield from _rows(findings)


def _rows(findings: Findings) -> Iterator[str]:
    """Yield a table of the findings, and how many more there are where it would be too long."""
    left, hidden, head = _LONGEST, 0, [line(["what", "verdict", "rule", "why"]), line(["---"] * 4)]
    for case in findings.cases():
        if case.outcome not in FOUND:
            continue
        row = line(
            [
                escaped(text, _PLAIN)
                for text in (f"{case.group}/{case.name}", case.verdict, case.rule, case.text)
            ]
        )
        left -= len(row.encode())
        # counted to the end, so that the last line says how many are missing
        if left < 0:
            hidden += 1
            continue
        yield from head
        head = []
        yield row
    if hidden:
        yield f"\n{hidden} more are not shown.\n"
    yield "\n"
