"""The matrix of releases: as a grid, as a list of cells with their causes, as a document, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from hashcompat.answers.matrix import Cell, Matrix
from hashcompat.answers.paths import Path
from hashcompat.model.details import Scope
from hashcompat.model.plan import Hop
from hashcompat.model.words import count
from hashcompat.planning.options import AUTO
from hashcompat.planning.reasons import FieldChange
from hashcompat.release import parse_release
from hashcompat.report.grid import counted, overview
from hashcompat.report.items import hop_words
from hashcompat.report.model import Document, Prose, Report, Table, document

_GO: Final = "those with a backspace or form feed (another Go)"

_FEW: Final = 6
"""Steps that one line names."""

_SHORT: Final = {Scope.ALL: "all", Scope.SOME: "some", Scope.NONE: "."}


def _grid(matrix: Matrix) -> Table:
    """Return a line and a column for each release: from the one on the left to the one above."""
    targets = [release for release in matrix.releases if release != AUTO]
    rows = [[old, *(_mark(matrix, old, new) for new in targets)] for old in matrix.releases]
    return Table(("FROM/TO", *targets), lambda: rows)


def _mark(matrix: Matrix, old: str, new: str) -> str:
    if old == new:
        return "="
    if matrix.counts is not None:
        return counted(matrix.counts[old, new])
    return _SHORT[matrix.cells[old, new].scope]


def _listing(matrix: Matrix) -> Table:
    """Return a line for each pair of neighbours, there and back: who restarts, and why."""
    pairs = [pair for old, new in pairwise(matrix.releases) for pair in ((old, new), (new, old))]
    cells = [matrix.cells[pair] for pair in pairs if pair in matrix.cells]
    rows = [[cell.old, cell.new, cell.scope.value, Prose(who(cell)), Prose(cell.upstream)] for cell in cells]
    return Table(("FROM", "TO", "SCOPE", "WHICH CONTAINERS", "UPSTREAM"), lambda: rows)


def who(cell: Cell) -> str:
    """Say which containers restart."""
    if cell.era and cell.scope is Scope.ALL:
        return f"every container: {cell.era}"
    if cell.era:
        return f"those of kubelets with another algorithm: {cell.era}"
    if cell.scope is Scope.ALL:
        return f"every container: {_names(cell.fields)}"
    if cell.if_set:
        set_ = [f"those that set {', '.join(change.path for change in cell.fields)}"] if cell.fields else []
        return "; ".join([*set_, *([_GO] if cell.go else [])]) or "none"
    groups: dict[str, list[FieldChange]] = {}
    for change in cell.fields:
        groups.setdefault(change.path.rpartition(".")[0], []).append(change)
    return "; ".join(f"those with {place} ({_names(changes)})" for place, changes in groups.items()) or "none"


def _names(changes: Iterable[FieldChange]) -> str:
    return ", ".join(dict.fromkeys(change.field for change in changes))


def _document(matrix: Matrix) -> Document:
    """Return the RestartMatrix: a cell a pair of releases."""
    return document(
        "RestartMatrix",
        releases=list(matrix.releases),
        warnings=list(matrix.warnings),
        items=[_cell(cell, matrix.counts) for cell in matrix.cells.values()],
        cheapestPath=None if matrix.path is None else _path(matrix, matrix.path),
        shortestPath=None if matrix.shortest is None else _path(matrix, matrix.shortest),
        groups=[list(group) for group in matrix.groups],
    )


def _path(matrix: Matrix, path: Path) -> dict[str, Any]:
    return {
        "releases": [matrix.releases[0], *(step.new for step in path.hops)],
        "findings": [step.findings for step in path.hops],
        "unknown": [step.unknown for step in path.hops],
    }


def _cell(cell: Cell, counts: Mapping[tuple[str, str], Hop] | None) -> dict[str, Any]:
    return {
        "from": cell.old,
        "to": cell.new,
        "scope": cell.scope.value,
        "era": cell.era,
        "fields": [
            {"path": change.path, "field": change.field, "added": change.added} for change in cell.fields
        ],
        "ifSet": cell.if_set,
        "go": cell.go,
        "upstream": cell.upstream,
        "findings": None if counts is None else counts[cell.old, cell.new].findings,
        "unknown": None if counts is None else counts[cell.old, cell.new].unknown,
    }


def _notes(matrix: Matrix) -> Iterator[str]:
    if matrix.path:
        yield from (f"Warning: {warning}" for warning in _collapsed(matrix.warnings))
        yield _path_words(matrix.path)


def _collapsed(warnings: Iterable[str]) -> Iterator[str]:
    """Yield one line for each thing that is quoted: of the steps that it is about, the first."""
    kinds: dict[str, list[str]] = {}
    for warning in warnings:
        step, _, quoted = warning.partition(": ")
        kinds.setdefault(quoted, []).append(step)
    for quoted, (first, *more) in kinds.items():
        others = f" and {count(len(more), 'more step')}" if more else ""
        yield f"{first}{others}: {quoted}"


def _path_words(path: Path) -> str:
    """Say which way is the cheapest, and what its steps cost; of many steps only how many they are."""
    words = ", ".join(f"{step.old} -> {step.new} {hop_words(step)}" for step in path.hops)
    if len(path.hops) > _FEW:
        words = f"{path.hops[0].old} -> {path.hops[-1].new} in {count(len(path.hops), 'step')}"
    unknown = f" and {path.unknown} unknown" if path.unknown else ""
    return f"Cheapest path, {count(path.findings, 'restart')}{unknown}: {words or 'nowhere to go'}"


def markdown(matrix: Matrix) -> str:
    """Return the boundaries between neighbours as a Markdown table, upgrade and rollback alike."""
    lines = ["| from | to | which containers restart | upstream |", "|---|---|---|---|"]
    for old, new in pairwise(matrix.releases):
        cell, (before, after) = matrix.cells[old, new], _minors((old, new))
        lines.append(f"| {before} | {after} | {who(cell)} | {cell.upstream or '-'} |")
    return "\n".join(lines)


def markdown_grid(matrix: Matrix) -> str:
    """Return the whole grid as a Markdown table."""
    names = _minors(matrix.releases)
    lines = [f"| from \\ to | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for old, name in zip(matrix.releases, names, strict=True):
        lines.append(f"| **{name}** | {' | '.join(_mark(matrix, old, new) for new in matrix.releases)} |")
    return "\n".join(lines)


def _minors(releases: Iterable[str]) -> list[str]:
    return [parse_release(release).minor for release in releases]


MATRIX: Final[Report[Matrix]] = Report(
    "RestartMatrix",
    document=_document,
    table=_grid,
    overview=overview,
    wide=_listing,
    names=lambda matrix: matrix.releases,
    notes=_notes,
)
