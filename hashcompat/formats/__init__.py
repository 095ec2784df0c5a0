"""The formats of ``-o``: a new one is a file of this package and a line in ``FORMATS``.

A format says which results it can show, so that a command's ``-o`` offers no other. Those for people or pipes
(``table``, ``name``, ``csv``, ``markdown``) ask whether a report has a table or names; those of other tools
(junit, sarif, a metrics file) ask whether it has findings. All but the usual one are imported when
they are used.
Formats return text; only the command line prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.errors import UsageError
from hashcompat.formats.model import Format, on_demand
from hashcompat.formats.sheets import has_document, has_findings, has_names, has_page, has_sheet, has_wide
from hashcompat.formats.table import TABLE
from hashcompat.model.escape import IN_XML
from hashcompat.report.model import Report

FORMATS: Final[Mapping[str, Format]] = {
    found.name: found
    for found in (
        TABLE,
        on_demand("wide", has_wide),
        on_demand("name", has_names),
        on_demand("json", has_document, for_programs=True, escapes=None),
        on_demand("yaml", has_document, for_programs=True, escapes=None),
        on_demand("csv", has_sheet),
        on_demand("markdown", has_sheet),
        on_demand("junit", has_findings, for_programs=True, escapes=IN_XML),
        on_demand("sarif", has_findings, for_programs=True, escapes=None),
        on_demand("github", has_findings, summary_in="GITHUB_STEP_SUMMARY", escapes=None),
        on_demand("gitlab", has_findings, for_programs=True, escapes=None),
        on_demand("html", has_page, for_programs=True, escapes=IN_XML, details=True),
        on_demand("prometheus", has_findings),
        on_demand("custom-columns", has_document, takes="HEADER:.path[,...]"),
        on_demand("jsonpath", has_document, takes="TEMPLATE"),
    )
}
"""Every format by its name; the first that can show a result is its default."""


def offered(report: Report[Any]) -> tuple[str, ...]:
    """Return the names of the formats that can show such results, the default one first."""
    return tuple(name for name, found in FORMATS.items() if found.shows(report))


def chosen(text: str) -> tuple[Format, str]:
    """Return the format that ``csv`` or ``jsonpath=TEMPLATE`` names, and what follows the ``=``.

    Raises UsageError for an unknown one, and for one without what it takes, or with what it cannot take.
    """
    name, equals, argument = text.partition("=")
    found = FORMATS.get(name)
    if found is None:
        raise UsageError(f"no format {name!r}; there are {', '.join(FORMATS)}")
    if bool(found.takes) != bool(argument) or (equals and not found.takes):
        wanted = f"{name}={found.takes}" if found.takes else name
        raise UsageError(f"the format {text!r}: want {wanted}")
    found.check(argument)
    return found, argument
