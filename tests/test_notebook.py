"""The notebook of examples runs, shows what is committed, and is the page in docs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.helpers.program import ROOT

pytestmark = pytest.mark.slow

NOTEBOOK = ROOT / "examples" / "notebook" / "upgrade.ipynb"


def test_it_runs_and_shows_what_the_page_shows() -> None:
    """In a process of its own: Jupyter leaves sockets to the garbage collector, which a test may not."""
    done = subprocess.run(
        [sys.executable, "scripts/regenerate.py", "--check", "notebook"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "notebook: identical\n"), done.stderr[-2000:]


def test_no_cell_failed_and_each_result_is_a_table() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert {output["output_type"] for output in outputs} == {"execute_result", "stream"}
    tables = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(tables) >= 3
    page = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    assert page.count('<div class="hashcompat">') == 2
