"""``.gitattributes``: code hosts fold what is generated, and nothing that people write."""

from __future__ import annotations

import pytest

from scripts import regenerate
from tests.helpers.program import ROOT

LINES = [line.split() for line in (ROOT / ".gitattributes").read_text().splitlines()]
PATTERNS = {line[0]: line[1:] for line in LINES if line and line[0] != "#"}
PARTLY = {"docs/architecture.md"}
"""What people write, but for a drawing."""


def folded(pattern: str) -> set[str]:
    """Name the files of a pattern, whose stars do not cross folders here, as in git."""
    return {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern.removeprefix("/"))}


FOLDED = {name for pattern in PATTERNS for name in folded(pattern)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_of_files_that_there_are(pattern: str) -> None:
    assert pattern.startswith("/")
    assert folded(pattern)
    assert "linguist-generated" in PATTERNS[pattern]


@pytest.mark.parametrize("name", regenerate.CHOICES)
def test_what_is_generated_is_folded(name: str) -> None:
    owned = {file for pattern in regenerate.generated(name).owned for file in folded(pattern)}
    assert owned - FOLDED == owned & PARTLY


@pytest.mark.parametrize(
    "name",
    [
        "golden/containers/inputs.jsonl",
        "golden/README.md",
        "schemas/types/container/1.0.json",
        "docs/gate.md",
    ],
)
def test_what_people_write_is_not(name: str) -> None:
    assert (ROOT / name).is_file()
    assert name not in FOLDED
