"""``hashcompat report``: the pages in a directory, joined by one."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import html5lib
import pytest

from hashcompat.core.model.results import About
from hashcompat.sources.files.reports import about_of
from tests.cli.test_documents import errors
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run

MOUNTED = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
PODS = as_json(node("v1.13.12"), pod(MOUNTED))
WAY = ("--to", "1.14.10", "-f", "-", "-q")


@pytest.fixture
def directory(run: Run, tmp_path: Path) -> Path:
    (kept := tmp_path / "kept").mkdir()
    for argv in (("plan", *WAY), ("gate", *WAY, "--max-restarts", "3"), ("impact", *WAY)):
        run(*argv, "--report", f"html={kept / argv[0]}.html", stdin=PODS)
    (kept / "notes.html").write_text("<!DOCTYPE html><title>other</title>")
    (kept / "plan.json").write_text("{}")
    return kept


def test_pages_are_listed_the_worst_first(run: Run, directory: Path) -> None:
    result = run("report", directory)
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines] == ["VERDICT", "restarts", "UNDECIDED", "PASS"]
    assert [line.split()[-1] for line in lines] == ["FILE", "plan.html", "impact.html", "gate.html"]
    assert "No pages of hashcompat: notes.html" in result.err
    assert result.err.splitlines()[-1] == f"{directory}: 3 reports"
    document = run("report", directory, "-q", "-o", "json").document
    assert [(item["file"], item["verdict"]) for item in document["items"]] == [
        ("plan.html", ""),
        ("impact.html", "UNDECIDED"),
        ("gate.html", "PASS"),
    ]
    assert errors("PageList", document) == []
    document["items"][0].pop("verdict")
    assert len(errors("PageList", document)) == 1
    assert run("report", directory, "-q", "-o", "name").out.split() == [
        "plan.html",
        "impact.html",
        "gate.html",
    ]


def test_a_plan_that_decides_nothing_is_undecided(run: Run, tmp_path: Path) -> None:
    unknown = as_json(node("v1.99.0"), pod(MOUNTED))
    run("plan", *WAY, "--report", f"html={tmp_path / 'plan.html'}", stdin=unknown)
    assert run("report", tmp_path).out.splitlines()[1].split()[0] == "undecided"


def test_a_page_elsewhere_would_lead_nowhere(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run("report", directory, "--report", f"html={directory.parent / 'index.html'}")
    assert (result.code, result.out) == (64, "")
    assert f"it links to the pages beside it; want a file in {directory}" in result.err
    assert not (directory.parent / "index.html").exists()
    assert run("report", directory, "--report", f"csv={directory.parent / 'index.csv'}").code == 0
    assert "<!DOCTYPE html>" in run("report", directory, "--report", "html=-").out
    monkeypatch.chdir(directory)
    assert run("report", directory, "--report", "html=index.html").code == 0


def test_the_page_leads_to_each_and_is_none_of_them(run: Run, directory: Path) -> None:
    for _ in range(2):  # the second time it is there already
        run("report", directory, "-q", "--report", f"html={directory / 'index.html'}")
        text = (directory / "index.html").read_text(encoding="utf-8")
        page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
        links = [anchor.get("href", "") for anchor in page.iter("a")]
        assert [link for link in links if link[0] != "#"] == ["./plan.html", "./impact.html", "./gate.html"]
        assert "Restart plan: 1 of 1 running container restarts" in text


def test_reports_of_two_changes_are_not_passed_off_as_one(run: Run, directory: Path) -> None:
    run("plan", "--to", "1.15.12", "-f", "-", "--report", f"html={directory / 'other.html'}", stdin=PODS)
    err = run("report", directory).err
    assert "Warning: These reports are of 2 upgrades: kubelet v1.13.12 -> 1.14.10, kubelet v1" in err
    text = run("report", directory, "-q", "-o", "html").out
    assert "<h1>Reports: 2 upgrades</h1>" in text


def test_a_hostile_name_of_a_file_is_a_link_to_it_and_nothing_else(run: Run, directory: Path) -> None:
    name = 'javascript:alert(1) "<b>%2e#?.html'
    (directory / "plan.html").rename(directory / name)
    text = run("report", directory, "-q", "-o", "html").out
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    links = [anchor.get("href", "") for anchor in page.iter("a") if anchor.get("href", "")[0] != "#"]
    assert unquote(links[0]) == f"./{name}"
    assert all(link.startswith("./") for link in links)


@pytest.mark.parametrize("there", [False, True])
def test_a_directory_without_pages_is_an_error(run: Run, tmp_path: Path, there: bool) -> None:
    if there:
        (tmp_path / "x").mkdir()
    result = run("report", tmp_path / "x")
    assert result.code == 1
    assert ("no page of hashcompat" if there else "No such file") in result.err


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"kind": "x"}', json.dumps({"kind": 1}), "\\ud800"],
)
def test_what_somebody_else_wrote_is_no_page(content: str) -> None:
    text = f'<meta name="hashcompat" content="{escape(content)}">'
    assert about_of(text.encode(errors="surrogatepass")) is None


def test_a_page_says_no_tone_but_the_three() -> None:
    about: dict[str, Any] = {**dict.fromkeys(About.__struct_fields__, ""), "facts": []}
    for tone, known in (("bad", True), ("worse", False)):
        text = f'<meta name="hashcompat" content="{escape(json.dumps(about | {"tone": tone}))}">'
        assert (about_of(text.encode()) is not None) is known
