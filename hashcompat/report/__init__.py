"""Results as documents, columns and rows, names, texts and notes: one file per result."""

from __future__ import annotations

from hashcompat.report.model import Document, Rows


def document_of(result: object) -> Document:
    """Return the JSON document of a result, the one that the command line prints, as plain data.

    Raises TypeError for anything but a result.
    """
    from hashcompat.report.registry import REPORTS  # noqa: PLC0415 - it imports all that has results

    report = REPORTS.get(type(result))
    if report is None or report.document is None:
        raise TypeError(f"want the result of a command, got {type(result).__name__}")
    content = report.document(result)
    return {key: list(value) if isinstance(value, Rows) else value for key, value in content.items()}
