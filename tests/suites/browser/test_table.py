"""The table of containers: searched, filtered, sorted, turned over, opened."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import expect

from hashcompat.core.model.verdicts import Verdict
from tests.suites.browser import report
from tests.suites.browser.conftest import Opened

pytestmark = pytest.mark.browser

SEARCHES: Final = ("web-3", "TEAM-2", "team-1 n3", "  n11  ", "0", "Deployment/web-1", "team-1 team-2", "<b>")


def test_a_search_leaves_the_rows_that_have_all_its_words_and_says_how_many(opened: Opened) -> None:
    page = opened("verdicts").page
    before = report.matching(page)
    for text in SEARCHES:
        words = text.lower().split()
        wanted = [row for row in before if all(word in "\n".join(row.values()).lower() for word in words)]
        report.search(page, text)
        report.announced(page, len(wanted))
        assert (text, report.matching(page)) == (text, wanted)
    report.search(page, "")
    report.announced(page, len(before))
    assert report.matching(page) == before


def test_the_live_region_is_polite(opened: Opened) -> None:
    expect(opened("verdicts").page.locator("#matching")).to_have_attribute("aria-live", "polite")


def test_the_filter_leaves_the_rows_of_one_verdict_and_goes_with_the_search(opened: Opened) -> None:
    page = opened("verdicts").page
    before = report.matching(page)
    for text in ("", "team-2"):
        report.search(page, text)
        for verdict in Verdict:
            wanted = [row for row in before if row["Verdict"] == verdict and text in row["Namespace"]]
            assert wanted
            report.choose(page, verdict)
            report.announced(page, len(wanted))
            assert report.matching(page) == wanted


@pytest.mark.full
@pytest.mark.parametrize("name", ["verdicts", "hostile names"])
def test_every_column_sorts_both_ways_and_says_so(opened: Opened, name: str) -> None:
    page = opened(name).page
    before = report.matching(page)
    assert report.sorts(page) == {}
    assert report.headings(page).all_text_contents() == [*before[0]]
    for column in before[0]:
        for order in ("ascending", "descending"):
            report.heading(page, column).click()
            rows = report.matching(page)
            assert report.sorts(page) == {column: order}
            assert sorted(map(str, rows)) == sorted(map(str, before))
            assert (column, [row[column] for row in rows]) == (column, in_order(column, rows, order))


def in_order(column: str, rows: list[report.Cells], order: str) -> list[str]:
    """Return the cells of a column, sorted; what is empty is always last."""
    cells = [row[column] for row in rows]
    key = severity if column == "Verdict" else value
    return sorted(filter(None, cells), key=key, reverse=order == "descending") + [""] * cells.count("")


def severity(cell: str) -> tuple[int, bytes]:
    return report.SEVERITY.index(Verdict(cell)), b""


def value(cell: str) -> tuple[int, bytes]:
    """Order numbers by what they are worth, before texts; texts as JavaScript compares them."""
    if cell.isdecimal() and cell.isascii():
        return int(cell), b""
    return 2**64, cell.lower().encode("utf-16-be")


def test_another_column_is_sorted_alone_and_the_search_stays(opened: Opened) -> None:
    page = opened("verdicts").page
    report.search(page, "team-2")
    report.heading(page, "Node").click()
    report.heading(page, "Pod").click()
    rows = report.matching(page)
    assert report.sorts(page) == {"Pod": "ascending"}
    assert {row["Namespace"] for row in rows} == {"team-2"}
    assert [row["Pod"] for row in rows] == sorted(row["Pod"] for row in rows)


def test_many_rows_are_shown_a_page_at_a_time(opened: Opened) -> None:
    page = opened("verdicts").page
    forth, back, place = (page.locator(f"#{name}") for name in ("next", "previous", "shown"))
    assert [place.inner_text(), back.is_enabled(), forth.is_enabled()] == ["1 to 100 of 240", False, True]
    first = report.shown(page)
    forth.click()
    forth.click()
    assert [place.inner_text(), back.is_enabled(), forth.is_enabled()] == ["201 to 240 of 240", True, False]
    report.search(page, "team")
    assert report.shown(page) == first
    report.search(page, "team-2")
    expect(forth).to_be_hidden()


def test_a_row_is_opened_and_closed_by_click(opened: Opened) -> None:
    page = opened("verdicts").page
    button = report.toggle(page, 4)
    row = report.shown(page)[4]
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    detail = page.locator(f"#{button.get_attribute('aria-controls')}")
    expect(detail).to_be_visible()
    text = detail.inner_text()
    assert [row[name] for name in ("Verdict", "Why", "From", "To") if row[name] not in text] == []
    assert f"hex {int(row['To']):08x}" in text
    assert report.details(page).count() == 1
    button.click()
    expect(button).to_have_attribute("aria-expanded", "false")
    assert report.details(page).count() == 0


def test_what_is_open_stays_with_its_row(opened: Opened) -> None:
    page = opened("verdicts").page
    report.heading(page, "Pod").click()
    report.toggle(page, 0).click()
    text = report.details(page).inner_text()
    report.heading(page, "Pod").click()
    assert report.details(page).count() == 0
    report.heading(page, "Pod").click()
    assert report.details(page).inner_text() == text
    assert report.toggle(page, 0).get_attribute("aria-expanded") == "true"
