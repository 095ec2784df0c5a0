"""The table of a result for programs that read tables: with every column, where there are several tables."""

from __future__ import annotations

from typing import Any

from hashcompat.report.model import Report, Table


def has_sheet(report: Report[Any]) -> bool:
    """Return whether results of that kind have a table."""
    return bool(report.sheet or report.wide or report.table)


def has_document(report: Report[Any]) -> bool:
    """Return whether results of that kind have a document."""
    return report.document is not None


def has_wide(report: Report[Any]) -> bool:
    """Return whether the table of such results can have more in it."""
    return report.wide is not None


def has_names(report: Report[Any]) -> bool:
    """Return whether items of such results have names."""
    return report.names is not None


def has_findings(report: Report[Any]) -> bool:
    """Return whether results of that kind have findings."""
    return report.findings is not None


def has_page(report: Report[Any]) -> bool:
    """Return whether results of that kind can be a page: one of their own, a table, or a text."""
    return bool(report.page or has_sheet(report) or report.text)


def sheet(report: Report[Any], result: Any) -> Table:
    """Return the table of a result; raises TypeError where there is none."""
    make = report.sheet or report.wide or report.table
    if make is None:
        raise TypeError(f"{report.kind} has no table")
    return make(result)
