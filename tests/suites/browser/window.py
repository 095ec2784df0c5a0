"""A page that is open in the browser, with all that went wrong in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route

DESKTOP: Final = {"width": 1280, "height": 800}
ON_A_PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 375, "height": 812},
    "has_touch": True,
    "is_mobile": True,
}


@dataclass(eq=False)  # not frozen: Playwright keeps its callbacks as attributes of what they belong to
class Window:
    """A page in a browser context of its own."""

    page: Page
    address: str
    """Where the page is: a file's URL."""

    troubles: list[str] = field(default_factory=list)
    """Errors and warnings of the console, violations of the policy among them, uncaught errors, requests."""

    def violations(self) -> list[str]:
        """Return what axe-core finds wrong with what is shown now, a line for each rule and element."""
        violations = Axe().run(self.page).response["violations"]
        return [
            f"{rule['impact']} {rule['id']}: {node['html'][:200]}"
            for rule in violations
            for node in rule["nodes"]
        ]

    def kept(self) -> set[str]:
        """Return the rules of axe-core that what is shown now keeps."""
        return {rule["id"] for rule in Axe().run(self.page, options={}).response["passes"]}

    def on_console(self, message: ConsoleMessage) -> None:
        """Note what the page or the browser complains about; violations of the policy are errors here."""
        if message.type in {"error", "warning"}:
            self.troubles.append(f"console: {message.text}")

    def on_request(self, request: Request) -> None:
        """Note everything that the page asks for but itself."""
        if request.url != self.address:
            self.troubles.append(f"request: {request.url}")

    def answer(self, route: Route) -> None:
        """Refuse every request but the one for the page itself."""
        if route.request.url == self.address:
            route.continue_()
        else:
            route.abort()


@contextmanager
def window(browser: Browser, path: Path, **options: Any) -> Iterator[Window]:
    """Open a file with the options of a browser context."""
    context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
    opened = Window(context.new_page(), path.as_uri())
    context.route("**/*", opened.answer)
    opened.page.on("console", opened.on_console)
    opened.page.on("pageerror", lambda error: opened.troubles.append(f"error: {error}"))
    opened.page.on("request", opened.on_request)
    try:
        opened.page.goto(opened.address)
        yield opened
    finally:
        context.close()
