"""The documentation as a site: every link leads somewhere, and nothing is asked of anybody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from playwright.sync_api import Browser, Error, Request, expect

from scripts import site
from tests.suites.browser.conftest import served
from tests.suites.browser.window import DESKTOP, ON_A_PHONE

pytestmark = pytest.mark.browser

PAGES: Final = ("", "docs/gate/", "docs/rules/", "docs/reference/commands/", "docs/reference/api/")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; a warning of the generator, such as a link to a page that is not there, is an error."""
    out = tmp_path_factory.mktemp("site") / "site"
    site.build(out, with_playground=False)
    return out


@pytest.fixture(scope="module")
def address(made: Path) -> Iterator[str]:
    with served(made) as address:
        yield address


def test_every_link_leads_to_a_page_and_a_place_in_it(made: Path) -> None:
    anchors, links = dict[Path, set[str]](), list[tuple[Path, str]]()
    for path in made.rglob("*.html"):
        tree = html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)
        anchors[path] = {
            one.attrib[key] for one in tree.iter() for key in ("id", "name") if key in one.attrib
        }
        links += [(path, one.attrib["href"]) for one in tree.iter("a") if "href" in one.attrib]
    assert len(anchors) > 40
    wrong = []
    for path, link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or path.name == "404.html":
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() and (target / "index.html").exists() else target
        if not target.exists() or (parts.fragment and unquote(parts.fragment) not in anchors[target]):
            wrong.append((str(path.relative_to(made)), link))
    assert wrong == []
    assert len(links) > 2000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone_and_ask_nobody_else(browser: Browser, address: str, scheme: str) -> None:
    asked, troubles = set[str](), list[str]()

    def on_request(request: Request) -> None:
        asked.add(urlsplit(request.url).netloc)

    def on_error(error: Error) -> None:
        troubles.append(str(error))

    for options in (ON_A_PHONE, {"viewport": DESKTOP}):
        context = browser.new_context(**{**options, "color_scheme": scheme})
        page = context.new_page()
        page.on("request", on_request)
        page.on("pageerror", on_error)
        for name in PAGES:
            page.goto(address + name)
            expect(page.locator("h1").first).to_be_visible()
            width = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert width <= 0, name
        context.close()
    assert asked == {urlsplit(address).netloc}
    assert troubles == []


def test_the_search_finds_a_rule(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.keyboard.press("Control+k")
    page.keyboard.type("HC022")
    expect(page.get_by_role("link").filter(has_text="HC022").first).to_be_visible()
    page.close()


def test_the_index_names_every_page() -> None:
    named = [title for part in site.navigation() for title in part]
    assert named[0] == "hashcompat"
    assert {"Operators", "Pipelines", "Developers", "Reference"} <= set(named)
