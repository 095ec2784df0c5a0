"""Calibration as people read it: the share first, then a line for each record that needs a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.answers.origin import Origin
from hashcompat.answers.tokenmount import TokenMount
from hashcompat.model.escape import name_path
from hashcompat.model.hashes import number_of
from hashcompat.model.words import agree, count
from hashcompat.report.model import Document, Prose, Report, Rows, Table, document

_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "RECORDED", "COMPUTED", "PROBLEM")


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


def _names(check: RecordCheck) -> Iterator[str]:
    records = (row.record for row in _missed(check))
    return (name_path(record.namespace, record.pod, record.container) for record in records)


def _notes(check: RecordCheck) -> Iterator[str]:
    missed = len(check.rows) - check.share.recorded
    skipped = f"{check.skipped} {agree(check.skipped, 'belong')}"
    yield f"{count(missed, 'record')} could not be compared; {skipped} to containers that no kubelet compares"


CALIBRATION: Final[Report[RecordCheck]] = Report(
    "CalibrationResult", document=_document, table=_table, names=_names, notes=_notes
)
