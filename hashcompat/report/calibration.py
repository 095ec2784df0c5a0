"""Calibration as people read it: the share first, then a line for each record that was not reproduced."""

from __future__ import annotations

from typing import Any

from hashcompat.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.answers.origin import Origin
from hashcompat.report.documents import Document, document
from hashcompat.report.formats import printable
from hashcompat.report.tables import table


def calibration_document(check: RecordCheck) -> Document:
    """Return the CalibrationResult of recorded hashes: the counts of all, and an item for each that was not reproduced."""
    share = check.share
    summary = {
        "recorded": len(check.rows),
        "compared": share.recorded,
        "reproduced": share.reproduced,
        "skipped": check.skipped,
    }
    return document(
        "CalibrationResult", summary=summary, items=[_item(row) for row in check.rows if row.problem]
    )


def _item(row: CheckedRecord) -> dict[str, Any]:
    return {
        "node": row.node,
        "namespace": row.record.namespace,
        "pod": row.record.pod,
        "uid": row.record.uid,
        "container": row.record.container,
        "hash": {"recorded": row.record.hash, "computed": row.computed},
        "problem": row.problem,
        "origin": _origin(row.origin) if row.origin else None,
    }


def _origin(origin: Origin) -> dict[str, Any]:
    return {"release": origin.release, "era": origin.era, "fields": list(origin.fields)}


def calibration_table(check: RecordCheck, *, headers: bool = True) -> str:
    """Return the share, and one line a record that was not reproduced."""
    rows = [
        [
            row.node,
            row.record.namespace,
            row.record.pod,
            row.record.container,
            row.record.hash,
            row.computed,
            _problem(row),
        ]
        for row in check.rows
        if row.problem
    ]
    columns = ["NODE", "NAMESPACE", "POD", "CONTAINER", "RECORDED", "COMPUTED", "PROBLEM"]
    return "\n".join([str(check.share), *([table(columns, rows, show_headers=headers)] if rows else [])])


def _problem(row: CheckedRecord) -> str:
    """Say what is the matter with a record, and where it comes from if that is known."""
    if row.origin is None:
        return row.problem
    fields = f" (fields: {', '.join(row.origin.fields)})" if row.origin.fields else ""
    return f"{row.problem}: {row.origin.release} computes it{fields}"


def calibration_names(check: RecordCheck) -> str:
    """Return NAMESPACE/POD/CONTAINER a line for each record that was not reproduced."""
    records = [row.record for row in check.rows if row.problem]
    return "\n".join(printable(f"{record.namespace}/{record.pod}/{record.container}") for record in records)
