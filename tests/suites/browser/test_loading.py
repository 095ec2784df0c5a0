"""A report loads nothing, runs nothing but its own script, and says what it is about."""

from __future__ import annotations

from typing import Final

import pytest

from tests.helpers.slices import sliced
from tests.suites.browser.conftest import Opened
from tests.suites.browser.pages import KINDS, PLANS, QUICK

pytestmark = pytest.mark.browser

PARTS: Final = (
    "answer",
    "search",
    "verdict-filter",
    "containers",
    "matching",
    "by-node",
    "by-namespace",
    "theme",
)
"""The ids that every plan has."""

PLANTED: Final = {
    "a picture": ("img", {"src": "https://example.com/a.png"}, "img-src"),
    "a script": ("script", {"textContent": "window.executed = 1"}, "script-src"),
    "a script from elsewhere": ("script", {"src": "https://example.com/a.js"}, "script-src"),
    "a style sheet": ("link", {"rel": "stylesheet", "href": "https://example.com/a.css"}, "style-src"),
    "a frame": ("iframe", {"src": "https://example.com/"}, "frame-src"),
    "another base": ("base", {"href": "https://example.com/"}, "base-uri"),
}
"""Elements that somebody got into a page: the tag, its properties, and what of the policy refuses it."""

ADDED: Final = """([tag, properties]) => new Promise((resolve) => {
    addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), {once: true});
    document.body.append(Object.assign(document.createElement(tag), properties));
    setTimeout(() => resolve("allowed"), 5000);
})"""


@pytest.mark.parametrize("name", sliced(QUICK, KINDS))
def test_a_report_opens_without_an_error_and_without_a_request(opened: Opened, name: str) -> None:
    page = opened(name).page
    verdict = "".join(f"{text}: " for text in page.locator("#verdict").all_text_contents())
    assert page.locator("h1").count() == 1
    assert page.title() == f"{verdict}{page.locator('h1').text_content()} - hashcompat"
    assert [part for part in PARTS if page.locator(f"#{part}").count() != 1] == [] or name not in PLANS


@pytest.mark.parametrize(("tag", "properties", "directive"), PLANTED.values(), ids=PLANTED)
def test_the_policy_refuses_what_a_report_does_not_need(
    opened: Opened, tag: str, properties: dict[str, str], directive: str
) -> None:
    window = opened("no findings")
    assert window.page.evaluate(ADDED, [tag, properties]).startswith(directive)
    assert window.page.evaluate("window.executed") is None
    window.troubles.clear()
