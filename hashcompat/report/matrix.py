"""The matrix of releases: as a grid, as a list of cells with what is behind them, as a document, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from hashcompat.answers.matrix import Cell, Matrix, Path, Scope
from hashcompat.catalog.lookup import Catalog
from hashcompat.planning.differences import FieldChange, upstream_change
from hashcompat.report.documents import Document, document
from hashcompat.report.tables import table

_GO: Final = "those with a backspace or form feed (another Go)"

_SHORT: Final = {Scope.ALL: "all", Scope.SOME: "some", Scope.NONE: "."}


def grid(matrix: Matrix, *, headers: bool = True) -> str:
    """Return a line a release and a column a release: from the one on the left to the one above."""
    rows = [[old, *(_mark(matrix, old, new) for new in matrix.releases)] for old in matrix.releases]
    return table(["FROM/TO", *map(str, matrix.releases)], rows, show_headers=headers)


def _mark(matrix: Matrix, old: str, new: str) -> str:
    if old == new:
        return "="
    if matrix.findings is not None:
        return str(matrix.findings[old, new])
    return _SHORT[matrix.cells[old, new].scope]


def listing(matrix: Matrix, catalog: Catalog, *, headers: bool = True) -> str:
    """Return a line a pair of neighbours, there and back: who restarts, and the upstream change behind it."""
    cells = [
        matrix.cells[pair] for old, new in pairwise(matrix.releases) for pair in ((old, new), (new, old))
    ]
    rows = [[cell.old, cell.new, cell.scope.value, who(cell), sources(cell, catalog)] for cell in cells]
    return table(["FROM", "TO", "SCOPE", "WHICH CONTAINERS", "UPSTREAM"], rows, show_headers=headers)


def who(cell: Cell) -> str:
    """Say which containers restart."""
    if cell.era:
        return f"every container: {cell.era}"
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


def sources(cell: Cell, catalog: Catalog) -> str:
    """Name the pull requests behind a cell."""
    if cell.era:
        return ", ".join(
            row["pr"]
            for row in catalog.changes["eras"]
            if {row["from"], row["to"]} <= set(cell.era.split(" -> "))
        )
    rows = [
        upstream_change(change.type, change.field, catalog)
        for change in cell.fields
        if change.added is not None
    ]
    minors = {_minor(cell.old), _minor(cell.new)} if cell.go else set()
    go = [row for row in catalog.changes["go"] if _minor(row["release"]) in minors]
    return ", ".join(dict.fromkeys(str(row["pr"]) for row in [*rows, *go] if row and row["pr"]))


def matrix_document(matrix: Matrix, catalog: Catalog) -> Document:
    """Return the RestartMatrix: a cell a pair of releases."""
    return document(
        "RestartMatrix",
        releases=list(matrix.releases),
        items=[_cell(cell, matrix.findings, catalog) for cell in matrix.cells.values()],
        cheapestPath=None
        if matrix.path is None
        else {"releases": list(matrix.path.releases), "findings": list(matrix.path.costs)},
    )


def _cell(cell: Cell, findings: Mapping[tuple[str, str], int] | None, catalog: Catalog) -> dict[str, Any]:
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
        "upstream": sources(cell, catalog),
        "findings": None if findings is None else findings[cell.old, cell.new],
    }


def path_words(path: Path) -> str:
    """Say which way is the cheapest, and what its steps cost."""
    steps = zip(path.releases, path.releases[1:], path.costs, strict=False)
    words = ", ".join(f"{old} -> {new} {cost}" for old, new, cost in steps)
    return f"Cheapest path, {path.total} restarts: {words}"


def markdown(matrix: Matrix, catalog: Catalog) -> str:
    """Return the boundaries between neighbours as a Markdown table, upgrade and rollback alike."""
    lines = ["| from | to | which containers restart | upstream |", "|---|---|---|---|"]
    for old, new in pairwise(matrix.releases):
        cell = matrix.cells[old, new]
        lines.append(f"| {_minor(old)} | {_minor(new)} | {who(cell)} | {sources(cell, catalog) or '-'} |")
    return "\n".join(lines)


def markdown_grid(matrix: Matrix) -> str:
    """Return the whole grid as a Markdown table."""
    names: Sequence[str] = [_minor(release) for release in matrix.releases]
    lines = [f"| from \\ to | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for old, name in zip(matrix.releases, names, strict=True):
        lines.append(f"| **{name}** | {' | '.join(_mark(matrix, old, new) for new in matrix.releases)} |")
    return "\n".join(lines)


def _minor(release: str) -> str:
    return release.rpartition(".")[0]
