"""The reference pages of rules and checks: docs/rules.md and docs/preflight-checks.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.analysis.preflight import CHECKS
from hashcompat.analysis.preflight.checks import Check
from hashcompat.core.rules import Advice, Rule, all_rules, anchor
from hashcompat.output.report.rules import AVOID, CONFIRM, LEGEND, released


def _anchored(rule: Rule) -> tuple[str, str]:
    """Return a rule's heading in Markdown, after an anchor that does not depend on its name."""
    return f'<a id="{anchor(rule.id)}"></a>', f"## {rule.id}: {rule.name}"


def _paragraphs(rule: Rule) -> Iterator[str]:
    """Yield the paragraphs of a rule's page in Markdown."""
    yield from _anchored(rule)
    yield f"{rule.meaning} {rule.effect}"
    for title, steps in ((CONFIRM, rule.confirm), (AVOID, rule.avoid)):
        yield f"**{title}**"
        yield "\n\n".join(map(_step, steps))
    if rule.since:
        yield f"**Since which release**: {released(rule.since)}: {rule.since.note}."
    yield f"**Source**: {rule.source or 'the input alone, not Kubernetes'}."
    yield "\n".join(f"- <{address}>" for address in rule.links)


def _step(step: Advice) -> str:
    code = f"\n\n  ```sh\n  {step.command}\n  ```" if step.command else ""
    return f"- {step.text}{code}"


_TITLE: Final = "# Checks of preflight"
_CHECK_INTRODUCTION: Final = (
    "What `hashcompat preflight` looks for; see [preflight](preflight.md). Ids are stable: a check keeps its "
    "id, and an id is never reused. `hashcompat rules PF-103` prints one of them."
)


def checks_markdown() -> str:
    """Return the reference page docs/preflight-checks.md."""
    rows = [
        f"| [{check.rule.id}](#{anchor(check.rule.id)}) | {check.rule.name} | {_needs(check)} |"
        for check in CHECKS
    ]
    parts = [_TITLE, _CHECK_INTRODUCTION, "\n".join(["| check | what | made with |", "|---|---|---|", *rows])]
    for check in CHECKS:
        rule = check.rule
        parts += [*_anchored(rule), rule.meaning, f"Reads: {'; '.join(rule.reads)}."]
        parts += [f"Made with: {_needs(check)}.", f"Source: {rule.source}"]
    return "\n\n".join(parts) + "\n"


def _needs(check: Check) -> str:
    """Say what a run has to be given for a check to be made."""
    ways = [" and ".join(sorted(need)) for need in check.needs]
    return ", or ".join(way or "any run" for way in ways)


_INTRODUCTION: Final = (
    "The explanations behind verdicts. Ids are stable: a rule keeps its id, and an id is never reused. "
    "`hashcompat rules HC004` prints one of them."
)


def rules_markdown() -> str:
    """Return the reference page docs/rules.md."""
    rows = [f"| [{rule.id}](#{anchor(rule.id)}) | {rule.name} |" for rule in all_rules()]
    parts = [
        "# Rules",
        _INTRODUCTION,
        "The checks of nodes, such as `PF-103`, are in [preflight-checks](preflight-checks.md).",
        f"{LEGEND} Commands that confirm something change nothing.",
        "\n".join(["| rule | what |", "|---|---|", *rows]),
    ]
    parts += [part for rule in all_rules() for part in _paragraphs(rule)]
    return "\n\n".join(parts) + "\n"
