"""A report is used by keyboard alone: everything is reached in order, seen when it is, and left again."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.helpers.slices import sliced
from tests.suites.browser import report
from tests.suites.browser.conftest import Opened

pytestmark = pytest.mark.browser

FOCUSED: Final = """() => {
    const found = document.activeElement;
    if (!found || found === document.body) return null;
    const all = [...document.querySelectorAll("*")];
    const style = getComputedStyle(found);
    const box = found.getBoundingClientRect();
    const inside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return {place: all.indexOf(found), html: found.outerHTML.slice(0, 120), seen: inside && outlined};
}"""
"""What has the focus: where in the document, and whether a reader sees that it does; null for nothing."""

MOST: Final = 400
"""Stops of a small report, at the most."""


def stops(page: Page, key: str, most: int = MOST) -> list[dict[str, Any]]:
    """Press a key until the focus leaves the document, and return what had it."""
    elements: list[dict[str, Any]] = []
    while len(elements) < most:
        page.keyboard.press(key)
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        elements.append(focused)
    return elements


@pytest.mark.parametrize("scheme", sliced(["light", "dark"], ["dark"]))
def test_the_focus_goes_through_in_order_is_seen_everywhere_and_leaves(opened: Opened, scheme: str) -> None:
    page = opened("no findings", color_scheme=scheme).page
    elements = stops(page, "Tab")
    assert len(elements) < MOST, elements[-3:]
    places = [stop["place"] for stop in elements]
    assert places == sorted(set(places))
    assert [stop["html"] for stop in elements if not stop["seen"]] == []
    wanted = page.locator("a[href], button, input, select, summary").filter(visible=True)
    assert len(elements) >= wanted.count()
    assert [stop["place"] for stop in stops(page, "Shift+Tab", len(places))] == places[::-1]


def test_the_first_stop_skips_to_the_report(opened: Opened) -> None:
    page = opened("sample").page
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["seen"]
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_row_is_opened_and_closed_by_key(opened: Opened, key: str) -> None:
    page = opened("sample").page
    button = report.toggle(page, 1)
    button.focus()
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(report.details(page)).to_be_visible()
    expect(button).to_be_focused()
    page.keyboard.press(key)
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(report.details(page)).to_have_count(0)


@pytest.mark.parametrize("inside", [True, False], ids=["from inside", "from its button"])
def test_escape_closes_a_row_and_the_focus_is_on_its_button(opened: Opened, inside: bool) -> None:
    page = opened("sample").page
    button = report.toggle(page, 1)
    button.press("Enter")
    if inside:
        page.keyboard.press("Tab")
        assert report.details(page).evaluate("(row) => row.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(report.details(page)).to_have_count(0)
    expect(button).to_be_focused()


def test_the_table_is_searched_filtered_sorted_and_turned_by_key(opened: Opened) -> None:
    page = opened("verdicts").page
    page.locator("#search").focus()
    page.keyboard.type("web")
    report.announced(page, 240)
    page.keyboard.press("Tab")
    expect(page.locator("#verdict-filter")).to_be_focused()
    page.keyboard.type("KE")
    report.announced(page, 60)
    page.keyboard.press("Home")
    report.announced(page, 240)
    report.heading(page, "Pod").press("Space")
    assert report.sorts(page) == {"Pod": "ascending"}
    expect(report.heading(page, "Pod")).to_be_focused()
    page.locator("#next").press("Enter")
    expect(page.locator("#next")).to_be_focused()
    assert page.locator("#shown").inner_text().startswith("101 ")


def test_the_theme_is_changed_by_key(opened: Opened) -> None:
    page = opened("sample", color_scheme="light").page
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").press("Enter")
    expect(page.locator("body")).not_to_have_css("background-color", before)
