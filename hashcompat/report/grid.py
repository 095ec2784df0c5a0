"""The matrix for people: neighbours that behave alike in one row, a legend, and two ways to take."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from hashcompat.answers.matrix import Matrix
from hashcompat.answers.paths import Path
from hashcompat.model.details import Scope
from hashcompat.model.plan import Hop
from hashcompat.model.words import count
from hashcompat.planning.options import AUTO
from hashcompat.report.model import Coloured, Line, Screen, Section, Table

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

_ALIKE: Final = "{}: alike{}; an upgrade from one to another restarts nothing."

_MINOR: Final = "{} is its newest known patch release, {}."

_NUMBERED: Final = "A column has the number of its row."

_INDENT: Final = "  "

_STEPS: Final = "Fewest steps inside the version skew policy"

_RESTARTS: Final = "Fewest restarts"

_NO_PATH: Final = "none, for some node is too many minors behind (or ahead) already"


class _Grid(msgspec.Struct, frozen=True):
    """Rows and columns before they are fitted."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str | Coloured, ...], ...]


def overview(matrix: Matrix, screen: Screen) -> Iterator[Section]:
    """Yield the grid, in parts where a terminal is too narrow, its legend, and the paths."""
    grid = _grid(matrix)
    table = _labelled(grid)
    dense = screen.width is not None and _width(table) > screen.width
    if screen.width is not None and dense:
        yield from map(Section, _dense(grid, screen.width))
    else:
        yield Section(table, fits=True)
    yield Section(list(_fitted(_legend(matrix, dense=dense), screen.width)))
    if matrix.path is not None:
        yield Section(list(_fitted(_ways(matrix, matrix.path), screen.width)))


def _grid(matrix: Matrix) -> _Grid:
    targets = [group for group in matrix.groups if group != (AUTO,)]
    rows = [tuple(_cell(matrix, group, target) for target in targets) for group in matrix.groups]
    labels, columns = (
        tuple(_label(matrix, group) for group in groups) for groups in (matrix.groups, targets)
    )
    return _Grid(labels, columns, tuple(rows))


def _label(matrix: Matrix, group: Sequence[str]) -> str:
    ends = [matrix.labels[release] for release in (group[0], group[-1])]
    return "-".join(dict.fromkeys(ends))


def _cell(matrix: Matrix, group: Sequence[str], target: Sequence[str]) -> str | Coloured:
    if group == target:
        return "="
    pair = group[0], target[0]
    return _SCOPES[matrix.cells[pair].scope] if matrix.counts is None else _counted(matrix.counts[pair])


def _counted(hop: Hop) -> Coloured:
    colour = "red" if hop.findings else "yellow" if hop.unknown else "green"
    return Coloured(counted(hop), colour)


def counted(hop: Hop) -> str:
    """Write findings, and behind ``+`` what is not decided, with a question mark."""
    return f"{hop.findings}+{hop.unknown}?" if hop.unknown else str(hop.findings)


def _labelled(grid: _Grid) -> Table:
    rows = [[label, *cells] for label, cells in zip(grid.rows, grid.cells, strict=True)]
    return Table((_CORNER, *grid.columns), lambda: rows)


def _width(table: Table) -> int:
    texts = [table.columns, *([str(cell) for cell in row] for row in table.rows())]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return sum(widths) + _GAP * (len(widths) - 1)


def _dense(grid: _Grid, width: int) -> Iterator[list[Line]]:
    """Yield the lines of a grid in parts that fit a width: columns have the numbers of their rows."""
    numbers = {label: str(number) for number, label in enumerate(grid.columns, 1)}
    room = max(map(len, grid.rows))
    heads = [f"{numbers.get(label, ''):>2} {label:<{room}}" for label in grid.rows]
    cells = zip(*grid.cells, strict=True)
    columns = [[number, *map(_short, column)] for number, column in zip(numbers.values(), cells, strict=True)]
    widths = [max(len(str(cell)) for cell in column) for column in columns]
    for part in _parts(widths, width - max(map(len, heads))):
        lines = zip([f"{_CORNER:>{room + 3}}", *heads], *(columns[place] for place in part), strict=True)
        yield [_line(head, cells, [widths[place] for place in part]) for head, *cells in lines]


def _parts(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the places of columns that fit next to each other, at least one."""
    part: list[int] = []
    for place, width in enumerate(widths):
        if part and sum(widths[one] + 1 for one in part) + width + 1 > room:
            yield part
            part = []
        part.append(place)
    yield part


def _short(cell: str | Coloured) -> str | Coloured:
    return _DENSE.get(str(cell), cell)


def _line(head: str | Coloured, cells: Sequence[str | Coloured], widths: Sequence[int]) -> Line:
    line: list[str | Coloured] = [head]
    for cell, width in zip(cells, widths, strict=True):
        line += [" " * (1 + width - len(str(cell))), cell]
    return line


def _legend(matrix: Matrix, *, dense: bool) -> Iterator[str]:
    of_types = _OF_DENSE if dense else _OF_TYPES
    yield from of_types if matrix.counts is None else _OF_PODS
    if dense:
        yield _NUMBERED
    alike = next((group for group in matrix.groups if len(group) > 1), None)
    if alike:
        yield _ALIKE.format(_label(matrix, alike), "" if matrix.counts is None else " for these pods")
    minor = next((release for release, label in matrix.labels.items() if label != release), None)
    if minor:
        yield _MINOR.format(matrix.labels[minor], minor)


def _ways(matrix: Matrix, cheapest: Path) -> Iterator[str]:
    """Say which way has fewest steps, and which restarts fewest."""
    if matrix.shortest is None:
        yield f"{_STEPS}: {_NO_PATH}"
    else:
        yield from _way(_STEPS, matrix.shortest)
    if matrix.shortest == cheapest:
        yield f"{_RESTARTS}: the same path"
    else:
        yield from _way(_RESTARTS, cheapest)


def _way(title: str, path: Path) -> Iterator[str]:
    """Yield the counts of a path, and its steps, each with its own count."""
    unknown = f", {path.unknown} unknown" if path.unknown else ""
    yield f"{title}: {count(len(path.hops), 'step')}, {count(path.findings, 'restart')}{unknown}"
    steps = "".join(f" -> {step.new} [{counted(step)}]" for step in path.hops)
    yield f"{_INDENT}{path.hops[0].old}{steps}" if path.hops else f"{_INDENT}nowhere to go"


def _fitted(texts: Iterable[str], width: int | None) -> Iterator[Line]:
    """Yield lines, with what goes beyond a width below."""
    for text in texts:
        lines = [text] if width is None else textwrap.wrap(text, width, subsequent_indent=_INDENT)
        yield from ([line] for line in lines)
