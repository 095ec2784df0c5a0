"""A gate: what decided, each line of the policy, and the containers that are not kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from hashcompat.gating.checks import owner_group
from hashcompat.gating.policy import Policy
from hashcompat.gating.result import GateResult, Judged, Line, Outcome, Standing
from hashcompat.model.words import count
from hashcompat.report.gatecases import findings_of
from hashcompat.report.gatedocument import gate_document
from hashcompat.report.items import item_name, reason_words, verdict_cell
from hashcompat.report.model import Coloured, Prose, Report, Screen, Section, Table
from hashcompat.report.whence import overridden, times_line

_COLOURS: Final[Mapping[Outcome, str]] = {
    Outcome.FAIL: "red",
    Outcome.UNDECIDED: "yellow",
    Outcome.PASS: "green",
}

_STANDING_COLOURS: Final[Mapping[Standing, str]] = {
    Standing.VIOLATION: "red",
    Standing.UNDECIDED: "yellow",
    Standing.SURPRISE: "red",
}

_OWNERS: Final = 20
"""Owners that are named for people; -o wide has every container."""

_LINE_COLUMNS: Final = ("POLICY", "ABOUT", "FOUND", "ALLOWED", "OUTCOME")
_OWNER_COLUMNS: Final = ("NAMESPACE", "OWNER", "CONTAINERS", "VERDICT", "COUNTS AS")
_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "COUNTS AS", "REASON")
_MORE_COLUMNS: Final = ("TYPE", "OWNER", "WORKLOAD", "UID", "RELEASE", "EXCEPTION", "EXPIRES", "FILE", "LINE")
_SHEET_COLUMNS: Final = (*_LINE_COLUMNS, *_COLUMNS, *_MORE_COLUMNS)


_SETTINGS: Final = "settings"
"""The policy's line in a table of all: whose settings count."""

_OVERRIDDEN: Final = "override-node-releases"
"""The line that says which nodes report another release."""


def _overview(result: GateResult, _screen: Screen) -> Iterator[Section]:
    verdict = Coloured(_verdict(result), _COLOURS[result.outcome])
    lines = (times_line(result.plan), *overridden(result.plan), *settings_lines(result))
    yield Section([[verdict], *([line] for line in lines)])
    yield Section(Table(_LINE_COLUMNS, lambda: map(_line_cells, result.lines)))
    owners = _owners(result)
    if owners:
        hidden = len(owners) - _OWNERS
        after = f"and {count(hidden, 'more owner')}; -o wide has every container" if hidden > 0 else ""
        yield Section(Table(_OWNER_COLUMNS, lambda: owners[:_OWNERS], after=after))


def _line_cells(line: Line) -> list[object]:
    outcome = Coloured(line.outcome.value, _COLOURS[line.outcome])
    return [Prose(line.key), line.subject or None, line.found, line.allowed, outcome]


def _owners(result: GateResult) -> list[list[object]]:
    """Return a row for each owner, verdict and standing: violations first, and of these the most."""
    numbers = Counter((owner_group(one.item.pod), one.item.verdict, one.standing) for one in result.judged)
    order = [*Standing]
    rows = sorted(numbers.items(), key=lambda row: (order.index(row[0][2]), -row[1], row[0]))
    return [
        [namespace, owner, number, verdict.value, _standing(standing)]
        for ((namespace, owner), verdict, standing), number in rows
    ]


def _standing(standing: Standing) -> object:
    colour = _STANDING_COLOURS.get(standing)
    return Coloured(standing.value, colour) if colour else standing.value


def _table(result: GateResult) -> Table:
    return Table(_COLUMNS, lambda: map(_cells, result.judged), bare=True)


def _wide(result: GateResult) -> Table:
    rows = lambda: ([*_cells(one), *_more(one)] for one in result.judged)  # noqa: E731 - one line
    caption = "; ".join([*overridden(result.plan), *settings_lines(result)])
    return Table((*_COLUMNS, *_MORE_COLUMNS), rows, caption=caption)


def _sheet(result: GateResult) -> Table:
    """Return a row for each line of the policy, and one for each container."""
    return Table(_SHEET_COLUMNS, lambda: _sheet_rows(result))


def _sheet_rows(result: GateResult) -> Iterator[list[object]]:
    containers = [None] * (len(_COLUMNS) + len(_MORE_COLUMNS))
    yield from ([*_line_cells(line), *containers] for line in result.lines)
    for file in result.policy.files:
        yield [Prose(_SETTINGS), Prose(str(file)), None, None, None, *containers]
    for text in overridden(result.plan):
        yield [Prose(_OVERRIDDEN), Prose(text), None, None, None, *containers]
    lines = [None] * len(_LINE_COLUMNS)
    yield from ([*lines, *_cells(one), *_more(one)] for one in result.judged)


def _cells(one: Judged) -> list[object]:
    item, pod = one.item, one.item.pod
    names = [pod.node, pod.namespace, pod.name, item.container.name]
    return [*names, verdict_cell(item), _standing(one.standing), Prose(one.seen or reason_words(item))]


def _more(one: Judged) -> list[object]:
    item, pod, exemption = one.item, one.item.pod, one.exemption
    accepted = [Prose(exemption.reason), exemption.expires.isoformat()] if exemption else [None, None]
    names = [item.container.type.value, pod.owner, pod.workload, pod.uid, item.from_release]
    return [*names, *accepted, pod.file, item.line or None]


def _names(result: GateResult) -> Iterator[str]:
    """Yield a name for each container that the policy does not allow."""
    return (item_name(one.item) for one in result.judged if one.standing in _STANDING_COLOURS)


def _notes(result: GateResult) -> Iterator[str]:
    """Yield what it rests on, warnings, what does not count and why, and at last what decided."""
    yield from (f"Assumed: {assumption}" for assumption in result.plan.assumptions)
    yield from (f"Warning: {warning}" for warning in (*result.plan.warnings, *result.warnings))
    numbers = Counter(one.standing for one in result.judged)
    for standing, words in ((Standing.EXCEPTED, "by exceptions"), (Standing.BASELINE, "by the baseline")):
        if numbers[standing]:
            yield f"Left out {words}: {count(numbers[standing], 'container')}"
    yield from settings_lines(result)
    yield f"gate: {_verdict(result)}"


def settings_lines(result: GateResult) -> Iterator[str]:
    """Yield the name of each settings file, with the keys in it that let more pass."""
    return (f"policy: {file}" for file in result.policy.files)


def _loosened(result: GateResult) -> Iterator[str]:
    yield from overridden(result.plan)
    if any(file.loosens for file in result.policy.files):
        yield from settings_lines(result)


def _verdict(result: GateResult) -> str:
    only = ", reported only" if _is_only_reported(result.policy, result.outcome) else ""
    return f"{result.outcome}{only}: {result.deciding}"


def _is_only_reported(policy: Policy, outcome: Outcome) -> bool:
    return policy.report_only and outcome is not Outcome.PASS


GATE: Final[Report[GateResult]] = Report(
    "GateReport",
    document=gate_document,
    overview=_overview,
    table=_table,
    wide=_wide,
    sheet=_sheet,
    findings=findings_of,
    names=_names,
    lead=lambda result: [times_line(result.plan), *overridden(result.plan)],
    notes=_notes,
    loosened=_loosened,
)
