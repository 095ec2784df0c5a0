"""The playground in a real browser: the program itself, which answers offline and sends nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

import hashcompat
from scripts import playground
from scripts.bench import cluster
from scripts.bench.made.shape import Shape
from tests.helpers.program import ROOT
from tests.suites.browser.conftest import served
from tests.suites.browser.window import DESKTOP, ON_A_PHONE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("playground")]  # it is built once

POD: Final = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}"
PURE: Final = ("pyyaml-", "markupsafe-")
"""Wheels of what works without its compiled modules."""

LOADING: Final = 240_000
"""Milliseconds that the program may take to load on a busy machine, and an answer to come."""
FIRST_VIEW: Final = 1_500_000
"""Bytes of all that is not the runtime and the program."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("playground") / "site"
    playground.build(out)
    return out


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


class Visit:
    """A page that is open, with what it asked for and complained about."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page, self.requests, self.troubles = context.new_page(), list[str](), list[str]()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on(
            "console",
            lambda message: (
                self.troubles.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        self.page.goto(address)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.troubles.append(message.text)

    def loaded(self) -> Visit:
        """Wait until the program answers."""
        expect(self.page.locator("#go")).to_be_enabled(timeout=LOADING)
        return self

    def answered(self) -> str:
        """Wait for an answer, and return its first sentence."""
        expect(self.page.locator("#state")).to_contain_text("Done in", timeout=LOADING)
        return self.page.locator("#answer-here #answer").inner_text()

    def pasted(self, text: str) -> Visit:
        self.page.fill("#pods", text)
        self.page.click("#go")
        return self


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Visit]]:
    """Open the page; nothing may have gone wrong in it when the test ends."""
    contexts, visits = list[BrowserContext](), list[Visit]()

    def call(words: str = "", **options: Any) -> Visit:
        contexts.append(browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options}))
        visits.append(Visit(contexts[-1], address + words))
        return visits[-1]

    yield call
    for context in contexts:
        context.close()
    assert [trouble for tab in visits for trouble in tab.troubles] == []


def headline(pods: Any, old: str, new: str) -> str:
    """Return the first line in which the installed package answers."""
    summary = hashcompat.plan(pods, old, new).summary
    return f"{summary.verdicts[hashcompat.Verdict.RESTART]} of {summary.compared}"


def test_it_answers_offline_and_asks_nobody(visit: Callable[..., Visit], address: str) -> None:
    tab = visit().loaded()
    tab.page.context.set_offline(True)
    asked = len(tab.requests)
    tab.page.click("#example")
    tab.page.click("#go")
    assert tab.answered().startswith("1 of 1 running container restarts")
    expect(tab.page.locator("#answer-here .why pre")).not_to_have_count(0)
    tab.page.click("#sample")
    expect(tab.page.locator("#answer")).to_contain_text("66 of 66", timeout=LOADING)
    assert tab.answered().startswith(headline(hashcompat.load_sample(), "1.30.14", "1.31.14"))
    tab.page.click("#matrix")
    expect(tab.page.locator("#answer-here")).to_contain_text("Cheapest path", timeout=LOADING)
    assert tab.requests[asked:] == []
    assert {urlsplit(url).netloc for url in tab.requests} == {urlsplit(address).netloc}


@pytest.mark.full
def test_a_report_works_in_a_tab_of_its_own(visit: Callable[..., Visit]) -> None:
    tab = visit("#sample").loaded()
    tab.answered()
    with tab.page.context.expect_page() as opening:
        tab.page.click("#open")
    report = opening.value
    expect(report.locator("#matching")).to_contain_text("75 of 75")  # its script runs: the policy names it
    report.fill("#search", "no such container")
    expect(report.locator("#matching")).to_contain_text("0 of 75")


@pytest.mark.full
def test_a_link_carries_the_upgrade_and_no_object(visit: Callable[..., Visit]) -> None:
    tab = visit("#from=1.15.12&to=1.16.15").loaded()
    assert (tab.page.input_value("#from"), tab.page.input_value("#to")) == ("1.15.12", "1.16.15")
    tab.pasted(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: secretname}\nspec: {containers: [{name: c, image: i}]}"
    )
    tab.answered()
    assert urlsplit(tab.page.url).fragment == "from=1.15.12&to=1.16.15"


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: [broken", "pasted.yaml: line 1"),
        ('{"kind": "Pod"}', "pasted.json"),
        ("", "Paste an object"),
        ("key: value", "pasted.yaml"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(visit: Callable[..., Visit], text: str, said: str) -> None:
    tab = visit().loaded().pasted(text)
    expect(tab.page.locator("#state.wrong")).to_contain_text(said, timeout=LOADING)
    assert "Traceback" not in tab.page.locator("#state").inner_text()
    expect(tab.page.locator("#result")).to_be_hidden()
    tab.page.click("#sample")
    assert tab.answered().startswith("66 of 66")


@pytest.mark.full
def test_a_file_that_is_too_large_is_left_to_the_command_line(
    visit: Callable[..., Visit], tmp_path: Path
) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    tab = visit().loaded()
    tab.page.set_input_files("#file", large)
    tab.page.click("#go")
    expect(tab.page.locator("#state.wrong")).to_contain_text("hashcompat plan -f large.json")


@pytest.mark.full
def test_a_dump_of_thirty_megabytes_is_planned_as_it_is_on_a_terminal(
    visit: Callable[..., Visit], tmp_path: Path
) -> None:
    dump = tmp_path / "cluster.json"
    cluster.write(dump, "services", 1200, Shape())
    assert dump.stat().st_size > 25e6
    tab = visit().loaded()
    tab.page.set_input_files("#file", dump)
    tab.page.click("#go")
    assert tab.answered().startswith(headline(hashcompat.load(str(dump)), "1.30.14", "1.31.14"))
    expect(tab.page.locator("#answer-here")).to_contain_text("The first 20 of")


DROP: Final = """([text, place]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dump.yaml"));
    const event = (name) => new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true });
    const target = document.querySelector(place);
    return ["dragover", "drop"].map((name) => !target.dispatchEvent(event(name)));
}"""
"""Drop a file; return whether the page took each event, which it leaves to the browser otherwise."""


@pytest.mark.full
@pytest.mark.parametrize("place", ["#drop", "h1"])
def test_a_file_is_dropped_anywhere(visit: Callable[..., Visit], place: str) -> None:
    tab = visit().loaded()
    assert tab.page.evaluate(DROP, [POD, place]) == [True, True]
    assert tab.answered().startswith("1 of 1")
    expect(tab.page.locator("#answer-here")).to_contain_text("dump.yaml")


@pytest.mark.full
def test_a_file_that_is_dropped_too_early_waits_for_the_button(visit: Callable[..., Visit]) -> None:
    tab = visit()
    expect(tab.page.locator("#from option")).not_to_have_count(0)
    assert tab.page.evaluate(DROP, [POD, "body"]) == [True, True]
    tab.loaded().page.click("#go")
    assert tab.answered().startswith("1 of 1")


@pytest.mark.full
def test_golden_hashes_are_equal(visit: Callable[..., Visit]) -> None:
    """The same hashes as Go's, by this Python on this platform."""
    golden = ROOT / "golden" / "containers"
    names = ["inputs.jsonl", "1.7.16.jsonl", "1.15.12.jsonl", "1.31.14.jsonl"]
    names = [name for name in names if (golden / name).exists()]
    files = {name: (golden / name).read_text(encoding="utf-8") for name in names}
    tab = visit().loaded()
    code, said = tab.page.evaluate(
        """(files) => new Promise((done) => {
            const worker = new Worker("worker.js", { type: "module" });
            const encoder = new TextEncoder();
            worker.onmessage = ({ data }) => {
                if (data.id) done([data.answers[0].code, data.answers[0].out + data.answers[0].err]);
            };
            worker.postMessage({
                id: 1,
                commands: [["verify", "."]],
                files: Object.entries(files).map(([name, text]) => ({ name, bytes: encoder.encode(text) })),
            });
        })""",
        files,
    )
    assert code == 0, said
    assert len(names) > 2


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits_a_phone(visit: Callable[..., Visit], scheme: str) -> None:
    tab = visit("#sample", **{**ON_A_PHONE, "color_scheme": scheme}).loaded()
    tab.answered()
    for screen in (ON_A_PHONE["viewport"], DESKTOP):
        tab.page.set_viewport_size({"width": screen["width"], "height": screen["height"]})
        violations = Axe().run(tab.page).response["violations"]
        assert [(rule["id"], node["html"][:160]) for rule in violations for node in rule["nodes"]] == []
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= screen["width"]


