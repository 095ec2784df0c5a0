"""The matrix of releases: as a grid, as a list of cells with their causes, and as a document.

For people, neighbours that behave alike share a row, and a narrow terminal gets the grid in parts. Below it
are a legend, and two ways to take: the one of the fewest steps and the one of the fewest restarts.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from hashcompat.analysis.answers.matrix import Cell, Matrix, Path
from hashcompat.analysis.planning.reasons import ChangedField
from hashcompat.core.catalog.releases import span
from hashcompat.core.model.escape import count
from hashcompat.core.model.plan import AUTO, Scope
from hashcompat.output.documents import releases as docs
from hashcompat.output.report.items import Provenance, counted, upgrade_of
from hashcompat.output.report.model import (
    Coloured,
    Document,
    Headline,
    Line,
    Prose,
    Report,
    Screen,
    Section,
    Table,
    document,
    filled,
    later,
)
from hashcompat.output.report.restartplan import source_of, tool_of

_CORNER: Final = "FROM/TO"
_GAP: Final = 2
"""The columns between two cells."""
_SCOPES: Final = {
    Scope.ALL: Coloured("all", "red"),
    Scope.SOME: Coloured("some", "yellow"),
    Scope.NONE: Coloured(".", "green"),
}
_DENSE: Final = {"all": Coloured("#", "red"), "some": Coloured("+", "yellow")}
"""In place of words on a narrow terminal."""
_OF_PODS: Final = (
    "Restarts and kills, from the release on the left to the one above.",
    "0+3?: 3 are UNKNOWN, and never counted as kept. =: no upgrade.",
)
_OF_TYPES: Final = (
    "Which containers restart, from the release on the left to the one above.",
    "all: every one. some: those with certain fields (-o wide). .: none. =: no upgrade.",
)
_OF_DENSE: Final = (
    _OF_TYPES[0],
    "#: every one. +: those with certain fields (-o wide). .: none. =: no upgrade.",
)
_STATIC: Final = "static pods without a uid in their manifest"
_RESIZED: Final = "containers with resources and the resizePolicy RestartContainer"
_INDENT: Final = "  "
_STEPS: Final = "Fewest steps inside the version skew policy"
_RESTARTS: Final = "Fewest restarts"


def matrix_overview(matrix: Matrix, screen: Screen) -> Iterator[Section]:
    """Yield the grid, in parts where a terminal is too narrow, its legend, and the paths."""
    targets = [group for group in matrix.groups if group != (AUTO,)]
    labels, columns = (
        tuple(_label(matrix, group) for group in groups) for groups in (matrix.groups, targets)
    )
    rows = [
        [label, *(_cell(matrix, group[0], target[0]) for target in targets)]
        for label, group in zip(labels, matrix.groups, strict=True)
    ]
    table = Table((_CORNER, *columns), lambda: rows)
    dense = screen.width is not None and _width(table) > screen.width
    if screen.width is not None and dense:
        yield from map(Section, _dense(columns, rows, screen.width))
    else:
        yield Section(table, fits=True)
    yield Section(list(_fitted(_legend(matrix, dense=dense), screen.width)))
    if matrix.path is not None:
        yield Section(list(_fitted(_ways(matrix, matrix.path), screen.width)))


def _label(matrix: Matrix, group: Sequence[str]) -> str:
    ends = [matrix.labels[release] for release in (group[0], group[-1])]
    return "-".join(dict.fromkeys(ends))


def _cell(matrix: Matrix, old: str, new: str) -> str | Coloured:
    if old == new:
        return "="
    if matrix.counts is None:
        return _SCOPES[matrix.cells[old, new].scope]
    hop = matrix.counts[old, new]
    return Coloured(counted(hop), "red" if hop.findings else "yellow" if hop.unknown else "green")


def _width(table: Table) -> int:
    texts = [table.columns, *([str(cell) for cell in row] for row in table.rows())]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return sum(widths) + _GAP * (len(widths) - 1)


def _dense(labels: Sequence[str], rows: Sequence[Line], width: int) -> Iterator[list[Line]]:
    """Yield the lines of a grid in parts that fit a width: columns have the numbers of their rows."""
    numbers = {label: str(number) for number, label in enumerate(labels, 1)}
    names, *grid = zip(*rows, strict=True)
    room = max(len(str(name)) for name in names)
    heads = [f"{numbers.get(str(name), ''):>2} {name!s:<{room}}" for name in names]
    columns = [
        [number, *(_DENSE.get(str(cell), cell) for cell in column)]
        for number, column in zip(numbers.values(), grid, strict=True)
    ]
    widths = [max(len(str(cell)) for cell in column) for column in columns]
    for part in _parts(widths, width - max(map(len, heads))):
        lines = zip([f"{_CORNER:>{room + 3}}", *heads], *(columns[place] for place in part), strict=True)
        yield [_line(head, cells, [widths[place] for place in part]) for head, *cells in lines]


def _parts(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the places of columns that fit next to each other, at least one."""
    part: list[int] = []
    for place, width in enumerate(widths):
        if part and sum(widths[column] + 1 for column in part) + width + 1 > room:
            yield part
            part = []
        part.append(place)
    yield part


