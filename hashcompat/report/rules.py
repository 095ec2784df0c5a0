"""The rules behind verdicts: as a table, a document, and the reference page."""

from __future__ import annotations

from typing import Final

from hashcompat.report.model import Document, Prose, Report, Table, document
from hashcompat.rules import RULES as EVERY_RULE
from hashcompat.rules import Rule, RuleList


def _document(rules: RuleList) -> Document:
    items = [
        {"id": rule.id, "name": rule.name, "meaning": rule.meaning, "source": rule.source}
        for rule in rules.rules
    ]
    return document("RuleList", items=items)


def _cells(rule: Rule) -> list[object]:
    return [rule.id, Prose(rule.name), Prose(rule.meaning)]


def _table(rules: RuleList) -> Table:
    return Table(("ID", "RULE", "MEANING"), lambda: map(_cells, rules.rules))


def _wide(rules: RuleList) -> Table:
    rows = [[*_cells(rule), Prose(rule.source)] for rule in rules.rules]
    return Table(("ID", "RULE", "MEANING", "SOURCE"), lambda: rows)


RULES: Final[Report[RuleList]] = Report(
    "RuleList",
    document=_document,
    table=_table,
    wide=_wide,
    names=lambda rules: (rule.id for rule in rules.rules),
)


def rules_markdown() -> str:
    """Return the reference page docs/rules.md."""
    parts = [
        "# Rules",
        "The explanations behind verdicts. Ids are stable: a rule keeps its id, and an id is never reused.",
        "The checks of nodes, such as `PF-103`, are in [preflight-checks](preflight-checks.md).",
    ]
    for rule in EVERY_RULE:
        parts.append(f"## {rule.id}: {rule.name}")
        parts.append(rule.meaning)
        if rule.source:
            parts.append(f"Source: {rule.source}")
    return "\n\n".join(parts) + "\n"
