from __future__ import annotations

import sys
from pathlib import Path

import platformdirs
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


@pytest.mark.skipif(sys.platform != "linux", reason="the short way is that of Linux")
@pytest.mark.parametrize("data", [None, "", "/data", "/data/", "data", " ", "~/data"])
@pytest.mark.parametrize("home", [None, "", "/home/me", "/home/me/", "/", "me"])
@pytest.mark.parametrize("android", [None, "/system"])
def test_the_short_way_to_the_users_directory_is_that_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, data: str | None, home: str | None, android: str | None
) -> None:
    monkeypatch.delenv("HASHCOMPAT_DATA", raising=False)
    for name, value in {"XDG_DATA_HOME": data, "HOME": home, "ANDROID_ROOT": android}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    expected = platformdirs.user_data_path("hashcompat", appauthor=False) / "releases"
    assert files.user_directory() == expected
