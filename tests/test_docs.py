"""The generated pages say what the tables say; ``python scripts/regenerate.py docs`` writes them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.rules import all_rules
from hashcompat.sources.files import collect as samples
from scripts.docs import badges, captures, hashed, largeplan, pages, plans, upgrades
from scripts.lib.generated import Generated
from tests.helpers.program import ROOT


@pytest.fixture(scope="module")
def generated() -> Generated:
    """Return the generated pages, which are made once."""
    files = pages.GENERATED.make()
    return replace(pages.GENERATED, make=lambda: files)


@pytest.mark.slow
def test_the_pages_are_up_to_date(generated: Generated) -> None:
    assert generated.check() == []


@pytest.mark.slow
def test_a_page_that_differs_or_is_missing_is_named(generated: Generated, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# Rules\n")
    elsewhere = replace(generated, root=tmp_path)
    assert elsewhere.check() == [
        "missing  README.md",
        "missing  docs/architecture.md",
        "missing  docs/explain.md",
        "missing  docs/fleet.md",
        "missing  docs/formats.md",
        "missing  docs/guide/first-plan.md",
        "missing  docs/hash.md",
        "missing  docs/images/badges.svg",
        "missing  docs/matrix.md",
        "missing  docs/preflight-checks.md",
        "missing  docs/reality.md",
        "changed  docs/rules.md",
        "missing  docs/story.md",
        "missing  docs/upgrades.md",
        "missing  docs/vendors.md",
        "missing  examples/fleet/sql/athena.sql",
    ]


def test_every_rule_and_every_boundary_has_its_place(catalog: Catalog) -> None:
    rules, matrix = ((ROOT / "docs" / name).read_text() for name in ("rules.md", "matrix.md"))
    assert [line[3:8] for line in rules.splitlines() if line.startswith("## ")] == [
        rule.id for rule in all_rules()
    ]
    minors = catalog.known.minors
    for old, new in pairwise(minors):
        assert f"| {old} | {new} |" in matrix


def test_the_captures_of_plans_are_up_to_date_and_fit_their_terminals() -> None:
    sample = planning.make(samples.sample_cluster(), "1.7.16", "1.9.11", View(default_catalog()))
    captures = list(plans.captures(sample, ("--sample",)))
    page = (ROOT / "docs" / "plan.md").read_text()
    assert [capture for capture in captures if capture not in page] == []
    assert [re.match(r"\d+", capture)[0] for capture in captures] == ["80", "120", "200"]  # type: ignore[index]
    result = captures[0].split("--sample\n", 1)[1].partition("\nAssumed")[0]
    assert max(map(len, result.splitlines())) == 80


def test_a_cluster_of_any_size_is_made_for_its_page() -> None:
    ((path, text),) = plans.make_large(130).items()
    assert path == Path("docs", "plan-large.md")
    assert "## 130 pods" in text.decode()
    assert "Read from cluster.json: 130 pods on 14 nodes\n" in text.decode()
    assert "Kubelet v1.7.16 (10 nodes), v1.6.13 (" in text.decode()


def test_the_pages_of_plans_are_made_by_choices_of_their_own() -> None:
    assert (plans.GENERATED.owned, largeplan.GENERATED.owned) == (("docs/plan.md",), ("docs/plan-large.md",))


def test_the_pictures_are_shown_and_small() -> None:
    """``python -m scripts.docs.screenshots`` takes them; how they look depends on the browser."""
    pages = "".join(page.read_text() for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    assert [picture.name for picture in pictures] == sorted(
        re.findall(r"\]\((?:docs/)?images/([^)]+)\)", pages)
    )
    assert max(picture.stat().st_size for picture in pictures) < 160_000


def test_the_table_of_upgrades_names_the_newest_first_and_what_each_restarts(catalog: Catalog) -> None:
    rows = [line.split(" | ") for line in upgrades.table().splitlines() if line.startswith("| 1.")]
    newest = catalog.known.minors[-1]
    assert re.search(rf"-> {re.escape(newest)}\b", rows[0][0])
    assert "HC022" in rows[0][2]
    assert [row[1] for row in rows if row[0] == "| 1.30 -> 1.31"] == ["**every container**"]
    assert [row[2] for row in rows if row[0] == "| 1.32 -> 1.33" and "HC019" in row[2]]


def test_the_page_of_upgrades_names_what_restarts_for_its_pods_limit() -> None:
    rows = [line.split(" | ") for line in (ROOT / "docs" / "upgrades.md").read_text().splitlines()]
    texts = {row[0]: row[2] for row in rows if row[0].startswith("| 1.") and "their pod's limit" in row[2]}
    assert list(texts) == ["| 1.35 -> 1.36"]
    assert "[HC019]" in texts["| 1.35 -> 1.36"]


def test_the_page_of_upgrades_names_what_some_pods_alone_are_restarted_or_killed_for() -> None:
    rows = [line.split(" | ") for line in (ROOT / "docs" / "upgrades.md").read_text().splitlines()]
    others = {row[0].strip("| "): row[2] for row in rows if row[0].startswith("| 1.")}
    for rule, words, steps in (
        ("HC021", "static pods that name API objects are killed", ["1.33 -> 1.34"]),
        ("HC016", "containers in Docker", ["1.23 -> 1.24"]),
        ("HC022", "restart if they have one of", ["1.28 -> 1.29", "1.21 -> 1.22"]),
    ):
        keys = [step for step, text in others.items() if words in text]
        assert keys == steps
        assert all(f"[{rule}]" in others[step] for step in keys)


def test_an_output_is_taken_again_and_its_page_kept() -> None:
    page = "a\n\n<!-- output: hash --help -->\n```\n```\n\n```sh\nb\n```\n"
    quoted = captures.quoted(page)
    assert quoted.startswith("a\n\n<!-- output: hash --help -->\n```\nUsage: hashcompat hash ")
    assert quoted.endswith("\n```\n\n```sh\nb\n```\n")
    assert captures.quoted(quoted) == quoted


def test_what_another_text_lacks_is_marked() -> None:
    assert "".join(hashed.marked("{A:1 C:3}", "{A:1 B:<nil> C:3}")) == "{A:1<ins> B:&lt;nil&gt;</ins> C:3}"
    assert "".join(hashed.marked("{A:1 B:2}", "{A:1}")) == "{A:1<del> B:2</del>}"


def test_the_hashes_of_the_page_are_those_of_the_log() -> None:
    page = hashed.page()
    assert "| the last of 1,006 | `}` | `5cee1837` |" in page
    assert "Container spec hash changed (1559107639 vs 1428860573)" in page
    assert page.count("<ins>") == 2


def test_the_badges_say_what_the_project_says() -> None:
    assert [name for name, _ in badges.facts()] == ["Kubernetes", "Python", "licence"]
    said = ", ".join(f"{name} {value}".replace(" - ", " to ") for name, value in badges.facts())
    assert f"![{said.replace('licence ', '')}](docs/images/badges.svg)" in (ROOT / "README.md").read_text()


@pytest.mark.slow
def test_the_index_links_every_page_once_and_marks_those_that_have_generated_parts(
    generated: Generated,
) -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    linked = re.findall(r"\]\(([a-z-]+\.md)\)(\*?)", index)
    pages = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
    assert sorted(name for name, _ in linked) == sorted(pages)
    made = {path.name for path in generated.make() if path.parent == Path("docs")} | set(OTHERS)
    assert {name for name, mark in linked if mark} == made


def test_every_relative_link_of_a_page_leads_somewhere() -> None:
    lost = []
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
        for target, _, anchor in (link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", text)):
            if "://" in target:
                continue
            path = page.parent / target if target else page
            if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
                lost.append(f"{page.relative_to(ROOT)}: {target}#{anchor}")
    assert lost == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: those of its headings as GitHub makes them, and those it sets."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE
    )
    marks = re.findall(r'<a id="([^"]+)"', page.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings} | set(marks)


def test_the_glossary_is_short() -> None:
    language = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## Language\n")[2]
    terms = re.findall(r"^\| (?!term |---)", language, re.MULTILINE)
    assert 20 <= len(terms) <= 40


def test_each_decision_has_a_heading_of_its_own_and_short_sentences() -> None:
    page = (ROOT / "docs" / "decisions.md").read_text()
    headings = re.findall(r"^##+ (.+)$", page, re.MULTILINE)
    assert len(headings) == len(set(headings)) > 80
    prose = re.sub(r"^\|.*$", "", page, flags=re.MULTILINE)
    assert [
        text
        for text in re.split(r"(?<=[.!?:]) +|\n\n|\n- ", " ".join(prose.split(" ")))
        if len(text.split()) > 60
    ] == []


OTHERS = ("notebook.md", "plan.md", "plan-large.md", "performance.md", "evidence.md", "html.md")
"""Pages that other commands than ``regenerate.py docs`` make, or whose pictures they take."""
