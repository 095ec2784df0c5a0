"""Calibration as people read it: the share first, then a line for each record that needs a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.answers.calibration import COMPARED, DIFFERS, CheckedRecord, RecordCheck
from hashcompat.answers.origin import Origin
from hashcompat.answers.tokenmount import TokenMount
from hashcompat.model.escape import name_path
from hashcompat.model.hashes import number_of
from hashcompat.model.words import agree, count
from hashcompat.report.findings import Case, Findings, Outcome
from hashcompat.report.model import Document, Prose, Report, Rows, Table, document
from hashcompat.rules import Rule

_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "RECORDED", "COMPUTED", "PROBLEM")

_RULES: Final = (
    Rule(
        "record-differs",
        "recorded hash differs",
        "No known release computes the hash that a kubelet recorded for the container.",
        "",
    ),
    Rule(
        "record-not-compared",
        "recorded hash not compared",
        "The hash that a kubelet recorded for the container could not be compared with a computed one.",
        "",
    ),
)

_OUTCOMES: Final = {"DIFFERS": Outcome.FAILED, "UNDECIDED": Outcome.UNDECIDED, "REPRODUCED": Outcome.PASSED}


def _document(check: RecordCheck) -> Document:
    """Return the CalibrationResult: counts of all, and an item for each that its release does not compute."""
    share = check.share
    summary = {
        "recorded": len(check.rows),
        "compared": share.recorded,
        "reproduced": share.reproduced,
        "skipped": check.skipped,
    }
    return document("CalibrationResult", summary=summary, items=Rows(_missed(check), _item))


def _item(row: CheckedRecord) -> dict[str, Any]:
    return {
        "node": row.node,
        "namespace": row.record.namespace,
        "pod": row.record.pod,
        "uid": row.record.uid,
        "container": row.record.container,
        "hash": {"recorded": number_of(row.record.hash), "computed": row.computed},
        "problem": row.problem,
        "origin": _origin(row.origin) if row.origin else None,
        "tokenMount": _mount(row.mount) if row.mount else None,
    }


def _origin(origin: Origin) -> Document:
    return {"release": origin.release, "era": origin.era, "fields": list(origin.fields)}


def _mount(mount: TokenMount) -> Document:
    return {"name": mount.name, "oneIn": mount.one_in}


def _missed(check: RecordCheck) -> list[CheckedRecord]:
    return [row for row in check.rows if row.problem]


def _table(check: RecordCheck) -> Table:
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


def _findings(check: RecordCheck) -> Findings:
    """Return a case for each record, those included that were reproduced."""
    words = list(map(_verdict, check.rows))
    totals = {word: words.count(word) for word in _OUTCOMES}
    title = "calibration with recorded hashes"
    return Findings("records", title, "records", totals, lambda: _cases(check), _RULES)


def _cases(check: RecordCheck) -> Iterator[Case]:
    yield from map(_case, check.rows)
    if not check.rows:
        names = dict.fromkeys(("node", "namespace", "pod", "container"), "")
        text, rule = "no recorded hash could be compared", _RULES[1].id
        yield Case(Outcome.UNDECIDED, "UNDECIDED", rule, text, "all pods", "every container", names)


def _verdict(row: CheckedRecord) -> str:
    if row.problem == DIFFERS:
        return "DIFFERS"
    return "REPRODUCED" if row.problem in COMPARED else "UNDECIDED"


def _case(row: CheckedRecord) -> Case:
    record, verdict = row.record, _verdict(row)
    rule = {"DIFFERS": _RULES[0].id, "UNDECIDED": _RULES[1].id}.get(verdict, "")
    names = {"node": row.node, "namespace": record.namespace, "pod": record.pod}
    names["container"] = record.container
    group = name_path(record.namespace, record.pod)
    text = _problem(row) or "reproduced"
    return Case(_OUTCOMES[verdict], verdict, rule, text, group, name_path(record.container), names)


def _names(check: RecordCheck) -> Iterator[str]:
    records = (row.record for row in _missed(check))
    return (name_path(record.namespace, record.pod, record.container) for record in records)


def _notes(check: RecordCheck) -> Iterator[str]:
    missed = len(check.rows) - check.share.recorded
    skipped = f"{check.skipped} {agree(check.skipped, 'belong')}"
    yield f"{count(missed, 'record')} could not be compared; {skipped} to containers that no kubelet compares"


CALIBRATION: Final[Report[RecordCheck]] = Report(
    "CalibrationResult", document=_document, table=_table, findings=_findings, names=_names, notes=_notes
)
