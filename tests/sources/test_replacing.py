"""A file that is replaced is whole, whatever ends the writing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hashcompat.sources.content import replacing
from tests.helpers.program import files_in


def test_a_file_is_replaced_when_all_of_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with replacing(path) as stream:
        stream.write(b"new")
        assert path.read_text() == "old"
    assert (path.read_text(), files_in(tmp_path)) == ("new", ["file"])


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, OSError, ValueError])
def test_whatever_ends_the_writing_leaves_nothing(tmp_path: Path, end: type[BaseException]) -> None:
    def interrupted() -> None:
        with replacing(tmp_path / "file") as stream:
            stream.write(b"half")
            raise end

    with pytest.raises(end):
        interrupted()
    assert files_in(tmp_path) == []


def test_an_interruption_right_after_the_file_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def interrupted(path: str, flags: int, mode: int) -> None:
        os.close(opened(path, flags, mode))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "file"):
        pass
    assert files_in(tmp_path) == []


def test_a_long_name_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    with replacing(path) as stream:
        stream.write(b"new")
    assert path.read_text() == "new"
