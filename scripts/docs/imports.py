"""Read from the source which part of hashcompat imports which, and draw it in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

from scripts.lib.paths import DOCS, ROOT

PACKAGE: Final = "hashcompat"
PAGE: Final = DOCS / "architecture.md"
WINGS: Final = ("core", "sources", "analysis", "output")
"""The wings in the order of the data: each imports only those before it."""
DIVIDED: Final = ("core", "analysis", "output")
"""The wings whose parts are rooms of their own in the table and in the drawing."""
_DRAWING: Final = re.compile(r"(?<=<!-- imports: begin -->\n).*(?=<!-- imports: end -->)", re.DOTALL)

Graph = Mapping[str, frozenset[str]]
"""A node, and the nodes that it imports; every node is a key."""


@cache
def sources() -> dict[str, Path]:
    """Return the file of every module by its dotted name, with the package's own name in front."""
    return {_name(path): path for path in sorted((ROOT / PACKAGE).rglob("*.py"))}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> Graph:
    """Return which modules each module imports, wherever in it, within functions too.

    The package itself is left out: it only knows the version, and the API on first use.
    """
    graph = {name: frozenset(_imported(path)) - {name, PACKAGE} for name, path in sources().items()}
    return {name: imported for name, imported in graph.items() if name != PACKAGE}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE:
            yield from (_module(f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                _module(alias.name) for alias in node.names if f"{alias.name}.".startswith(f"{PACKAGE}.")
            )


def _module(name: str) -> str:
    """Return the module that a dotted name is, or is in."""
    while name not in sources():
        name = name.rpartition(".")[0]
    return name


def wing(module: str) -> str:
    """Return what ``ls hashcompat`` shows of a module: ``hashcompat.core.go.yaml`` is in ``core``."""
    return module.split(".")[1]


def room(module: str) -> str:
    """Return the part of its wing that a module is in: ``hashcompat.core.go.yaml`` is in ``go``.

    A wing that is not divided is one room, and so is a wing's own first page.
    """
    parts = module.split(".")
    return parts[2] if parts[1] in DIVIDED and len(parts) > 2 else parts[1]


def package(module: str) -> str:
    """Return the package that holds a module, itself where it is one."""
    return module if sources()[module].name == "__init__.py" else module.rpartition(".")[0]


def rooms() -> Graph:
    """Return which parts of the package each part imports."""
    return grouped({name: room(name) for name in modules() if room(name) not in DIVIDED})


def packages() -> Graph:
    """Return which packages each package imports, however deep they lie; a loose module stands for itself."""
    names = {name: package(name) for name in modules()}
    return grouped({name: name if group == PACKAGE else group for name, group in names.items()})


def grouped(groups: Mapping[str, str]) -> Graph:
    """Return the graph of groups of modules."""
    graph: dict[str, set[str]] = {group: set() for group in groups.values()}
    for name, group in groups.items():
        graph[group] |= {groups[other] for other in modules()[name] & groups.keys()} - {group}
    return {group: frozenset(imported) for group, imported in sorted(graph.items())}


def cycle(graph: Graph) -> list[str]:
    """Return the nodes of one cycle, first and last the same, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        nodes: list[str] = error.args[1]
        return nodes
    return []


def essential(graph: Graph) -> Graph:
    """Return a graph without the edges that follow from its others.

    Raises:
        ValueError: there is a cycle: each of its edges would follow from the others.
    """
    if circle := cycle(graph):
        raise ValueError(f"imports in a circle: {' -> '.join(circle)}")
    below = {node: _reached(graph, graph[node]) for node in graph}
    return {
        node: frozenset(
            other for other in imported if not any(other in below[third] for third in imported - {other})
        )
        for node, imported in graph.items()
    }


def _reached(graph: Graph, nodes: Iterable[str]) -> frozenset[str]:
    return frozenset(nodes).union(*(_reached(graph, graph[node]) for node in nodes))


def _height(graph: Graph, node: str) -> int:
    """Return the length of the longest way down from a node."""
    return 1 + max((_height(graph, other) for other in graph[node]), default=0)


def mermaid(graph: Graph) -> str:
    """Draw a graph as Mermaid text: every arrow points down, from what imports to what it imports."""
    kept = essential(graph)
    order = sorted(graph, key=lambda node: (-_height(graph, node), node))
    lines = [
        f"    {node} --> {' & '.join(sorted(kept[node], key=order.index))}" for node in order if kept[node]
    ]
    return "\n".join(["flowchart TD", *lines])


def drawn() -> str:
    """Return docs/architecture.md with the drawing of today's imports in its place."""
    drawing = f"```mermaid\n{mermaid(rooms())}\n```\n"
    text, count = _DRAWING.subn(lambda _: drawing, PAGE.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError(f"{PAGE.name} has {count} places for the drawing")
    return text
