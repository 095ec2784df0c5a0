"""What a reader of a report does and sees: the table of containers by its ids, whatever its looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Locator, Page, expect

from hashcompat.core.model.verdicts import Verdict

Cells = dict[str, str]
"""The texts of a row by the headings of its columns."""

ROWS: Final = "#containers tbody tr[data-verdict]"

SEVERITY: Final = (Verdict.KILL, Verdict.RESTART, Verdict.UNKNOWN, Verdict.KEEP)
"""The order in which verdicts sort, the worst first."""

_SHOWN: Final = """(rows) => {
    const heads = [...document.querySelectorAll("#containers thead th")].map((head) => head.textContent);
    const cells = (row) => heads.map((head, place) => [head, row.cells[place].textContent]).slice(1);
    return rows.filter((row) => row.checkVisibility()).map((row) => Object.fromEntries(cells(row)));
}"""


def search(page: Page, text: str) -> None:
    """Type into the search box, in place of what is there."""
    page.locator("#search").fill(text)


def choose(page: Page, verdict: str) -> None:
    """Choose a verdict in the filter; an empty one is all."""
    page.locator("#verdict-filter").select_option(verdict)


def announced(page: Page, count: int) -> None:
    """Wait until the live region says how many rows match."""
    expect(page.locator("#matching")).to_have_text(re.compile(rf"^{count:,} of "))


def shown(page: Page) -> list[Cells]:
    """Return the cells of the rows that are seen, but for that of the button, in their order."""
    rows: list[Cells] = page.locator(ROWS).evaluate_all(_SHOWN)
    return rows


def matching(page: Page) -> list[Cells]:
    """Return the rows of all pages of the table, in their order; the first page is shown before and after."""
    pages = list(_pages(page))
    for _ in pages[1:]:
        page.locator("#previous").click()
    return [row for rows in pages for row in rows]


def _pages(page: Page) -> Iterator[list[Cells]]:
    yield shown(page)
    forth = page.locator("#next")
    while forth.is_visible() and forth.is_enabled():
        forth.click()
        yield shown(page)


def toggle(page: Page, number: int = 0) -> Locator:
    """Return the button that opens the details of a row that is seen."""
    return page.locator(f"{ROWS} button[aria-expanded]").nth(number)


def details(page: Page) -> Locator:
    """Return the rows of details that are open."""
    return page.locator("#containers tbody tr:not([data-verdict])")


def headings(page: Page) -> Locator:
    """Return the buttons that sort, one for each cell of a row, in the same order."""
    return page.locator("#containers thead button")


def heading(page: Page, name: str) -> Locator:
    """Return the button that sorts by a column."""
    return page.locator("#containers thead").get_by_role("button", name=name, exact=True)


def sorts(page: Page) -> dict[str, str]:
    """Return which columns say that they are sorted, and how."""
    columns: list[tuple[str, str | None]] = page.locator("#containers thead th").evaluate_all(
        "(heads) => heads.map((head) => [head.textContent, head.getAttribute('aria-sort')])"
    )
    return {name: order for name, order in columns if order not in (None, "none")}
