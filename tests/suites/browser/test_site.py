"""The documentation as a site: every link leads somewhere, and nothing is asked of anybody else."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, ConsoleMessage, Error, Request, expect

from hashcompat import __version__
from scripts import site
from tests.suites.browser.conftest import served
from tests.suites.browser.window import DESKTOP, ON_A_PHONE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]  # it is built once

PAGES: Final = (
    *("", "docs/gate/", "docs/hash/", "docs/upgrades/", "docs/guide/operators/"),
    *("docs/rules/", "docs/reference/commands/", "docs/reference/api/"),
)
FIRST_VIEW: Final = 1_500_000
"""Bytes that a browser loads for a page, compressed, as web servers send them."""
MOVED: Final = """() => new Promise((done) => {
    const sum = (list) => list.getEntries().reduce((all, one) => all + one.value, 0);
    new PerformanceObserver((list) => done(sum(list))).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(0), 300);
})"""
"""How much of the page moved while it loaded, as Chromium measures it."""
CONTRAST: Final = {"runOnly": ["color-contrast"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; a warning of the generator, such as a link to a page that is not there, is an error."""
    out = tmp_path_factory.mktemp("site")
    site.versioned(out, with_playground=False)
    return out / __version__


@pytest.fixture(scope="module")
def address(made: Path) -> Iterator[str]:
    with served(made.parent) as address:
        yield f"{address}{__version__}/"


def test_every_link_leads_to_a_page_and_a_place_in_it(made: Path) -> None:
    anchors, links = dict[Path, set[str]](), list[tuple[Path, str]]()
    for path in made.rglob("*.html"):
        tree = html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)
        anchors[path] = {
            element.attrib[key] for element in tree.iter() for key in ("id", "name") if key in element.attrib
        }
        links += [(path, element.attrib["href"]) for element in tree.iter("a") if "href" in element.attrib]
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


SCREENS: Final = {"phone": ON_A_PHONE, "desktop": {"viewport": DESKTOP}}

VIEWS: Final = [(screen, scheme) for screen in SCREENS for scheme in ("light", "dark")]


@pytest.mark.full
@pytest.mark.parametrize(("screen", "scheme"), VIEWS)
def test_pages_fit_their_screen_and_ask_nobody_else(
    browser: Browser, address: str, screen: str, scheme: str
) -> None:
    asked, troubles = set[str](), list[str]()

    def on_request(request: Request) -> None:
        asked.add(urlsplit(request.url).netloc)

    def on_error(error: Error) -> None:
        troubles.append(str(error))

    def on_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            troubles.append(f"{message.text} {message.location}")

    context = browser.new_context(**{**SCREENS[screen], "color_scheme": scheme})
    page = context.new_page()
    page.on("request", on_request)
    page.on("pageerror", on_error)
    page.on("console", on_console)
    for name in PAGES:
        page.goto(address + name)
        expect(page.locator("h1").first).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, name
        assert page.evaluate(MOVED) < 0.01, name
        if screen == "desktop":
            violations = Axe().run(page, options=CONTRAST).response["violations"]
            assert [node["html"][:160] for rule in violations for node in rule["nodes"]] == [], name
    context.close()
    assert asked == {urlsplit(address).netloc}
    assert troubles == []


@pytest.mark.parametrize("screen", SCREENS)
def test_columns_of_pictures_are_as_wide_before_these_are_there(
    browser: Browser, address: str, screen: str
) -> None:
    context = browser.new_context(**SCREENS[screen])
    page = context.new_page()
    page.goto(address)
    whole, begun = page.evaluate(
        """() => {
            const table = document.querySelector("table:has(td img)");
            const widths = () => [...table.querySelectorAll("th")].map((one) => one.offsetWidth);
            const whole = widths();
            table.tBodies[0].remove();
            return [whole, widths()];
        }"""
    )
    assert whole == begun
    assert min(whole) > 100
    context.close()


@pytest.mark.full
def test_every_page_fits_a_phone_in_colours_that_can_be_read(
    browser: Browser, made: Path, address: str
) -> None:
    context = browser.new_context(**ON_A_PHONE, color_scheme="dark")
    page = context.new_page()
    names = sorted(f"{path.parent.relative_to(made)}/" for path in made.rglob("index.html"))
    assert len(names) > 50
    for name in names:
        page.goto(address + name)
        expect(page.locator("h1").first).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, name
        violations = Axe().run(page, options=CONTRAST).response["violations"]
        assert [node["html"][:160] for rule in violations for node in rule["nodes"]] == [], name
    context.close()


def test_the_reference_shows_examples_as_code(made: Path) -> None:
    text = (made / "docs" / "reference" / "api" / "index.html").read_text(encoding="utf-8")
    assert "hashcompat.container_hash" in re.sub("<[^>]+>", "", text)
    assert "admonition" not in text, "a heading of a docstring that its style does not have"
    assert "<blockquote>" not in text, "a prompt that was taken for a quotation"


def test_the_first_view_is_small(browser: Browser, address: str) -> None:
    page, sizes = browser.new_page(), list[int]()
    page.on("response", lambda response: sizes.append(len(gzip.compress(response.body()))))
    page.goto(address, wait_until="networkidle")
    page.close()
    assert 50_000 < sum(sizes) < FIRST_VIEW


def test_a_reader_chooses_among_versions(browser: Browser, made: Path, address: str) -> None:
    page = browser.new_page()
    page.goto(address.removesuffix(f"{__version__}/"))
    expect(page).to_have_url(address)
    expect(page.get_by_role("button", name="Select version")).to_have_text(__version__)
    page.close()
    assert [entry["version"] for entry in json.loads((made.parent / "versions.json").read_text())] == [
        __version__
    ]


@pytest.mark.full
def test_two_builds_are_equal(made: Path, tmp_path: Path) -> None:
    site.versioned(tmp_path, with_playground=False)
    first, second = (
        {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (made, tmp_path / __version__)
    )
    assert sorted(first) == sorted(second)
    assert [name for name, data in first.items() if data != second[name]] == []


def test_the_search_leads_to_a_check(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address, wait_until="networkidle")
    assert "PF-132" not in page.content()
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("PF-132", delay=50)
    expect(page.get_by_role("option").first).to_contain_text("PF-132: ")  # the one that is opened
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/docs/preflight-checks/.*#pf-132-"))
    page.close()


def test_only_a_site_with_versions_asks_for_their_list() -> None:
    assert [name for made in (False, True) for name in site.settings(has_versions=made)["extra"]] == [
        "generator",
        "generator",
        "version",
    ]


def test_the_index_names_every_page() -> None:
    named = [title for part in site.navigation() for title in part]
    assert named[0] == "hashcompat"
    assert {"Operators", "Pipelines", "Developers", "Reference"} <= set(named)
