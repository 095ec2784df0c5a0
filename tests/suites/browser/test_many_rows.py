"""A report of very many containers answers at once; the limits are for slow machines."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Page

from tests.suites.browser import report
from tests.suites.browser.conftest import Opened, Reports
from tests.suites.browser.pages import CLUSTERS, MANY

pytestmark = [pytest.mark.browser, pytest.mark.full]

LOADED: Final = 15_000
ANSWERED: Final = 2_000
"""Milliseconds at the most."""

TIMED: Final = """async ([place, act]) => {
    const found = document.querySelector(place);
    const began = performance.now();
    if (act === null) found.click();
    else { found.value = act; ["input", "change"].forEach((name) => found.dispatchEvent(new Event(name))); }
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - began;
}"""
"""Do something to an element, and measure in the page how long it takes until that is painted."""

SCROLLED: Final = """async () => {
    const began = performance.now();
    for (let at = 0; at < document.body.scrollHeight; at += innerHeight) {
        scrollTo(0, at);
        await new Promise((done) => requestAnimationFrame(done));
    }
    return (performance.now() - began) / (document.body.scrollHeight / innerHeight);
}"""
"""Scroll through all of a page, and measure the milliseconds that each screen takes."""


def timed(page: Page, place: str, text: str | None = None) -> float:
    """Return the milliseconds of a click, or of typing a text."""
    took: float = page.evaluate(TIMED, [place, text])
    return took


def test_twenty_thousand_rows_answer_at_once(opened: Opened) -> None:
    page = opened("many").page
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    report.announced(page, MANY)
    took = {"load": loaded / (LOADED / ANSWERED)}
    wanted = sum(f"team-{n % 7}" == "team-3" and f"web-{n // 3}".startswith("web-19") for n in range(MANY))
    took["search"] = timed(page, "#search", "team-3 web-19")
    report.announced(page, wanted)
    took["search for all"] = timed(page, "#search", "")
    took["filter"] = timed(page, "#verdict-filter", "KEEP")
    report.announced(page, MANY // 4)
    took["no filter"] = timed(page, "#verdict-filter", "")
    for number in range(1, 1 + report.headings(page).count()):
        took[f"sort {number}"] = timed(page, f"#containers thead th:nth-child({number + 1}) button")
    took["next"] = timed(page, "#next")
    took["open"] = timed(page, "#containers tbody button[aria-expanded]")
    assert report.details(page).count() == 1
    assert {name: round(time) for name, time in took.items() if time > ANSWERED} == {}


def test_ten_thousand_clusters_answer_at_once(opened: Opened, reports: Reports) -> None:
    page = opened("many clusters").page
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    report.announced(page, CLUSTERS)
    took = {"load": loaded / (LOADED / ANSWERED)}
    took["search"] = timed(page, "#search", "prod-eu-west-1 07")
    assert page.locator("#clusters tbody tr").count() == 100
    took["search for all"] = timed(page, "#search", "")
    took["filter"] = timed(page, "#verdict-filter", "UNDECIDED")
    assert {*page.locator("#clusters tbody td:first-child").all_text_contents()} == {"UNDECIDED"}
    took["no filter"] = timed(page, "#verdict-filter", "")
    for number in range(1, 1 + page.locator("#clusters thead th").count()):
        took[f"sort {number}"] = timed(page, f"#clusters thead th:nth-child({number}) button")
    took["next"] = timed(page, "#next")
    took["scroll"] = page.evaluate(SCROLLED)
    assert {name: round(time) for name, time in took.items() if time > ANSWERED} == {}
    assert reports("many clusters").stat().st_size < 8_000_000


def test_a_target_sorts_by_its_restarts(opened: Opened) -> None:
    page = opened("many clusters").page
    for _ in range(2):
        page.locator("#clusters thead th:nth-child(6) button").click()
    texts = page.locator("#clusters tbody td:nth-child(6)").all_text_contents()
    numbers = [int(re.match(r"\d+", text)[0]) for text in texts if text[0].isdigit()]  # type: ignore[index]
    assert len(numbers) >= 99
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] > 1000


def test_axe_core_finds_nothing_in_many_rows(opened: Opened) -> None:
    assert opened("many").violations() == []
