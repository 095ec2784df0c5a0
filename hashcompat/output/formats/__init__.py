"""The formats of ``-o``: a new one is a function in a module of this package, and a line in ``FORMATS``.

A format says which results it can show, so that a command's ``-o`` offers no other. Those for people or
pipes (``table``, ``name``, ``csv``, ``markdown``) ask whether a report has a table or names; those of other
tools (junit, sarif, a metrics file) ask whether it has findings.

``model`` has what a terminal gets, and is imported with the package; every other module is imported when
its format is used. Each yields text in pieces, so that a large plan is never in memory as a whole; only the
command line prints. Names that others chose are in everything that is shown, so each format escapes what
its readers would obey or not see (``model/escape``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import IN_XML
from hashcompat.output.formats.model import TABLE, Format, on_demand, render_name, render_wide
from hashcompat.output.report.model import Report


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


def has_headline(report: Report[Any]) -> bool:
    """Return whether results of that kind come to something that one line can say."""
    return report.headline is not None


def has_page(report: Report[Any]) -> bool:
    """Return whether results of that kind can be a page: one of their own, a table, or a text."""
    return bool(report.page or has_sheet(report) or report.text)


FORMATS: Final[Mapping[str, Format]] = {
    form.name: form
    for form in (
        TABLE,
        Format("wide", has_wide, render_wide),
        Format("name", has_names, render_name),
        on_demand("json", has_document, "documents", for_programs=True, escapes=None),
        on_demand("yaml", has_document, "documents", for_programs=True, escapes=None),
        on_demand("csv", has_sheet, "documents"),
        on_demand("markdown", has_sheet, "documents"),
        on_demand("junit", has_findings, "pipelines", for_programs=True, escapes=IN_XML),
        on_demand("sarif", has_findings, "pipelines", for_programs=True, escapes=None),
        on_demand("github", has_findings, "pipelines", summary_in="GITHUB_STEP_SUMMARY", escapes=None),
        on_demand("gitlab", has_findings, "pipelines", for_programs=True, escapes=None),
        on_demand("html", has_page, "html", for_programs=True, escapes=IN_XML, details=True),
        on_demand("summary", has_headline, "summary"),
        on_demand("slack", has_headline, "summary", for_programs=True, escapes=None),
        on_demand("teams", has_headline, "summary", for_programs=True, escapes=None),
        on_demand("prometheus", has_findings, "pipelines"),
        on_demand("custom-columns", has_document, "jsonpath", takes="HEADER:.path[,...]"),
        on_demand("jsonpath", has_document, "jsonpath", takes="TEMPLATE"),
    )
}
"""Every format by its name; the first that can show a result is its default."""


def offered(report: Report[Any]) -> tuple[str, ...]:
    """Return the names of the formats that can show such results, the default one first."""
    return tuple(name for name, form in FORMATS.items() if form.shows(report))


def chosen(text: str) -> tuple[Format, str]:
    """Return the format that ``csv`` or ``jsonpath=TEMPLATE`` names, and what follows the ``=``.

    Raises UsageError for an unknown one, and for one without what it takes, or with what it cannot take.
    """
    name, equals, argument = text.partition("=")
    form = FORMATS.get(name)
    if form is None:
        raise UsageError(f"no format {name!r}; there are {', '.join(FORMATS)}")
    if bool(form.takes) != bool(argument) or (equals and not form.takes):
        wanted = f"{name}={form.takes}" if form.takes else name
        raise UsageError(f"the format {text!r}: want {wanted}")
    form.check(argument)
    return form, argument
