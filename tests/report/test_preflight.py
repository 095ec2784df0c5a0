"""Findings that are equal on many nodes: one row for people, and an item each for programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.core.go.jsonstream import parts
from hashcompat.core.model.preflight import Finding, Preflight, Status, grouped
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.sources.files.reports import checks_of
from hashcompat.sources.files.saved import Saved

NODES = [f"cp-{number}" for number in range(1, 41)]


NAMING = ["wide", "markdown", "html", "csv", "json", "yaml", "name", "junit", "sarif"]


def finding(node: str, status: Status = Status.ERROR, text: str = "swap is on", **more: str) -> Finding:
    return Finding("PF-213", node, status, more.get("about", ""), text, more.get("advice", "swapoff -a"))


def result(*findings: Finding) -> Preflight:
    return Preflight("1.31.0", {entry.node: "1.30.0" for entry in findings}, findings)


def shown(form: str, of: Preflight) -> str:
    return "".join(FORMATS[form].render(PREFLIGHT, of, Style()))


MANY = result(*map(finding, NODES), finding("w-1", Status.WARN), finding("w-2", Status.OK, "in order"))


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (["n1"], ["n1"]),
        (["n1", "n2"], ["2 nodes: n1, n2"]),
        (["n1", "n2", "n3"], ["3 nodes: n1, n2, 1 more"]),
        (NODES, ["40 nodes: cp-1, cp-2, 38 more"]),
    ],
)
def test_the_nodes_of_equal_findings_are_counted(nodes: list[str], expected: list[str]) -> None:
    assert [str(group) for group in grouped(map(finding, nodes))] == expected


@pytest.mark.parametrize(
    "other",
    [
        finding("n2", Status.WARN),
        finding("n2", text="swap is on (/dev/sda)"),
        finding("n2", about="x"),
        finding("n2", advice="y"),
    ],
)
def test_what_differs_in_anything_is_another_row(other: Finding) -> None:
    assert [str(group) for group in grouped([finding("n1"), other, finding("n3")])] == [
        "2 nodes: n1, n3",
        "n2",
    ]


@pytest.mark.parametrize("form", ["table", "wide", "markdown", "html"])
def test_people_see_one_row_for_many_nodes(form: str) -> None:
    text = shown(form, MANY).rpartition("<tbody>")[2]  # a page names the worst finding at its top too
    assert text.count("40 nodes: cp-1, cp-2, 38 more") == 1
    assert text.count("swap is on") == 2


@pytest.mark.parametrize("form", NAMING)
def test_each_node_is_named_too(form: str) -> None:
    text = shown(form, MANY)
    assert [node for node in NODES if node not in text] == []


def test_the_document_has_an_item_for_each_node_and_the_groups() -> None:
    document: Any = json.loads(shown("json", MANY))
    assert len(document["items"]) == 42
    assert [(row["nodes"], row["status"], row["text"]) for row in document["groups"]] == [
        (NODES, "ERROR", "swap is on"),
        (["w-1"], "WARN", "swap is on"),
    ]


def test_a_report_is_read_back_with_or_without_groups() -> None:
    document = json.loads(shown("json", MANY))
    # older versions saved neither
    for each in (document, {key: document[key] for key in document if key not in ("groups", "digest")}):
        saved = Saved(parts([json.dumps(each)]), ("PreflightReport",), "checks")
        assert checks_of(saved).findings == MANY.findings


def test_a_spreadsheet_has_a_row_a_node_with_its_group() -> None:
    text = shown("csv", MANY)
    assert text.count("40 nodes: cp-1, cp-2, 38 more") == 40
