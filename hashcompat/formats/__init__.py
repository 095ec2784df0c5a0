"""The formats of ``-o``: a new one is a file of this package and a line in ``FORMATS``.

A format says which results it can show, so that a command's ``-o`` offers no other. Those for people or pipes
(``table``, ``name``, ``csv``, ``markdown``) ask whether a report has a table or names; those of other tools
(junit, sarif, a metrics file) ask for a document of the kinds that they know and read its items, one by one.
Formats return text; only the command line prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.formats.json import JSON
from hashcompat.formats.model import Format
from hashcompat.formats.name import NAME
from hashcompat.formats.table import TABLE
from hashcompat.formats.wide import WIDE
from hashcompat.formats.yaml import YAML
from hashcompat.report.model import Report

FORMATS: Final[Mapping[str, Format]] = {
    found.name: found
    for found in (
        TABLE,
        WIDE,
        NAME,
        JSON,
        YAML,
    )
}
"""Every format by its name; the first that can show a result is its default."""


def offered(report: Report[Any]) -> tuple[str, ...]:
    """Return the names of the formats that can show such results, the default one first."""
    return tuple(name for name, found in FORMATS.items() if found.shows(report))
