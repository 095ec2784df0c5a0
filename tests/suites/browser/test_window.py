"""What watches the other tests of this suite notices what it is there for."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.suites.browser.window import window

pytestmark = pytest.mark.browser

POLICY = """<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">"""
TROUBLES = {
    "an error that nobody caught": ("<script>throw new Error('lost')</script>", "error: lost"),
    "a message of the console": ("<script>console.error('noted')</script>", "console: noted"),
    "a violation of the policy": (f"{POLICY}<script>eval('1')</script>", "Content Security Policy"),
    "a picture from elsewhere": (
        "<img alt='' src='https://example.com/a.png'>",
        "request: https://example.com/a.png",
    ),
    "a file beside the page": ("<link rel=stylesheet href='other.css'>", "/other.css"),
    "a script that fetches": (
        "<script>fetch('http://127.0.0.1:1/').catch(() => 0)</script>",
        "http://127.0.0.1:1/",
    ),
}


@pytest.mark.parametrize(("body", "noted"), TROUBLES.values(), ids=TROUBLES)
def test_trouble_is_noticed(browser: Browser, tmp_path: Path, body: str, noted: str) -> None:
    with window(browser, written(tmp_path, body)) as opened:
        opened.page.wait_for_load_state("networkidle")
        assert [trouble for trouble in opened.troubles if noted in trouble]


def test_a_page_without_trouble_has_none(browser: Browser, tmp_path: Path) -> None:
    with window(browser, written(tmp_path, "<main><h1>Plan</h1></main>")) as opened:
        assert (opened.troubles, opened.violations()) == ([], [])


def test_what_axe_core_finds_is_named_with_its_place(browser: Browser, tmp_path: Path) -> None:
    body = "<main><h1>Plan</h1><p style='color: #aaa'>pale</p><input></main>"
    with window(browser, written(tmp_path, body)) as opened:
        violations = opened.violations()
    assert [line.partition(":")[0] for line in violations] == ["serious color-contrast", "critical label"]
    assert ["pale" in violations[0], "<input" in violations[1]] == [True, True]


def written(directory: Path, body: str) -> Path:
    path = directory / "page.html"
    path.write_text(f"<!doctype html><html lang=en><title>Page</title>{body}", encoding="utf-8")
    return path
