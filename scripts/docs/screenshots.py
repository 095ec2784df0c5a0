"""Write docs/images: pictures of the HTML report of a plan of the sample, as Debian's Chromium shows it.

    python -m scripts.docs.screenshots [DIRECTORY]

The same report looks a little different with every browser and its fonts, so nothing compares the pictures.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, Page

from scripts.lib.paths import DOCS
from scripts.suites import chromium

_PLAN: Final = ("plan", "--sample", "--from", "1.30.14", "--to", "1.31.14")
_REPORT: Final = (sys.executable, "-m", "hashcompat", *_PLAN, "-o", "html")

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
    place: str = ""
    """The element at the top; empty for the top of the page."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """More options of a browser context."""

    media: Literal["screen", "print"] = "screen"


PICTURES: Final[Mapping[str, Picture]] = {
    "plan-light": Picture(_DESKTOP),
    "plan-dark": Picture(_DESKTOP, "#containers-title", {"color_scheme": "dark"}),
    "plan-phone": Picture(_PHONE, options={"is_mobile": True, "has_touch": True}),
    "plan-print": Picture(_PAPER, media="print"),
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
        page.locator("#containers button[aria-expanded]").first.click()
        page.locator(picture.place).evaluate("(found) => found.scrollIntoView()")


def main(directory: Path) -> int:
    """Write every picture into a directory, and print how large it is."""
    directory.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium.running() as browser:
        report = Path(place, "plan.html")
        report.write_bytes(subprocess.run(_REPORT, check=True, stdout=subprocess.PIPE).stdout)
        for name, picture in PICTURES.items():
            path = directory / f"{name}.png"
            path.write_bytes(taken(browser, report, picture))
            print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2]) if sys.argv[1:] else IMAGES))
