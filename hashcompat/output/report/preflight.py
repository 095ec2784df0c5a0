"""Preflight as people read it: what is wrong on which node; the document has what is in order too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import structs

from hashcompat.analysis.preflight import CHECKS
from hashcompat.core.model.escape import count, distinct, word
from hashcompat.core.model.plan import AUTO
from hashcompat.core.model.preflight import Finding, Group, Preflight, Status, grouped
from hashcompat.core.model.results import SIGNATURE
from hashcompat.output.documents.releases import (
    LeftOut,
    PreflightGroup,
    PreflightReport,
    PreflightSpec,
    PreflightSummary,
)
from hashcompat.output.report.items import Provenance, upgrade_of
from hashcompat.output.report.model import (
    CaseResult,
    Document,
    Findings,
    Headline,
    Prose,
    Ranking,
    Report,
    ReportCase,
    Rows,
    Table,
    coloured,
    document,
    filled,
    judged,
    later,
    plain,
)
from hashcompat.output.report.restartplan import ItemSeals, sealed, source_of, tool_of

_COLUMNS: Final = ("NODE", "CHECK", "STATUS", "OBJECT", "FINDING")
_COLOURS: Final[Mapping[Status, str]] = {
    Status.ERROR: "red",
    Status.UNKNOWN: "magenta",
    Status.WARN: "yellow",
    Status.INFO: "cyan",
    Status.OK: "green",
}
_OUTCOMES: Final[Mapping[Status, CaseResult]] = {
    Status.ERROR: CaseResult.FAILED,
    Status.UNKNOWN: CaseResult.UNDECIDED,
    Status.WARN: CaseResult.WARNED,
    Status.INFO: CaseResult.NOTED,
    Status.OK: CaseResult.PASSED,
}


def _document(result: Preflight) -> Document:
    """Return the PreflightReport: every finding, those of checks that found nothing included."""
    left_out = tuple(LeftOut(check, needs) for check, needs in result.left_out)
    made = source_of(result.origin), tool_of(result.making), result.making.at
    counts = {status.value.lower(): number for status, number in result.counts().items()}
    content = document(
        PreflightReport,
        spec=PreflightSpec(result.target, dict(result.current), result.ignored, left_out, *made),
        summary=PreflightSummary(**counts),
        items=Rows(result.findings, plain),
        groups=[
            filled(PreflightGroup, group.finding, nodes=group.nodes) for group in grouped(_shown(result))
        ],
    )
    whole = sealed(content, ItemSeals(content, b""))
    return {key: value for key, value in whole.items() if key != SIGNATURE}  # no report is signed


def _shown(result: Preflight) -> list[Finding]:
    return [finding for finding in result.findings if finding.status != Status.OK]


def _wide(result: Preflight) -> Table:
    """Return the table with what is in order, what to do, and of several nodes each name."""
    rows = [
        [*_cells(group), Prose(group.finding.advice), names]
        for group in grouped(result.findings)
        # where the first column has a number of them
        for names in [Prose(", ".join(group.nodes)) if len(group.nodes) > 1 else None]
    ]
    return Table((*_COLUMNS, "ADVICE", "NODES"), lambda: rows)


def _sheet(result: Preflight) -> Table:
    """Return a row for each finding of each node."""
    rows = [
        [*_cells(Group(finding, (finding.node,))), Prose(finding.advice), Prose(str(group))]
        for group in grouped(result.findings)
        for finding in (structs.replace(group.finding, node=node) for node in group.nodes)
    ]
    return Table((*_COLUMNS, "ADVICE", "NODES"), lambda: rows)


def _cells(group: Group) -> list[object]:
    finding = group.finding
    status = coloured(finding.status, _COLOURS)
    node = finding.node if len(group.nodes) == 1 else Prose(str(group))
    return [node, finding.id, status, finding.object or None, Prose(finding.text)]


def _findings(result: Preflight) -> Findings:
    return Findings(
        "preflight",
        f"preflight of kubelet {result.target}",
        "checks",
        {status.value: number for status, number in result.counts().items()},
        lambda: map(_case, result.findings),
        lambda: [check.rule for check in CHECKS],
        {"nodes": len(result.current)},
    )


def _case(finding: Finding) -> ReportCase:
    about = f" {distinct(finding.object)}" if finding.object else ""
    text = f"{finding.text}; {finding.advice}" if finding.advice else finding.text
    names = {"node": finding.node, "check": finding.id, "object": finding.object}
    outcome = _OUTCOMES[finding.status]
    return ReportCase(
        outcome, finding.status.value, finding.id, text, word(finding.node), f"{finding.id}{about}", names
    )


def _notes(result: Preflight) -> Iterator[str]:
    advice: dict[str, str] = {}
    for finding in _shown(result):
        if finding.advice:
            advice.setdefault(finding.advice, finding.id)
    yield from (f"{check}: {text}" for text, check in advice.items())
    yield from _left_out(result)
    yield _counted(result)


def _counted(result: Preflight) -> str:
    counts = result.counts()
    errors, warnings = count(counts[Status.ERROR], "error"), count(counts[Status.WARN], "warning")
    bad = f"{errors}, {counts[Status.UNKNOWN]} unknown, {warnings}"
    rest = f"{count(counts[Status.INFO], 'note')}, {counts[Status.OK]} OK"
    return f"{count(len(result.current), 'node')} for kubelet {result.target}: {bad}, {rest}"


def _ranking(result: Preflight) -> Ranking:
    bad = (Status.ERROR, Status.UNKNOWN)
    nodes = Counter(finding.node for finding in result.findings if finding.status in bad)
    return Ranking("Top nodes", [(word(name), number) for name, number in nodes.most_common()])


def _headline(result: Preflight) -> Headline:
    """Return the worst finding where one decides, else the counts."""
    counts, first = result.counts(), next(grouped(result.findings), None)
    text = _counted(result)
    if first and first.finding.status in (Status.ERROR, Status.UNKNOWN):
        text = f"{first.finding.id} on {first}: {first.finding.text}"
    return judged(text, findings=counts[Status.ERROR], undecided=counts[Status.UNKNOWN])


def _left_out(result: Preflight) -> Iterator[str]:
    """Name the checks that were not made, those that need the same together."""
    checks: dict[str, list[str]] = {}
    for check, needs in result.left_out:
        checks.setdefault(needs, []).append(check)
    for needs, names in checks.items():
        yield f"Not checked without {needs}: {', '.join(names)}"


def _provenance(result: Preflight) -> Provenance:
    running = tuple(dict.fromkeys(filter(None, result.current.values())))
    return Provenance(upgrade_of(AUTO, running, result.target), result.origin, result.making)


PREFLIGHT: Final[Report[Preflight]] = Report(
    "PreflightReport",
    document=_document,
    table=lambda result: Table(_COLUMNS, lambda: map(_cells, grouped(_shown(result))), bare=True),
    wide=_wide,
    sheet=_sheet,
    folded=_wide,
    findings=_findings,
    names=lambda result: (f"{finding.node}/{finding.id}" for finding in _shown(result)),
    title="Preflight of nodes",
    page=lambda result: later("resultpages", "preflight_page")(PREFLIGHT, result),
    headline=_headline,
    ranking=_ranking,
    provenance=_provenance,
    notes=_notes,
)
