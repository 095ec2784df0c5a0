"""Write docs/images: pictures of reports of the sample's upgrade, the site and the playground, by Chromium.

    python -m scripts.docs.screenshots [DIRECTORY]

The same report looks a little different with every browser and its fonts, so nothing compares the pictures.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, Page, ViewportSize

from scripts import playground, site
from scripts.lib.paths import DOCS
from scripts.suites import chromium

_WAY: Final = ("--sample", "--from", "1.30.14", "--to", "1.31.14")
_PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "plan": ("plan", *_WAY),
    "gate": ("gate", *_WAY),
    "impact": ("impact", *_WAY, "--batch", "2"),
    "preflight": ("preflight", "--sample", "--no-node", "--to", "1.31.14"),
    "matrix": ("matrix",),
    "explain": ("explain", "deploy/web", "-n", "shop", *_WAY),
}
"""The command lines whose pages are taken, by the names of the pages."""
_JOINED: Final = "index"
"""The page that joins the others."""

IMAGES: Final = DOCS / "images"

_DESKTOP: Final = {"width": 1200, "height": 900}
_PHONE: Final = {"width": 375, "height": 812}
_PAPER: Final = {"width": 794, "height": 1123}
"""A4 at 96 pixels an inch."""


_AS_PRINTED: Final = """() => {
    dispatchEvent(new Event("beforeprint"));
    document.body.style.padding = "16mm 14mm";
}"""
"""What a browser does before it prints; a screen has no margins of paper."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: what the screen is like, and where on the page it is taken."""

    viewport: Mapping[str, int]
    report: str = "plan"
    """The page that it is of."""

    place: str = ""
    """The element at the top; empty for the top of the page."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """More options of a browser context."""

    media: Literal["screen", "print"] = "screen"


PICTURES: Final[Mapping[str, Picture]] = {
    "plan-light": Picture(_DESKTOP),
    "plan-dark": Picture({**_DESKTOP, "height": 820}, "plan", "#containers-title", {"color_scheme": "dark"}),
    "plan-phone": Picture(_PHONE, options={"is_mobile": True, "has_touch": True}),
    "plan-print": Picture(_PAPER, media="print"),
    **{name: Picture(_DESKTOP, name) for name in ("gate", "impact", "preflight", "matrix", "explain")},
    "gate-phone": Picture(_PHONE, "gate", options={"is_mobile": True, "color_scheme": "dark"}),
    "matrix-phone": Picture(_PHONE, "matrix", "#matrix-title", {"is_mobile": True}),
    "reports": Picture(_DESKTOP, _JOINED, options={"color_scheme": "dark"}),
}
"""The pictures by the names of their files."""


def taken(browser: Browser, report: Path, picture: Picture) -> bytes:
    """Return a picture of a report as PNG."""
    context = browser.new_context(**{"viewport": dict(picture.viewport), **picture.options})
    page = context.new_page()
    page.emulate_media(media=picture.media, reduced_motion="reduce")
    page.goto(report.as_uri())
    _prepare(page, picture)
    made = page.screenshot()
    context.close()
    return made


def _prepare(page: Page, picture: Picture) -> None:
    if picture.media == "print":
        page.evaluate(_AS_PRINTED)
    if picture.place:
        for button in page.locator("#containers button[aria-expanded]").all()[:1]:
            button.click()
        page.locator(picture.place).evaluate("(found) => found.scrollIntoView()")


_SITE: Final[ViewportSize] = {"width": 1000, "height": 700}


def of_site(browser: Browser) -> Iterator[tuple[str, bytes]]:
    """Yield pictures of the site and of the playground, built anew and served here."""
    with tempfile.TemporaryDirectory() as place:
        site.build(Path(place, "site"))
        with playground.server(Path(place, "site")) as serving:
            threading.Thread(target=serving.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{serving.server_port}"
            page = browser.new_page(viewport=_SITE, reduced_motion="reduce")
            page.goto(f"{address}/docs/hash/#4-the-same-container-two-minors-later", wait_until="networkidle")
            yield "site", page.screenshot()
            page.goto(f"{address}/playground/index.html#sample")
            page.get_by_text("Done in").wait_for(timeout=240_000)
            page.locator("#answer").evaluate("(found) => found.scrollIntoView()")
            yield "playground", page.screenshot()
            serving.shutdown()


def main(directory: Path) -> int:
    """Write every picture into a directory, and print how large it is."""
    directory.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium.running() as browser:
        # the page that joins the others is made when they are there
        for name, words in {**_PAGES, _JOINED: ("report", place)}.items():
            command = (sys.executable, "-m", "hashcompat", *words, "--quiet", "-o", "html")
            # a gate and a preflight exit with what they found
            done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
            if done.returncode not in (0, 2, 3):
                return 1
            Path(place, f"{name}.html").write_bytes(done.stdout)
        for name, picture in PICTURES.items():
            path = directory / f"{name}.png"
            path.write_bytes(taken(browser, Path(place, f"{picture.report}.html"), picture))
            print(f"{path.name}: {path.stat().st_size:,} bytes")
        for name, content in of_site(browser):
            Path(directory, f"{name}.png").write_bytes(content)
            print(f"{name}.png: {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2]) if sys.argv[1:] else IMAGES))