def _line(head: str | Coloured, cells: Sequence[str | Coloured], widths: Sequence[int]) -> Line:
    line: list[str | Coloured] = [head]
    for cell, width in zip(cells, widths, strict=True):
        line += [" " * (1 + width - len(str(cell))), cell]
    return line


def _legend(matrix: Matrix, *, dense: bool) -> Iterator[str]:
    of_types = matrix.counts is None
    yield from (_OF_DENSE if dense else _OF_TYPES) if of_types else _OF_PODS
    if dense:
        yield "A column has the number of its row."
    if alike := next((group for group in matrix.groups if len(group) > 1), None):
        besides = [*_restarted(matrix, alike)] if of_types else []
        what = f"nothing but {' and '.join(besides)}" if besides else "nothing"
        whose = "" if of_types else " for these pods"
        yield f"{_label(matrix, alike)}: alike{whose}; an upgrade from one to another restarts {what}."
    if of_types:
        yield from _static_words(matrix)
        yield from _resized_words(matrix)
    if minor := next((release for release, label in matrix.labels.items() if label != release), None):
        yield f"{matrix.labels[minor]} is its newest known patch release, {minor}."


def _restarted(matrix: Matrix, alike: Sequence[str]) -> Iterator[str]:
    """Yield what restarts between releases whose kubelets hash alike."""
    if any(
        matrix.cells[pair].static_pods is not False or matrix.cells[pair].static_types
        for pair in pairwise(alike)
    ):
        yield _STATIC
    if any(matrix.cells[pair].resized for pair in pairwise(alike)):
        yield _RESIZED


def _resized_words(matrix: Matrix) -> Iterator[str]:
    """Say at which steps between neighbours containers restart for resources that were not recorded."""
    steps = [
        f"{matrix.labels[old]} -> {matrix.labels[new]}"
        for old, new in pairwise(matrix.releases)
        if matrix.cells[old, new].resized and matrix.cells[old, new].scope is not Scope.ALL
    ]
    if steps:
        yield f"Besides, {_RESIZED} for these restart at {', '.join(steps)} (HC019)."


def _static_words(matrix: Matrix) -> Iterator[str]:
    """Say at which steps between neighbours static pods restart by their UID, whatever their containers."""
    steps: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    partial_steps = list[str]()
    for old, new in pairwise(matrix.releases):
        words = f"{matrix.labels.get(old, old)} -> {matrix.labels.get(new, new)}"
        steps[matrix.cells[old, new].static_pods].append(words)
        partial_steps += [words] if matrix.cells[old, new].static_types else []
    if steps[True]:
        kept = f", except {', '.join(steps[False])}" if steps[False] else ""
        yield f"Besides, {_STATIC} restart at every step{kept} (HC022)."
    if partial_steps:
        yield f"Some {_STATIC} restart at {', '.join(partial_steps)} (HC022): explain --from --to says which."
    if steps[True] and steps[None]:
        yield f"Not known of static pods: {', '.join(steps[None])}."


