"""The page of a fleet: hostile names, the keyboard, paper, and a browser that runs no script."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import expect

from tests.suites.browser.conftest import Opened
from tests.suites.browser.pages import FLAG, LONG, SCRIPTS_IN_NAMES

pytestmark = pytest.mark.browser

ROWS: Final = "#clusters tbody tr"


def test_names_of_clusters_labels_and_owners_are_text_and_run_nothing(opened: Opened) -> None:
    page = opened("hostile fleet").page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(ROWS).count() == 240
    page.mouse.move(600, 400)
    assert page.evaluate(f"window.{FLAG}") is None
    planted = page.locator(
        "img, iframe, object, embed, base, [onload], [onerror], [onfocus], [onmouseover], svg svg"
    )
    assert planted.count() == 0
    assert page.locator("script").count() == 1
    names = page.locator(f"{ROWS} td:nth-child(2)").all_text_contents()
    assert {*SCRIPTS_IN_NAMES, LONG} <= {*names}


def test_a_target_is_sorted_by_its_restarts_from_the_keyboard(opened: Opened) -> None:
    page = opened("fleet").page
    page.locator("#verdict-filter").focus()
    for _ in range(7):
        page.keyboard.press("Tab")
    expect(page.locator("#clusters thead th:nth-child(6) button")).to_be_focused()
    for order, sign in (("ascending", 1), ("descending", -1)):
        page.keyboard.press("Enter")
        head = page.locator("#clusters thead th:nth-child(6)")
        assert head.get_attribute("aria-sort") == order
        texts = page.locator(f"{ROWS} td:nth-child(6)").all_text_contents()
        numbers = [sign * int(text.partition(" ")[0].partition("+")[0]) for text in texts[:90]]
        assert numbers == sorted(numbers)


def test_a_verdict_is_filtered_and_a_cluster_is_found(opened: Opened) -> None:
    page = opened("fleet").page
    page.locator("#verdict-filter").select_option("UNDECIDED")
    expect(page.locator("#matching")).to_have_text("10 of 240 rows match")
    page.locator("#verdict-filter").select_option("")
    page.locator("#search").fill("region=us-east-1 00037")
    expect(page.locator("#matching")).to_have_text("1 of 240 rows match")


@pytest.mark.full
def test_paper_has_all_clusters_and_a_colour_in_each_cell(opened: Opened) -> None:
    page = opened("fleet", color_scheme="dark").page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(ROWS).filter(visible=True).count() == 240
    adjusted = page.locator("#clusters .heat").first.evaluate(
        "(one) => getComputedStyle(one).printColorAdjust"
    )
    assert adjusted == "exact"
    assert page.pdf(prefer_css_page_size=True)[:5] == b"%PDF-"


def test_without_a_script_all_clusters_are_there(opened: Opened) -> None:
    page = opened("fleet", java_script_enabled=False).page
    assert page.locator(ROWS).filter(visible=True).count() == 240
    assert page.locator("button, input, select").filter(visible=True).count() == 0
