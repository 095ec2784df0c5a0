"""Read what ``hashcompat preflight --out`` saved: the findings of the nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.preflight import Finding, Preflight, Status
from hashcompat.sources.documents import Row
from hashcompat.sources.files.saved import Saved, opened

KIND: Final = "PreflightReport"


def report_in(name: str, target: str, is_of: Callable[[str], bool]) -> Preflight:
    """Return a saved preflight of the release ``target``, which ``is_of`` knows by its other names too.

    Raises InputError, naming the file, for anything else.
    """
    with opened(name, (KIND,), "what hashcompat preflight saves with --out FILE") as document:
        found = checks_of(document)
        if not is_of(found.target):
            raise InputError(f"a preflight of {found.target}, and the plan is of {target}")
        return found


def checks_of(document: Saved) -> Preflight:
    """Return the findings in a document; raises InputError, with the path, for what none has."""
    findings = tuple(map(_finding, document.items()))
    spec, counts = document.rest.row("spec"), document.rest.row("summary")
    left_out = tuple((row.text("id"), row.text("needs")) for row in spec.rows("leftOut"))
    current = dict(
        spec.each("from", lambda row, node: (node, None if row.value[node] is None else row.text(node)))
    )
    result = Preflight(spec.text("to"), current, findings, spec.texts("ignored"), left_out)
    if any(counts.number(status.value) != number for status, number in result.counts().items()):
        raise InputError(
            "$.summary: not the counts of its items: the report was cut or edited; save it again"
        )
    return result


def _finding(row: Row) -> Finding:
    return Finding(
        row.text("id"),
        row.text("node"),
        row.word("status", Status),
        row.text("object"),
        row.text("text"),
        row.text("advice"),
    )
