"""What axe-core finds in a report, in every state that it can be in: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.helpers.slices import sliced
from tests.suites.browser import report
from tests.suites.browser.conftest import Opened
from tests.suites.browser.pages import FEW, QUICK
from tests.suites.browser.window import ON_A_PHONE

pytestmark = pytest.mark.browser

SCREENS: Final[dict[str, dict[str, Any]]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": ON_A_PHONE,
}


@pytest.mark.parametrize("name", sliced(QUICK, FEW))
def test_a_report_has_no_violation(opened: Opened, name: str) -> None:
    window = opened(name, color_scheme="light")
    assert ("light", window.violations()) == ("light", [])
    window.page.emulate_media(color_scheme="dark")
    assert ("dark", window.violations()) == ("dark", [])
    window.page.set_viewport_size(ON_A_PHONE["viewport"])
    assert ("dark phone", window.violations()) == ("dark phone", [])


@pytest.mark.full
@pytest.mark.parametrize("screen", SCREENS)
def test_what_a_reader_does_brings_no_violation(opened: Opened, screen: str) -> None:
    window = opened("sample", **SCREENS[screen])
    assert {state: violations for state in states(window.page) if (violations := window.violations())} == {}


def states(page: Page) -> Iterator[str]:
    """Bring a report into one state after the other, and name it."""
    for number in range(3):
        report.toggle(page, number).click()
    for summary in page.locator("summary").all():
        summary.click()
    yield "open details"
    report.heading(page, "Pod").click()
    yield "a sorted table"
    report.search(page, "no such container")
    report.announced(page, 0)
    yield "a search with no hit"
    report.search(page, "")
    page.locator("#theme").click()
    yield "the other theme"


@pytest.mark.full
def test_the_rules_that_matter_apply(opened: Opened) -> None:
    """A page without violations is none that axe-core found nothing to judge in."""
    passed = opened("sample").kept()
    assert {"color-contrast", "label", "aria-valid-attr-value", "button-name", "th-has-data-cells"} <= passed
