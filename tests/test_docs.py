"""The generated pages say what the tables say; ``python scripts/regenerate.py docs`` writes them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hashcompat.catalog.lookup import Catalog
from hashcompat.rules import RULES
from scripts.docs import pages
from tests.helpers.program import ROOT


def test_the_pages_are_up_to_date() -> None:
    assert pages.GENERATED.check() == []


def test_a_page_that_differs_or_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# Rules\n")
    elsewhere = replace(pages.GENERATED, root=tmp_path)
    assert elsewhere.check() == [
        "missing  docs/architecture.md",
        "missing  docs/matrix.md",
        "missing  docs/preflight-checks.md",
        "missing  docs/reality.md",
        "changed  docs/rules.md",
        "missing  docs/vendors.md",
    ]


def test_every_rule_and_every_boundary_has_its_place(catalog: Catalog) -> None:
    rules, matrix = ((ROOT / "docs" / name).read_text() for name in ("rules.md", "matrix.md"))
    assert [line[3:8] for line in rules.splitlines() if line.startswith("## ")] == [rule.id for rule in RULES]
    minors = catalog.known.minors
    for old, new in pairwise(minors):
        assert f"| {old} | {new} |" in matrix
