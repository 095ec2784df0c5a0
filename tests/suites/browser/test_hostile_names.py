"""Names that would be markup or scripts are text, and no longer than the page is wide."""

from __future__ import annotations

import pytest

from hashcompat.core.model.escape import distinct
from tests.suites.browser import report
from tests.suites.browser.conftest import Opened
from tests.suites.browser.pages import FLAG, HOSTILE, LONG, SCRIPTS_IN_NAMES

pytestmark = pytest.mark.browser


def test_names_are_text_and_run_nothing(opened: Opened) -> None:
    page = opened("hostile names").page
    for number in range(len(report.shown(page))):
        report.toggle(page, number).click()
    page.mouse.move(600, 400)
    report.search(page, HOSTILE[0])
    report.search(page, "")
    assert page.evaluate(f"window.{FLAG}") is None
    rows = report.matching(page)
    wanted = {distinct(name.encode("utf-16", "surrogatepass").decode("utf-16")) for name in HOSTILE}
    assert {row["Pod"] for row in rows} == {row["Container"] for row in rows} == wanted
    planted = page.locator(
        "img, iframe, object, embed, base, [onload], [onerror], [onfocus], [onmouseover], svg svg"
    )
    assert planted.count() == 0
    assert page.locator("script").count() == 1
    assert page.locator("a[href]:not([href^='#']):not([href^='https://github.com/'])").count() == 0


def test_a_hostile_name_is_found_by_its_text(opened: Opened) -> None:
    page = opened("hostile names").page
    for name in (*SCRIPTS_IN_NAMES, LONG):
        report.search(page, name)
        assert {row["Pod"] for row in report.shown(page)} == {name}
