"""The verification of golden directories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.answers.golden import Verification, Verifications
from hashcompat.model.escape import name_path, word
from hashcompat.model.words import agree, count
from hashcompat.report.findings import Case, Findings, Outcome
from hashcompat.report.model import Document, Prose, Report, Table, document
from hashcompat.rules import Rule

_DIFFERS: Final = Rule(
    "golden-mismatch",
    "golden data differ",
    "This program computes another text or hash than the golden directory has.",
    "",
)


def _document(found: Verifications) -> Document:
    return document("VerifyResult", items=[_item(result) for result in found.items])


def _item(result: Verification) -> Document:
    mismatches = [
        {"release": row.release, "case": row.case, "problem": row.problem} for row in result.mismatches
    ]
    return {
        "directory": result.directory,
        "releases": list(result.releases),
        "cases": result.cases,
        "compared": result.compared,
        "mismatches": mismatches,
    }


def _table(found: Verifications) -> Table:
    rows = [
        [result.directory, row.release, row.case, Prose(row.problem)]
        for result in found.items
        for row in result.mismatches
    ]
    return Table(("DIRECTORY", "KUBELET", "CASE", "PROBLEM"), lambda: rows, bare=True)


def _findings(found: Verifications) -> Findings:
    """Return a case for each mismatch, and one for each directory without any."""
    mismatches = sum(len(result.mismatches) for result in found.items)
    same = sum(result.compared for result in found.items) - mismatches
    totals = {"DIFFERS": mismatches, "SAME": max(same, 0)}
    title = "verification of golden directories"
    return Findings("verify", title, "hashes", totals, lambda: _cases(found), (_DIFFERS,))


def _cases(found: Verifications) -> Iterator[Case]:
    for result in found.items:
        for row in result.mismatches:
            yield _case(result, row.release, row.case, row.problem)
        if not result.mismatches:
            yield _case(result, "", "", "")


def _case(result: Verification, release: str, case: str, problem: str) -> Case:
    names = {"directory": result.directory, "release": release, "case": case}
    if not problem:
        text = f"{count(result.compared, 'hash')} of {count(result.cases, 'case')} compared"
        return Case(Outcome.PASSED, "SAME", "", text, word(result.directory), "every hash", names)
    name = name_path(release, case)
    return Case(Outcome.FAILED, "DIFFERS", _DIFFERS.id, problem, word(result.directory), name, names)


def _names(found: Verifications) -> Iterator[str]:
    """Yield RELEASE/CASE for each mismatch."""
    return (f"{row.release}/{row.case}" for result in found.items for row in result.mismatches)


def _notes(found: Verifications) -> Iterator[str]:
    for result in found.items:
        number = len(result.mismatches)
        compared = f"{count(result.compared, 'hash')} of {count(result.cases, 'case')} compared"
        yield f"{result.directory}: {compared}, {number} {agree(number, 'differ')}"


VERIFICATIONS: Final[Report[Verifications]] = Report(
    "VerifyResult", document=_document, table=_table, findings=_findings, names=_names, notes=_notes
)