@pytest.mark.full
def test_a_keyboard_is_enough(visit: Callable[..., Visit]) -> None:
    page = visit().loaded().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the form"
    page.locator("#pods").focus()
    page.keyboard.type(POD)
    for wanted in ("file", "go"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == wanted
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("1 of 1", timeout=LOADING)
    assert page.evaluate("document.activeElement.id") == "result"


@pytest.mark.full
def test_the_first_view_is_small_and_still(visit: Callable[..., Visit], site: Path) -> None:
    program = {"app.zip", "pyodide"}
    own = [
        path for path in site.rglob("*") if path.is_file() and not program & set(path.relative_to(site).parts)
    ]
    assert sum(path.stat().st_size for path in own) < FIRST_VIEW
    page: Page = visit().loaded().page
    moved = page.evaluate(
        """() => new Promise((done) => {
            const sum = (list) => list.getEntries().reduce((all, one) => all + one.value, 0);
            new PerformanceObserver((list) => done(sum(list))).observe({
                type: "layout-shift", buffered: true,
            });
            setTimeout(() => done(0), 500);
        })"""
    )
    assert moved < 0.1


@pytest.mark.full
def test_micropip_installs_the_package(site: Path, tmp_path: Path) -> None:
    """Pyodide's own packages are not reachable here; pure wheels stand for the two that the index lacks."""
    has = json.loads((site / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    assert {*playground.PURE, "micropip", "packaging"} <= set(has)
    tools = [f"{name}=={has[name]['version']}" for name in ("micropip", "packaging")]
    words = ("--no-deps", "--only-binary=:all:", f"--python-version={playground.PYTHON}")
    place = f"--dest={tmp_path / 'tools'}"
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *words, place, *tools], check=True)
    wheels = [
        pure(wheel, tmp_path) for wheel in playground.downloaded(tmp_path) if wheel.name.startswith(PURE)
    ]
    program = Path(__file__).with_name("micropip.mjs")
    own = playground.own_wheel(tmp_path)
    command: list[str | Path] = ["node", program, site / "pyodide", tmp_path / "tools", *wheels, own]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(wheels) == 2
    assert done.stdout.strip() == headline(hashcompat.load_sample(), "1.30.14", "1.31.14")


def pure(wheel: Path, into: Path) -> Path:
    """Write a wheel for any platform, without the compiled modules of one."""
    path = into / f"{'-'.join(wheel.name.split('-')[:2])}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(path, "w") as written:
        for name in packed.namelist():
            data = packed.read(name)
            if name.endswith("/WHEEL"):
                data = re.sub(rb"(?m)^Tag: .*$", b"Tag: py3-none-any", data)
            if not name.endswith(".so"):
                written.writestr(name, data)
    return path


@pytest.mark.full
def test_two_builds_are_equal(site: Path, tmp_path: Path) -> None:
    playground.build(tmp_path / "again")
    first, second = (
        {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (site, tmp_path / "again")
    )
    assert sorted(first) == sorted(second)
    assert [name for name, data in first.items() if data != second[name]] == []


def test_the_releases_are_all_that_there_are(site: Path) -> None:
    facts = json.loads((site / "facts.json").read_text(encoding="utf-8"))
    assert facts["releases"][-1] == "1.0.0"
    assert {facts["from"], facts["to"]} <= set(facts["releases"])
