"""A report in the dark, on a phone, on paper, and in a browser that runs no script."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import expect

from tests.helpers.slices import sliced
from tests.suites.browser import report
from tests.suites.browser.conftest import Opened, Reports
from tests.suites.browser.pages import FEW, PLANS, QUICK
from tests.suites.browser.window import ON_A_PHONE

pytestmark = pytest.mark.browser

COLOURS: Final = "() => ['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name])"
PRINTED: Final = """() => addEventListener("beforeprint", () => {
    window.printed = [...document.querySelectorAll("#containers tbody tr[data-verdict]")].length;
})"""
CUT: Final = """() => [...document.querySelectorAll(".scroll")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.ariaLabel || box.getAttribute("aria-labelledby")}: ${box.scrollWidth}`)"""
WIDTHS: Final = "() => [document.documentElement.scrollWidth, visualViewport.width, innerWidth]"


def brightness(colour: str) -> float:
    """Return the mean of red, green and blue, 0 to 255."""
    numbers = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return sum(map(float, numbers)) / len(numbers)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_the_readers_and_its_button_changes_it(opened: Opened, scheme: str) -> None:
    page = opened("sample", color_scheme=scheme).page
    seen = [page.evaluate(COLOURS)]
    for _ in range(2):
        page.locator("#theme").click()
        seen.append(page.evaluate(COLOURS))
    assert [brightness(ground) < brightness(text) for text, ground in seen] == [
        scheme == "dark",
        scheme != "dark",
        scheme == "dark",
    ]


@pytest.mark.parametrize("name", sliced(QUICK, (*FEW, "hostile names")))
def test_a_phone_scrolls_one_way(opened: Opened, name: str) -> None:
    page = opened(name, **ON_A_PHONE).page
    if name in PLANS:
        report.toggle(page, 0).click()
    for summary in page.locator("summary").all():
        summary.click()
    for width in (375, 320):
        page.set_viewport_size({"width": width, "height": 812})
        assert page.evaluate(WIDTHS) == [width] * 3


@pytest.mark.parametrize("name", sliced(QUICK, (*FEW, "hostile names")))
def test_no_table_is_cut(opened: Opened, name: str) -> None:
    """On a phone a row is a card; on a desktop only endless names make a table wider than the page."""
    page = opened(name, **ON_A_PHONE).page
    assert page.evaluate(CUT) == []
    labels = page.locator(".cards tbody td[data-name]").count()
    assert labels or page.locator("table.cards").count() == 0
    if "hostile" not in name:
        desktop = opened(name, viewport={"width": 1280, "height": 900}).page
        assert desktop.evaluate(CUT) == []


@pytest.mark.parametrize("width", [1280, 375])
def test_the_heat_map_of_every_release_fits(opened: Opened, width: int) -> None:
    page = opened("every release", viewport={"width": width, "height": 900}).page
    sizes = page.locator(".scroll:has(#matrix)").evaluate("(box) => [box.scrollWidth, box.clientWidth]")
    assert sizes[0] <= sizes[1]


@pytest.mark.parametrize("scheme", sliced(["light", "dark"], ["dark"]))
def test_paper_is_white_has_no_controls_and_all_rows(opened: Opened, scheme: str) -> None:
    page = opened("verdicts", color_scheme=scheme).page
    page.locator("#theme").click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    controls = page.locator("input, select, #theme, #next, #previous, nav")
    assert [control.is_visible() for control in controls.all()] == [False] * controls.count()
    text, ground = page.evaluate(COLOURS)
    assert (brightness(text) < 64, brightness(ground)) == (True, 255)
    assert len(report.shown(page)) == 240
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert len(report.shown(page)) == 100


def test_a_pdf_has_all_rows_on_its_pages(opened: Opened) -> None:
    """The browser lays out what the page shows between beforeprint and afterprint."""
    page = opened("verdicts").page
    page.evaluate(PRINTED)
    made = page.pdf(prefer_css_page_size=True)
    assert (made[:5], page.evaluate("window.printed")) == (b"%PDF-", 240)
    report.search(page, "web-3")
    shorter = page.pdf(prefer_css_page_size=True)
    assert made.count(b"/Type /Page\n") > shorter.count(b"/Type /Page\n") > 0


@pytest.mark.parametrize("name", sliced(PLANS, ["verdicts", "hostile names"]))
def test_without_a_script_all_rows_are_there_with_their_explanations(
    opened: Opened, reports: Reports, name: str
) -> None:
    page = opened(name, java_script_enabled=False).page
    rows = page.locator(report.ROWS)
    assert rows.count() == reports(name).read_text(encoding="utf-8").count("<tr data-verdict=")
    assert rows.first.is_visible()
    assert rows.last.is_visible()
    assert page.locator("button, input, select").filter(visible=True).count() == 0
    links = {
        link.get_attribute("href") or "" for link in page.locator(f"{report.ROWS} td:first-child a").all()
    }
    assert links
    assert [link for link in links if page.locator(link).count() != 1] == []
    rows.first.locator("a").click()
    expect(page.locator(":target h3")).to_be_in_viewport()
