"""Pages of the results that are kept and passed on, but for a plan's, which is in ``planpage``.

All have one order: what it comes to and what decided that, the counts, what was found, what explains it,
every row, and at last what it rests on and how it was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from hashcompat.analysis.answers.matrix import Matrix
from hashcompat.analysis.gating import GateResult, Standing
from hashcompat.core.model.impact import STEP_WORDS, Impact, Step
from hashcompat.core.model.plan import Scope
from hashcompat.core.model.preflight import Normalization, Preflight, Status
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.report.items import counted
from hashcompat.output.report.model import Report, Screen, Table
from hashcompat.output.report.page import (
    TONES,
    Count,
    Heat,
    HeatCell,
    Listing,
    Main,
    Page,
    Phrase,
    TableRow,
    heading,
    heat_level,
)
from hashcompat.output.report.planpage import cause_of
from hashcompat.output.report.planview import Excerpt

Result = TypeVar("Result")
_UNTIL: Final = "; -o wide has every container"
"""What a terminal says of its shortened tables; on a page every container follows."""
_FIRST: Final = ("upgrade", "input_taken", "cluster", "source")
"""The facts that a reader checks first; all of them are at the end of a page."""


def gate_page(report: Report[GateResult], result: GateResult) -> Page:
    """Return the page of a gate, as a change ticket has it."""
    plan, numbers = result.plan, Counter(judgement.standing for judgement in result.judged)
    counts = [Count(result.whole.compared, "running containers judged")]
    counts += [Count(numbers[word], word.of(numbers[word])) for word in Standing if numbers[word]]
    kinds = Excerpt(plan, plan.items).tally.kinds if not result.after else ()
    titles = {"OUTCOME": ("policy", "Policy"), "COUNTS AS": ("owners", "Owners")}
    table = _telling(report.wide(result), "REASON") if report.wide else None
    return framed(
        report,
        result,
        counts=counts,
        warnings=[*plan.warnings, *result.warnings],
        besides=list(plan.besides),
        assumptions=list(plan.assumptions),
        notes=[str(file) for file in result.policy.files],
        findings=list(_listings(report, result, titles)),
        causes=list(map(cause_of, kinds)),
        main=_main(table, "rows", "Containers", "COUNTS AS", [*Standing]),
    )


def impact_page(report: Report[Impact], impact: Impact) -> Page:
    """Return the page of an impact."""
    kept = [node for node in impact.nodes if not node.left_out]
    numbers = Counter(node.step for node in kept)
    titles = {
        "BREACHED": ("breaches", "Budgets and owners that are hit"),
        "READY-AFTER": ("owners", "Owners"),
        "NOT-WITH": ("apart", "Why there are so many batches"),
    }
    steps = [step for step in (Step.DRAIN, Step.UNDECIDED, Step.IN_PLACE, Step.CLEAN) if numbers[step]]
    left = [Count(len(impact.nodes) - len(kept), "left out")] if len(kept) < len(impact.nodes) else []
    table = _telling(_to_drain(report.wide(impact)), "WHY") if report.wide else None
    return framed(
        report,
        impact,
        counts=[
            Count(len(kept), "node" if len(kept) == 1 else "nodes"),
            Count(len(impact.batches), "batch" if len(impact.batches) == 1 else "batches"),
            *(Count(numbers[step], STEP_WORDS[step]) for step in steps),
            *left,
        ],
        warnings=list(impact.warnings),
        besides=list(impact.besides),
        assumptions=list(impact.assumptions),
        findings=list(_listings(report, impact, titles)),
        # the order of the rows is that of the upgrade
        main=_main(table, "nodes", "Nodes in the order of the upgrade", "STEP"),
    )


_LEFT_OUT: Final = frozenset({"STATIC", "UID"})
"""Long columns: static pods are in the table of owners, and other formats have what programs ask for."""
_ONE_FOR_ALL: Final = frozenset({"TYPE", "RELEASE", "FILE"})
"""Columns that tell nothing where every row has the same: the facts of the page name it."""


def _telling(table: Table, last: str) -> Table:
    """Return a table without columns that tell nothing behind ``last``, the last one of the narrow table."""
    columns, rows = table.columns, [list(row) for row in table.rows()]
    values = {name: {row[place] for row in rows} for place, name in enumerate(columns)}
    mute = {name for name in columns if name in _LEFT_OUT or not values[name] - {None, 0}}
    mute |= {name for name in _ONE_FOR_ALL & values.keys() if len(values[name]) == 1}
    if "FILE" in mute:
        mute.add("LINE")
    if "WORKLOAD" in values and all(
        row[columns.index("WORKLOAD")] == row[columns.index("OWNER")] for row in rows
    ):
        mute.add("WORKLOAD")
    first = columns.index(last) + 1
    kept = [place for place, name in enumerate(columns) if place < first or name not in mute]
    return Table([columns[place] for place in kept], lambda: ([row[place] for place in kept] for row in rows))


def _to_drain(table: Table) -> Table:
    """Return the table of nodes with the flags of a drain where one is needed, and nowhere else."""
    step, drain = map(table.columns.index, ("STEP", "DRAIN"))
    drained = {Step.DRAIN.value, Step.UNDECIDED.value}
    return Table(
        table.columns,
        lambda: (
            [*row[:drain], row[drain] if str(row[step]) in drained else None, *row[drain + 1 :]]
            for row in table.rows()
        ),
    )


def preflight_page(report: Report[Preflight], result: Preflight) -> Page:
    """Return the page of a preflight."""
    numbers = result.counts()
    counts = [Count(len(result.current), "nodes" if len(result.current) != 1 else "node")]
    return framed(
        report,
        result,
        counts=[*counts, *(Count(number, status.value) for status, number in numbers.items())],
        notes=[line for line in report.notes(result) if line.startswith("Not checked")],
        main=_main(report.wide and report.wide(result), "rows", "Checks", "STATUS", [*Status]),
    )


def normalization_page(report: Report[Normalization], made: Normalization) -> Page:
    """Return the page of a normalization."""
    titles = {"MANIFESTS": ("nodes", "Nodes"), "WHY": ("left", "Left alone")}
    return framed(
        report,
        made,
        counts=[
            Count(made.before, "restart with the records as they are"),
            Count(made.after, "restart once rewritten"),
            Count(made.unknown, "unknown"),
            Count(made.rewritten, "records to rewrite"),
            Count(len(made.pins), "manifests to rewrite"),
        ],
        warnings=list(made.warnings),
        findings=list(_listings(report, made, titles)),
        main=_main(report.wide and report.wide(made), "rows", "Containers", "VERDICT", [*Verdict]),
    )


_LEVELS: Final = {Scope.ALL: (5, "#"), Scope.SOME: (2, "+"), Scope.NONE: (0, ".")}


def matrix_page(report: Report[Matrix], matrix: Matrix) -> Page:
    """Return the page of a matrix: releases that nothing distinguishes share a row, as on a terminal."""
    _, *texts = report.overview(matrix, Screen()) if report.overview else ()
    bodies = [section.body for section in texts if not isinstance(section.body, Table)]
    lines = ["".join(map(str, line)) for body in bodies for line in body]
    table = report.wide(matrix) if report.wide else None
    return framed(
        report,
        matrix,
        warnings=list(matrix.warnings),
        heat=_heat(matrix),
        notes=lines,
        main=_main(table, "rows", "Neighbours, there and back", "SCOPE", [*Scope]),
    )


def _heat(matrix: Matrix) -> Heat:
    targets = [group for group in matrix.groups if group != ("auto",)]
    rows = [
        (_label(matrix, old), [_cell(matrix, old[0], new[0]) if old != new else None for new in targets])
        for old in matrix.groups
    ]
    legend = "From the release on the left to the one above. "
    legend += (
        "Which containers restart: all (#), some (+), those with certain fields, or none (.)."
        if matrix.counts is None
        else "How many containers restart; 3+2?: 3, and 2 more are UNKNOWN."
    )
    return Heat([_label(matrix, new) for new in targets], rows, legend, title="Pairs of releases")


def _label(matrix: Matrix, group: Sequence[str]) -> str:
    """Name the releases of a row; those that nodes report are what ``auto`` means."""
    ends = dict.fromkeys(matrix.labels.get(release, release) for release in (group[0], group[-1]))
    return "-".join("running" if end == "auto" else end for end in ends)


def _cell(matrix: Matrix, old: str, new: str) -> HeatCell:
    if matrix.counts is None:
        scope = matrix.cells[old, new].scope
        level, short = _LEVELS[scope]
        return HeatCell(scope.value, level, short=short)
    hop, most = matrix.counts[old, new], max(step.findings for step in matrix.counts.values())
    return HeatCell(counted(hop), heat_level(hop.findings, most), bool(hop.unknown))


def framed(report: Report[Result], result: Result, **parts: Any) -> Page:
    """Return a page with what all have: the title, what it comes to, and what it was made of."""
    if report.headline is None or report.provenance is None:
        raise TypeError(f"{report.kind} comes to nothing that a page could begin with")
    said, made = report.headline(result), report.provenance(result)
    tone, facts = TONES.get(said.colour, ""), list(made.facts())
    return Page(
        title=f"{report.title}: kubelet {made.upgrade}" if made.upgrade else report.title,
        kind=report.title,
        verdict=Phrase(said.word, tone) if said.word else None,
        answer=[Phrase(said.text, "" if said.word else tone)],
        facts=[(fact.name, fact.text) for fact in facts if fact.key in _FIRST],
        provenance=facts,
        **parts,
    )


def _listings(
    report: Report[Result], result: Result, titles: Mapping[str, tuple[str, str]]
) -> Iterator[Listing]:
    """Yield the tables that people see on a terminal and that have one of these columns."""
    for section in report.overview(result, Screen()) if report.overview else ():
        table = section.body
        if not isinstance(table, Table):
            continue
        named = next((titles[column] for column in table.columns if column in titles), None)
        if named and (rows := [*table.rows()]):
            columns = [*map(heading, table.columns)]
            after = table.after.removesuffix(_UNTIL)
            yield Listing(columns, partial(iter, rows), named[1], after, named[0])


def _main(table: Table | None, place: str, title: str, by: str, order: Sequence[str] = ()) -> Main | None:
    """Return a table that is filtered by one of its columns, which comes first; worst first by ``order``."""
    if table is None:
        return None
    at = table.columns.index(by)
    rows = [[cells[at], *cells[:at], *cells[at + 1 :]] for cells in table.rows()]
    if order:
        rows.sort(key=lambda cells: order.index(str(cells[0])))
    numbers = Counter(str(cells[0]) for cells in rows)
    columns = [heading(name) for name in (by, *table.columns[:at], *table.columns[at + 1 :])]
    return Main(
        place,
        title,
        columns,
        lambda: (TableRow(cells, str(cells[0])) for cells in rows),
        len(rows),
        dict(numbers),
        sorts=heading(by),
    )
