"""The matrix for people: it fits a terminal, has every pair, and never hides what is unknown."""

from __future__ import annotations

import re

import pytest

from hashcompat.analysis.answers.matrix import Matrix, make
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.matrix import MATRIX
from hashcompat.output.report.model import Screen
from tests.helpers.pods import Json, mirror_pod, node, pod

SIDECAR: Json = {"name": "s", "image": "i", "restartPolicy": "Always"}
WORDS = {"#": "all", "+": "some", ".": "none", "all": "all", "some": "some"}


def shown(matrix: Matrix, width: int | None = None, paint: object = None) -> str:
    style = Style(screen=Screen(width), **({"paint": paint} if paint else {}))  # type: ignore[arg-type]
    return "".join(FORMATS["table"].render(MATRIX, matrix, style))


def read_back(text: str) -> dict[tuple[str, str], str]:
    """Return the cells of a grid by the labels of row and column, also where columns have numbers."""
    grid: dict[tuple[str, str], str] = {}
    columns: list[str] = []
    lines = [line.split() for line in text.splitlines()]
    labels = {words[0]: words[1] for words in lines if words and words[0].isdecimal()}
    for words in lines:
        if not words or words[0] in ("Restarts", "Which"):
            columns = []
        elif words[0] == "FROM/TO":
            columns = [labels.get(word, word) for word in words[1:]]
        elif columns:
            numbered = words[0] in labels and len(words) == len(columns) + 2
            label, *cells = words[1:] if numbered else words
            grid |= {(label, column): cell for column, cell in zip(columns, cells, strict=True)}
    return grid


@pytest.fixture(scope="module")
def plain(catalog: Catalog) -> Matrix:
    return make(View(catalog))


@pytest.fixture(scope="module")
def of_pods(catalog: Catalog) -> Matrix:
    with_sidecar = pod({"name": "c", "image": "i"}, spec={"initContainers": [SIDECAR]})
    inventory = collect([with_sidecar, mirror_pod(), node("v1.30.14")])
    return make(View(catalog), "1.26.15", "1.35.10", inventory)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_longer_than_the_terminal(plain: Matrix, of_pods: Matrix, width: int) -> None:
    for matrix in (plain, of_pods):
        assert max(map(len, shown(matrix, width).splitlines())) <= width


def test_all_minors_fit_one_screen(plain: Matrix) -> None:
    lines = shown(plain, 80).splitlines()
    assert len(lines) < 40
    assert len([line for line in lines if "FROM/TO" in line]) == 1


@pytest.mark.parametrize("width", [None, 40, 80, 400])
def test_every_pair_is_there_at_any_width(plain: Matrix, width: int | None) -> None:
    cells = read_back(shown(plain, width))
    names = {release: label for label, group in _labels(plain).items() for release in group}
    for (old, new), cell in plain.cells.items():
        if names[old] != names[new]:
            assert WORDS[cells[names[old], names[new]]] == cell.scope.value
        else:
            assert cell.scope.value == "none"


def test_counts_are_there_with_what_is_unknown(of_pods: Matrix) -> None:
    assert of_pods.counts is not None
    cells = read_back(shown(of_pods))
    names = {release: label for label, group in _labels(of_pods).items() for release in group}
    for (old, new), hop in of_pods.counts.items():
        if names[old] != names[new]:
            findings, _, unknown = cells[names[old], names[new]].rstrip("?").partition("+")
            assert (int(findings), int(unknown or 0)) == (hop.findings, hop.unknown)
    assert any(cell.endswith("?") for cell in cells.values())
    assert {cells[label, label] for label in _labels(of_pods)} == {"="}


def test_colours_say_what_is_worst(of_pods: Matrix) -> None:
    text = shown(of_pods, paint=lambda text, colour: f"<{colour}:{text}>")
    painted = dict(re.findall(r"<(\w+):([^>]*)>", text)[::-1])
    assert set(painted) <= {"red", "yellow", "green"}
    for colour, cell in re.findall(r"<(\w+):([^>]*)>", text):
        findings, _, unknown = cell.partition("+")
        assert colour == ("red" if int(findings) else "yellow" if unknown else "green")


def test_paths_are_below_with_their_counts(of_pods: Matrix) -> None:
    assert of_pods.path is not None
    assert of_pods.shortest is not None
    text = shown(of_pods)
    assert f"version skew policy: {len(of_pods.shortest.hops)} steps, " in text
    for hop in of_pods.shortest.hops:
        assert f" -> {hop.new} [{hop.findings}" in text


def test_a_path_that_is_both_is_there_once(catalog: Catalog) -> None:
    matrix = make(View(catalog), "1.30.14", "1.31.14", collect([pod()]))
    assert "Fewest restarts: the same path" in shown(matrix)


def test_one_release_has_nowhere_to_go(catalog: Catalog) -> None:
    text = shown(make(View(catalog), "1.30.14", "1.30.14", collect([pod()])))
    assert "0 steps, 0 restarts" in text
    assert "nowhere to go" in text


def test_from_auto_is_a_row_without_a_column(catalog: Catalog) -> None:
    nodes = [node("v1.17.17"), node("v1.27.16", "n2")]
    matrix = make(View(catalog), "auto", "1.28.15", collect([pod(), *nodes]))
    for width in (None, 40):
        cells = read_back(shown(matrix, width))
        assert {old for old, _ in cells} - {new for _, new in cells} == {"auto"}
    assert "none: some node is already" in shown(matrix)


def _labels(matrix: Matrix) -> dict[str, tuple[str, ...]]:
    groups = {}
    for group in matrix.groups:
        ends = dict.fromkeys(matrix.labels[release] for release in (group[0], group[-1]))
        groups["-".join(ends)] = group
    return groups
