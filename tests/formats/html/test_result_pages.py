"""The pages of a gate, an impact, a preflight, a matrix, an explanation and a normalization."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.model.results import About
from hashcompat.output.report.registry import REPORTS
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.readback import html_cells, page, words_of

MOUNTED = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
PODS = as_json(
    node("v1.13.12"),
    node("v1.13.12", "n2"),
    pod({"name": "c", "image": "i"}, name="a-kept"),
    pod(MOUNTED, name="b", node="n2"),
)
WAY = ("--to", "1.14.10", "-f", "-")
COMMANDS = {
    "plan": ("plan", *WAY),
    "gate": ("gate", *WAY),
    "impact": ("impact", *WAY),
    "preflight": ("preflight", "--no-node", *WAY),
    "matrix": ("matrix", "--from", "1.13.12", *WAY),
    "explain": ("explain", "ns/b", *WAY),
}
TITLES = {
    "plan": "Restart plan: kubelet v1.13.12 -> 1.14.10",
    "gate": "Upgrade gate: kubelet v1.13.12 -> 1.14.10",
    "impact": "Impact of an upgrade: kubelet v1.13.12 -> 1.14.10",
    "preflight": "Preflight of nodes: kubelet v1.13.12 -> 1.14.10",
    "matrix": "Matrix of releases: kubelet 1.13.12 -> 1.14.10",
    "explain": "Explanation: kubelet v1.13.12 -> 1.14.10",
}
ANSWERS = {
    "plan": ("", "1 of 2 running containers restarts"),
    "gate": ("FAIL", "fail-on restart: 1 container, allowed 0"),
    "impact": ("UNDECIDED", "PodDisruptionBudgets are not known; 2 nodes in 2 batches"),
    "preflight": ("UNDECIDED", "PF-"),
    "matrix": ("", "Cheapest path, 1 restart"),
    "explain": ("RESTART", "ns/b/c: new field SubPathExpr"),
}


def shown(run: Run, command: str) -> str:
    return run(*COMMANDS[command], "-q", "-o", "html", stdin=PODS).out


def texts(text: str, name: str) -> list[str]:
    return [" ".join(words_of(element).split()) for element in page(text).iter() if element.get("id") == name]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_says_first_what_it_comes_to_and_what_decided(run: Run, command: str) -> None:
    text = shown(run, command)
    (title,) = (words_of(heading) for heading in page(text).iter("h1"))
    assert title == TITLES[command]
    word, why = ANSWERS[command]
    assert texts(text, "verdict") == ([word] if word else [])
    (answer,) = texts(text, "answer")
    assert answer.startswith(why), answer
    (tab,) = (words_of(element) for element in page(text).iter("title"))
    assert tab == f"{f'{word}: ' if word else ''}{title} - hashcompat"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_part_is_in_the_same_navigation(run: Run, command: str) -> None:
    text = shown(run, command)
    (nav,) = (element for element in page(text).iter("nav") if element.get("aria-label") == "Contents")
    named = [link.get("href", "")[1:] for link in nav.iter("a")]
    parts = [heading.get("id") for heading in page(text).iter("h2") if heading.get("id")]
    assert named == parts
    assert named[-1] == "made-title"
    rank = {"besides-restarts": 0, "warnings": 1, "assumptions": 3, "notes": 4, "made-title": 5}
    ranks = [rank.get(name, 2) for name in named]
    assert ranks == sorted(ranks), "what was found comes before what it rests on"


def test_a_gate_shows_its_policy_and_the_violations_first(run: Run) -> None:
    text = run("gate", *WAY, "--max-restarts", "5", "--fail-on", "kill", "-q", "-o", "html", stdin=PODS).out
    assert texts(text, "verdict") == ["PASS"]
    assert [row[0] for row in html_cells(text, "policy")[1:]] == ["max-restarts", "fail-on kill"]
    text = shown(run, "gate")
    assert html_cells(text, "rows")[1][:5] == ["VIOLATION", "n2", "ns", "b", "c"]
    assert len(html_cells(text, "rows")) == 2


def test_a_gate_has_no_column_that_tells_nothing(run: Run, tmp_path: Path) -> None:
    assert html_cells(shown(run, "gate"), "rows")[0][5:] == ["Verdict", "Reason", "Owner"]
    one, two = pod(MOUNTED, name="one"), pod(MOUNTED, name="two")
    for name, manifest in (("a.json", one), ("b.json", two)):
        (tmp_path / name).write_bytes(as_json(manifest))
    text = run("gate", "--from", "1.13", "--to", "1.14", "-f", tmp_path, "-q", "-o", "html").out
    assert html_cells(text, "rows")[0][7:] == ["Owner", "File", "Line"]


def test_an_impact_names_what_a_drain_takes_where_one_is_needed(run: Run) -> None:
    text = run("impact", "--sample", "--from", "1.30", "--to", "1.31", "-q", "-o", "html").out
    heads, *rows = html_cells(text, "nodes")
    drain = heads.index("Drain")
    assert {row[0] for row in rows if row[drain]} <= {"drain", "undecided"}
    assert any(row[drain] for row in rows)


def test_what_is_kept_never_precedes_a_finding(run: Run) -> None:
    assert [row[:4] for row in html_cells(shown(run, "plan"))[1:]] == [
        ["RESTART", "n2", "ns", "b"],
        ["KEEP", "n1", "ns", "a-kept"],
    ]


def test_the_heat_map_has_a_row_for_releases_that_nothing_distinguishes(run: Run) -> None:
    text = run("matrix", "-q", "-o", "html").out
    header, *rows = html_cells(text, "matrix")
    assert len(header) == len(rows) + 1 < 30
    (table,) = (element for element in page(text).iter("table") if element.get("id") == "matrix")
    assert table.get("class") == "heat dense"
    cells = [cell for cell in table.iter("td") if cell.get("class") != "same"]
    assert {words_of(cell) for cell in cells} <= {"all#", "some+", "none."}


def test_a_matrix_of_pods_counts_and_names_what_runs(run: Run) -> None:
    text = run("matrix", "--from", "auto", "--to", "1.15.12", "-f", "-", "-q", "-o", "html", stdin=PODS).out
    header, *rows = html_cells(text, "matrix")
    assert rows[0][0] == "running"
    assert rows[0][1:] == ["1", "1"] if len(header) == 3 else rows[0][1:]
    assert "auto" not in [cell for row in rows for cell in row]


def test_explanations_are_the_worst_first(run: Run) -> None:
    plain = {"name": "a", "image": "i"}
    both = as_json(node("v1.13.12"), pod(name="b", spec={"containers": [plain, MOUNTED]}))
    text = run("explain", "ns/b", *WAY, "-q", "-o", "html", stdin=both).out
    assert [words_of(heading).split()[0] for heading in page(text).iter("h3")] == ["RESTART", "KEEP"]
    assert "hashcompat patch" in text
    links = [anchor.get("href", "") for anchor in page(text).iter("a")]
    assert any("kubernetes/kubernetes/pull/" in link for link in links)
    assert "<li>https://" not in text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_says_of_itself_what_another_can_show(run: Run, command: str) -> None:
    metas = [meta.attrib for meta in page(shown(run, command)).iter("meta")]
    (content,) = (meta["content"] for meta in metas if meta.get("name") == "hashcompat")
    about: dict[str, Any] = json.loads(content)
    assert list(about) == [*About.__struct_fields__]
    assert (about["title"], about["verdict"]) == (TITLES[command], ANSWERS[command][0])
    assert {fact["key"] for fact in about["facts"]} >= {"upgrade", "report_made", "tool", "release_data"}


def test_every_result_that_is_kept_has_a_headline_and_a_title() -> None:
    kept = [report for report in REPORTS.values() if report.provenance]
    assert {report.kind for report in kept if report.headline and report.title and report.page} == {
        report.kind for report in kept
    }
