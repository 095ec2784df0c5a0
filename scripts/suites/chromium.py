"""Debian's Chromium without a window and a network, for the tests marked browser and the screenshots."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, sync_playwright

PACKAGE: Final = "chromium"
"""Debian's package, and the program's name."""

_FLAGS: Final = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",)


class NoChromiumError(RuntimeError):
    """The browser is not installed."""


@contextmanager
def running() -> Iterator[Browser]:
    """Start the browser that is on the PATH, and end it; NoChromiumError says how to install it."""
    program = shutil.which(PACKAGE)
    if program is None:
        raise NoChromiumError(f"{PACKAGE} is missing: apt-get install {PACKAGE}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()
