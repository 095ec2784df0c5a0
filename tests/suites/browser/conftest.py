"""One browser for the suite, and windows of it in which nothing may go wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from scripts import playground
from scripts.suites import chromium
from tests.suites.browser.pages import PAGES
from tests.suites.browser.window import Window, window

Reports = Callable[[str], Path]
Opened = Callable[..., Window]
PATIENCE = 20_000
"""Milliseconds that a page may take to show what is expected: a busy machine is slow, and no defect."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium; where it is missing the tests fail, for a skipped one would prove nothing."""
    expect.set_options(timeout=PATIENCE)
    with chromium.running() as started:
        yield started


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """Write a report when it is first asked for."""
    directory = tmp_path_factory.mktemp("reports")

    def call(name: str) -> Path:
        path = directory / f"{name}.html"
        if not path.exists():
            PAGES[name](path)
        return path

    return call


@contextmanager
def served(directory: Path) -> Iterator[str]:
    """Serve a directory, and return its address."""
    with playground.server(directory) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()
        thread.join()


@pytest.fixture
def opened(browser: Browser, reports: Reports) -> Iterator[Opened]:
    """Open reports by their names; nothing may have gone wrong in them when the test ends."""
    with ExitStack() as stack:
        windows = []

        def call(name: str, **options: Any) -> Window:
            windows.append(stack.enter_context(window(browser, reports(name), **options)))
            return windows[-1]

        yield call
        assert [trouble for tab in windows for trouble in tab.troubles] == []