def _ways(matrix: Matrix, cheapest: Path) -> Iterator[str]:
    """Say which way has fewest steps, and which restarts fewest."""
    if matrix.shortest is None:
        yield f"{_STEPS}: none: some node is already too many minors behind (or ahead)"
    else:
        yield from _way(_STEPS, matrix.shortest, matrix)
    if matrix.shortest == cheapest:
        yield f"{_RESTARTS}: the same path"
    else:
        yield from _way(_RESTARTS, cheapest, matrix)


def _way(title: str, path: Path, matrix: Matrix) -> Iterator[str]:
    """Yield the counts of a path, and its steps, each with its own count."""
    unknown = f", {path.unknown} unknown" if path.unknown else ""
    yield f"{title}: {count(len(path.hops), 'step')}, {count(path.findings, 'restart')}{unknown}"
    steps = "".join(f" -> {step.new} [{counted(step)}]" for step in path.hops)
    yield f"{_INDENT}{_start(path, matrix)}{steps}" if path.hops else f"{_INDENT}nowhere to go"


def _start(path: Path, matrix: Matrix) -> str:
    """Return the release that a path starts from; what nodes run where that is ``auto``."""
    old = path.hops[0].old
    return span(matrix.running) or "unknown releases" if old == AUTO else old


def _fitted(texts: Iterable[str], width: int | None) -> Iterator[Line]:
    """Yield lines, with what goes beyond a width below."""
    for text in texts:
        lines = [text] if width is None else textwrap.wrap(text, width, subsequent_indent=_INDENT)
        yield from ([line] for line in lines)


_FEW: Final = 6
"""Steps that one line names."""
_STATIC_PODS: Final = {True: "all", False: ".", None: "?"}


def _grid(matrix: Matrix) -> Table:
    """Return a line and a column for each release: from the one on the left to the one above."""
    targets = [release for release in matrix.releases if release != AUTO]
    rows = [[old, *(str(_cell(matrix, old, new)) for new in targets)] for old in matrix.releases]
    return Table((_CORNER, *targets), lambda: rows)


def _listing(matrix: Matrix) -> Table:
    """Return a line for each pair of neighbours, there and back: who restarts, and why.

    With pods it has their counts too, by which the scope of a release's types is what could restart.
    """
    pairs = [pair for old, new in pairwise(matrix.releases) for pair in ((old, new), (new, old))]
    rows: list[list[object]] = []
    for cell in (matrix.cells[pair] for pair in pairs if pair in matrix.cells):
        static, hop = _STATIC_PODS[cell.static_pods], (matrix.counts or {}).get((cell.old, cell.new))
        names = [cell.old, cell.new, cell.scope.value, "some" if cell.static_types else static]
        counts = [hop.findings, hop.unknown] if hop else []
        rows.append([*names, Prose(_who(cell)), Prose(cell.upstream), *counts])
    counted = ("RESTARTS", "UNKNOWN") if matrix.counts is not None else ()
    columns = ("FROM", "TO", "SCOPE", "STATIC PODS", "WHICH CONTAINERS", "UPSTREAM", *counted)
    return Table(columns, lambda: rows)


def _who(cell: Cell) -> str:
    """Say which containers restart, for their hash or for their resources."""
    resized = cell.resized and cell.scope is Scope.NONE
    return f"those with {_RESIZED.removeprefix('containers with ')}" if resized else who(cell)


def who(cell: Cell) -> str:
    """Say which containers restart."""
    if cell.era and cell.scope is Scope.ALL:
        return f"every container: {cell.hashed}"
    if cell.era:
        return f"those of kubelets with another algorithm: {cell.hashed}"
    if cell.scope is Scope.ALL:
        return f"every container: {_names(cell.fields)}"
    if cell.if_set:
        set_ = [f"those that set {', '.join(change.path for change in cell.fields)}"] if cell.fields else []
        return (
            "; ".join([*set_, *(["those with a backspace or form feed (another Go)"] if cell.go else [])])
            or "none"
        )
    groups: dict[str, list[ChangedField]] = {}
    for change in cell.fields:
        groups.setdefault(change.path.rpartition(".")[0], []).append(change)
    return "; ".join(f"those with {place} ({_names(changes)})" for place, changes in groups.items()) or "none"


