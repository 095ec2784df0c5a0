"""``-o gitlab``: findings as a GitLab Code Quality report, with fingerprints that stay the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.formats.fingerprints import Fingerprints
from hashcompat.formats.json import value_text
from hashcompat.formats.model import Style
from hashcompat.model.escape import distinct, printable
from hashcompat.report.model import FOUND, Case, Document, Findings, Outcome, Report

_SEVERITIES: Final[Mapping[Outcome, str]] = {
    Outcome.FAILED: "major",
    Outcome.UNDECIDED: "minor",
    Outcome.WARNED: "minor",
    Outcome.NOTED: "info",
}


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield a list of issues; an empty one where nothing was found."""
    if report.findings:
        lead = "["
        for issue in _issues(report.findings(result)):
            yield f"{lead}\n  " + value_text(issue, "\n  ", style.encoding)
            lead = ","
        yield "[]\n" if lead == "[" else "\n]\n"


def _issues(found: Findings) -> Iterator[Document]:
    fingerprints = Fingerprints(found)
    for case in found.cases():
        if case.outcome in FOUND:
            yield _issue(case, fingerprints.of(case))


def _issue(case: Case, fingerprint: str) -> Document:
    """Return an issue; where the pod comes from no file, the path is its namespace and name."""
    group, name = case.group, case.name
    return {
        "type": "issue",
        "description": f"{group}/{name}: {case.verdict}: {printable(case.text)}",
        "check_name": case.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[case.outcome],
        "location": {"path": _path(case), "lines": {"begin": max(case.line, 1)}},
    }


def _path(case: Case) -> str:
    return (distinct(case.file) if case.file else case.group).removeprefix("./")
