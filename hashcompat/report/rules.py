"""The rules behind verdicts: as a table, pages, a document, and the reference page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from hashcompat.preflight import CHECKS
from hashcompat.report import rulepages
from hashcompat.report.checks import paged
from hashcompat.report.model import Document, Prose, Report, Section, Table, document
from hashcompat.rules import Rule, anchor
from hashcompat.rules.pages import RULES as EVERY_RULE
from hashcompat.rules.pages import RuleList


def _page(rule: Rule) -> Rule:
    """Return a rule with its page; that of a check is made of the check."""
    return next((paged(check) for check in CHECKS if check.rule is rule), rule)


def _document(rules: RuleList) -> Document:
    return document("RuleList", items=[rulepages.document_of(_page(rule)) for rule in rules.rules])


def _cells(rule: Rule) -> list[object]:
    return [rule.id, Prose(rule.name), Prose(rule.meaning)]


def _table(rules: RuleList) -> Table:
    return Table(("ID", "RULE", "MEANING"), lambda: map(_cells, rules.rules))


def _wide(rules: RuleList) -> Table:
    rows = [[*_cells(rule), Prose(rule.source)] for rule in rules.rules]
    return Table(("ID", "RULE", "MEANING", "SOURCE"), lambda: rows)


def _text(rules: RuleList) -> Iterator[Section]:
    for rule in rules.rules:
        yield from rulepages.sections(_page(rule))
    yield rulepages.legend()


RULES: Final[Report[RuleList]] = Report(
    "RuleList",
    document=_document,
    table=_table,
    wide=_wide,
    names=lambda rules: (rule.id for rule in rules.rules),
)

PAGES: Final = structs.replace(RULES, table=None, text=_text)
"""The same with a page for each rule, in place of a table."""


_INTRODUCTION: Final = (
    "The explanations behind verdicts. Ids are stable: a rule keeps its id, and an id is never reused. "
    "`hashcompat rules HC004` prints one of them."
)


def rules_markdown() -> str:
    """Return the reference page docs/rules.md."""
    rows = [f"| [{rule.id}](#{anchor(rule.id)}) | {rule.name} |" for rule in EVERY_RULE]
    parts = [
        "# Rules",
        _INTRODUCTION,
        "The checks of nodes, such as `PF-103`, are in [preflight-checks](preflight-checks.md).",
        f"{rulepages.LEGEND} Commands that confirm something change nothing.",
        "\n".join(["| rule | what |", "|---|---|", *rows]),
    ]
    parts += [part for rule in EVERY_RULE for part in rulepages.markdown(rule)]
    return "\n\n".join(parts) + "\n"
