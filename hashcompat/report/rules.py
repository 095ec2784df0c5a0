"""The rules behind verdicts: as a table, a document, and the reference page."""

from __future__ import annotations

from hashcompat.report.documents import Document, document
from hashcompat.report.tables import table
from hashcompat.rules import RULES


def rules_table(*, wide: bool = False, headers: bool = True) -> str:
    """Return one line a rule; ``wide`` adds the source in Kubernetes."""
    rows = [[rule.id, rule.name, rule.meaning, *([rule.source] if wide else [])] for rule in RULES]
    return table(["ID", "RULE", "MEANING", *(["SOURCE"] if wide else [])], rows, show_headers=headers)


def rules_document() -> Document:
    """Return the RuleList."""
    items = [
        {"id": rule.id, "name": rule.name, "meaning": rule.meaning, "source": rule.source} for rule in RULES
    ]
    return document("RuleList", items=items)


def rules_markdown() -> str:
    """Return the reference page docs/rules.md."""
    parts = [
        "# Rules",
        "The explanations behind verdicts. Ids are stable: a rule keeps its id, and an id is never reused.",
    ]
    for rule in RULES:
        parts.append(f"## {rule.id}: {rule.name}")
        parts.append(rule.meaning)
        if rule.source:
            parts.append(f"Source: {rule.source}")
    return "\n\n".join(parts) + "\n"
