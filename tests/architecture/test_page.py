"""docs/architecture.md names directories that are there, and is short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.program import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
FILES = sorted(set(re.findall(r"`([\w/]+/[\w/]+\.(?:py|json|md))\b", PAGE)))
DIRECTORIES = sorted(set(re.findall(r"`([\w/]+/)`", PAGE)))


def found(name: str) -> Path:
    """Return a path from the root of the repository or from the package."""
    return next((path for path in (ROOT / "hashcompat" / name, ROOT / name) if path.exists()), Path(name))


@pytest.mark.parametrize("name", FILES + DIRECTORIES)
def test_a_path_exists(name: str) -> None:
    assert found(name).exists()


def test_the_walk_names_folders_and_no_files() -> None:
    """Files move; the page at the top of each folder names them."""
    walk = PAGE.partition("## A walk")[2].partition("\n## ")[0]
    stops = re.findall(r"^(\d+)\. `[\w/]+/`", walk, re.MULTILINE)
    assert stops == [str(number) for number in range(1, 9)]
    assert set(re.findall(r"`([\w/]+\.py)", walk)) == {"__init__.py"}


def test_the_page_is_short() -> None:
    prose = re.sub(r"```.*?```|^\|.*$", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 1000
