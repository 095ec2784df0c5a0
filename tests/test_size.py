"""What scripts/size.py counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import size

MODULE = '''"""What it is for."""

# Why it is so.
LIMIT = 3  # no line of its own


def first() -> int:
    """Return one."""
    # Upstream begins at one.

    def inner() -> int:
        return 1

    return inner()
'''


def test_lines_are_counted_once_and_docstrings_are_no_bodies(tmp_path: Path) -> None:
    (tmp_path / "hashcompat" / "room").mkdir(parents=True)
    (tmp_path / "hashcompat" / "room" / "a.py").write_text(MODULE)
    (tmp_path / "hashcompat" / "b.py").write_text("")
    counts = size.size(tmp_path / "hashcompat")
    assert counts == size.Size(modules=2, lines=14, filled=9, in_functions=3, comments=2, functions=2)


def test_a_row_for_each_checkout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hashcompat").mkdir()
    (tmp_path / "hashcompat" / "a.py").write_text(MODULE)
    assert size.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[1:] == ["1", "14", "2", "33%", "22.2%"]
