"""The verification of golden directories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.answers.golden import Verification, Verifications
from hashcompat.model.words import agree, count
from hashcompat.report.model import Document, Prose, Report, Table, document


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


def _names(found: Verifications) -> Iterator[str]:
    """Yield RELEASE/CASE for each mismatch."""
    return (f"{row.release}/{row.case}" for result in found.items for row in result.mismatches)


def _notes(found: Verifications) -> Iterator[str]:
    for result in found.items:
        number = len(result.mismatches)
        compared = f"{count(result.compared, 'hash')} of {count(result.cases, 'case')} compared"
        yield f"{result.directory}: {compared}, {number} {agree(number, 'differ')}"


VERIFICATIONS: Final[Report[Verifications]] = Report(
    "VerifyResult", document=_document, table=_table, names=_names, notes=_notes
)