def _names(changes: Iterable[ChangedField]) -> str:
    return ", ".join(dict.fromkeys(change.field for change in changes))


def _document(matrix: Matrix) -> Document:
    """Return the RestartMatrix: a cell a pair of releases."""
    return document(
        docs.RestartMatrix,
        releases=matrix.releases,
        warnings=matrix.warnings,
        source=source_of(matrix.origin) if matrix.origin else None,
        tool=tool_of(matrix.making),
        created_at=matrix.making.at,
        items=[_pair(matrix, cell) for cell in matrix.cells.values()],
        cheapest_path=_path(matrix, matrix.path),
        shortest_path=_path(matrix, matrix.shortest),
        groups=matrix.groups,
    )


def _pair(matrix: Matrix, cell: Cell) -> docs.MatrixPair:
    counts = matrix.counts[cell.old, cell.new] if matrix.counts is not None else None
    return filled(
        docs.MatrixPair,
        cell,
        from_=cell.old,
        to=cell.new,
        fields=tuple(filled(docs.PairField, change) for change in cell.fields),
        findings=counts.findings if counts else None,
        unknown=counts.unknown if counts else None,
    )


def _path(matrix: Matrix, path: Path | None) -> docs.Path | None:
    if path is None:
        return None
    releases = (matrix.releases[0], *(step.new for step in path.hops))
    return docs.Path(releases, [step.findings for step in path.hops], [step.unknown for step in path.hops])


def _notes(matrix: Matrix) -> Iterator[str]:
    if matrix.path:
        yield from (f"Warning: {warning}" for warning in _collapsed(matrix.warnings))
        yield _path_words(matrix.path, matrix)


def _collapsed(warnings: Iterable[str]) -> Iterator[str]:
    """Yield one line for each thing that is quoted: of the steps that it is about, the first."""
    kinds: dict[str, list[str]] = {}
    for warning in warnings:
        step, colon, quoted = warning.partition(": ")
        kinds.setdefault(colon + quoted or warning, []).append(step)
    for quoted, (first, *more) in kinds.items():
        suffix = f" and {count(len(more), 'more step')}" if more else ""
        yield first if quoted == first else f"{first}{suffix}{quoted}"


def _path_words(path: Path, matrix: Matrix) -> str:
    """Say which way is the cheapest, and what its steps cost; of many steps only how many they are."""
    if not path.hops:
        words = "nowhere to go"
    elif len(path.hops) == 1:
        words = f"{_start(path, matrix)} -> {path.hops[0].new}"
    elif len(path.hops) > _FEW:
        words = f"{_start(path, matrix)} -> {path.hops[-1].new} in {count(len(path.hops), 'step')}"
    else:
        olds = (_start(path, matrix), *(step.old for step in path.hops[1:]))
        steps = zip(olds, path.hops, strict=True)
        words = ", ".join(f"{old} -> {step.new} [{counted(step)}]" for old, step in steps)
    unknown = f" and {path.unknown} unknown" if path.unknown else ""
    return f"Cheapest path, {count(path.findings, 'restart')}{unknown}: {words}"


def _headline(matrix: Matrix) -> Headline:
    """Return the cheapest path or, without pods, how many upgrades restart everything."""
    if matrix.path:
        return Headline("", _path_words(matrix.path, matrix), "red" if matrix.path.findings else "green")
    scopes = [cell.scope for cell in matrix.cells.values()]
    full, part = scopes.count(Scope.ALL), scopes.count(Scope.SOME)
    text = f"Of {count(len(scopes), 'pair')} of releases {full} restart every container, {part} some of them"
    return Headline("", text)


MATRIX: Final[Report[Matrix]] = Report(
    "RestartMatrix",
    document=_document,
    table=_grid,
    overview=matrix_overview,
    wide=_listing,
    names=lambda matrix: matrix.releases,
    title="Matrix of releases",
    page=lambda result: later("resultpages", "matrix_page")(MATRIX, result),
    headline=_headline,
    provenance=lambda matrix: Provenance(
        upgrade_of(matrix.releases[0], matrix.running, matrix.releases[-1]), matrix.origin, matrix.making
    ),
    notes=_notes,
)
