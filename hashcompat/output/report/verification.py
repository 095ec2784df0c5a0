"""How golden directories and recorded hashes compare with what this program computes.

A calibration shows its share first, then a line for each record that needs a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.analysis.answers.calibration import COMPARED, DIFFERS, CheckedRecord, RecordCheck
from hashcompat.analysis.answers.golden import Verification, Verifications
from hashcompat.core.model.escape import agree, count, name_path, word
from hashcompat.core.model.verdicts import number_of
from hashcompat.core.rules.pages import findings
from hashcompat.output.documents import containers as docs
from hashcompat.output.report.model import (
    Case,
    Document,
    Findings,
    Outcome,
    Prose,
    Report,
    Rows,
    Table,
    document,
    plain,
)

_DIFFERS: Final = "golden-mismatch"


def _document(verifications: Verifications) -> Document:
    return document(docs.VerifyResult, items=list(map(_item, verifications.items)))


def _item(result: Verification) -> docs.Verified:
    mismatches = tuple(docs.Mismatch(row.release, row.case, row.problem) for row in result.mismatches)
    return docs.Verified(result.directory, result.releases, result.cases, result.compared, mismatches)


def _table(verifications: Verifications) -> Table:
    rows = [
        [result.directory, row.release, row.case, Prose(row.problem)]
        for result in verifications.items
        for row in result.mismatches
    ]
    return Table(("DIRECTORY", "KUBELET", "CASE", "PROBLEM"), lambda: rows, bare=True)


def _findings(verifications: Verifications) -> Findings:
    """Return a case for each mismatch, and one for each directory without any."""
    mismatches = sum(len(result.mismatches) for result in verifications.items)
    same = sum(result.compared for result in verifications.items) - mismatches
    totals = {"DIFFERS": mismatches, "SAME": max(same, 0)}
    title = "verification of golden directories"
    return Findings(
        "verify", title, "hashes", totals, lambda: _cases(verifications), lambda: findings(_DIFFERS)
    )


def _cases(verifications: Verifications) -> Iterator[Case]:
    for result in verifications.items:
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
    return Case(Outcome.FAILED, "DIFFERS", _DIFFERS, problem, word(result.directory), name, names)


def _names(verifications: Verifications) -> Iterator[str]:
    """Yield RELEASE/CASE for each mismatch."""
    return (f"{row.release}/{row.case}" for result in verifications.items for row in result.mismatches)


def _notes(verifications: Verifications) -> Iterator[str]:
    for result in verifications.items:
        number = len(result.mismatches)
        compared = f"{count(result.compared, 'hash')} of {count(result.cases, 'case')} compared"
        yield f"{result.directory}: {compared}, {number} {agree(number, 'differ')}"


VERIFICATIONS: Final[Report[Verifications]] = Report(
    "VerifyResult", document=_document, table=_table, findings=_findings, names=_names, notes=_notes
)
_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "RECORDED", "COMPUTED", "PROBLEM")
_RULES: Final = ("record-differs", "record-not-compared")
_OUTCOMES: Final = {"DIFFERS": Outcome.FAILED, "UNDECIDED": Outcome.UNDECIDED, "REPRODUCED": Outcome.PASSED}


def _record_document(check: RecordCheck) -> Document:
    """Return the CalibrationResult: counts of all, and an item for each that its release does not compute."""
    share = check.share
    summary = docs.CalibrationSummary(len(check.items), share.recorded, share.reproduced, check.skipped)
    return document(docs.CalibrationResult, summary=summary, items=Rows(_missed(check), _record_item))


def _record_item(row: CheckedRecord) -> Any:
    record, origin, mount = row.record, row.origin, row.mount
    names = row.node, record.namespace, record.pod, record.uid, record.container
    return plain(
        docs.RecordItem(
            *names,
            hash=docs.RecordHashes(number_of(record.hash), row.computed),
            problem=row.problem,
            origin=docs.Creator(origin.release, origin.era, origin.fields) if origin else None,
            token_mount=docs.TokenMount(mount.name, mount.one_in) if mount else None,
        )
    )


def _missed(check: RecordCheck) -> list[CheckedRecord]:
    return [row for row in check.items if row.problem]


def _record_table(check: RecordCheck) -> Table:
    return Table(_COLUMNS, lambda: map(_cells, _missed(check)), caption=str(check.share), bare=True)


def _cells(row: CheckedRecord) -> list[object]:
    record = row.record
    names = [row.node, record.namespace, record.pod, record.container]
    return [*names, number_of(record.hash), row.computed, Prose(_problem(row))]


def _problem(row: CheckedRecord) -> str:
    """Say why a record was not reproduced, or which release created the container."""
    if row.mount:
        return f"reproduced with the mount {row.mount.name} (one hash in {row.mount.one_in} is by chance)"
    if row.origin is None:
        return row.problem
    fields = f" (fields: {', '.join(row.origin.fields)})" if row.origin.fields else ""
    return f"created by {row.origin.release}{fields}"


def _record_findings(check: RecordCheck) -> Findings:
    """Return a case for each record, those included that were reproduced."""
    words = list(map(_verdict, check.items))
    totals = {word: words.count(word) for word in _OUTCOMES}
    title = "calibration with recorded hashes"
    return Findings(
        "records", title, "records", totals, lambda: _record_cases(check), lambda: findings(*_RULES)
    )


def _record_cases(check: RecordCheck) -> Iterator[Case]:
    yield from map(_record_case, check.items)
    # no record at all must not pass for a calibration without a difference
    if not check.items:
        names = dict.fromkeys(("node", "namespace", "pod", "container"), "")
        text, rule = "no recorded hash could be compared", _RULES[1]
        yield Case(Outcome.UNDECIDED, "UNDECIDED", rule, text, "all pods", "every container", names)


def _verdict(row: CheckedRecord) -> str:
    if row.problem == DIFFERS:
        return "DIFFERS"
    return "REPRODUCED" if row.problem in COMPARED else "UNDECIDED"


def _record_case(row: CheckedRecord) -> Case:
    record, verdict = row.record, _verdict(row)
    rule = {"DIFFERS": _RULES[0], "UNDECIDED": _RULES[1]}.get(verdict, "")
    names = {"node": row.node, "namespace": record.namespace, "pod": record.pod}
    names["container"] = record.container
    group = name_path(record.namespace, record.pod)
    text = _problem(row) or "reproduced"
    return Case(_OUTCOMES[verdict], verdict, rule, text, group, name_path(record.container), names)


def _record_names(check: RecordCheck) -> Iterator[str]:
    records = (row.record for row in _missed(check))
    return (name_path(record.namespace, record.pod, record.container) for record in records)


def _record_notes(check: RecordCheck) -> Iterator[str]:
    missed = len(check.items) - check.share.recorded
    skipped = f"{check.skipped} {agree(check.skipped, 'belong')}"
    yield f"{count(missed, 'record')} could not be compared; {skipped} to containers that no kubelet compares"


CALIBRATION: Final[Report[RecordCheck]] = Report(
    "CalibrationResult",
    document=_record_document,
    table=_record_table,
    findings=_record_findings,
    names=_record_names,
    notes=_record_notes,
)
