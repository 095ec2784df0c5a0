from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.catalog import files
from hashcompat.errors import InputError


def test_a_source_checkout_reads_the_schemas_beside_the_package() -> None:
    assert files.default_directory() == Path(__file__).parents[2] / "schemas"


def test_an_installed_package_reads_its_own_schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schemas").mkdir()
    monkeypatch.setattr(files, "_PACKAGE", tmp_path)
    assert files.default_directory() == tmp_path / "schemas"


def test_a_data_file_is_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes('{"a": "\u20ac"}'.encode())
    assert files.read_json(path) == {"a": "\u20ac"}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.json: cannot read release data: No such file"):
        files.read_json(tmp_path / "gone.json")


@pytest.mark.parametrize("content", [b"{", b"", b'{"a": "\xff"}'], ids=["cut off", "empty", "no UTF-8"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.json: damaged release data: "):
        files.read_json(path)
