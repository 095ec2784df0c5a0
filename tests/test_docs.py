"""The generated pages say what the tables say; ``python scripts/docs.py`` writes them anew."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import docs
from hashcompat.catalog.lookup import Catalog
from hashcompat.rules import RULES
from tests.helpers.program import ROOT


def test_the_pages_are_up_to_date(catalog: Catalog) -> None:
    assert docs.outdated(catalog) == []


def test_a_page_that_differs_or_is_missing_is_named(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(docs, "DOCS", tmp_path)
    (tmp_path / "rules.md").write_text("# Rules\n")
    assert docs.outdated(catalog) == [tmp_path / "rules.md", tmp_path / "matrix.md"]


def test_check_is_a_command() -> None:
    result = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, check=False
    )
    assert result.returncode == 0


def test_every_rule_and_every_boundary_has_its_place(catalog: Catalog) -> None:
    rules, matrix = ((ROOT / "docs" / name).read_text() for name in ("rules.md", "matrix.md"))
    assert [line[3:8] for line in rules.splitlines() if line.startswith("## ")] == [rule.id for rule in RULES]
    minors = list(catalog.rows)
    for old, new in pairwise(minors):
        assert f"| {old} | {new} |" in matrix
