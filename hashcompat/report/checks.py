"""The checks of preflight as a reference page."""

from __future__ import annotations

from typing import Final

from hashcompat.preflight.checks.check import Check
from hashcompat.preflight.registry import CHECKS

_TITLE: Final = "# Checks of preflight"

_INTRODUCTION: Final = (
    "What `hashcompat preflight` looks for; see [preflight](preflight.md). Ids are stable: a check keeps its "
    "id, and an id is never reused. `hashcompat rules PF-103` prints one of them."
)


def checks_markdown() -> str:
    """Return the reference page docs/preflight-checks.md."""
    parts = [_TITLE, _INTRODUCTION, _table()]
    for check in CHECKS:
        rule = check.rule
        parts += [f"## {rule.id}: {rule.name}", rule.meaning, f"Reads: {'; '.join(check.reads)}."]
        parts += [f"Made with: {_needs(check)}.", f"Source: {rule.source}"]
    return "\n\n".join(parts) + "\n"


def _table() -> str:
    rows = [f"| {check.rule.id} | {check.rule.name} | {_needs(check)} |" for check in CHECKS]
    return "\n".join(["| check | what | made with |", "|---|---|---|", *rows])


def _needs(check: Check) -> str:
    """Say what a run has to be given for a check to be made."""
    ways = [" and ".join(sorted(need)) for need in check.needs]
    return ", or ".join(way or "any run" for way in ways)
