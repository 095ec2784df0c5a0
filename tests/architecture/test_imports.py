"""The packages of docs/architecture.md: their order, what each may import, and nothing in a circle."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from scripts.docs import imports
from tests.helpers.program import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()


def declared(page: str) -> dict[str, list[str]]:
    """Read the table: each package, in its order, and the packages that it may import."""
    rows = re.findall(r"^\| `(?:\w+/)?(\w+)/?` \|.*\| ((?:`\w+`,? ?)*)\|$", page, re.MULTILINE)
    return {name: re.findall(r"`(\w+)`", allowed) for name, allowed in rows}


def problems(page: str, packages: Mapping[str, frozenset[str]]) -> list[str]:
    """Say where the table and the packages differ."""
    rows = declared(page)
    order = list(rows)
    said = [f"{name}: is not in the table" for name in packages if name not in rows]
    said += [f"{name}: is in the table, but not in the package" for name in rows if name not in packages]
    for name, allowed in rows.items():
        said += [
            f"{name}: imports {other}, which the table does not allow"
            for other in sorted(packages.get(name, frozenset()) - {*allowed})
        ]
        said += [
            f"{name}: does not import {other}"
            for other in allowed
            if other not in packages.get(name, frozenset())
        ]
        said += [
            f"{name}: {other} is not above it" for other in allowed if other not in order[: order.index(name)]
        ]
    return said


def test_the_table_says_in_which_wing_each_room_is() -> None:
    wings = {imports.room(name): imports.wing(name) for name in imports.modules()}
    inside = re.findall(r"^\| `(\w+)/(\w+)/?` \|", PAGE, re.MULTILINE)
    assert {(wing, room) for wing, room in inside if wing in imports.DIVIDED} == {
        (wing, room) for room, wing in wings.items() if room != wing
    }


def test_a_wing_imports_only_those_before_it() -> None:
    graph = imports.modules()
    entries = ("api", "fleet", "cli", "__main__")
    assert {imports.wing(name) for name in graph} == {*imports.WINGS, *entries}
    behind = {wing: {*imports.WINGS[at + 1 :], *entries} for at, wing in enumerate(imports.WINGS)}
    assert [
        (name, other)
        for name, imported in graph.items()
        for other in sorted(imported)
        if imports.wing(other) in behind.get(imports.wing(name), ())
    ] == []


def test_each_package_imports_what_the_table_says() -> None:
    assert problems(PAGE, imports.rooms()) == []


TABLE = """
| `errors` | whose fault | |
| `go/` | Go | `errors` |
| `cli/` | the command line | `errors`, `go` |
"""
GRAPH = {"errors": frozenset[str](), "go": frozenset({"errors"}), "cli": frozenset({"errors", "go"})}


@pytest.mark.parametrize(
    ("table", "graph", "says"),
    [
        (TABLE, GRAPH, []),
        (TABLE, GRAPH | {"cli": frozenset({"go"})}, ["cli: does not import errors"]),
        (TABLE, GRAPH | {"x": frozenset()}, ["x: is not in the table"]),
        (TABLE + "| `x` | | |\n", GRAPH, ["x: is in the table, but not in the package"]),
        (TABLE.replace("`errors`, ", ""), GRAPH, ["cli: imports errors, which the table does not allow"]),
        (TABLE + "| `x` | | `y` |\n", GRAPH | {"x": frozenset("y")}, ["x: y is not above it"]),
        (
            TABLE.replace("fault | |", "fault | `go` |"),
            GRAPH | {"errors": frozenset({"go"})},
            ["errors: go is not above it"],
        ),
    ],
)
def test_the_table_is_held_to_both_ways(
    table: str, graph: Mapping[str, frozenset[str]], says: list[str]
) -> None:
    assert problems(table, graph) == says


@pytest.mark.parametrize("graph", [imports.rooms, imports.packages, imports.modules])
def test_nothing_imports_in_a_circle(graph: object) -> None:
    assert callable(graph)
    assert imports.cycle(graph()) == []


def test_a_circle_would_be_seen() -> None:
    circle = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a")}
    assert sorted({*imports.cycle(circle)}) == ["a", "b", "c"]


def test_imports_are_found_wherever_they_stand() -> None:
    """Commands import when they run, and an ``import`` of two names is two edges."""
    graph = imports.modules()
    assert "hashcompat.cli.output" in graph["hashcompat.cli.commands.plan"]
    assert "hashcompat.core.kubelet.decide" in graph["hashcompat.analysis.planning.judge"]
    assert {"hashcompat.core.go.jsontext", "hashcompat.core.go.digest"} <= graph[
        "hashcompat.core.kubelet.hashing"
    ]


def test_what_follows_from_other_edges_is_not_drawn() -> None:
    graph = {"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset[str]()}
    assert imports.mermaid(graph) == "flowchart TD\n    a --> b\n    b --> c"
