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
from hashcompat.output.formats.model import Format
from hashcompat.output.report.model import Report

_SHEET: Final = ("sheet", "wide", "table")

FORMATS: Final[Mapping[str, Format]] = {
    form.name: form
    for form in (
        Format("table", "model", ("overview", "table", "text", "raw"), exact=True),
        Format("wide", "model", ("wide",)),
        Format("name", "model", ("names",)),
        Format("json", "documents", ("document",), for_programs=True, escapes=None),
        Format("yaml", "documents", ("document",), for_programs=True, escapes=None),
        Format("csv", "documents", _SHEET),
        Format("markdown", "documents", _SHEET),
        Format("junit", "pipelines", ("findings",), for_programs=True, escapes=IN_XML),
        Format("sarif", "pipelines", ("findings",), for_programs=True, escapes=None),
        Format("github", "pipelines", ("findings",), summary_in="GITHUB_STEP_SUMMARY", escapes=None),
        Format("gitlab", "pipelines", ("findings",), for_programs=True, escapes=None),
        Format("html", "html", ("page", *_SHEET, "text"), for_programs=True, escapes=IN_XML, details=True),
        Format("summary", "summary", ("headline",)),
        Format("slack", "summary", ("headline",), for_programs=True, escapes=None),
        Format("teams", "summary", ("headline",), for_programs=True, escapes=None),
        Format("prometheus", "pipelines", ("findings",)),
        Format("custom-columns", "jsonpath", ("document",), takes="HEADER:.path[,...]"),
        Format("jsonpath", "jsonpath", ("document",), takes="TEMPLATE"),
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
