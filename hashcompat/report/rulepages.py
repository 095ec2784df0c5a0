"""The page of one rule or check: for a terminal of 80 columns, in Markdown, and as a document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hashcompat.catalog.files import DataFiles, default_directory
from hashcompat.catalog.spans import Span, beginnings, common, merged, rows, span, words
from hashcompat.report.model import Coloured, Line, Section
from hashcompat.rules import Rows, Rule, Since, Step, anchor, link

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
    return beginnings(spans) if since.begins else words(spans)


def _spans(wanted: Iterable[Rows]) -> Iterator[Span]:
    data = DataFiles(default_directory())
    for one in wanted:
        for row in rows(data, one.table, one.at):
            if not one.field or (row[one.field] == one.value) is not one.unlike:
                yield span(row)


def document_of(rule: Rule) -> dict[str, Any]:
    """Return a rule as an item of the document."""
    since = rule.since
    return {
        "id": rule.id,
        "name": rule.name,
        "meaning": rule.meaning,
        "source": rule.source,
        "effect": rule.effect,
        "confirm": [_step(step) for step in rule.confirm],
        "avoid": [_step(step) for step in rule.avoid],
        "since": since and {"releases": released(since), "note": since.note},
        "links": list(rule.links),
        "page": link(rule.id),
    }


def _step(step: Step) -> dict[str, str | None]:
    return {"text": step.text, "command": step.command or None}


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


def _step_lines(step: Step) -> Iterator[Line]:
    yield from _wrapped(step.text, "- ", "  ")
    if step.command:
        for line in command_lines(step.command, WIDTH - 3 * len(_INDENT)):
            yield (f"{_INDENT * 2}{line}",)


def command_lines(command: str, width: int) -> Iterator[str]:
    """Yield a command in lines of a width, each but the last ending in a backslash, for a shell to paste.

    It is broken before a pipe, and where that is not enough before an option.
    """
    space = width - len(_GO_ON) - len(_INDENT)
    parts = [part for piece in _PIPED.split(command) for part in _parts(piece, space)]
    lines = [command] if len(command) <= width else list(_packed(parts, space))
    for number, line in enumerate(lines, 1):
        yield f"{_INDENT if number > 1 else ''}{line}{_GO_ON if number < len(lines) else ''}"


def _parts(piece: str, space: int) -> list[str]:
    """Return a part of a pipeline, in parts of its own where it is too long for a line."""
    return [piece] if len(piece) <= space else _OPTION.findall(piece)


def _packed(parts: Iterable[str], space: int) -> Iterator[str]:
    """Yield lines with as many parts as there is space for."""
    line = ""
    for part in parts:
        if line and len(line) + 1 + len(part) > space:
            yield line
            line = ""
        line = f"{line} {part}" if line else part
    yield line


def anchored(rule: Rule) -> tuple[str, str]:
    """Return a rule's heading in Markdown, after an anchor that does not depend on its name."""
    return f'<a id="{anchor(rule.id)}"></a>', f"## {rule.id}: {rule.name}"


def markdown(rule: Rule) -> Iterator[str]:
    """Yield the paragraphs of a rule's page in Markdown."""
    yield from anchored(rule)
    yield f"{rule.meaning} {rule.effect}"
    for title, steps in ((CONFIRM, rule.confirm), (AVOID, rule.avoid)):
        yield f"**{title}**"
        yield "\n\n".join(_step_markdown(step) for step in steps)
    if rule.since:
        yield f"**Since which release**: {released(rule.since)}: {rule.since.note}."
    yield f"**Source**: {rule.source or 'the input alone, not Kubernetes'}."
    yield "\n".join(f"- <{address}>" for address in rule.links)


def _step_markdown(step: Step) -> str:
    code = f"\n\n  ```sh\n  {step.command}\n  ```" if step.command else ""
    return f"- {step.text}{code}"
