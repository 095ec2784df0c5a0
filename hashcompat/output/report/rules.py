"""The rules behind verdicts: as a table, as pages, and as a document.

The page of a rule fits a terminal of 80 columns; that of a check of preflight is made of the check.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis.preflight import CHECKS
from hashcompat.analysis.preflight.checks import Check, Need
from hashcompat.core.catalog.files import (
    DataFiles,
    Span,
    beginnings,
    common,
    default_directory,
    merged,
    rows_at,
    span,
    span_words,
)
from hashcompat.core.rules import Advice, DataRows, Rule, RuleList, Since, link
from hashcompat.output.documents import releases as documents
from hashcompat.output.documents.releases import RuleItem, RuleSince, RuleStep
from hashcompat.output.report.model import (
    Coloured,
    Line,
    Prose,
    Report,
    Section,
    Table,
    document,
    filled,
    plain,
)

WIDTH: Final = 80
"""Columns that a page takes at the most, except for a word that is longer."""
_INDENT: Final = "  "
_PIPED: Final = re.compile(r" (?=\| )")
_WORD: Final = r"""(?:[^\s'"]|'[^']*'|"[^"]*")+"""
_OPTION: Final = re.compile(rf"{_WORD}(?: (?!-\w|--){_WORD})*")
"""A program with its arguments, or an option with its value."""
_GO_ON: Final = " \\"
LEGEND: Final = (
    "Words in capitals are yours to fill in, such as NODE, NAMESPACE, POD and CONTAINER; OLD and NEW are "
    "kubelet releases. Where the kubelet is part of k3s or RKE2, journalctl -u k3s or rke2-server."
)
CONFIRM: Final = "Confirm it on a node"
AVOID: Final = "Avoid it"


def released(since: Since) -> str:
    """Return the releases in which a rule can be a reason, from the release data where it has them."""
    if not since.rows:
        return since.releases
    spans = list(_spans(since.rows))
    if since.within:
        spans = list(common(spans, merged(_spans(since.within))))
    return beginnings(spans) if since.begins else span_words(spans)


def _spans(wanted: Iterable[DataRows]) -> Iterator[Span]:
    data = DataFiles(default_directory())
    for where in wanted:
        for row in rows_at(data.table(where.table), where.at):
            if not where.field or (row[where.field] == where.value) is not where.unlike:
                yield span(row)


def document_of(rule: Rule) -> Any:
    """Return a rule as an item of the document."""
    since = rule.since
    return plain(
        filled(
            RuleItem,
            rule,
            confirm=tuple(map(_step, rule.confirm)),
            avoid=tuple(map(_step, rule.avoid)),
            since=RuleSince(released(since), since.note) if since else None,
            page=link(rule.id),
        )
    )


def _step(step: Advice) -> RuleStep:
    return RuleStep(step.text, step.command or None)


def sections(rule: Rule) -> Iterator[Section]:
    """Yield a rule's page for a terminal; what the rule does not have is left out."""
    yield Section([(Coloured(f"{rule.id}: {rule.name}", "cyan"),)])
    yield Section(_wrapped(f"{rule.meaning} {rule.effect}"), "What it means")
    for title, steps in ((CONFIRM, rule.confirm), (AVOID, rule.avoid)):
        if steps:
            yield Section([line for step in steps for line in _step_lines(step)], title)
    if rule.since:
        yield Section(_wrapped(f"{released(rule.since)}: {rule.since.note}"), "Since which release")
    if rule.links:
        yield Section([(address,) for address in rule.links], "Upstream")
    yield Section([(link(rule.id),)], "This page")


def legend() -> Section:
    """Return what the words in capitals stand for."""
    return Section([(line,) for line in textwrap.wrap(LEGEND, WIDTH)])


def _wrapped(text: str, lead: str = "", after: str = "") -> list[Line]:
    made = textwrap.wrap(
        text,
        WIDTH - len(_INDENT),
        initial_indent=lead,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [(line,) for line in made]


def _step_lines(step: Advice) -> Iterator[Line]:
    yield from _wrapped(step.text, "- ", "  ")
    if step.command:
        for line in command_lines(step.command, WIDTH - 3 * len(_INDENT)):
            yield (f"{_INDENT * 2}{line}",)


def command_lines(command: str, width: int) -> Iterator[str]:
    """Yield a command in lines of a width, each but the last ending in a backslash, for a shell to paste.

    It is broken before a pipe, and where that is not enough before an option.
    """
    space = width - len(_GO_ON) - len(_INDENT)
    parts = [
        part
        for piece in _PIPED.split(command)
        for part in ([piece] if len(piece) <= space else _OPTION.findall(piece))
    ]
    lines = [command] if len(command) <= width else list(_packed(parts, space))
    for number, line in enumerate(lines, 1):
        yield f"{_INDENT if number > 1 else ''}{line}{_GO_ON if number < len(lines) else ''}"


def _packed(parts: Iterable[str], space: int) -> Iterator[str]:
    """Yield lines with as many parts as there is space for."""
    line = ""
    for part in parts:
        if line and len(line) + 1 + len(part) > space:
            yield line
            line = ""
        line = f"{line} {part}" if line else part
    yield line


_REFERENCE: Final = re.compile(r"(?:(?<![\w.-])([\w.-]++/[\w.-]++))?#(\d+)")
"""An issue or pull request; without a repository it is of the one before."""
_DUMP: Final = "hashcompat collector --preflight | ssh NODE sudo sh > NODE.json"
_ON_NODE: Final = (
    Advice("On the node:", "hashcompat preflight --to NEW"),
    Advice("Or, without Python there, read the node first:", _DUMP),
    Advice("and check what was read:", "hashcompat preflight --to NEW --dump NODE.json"),
)
_BY_BOTH: Final = (
    Advice("Read the node:", _DUMP),
    Advice("and the cluster's objects:", "kubectl get nodes,pods --all-namespaces -o json > CLUSTER.json"),
    Advice("and check both together:", "hashcompat preflight --to NEW --dump NODE.json -f CLUSTER.json"),
)
_BY_PLAN: Final = (
    Advice(
        "By a plan of the same upgrade and the cluster's objects:",
        "hashcompat preflight --to NEW --from OLD --no-node",
    ),
)
_BY_OBJECTS: Final = (Advice("By the cluster's objects alone:", "hashcompat preflight --to NEW --no-node"),)


def paged(check: Check) -> Rule:
    """Return a check's rule with all that its page has."""
    rule = check.rule
    accepted = f"hashcompat preflight --to NEW --ignore-preflight-errors {rule.id}"
    return structs.replace(
        rule,
        confirm=(
            Advice(f"What is read: {'; '.join(rule.reads)}."),
            *(step for need in check.needs for step in _made_by(need)),
        ),
        avoid=(
            Advice("The finding names the object and what to do about it."),
            Advice("Where that is accepted as it is, let it count as a warning:", accepted),
        ),
        links=tuple(_links(rule.source)),
    )


def _made_by(need: frozenset[Need]) -> tuple[Advice, ...]:
    if Need.PLAN in need:
        return _BY_PLAN
    if need == {Need.NODE, Need.OBJECTS}:
        return _BY_BOTH
    return _BY_OBJECTS if need == {Need.OBJECTS} else _ON_NODE


def _links(source: str) -> Iterator[str]:
    """Yield the addresses of the issues and pull requests that a source names."""
    repository = ""
    for reference in _REFERENCE.finditer(source):
        repository = reference[1] or repository
        yield f"https://github.com/{repository}/issues/{reference[2]}"


def _page(rule: Rule) -> Rule:
    """Return a rule with its page; that of a check is made of the check."""
    return next((paged(check) for check in CHECKS if check.id == rule.id), rule)


def _cells(rule: Rule) -> list[object]:
    return [rule.id, Prose(rule.name), Prose(rule.meaning)]


def _text(rules: RuleList) -> Iterator[Section]:
    for rule in rules.rules:
        yield from sections(_page(rule))
    yield legend()


RULES: Final[Report[RuleList]] = Report(
    "RuleList",
    document=lambda rules: document(
        documents.RuleList, items=[document_of(_page(rule)) for rule in rules.rules]
    ),
    table=lambda rules: Table(("ID", "RULE", "MEANING"), lambda: map(_cells, rules.rules)),
    wide=lambda rules: Table(
        ("ID", "RULE", "MEANING", "SOURCE"),
        lambda: ([*_cells(rule), Prose(rule.source)] for rule in rules.rules),
    ),
    names=lambda rules: (rule.id for rule in rules.rules),
)
PAGES: Final = structs.replace(RULES, table=None, text=_text)
"""The same with a page for each rule, in place of a table."""
