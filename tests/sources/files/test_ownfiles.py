"""Files that decide a policy: regular ones, which nobody else can write or replace."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources.files import settings
from hashcompat.sources.files.settings import check_writers


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "below" / "x.yaml"
    path.parent.mkdir()
    path.parent.chmod(0o755)
    path.touch()
    path.chmod(0o644)
    return path


def test_a_file_of_ones_own_is_right(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_writers(file)
    monkeypatch.chdir(file.parent)
    for name in ("x.yaml", "../below/./x.yaml"):
        check_writers(Path(name))


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o620])
def test_a_file_that_others_may_write_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(InputError) as caught:
        check_writers(file)
    assert str(caught.value).startswith(f"{file}: refused: can be written by its group or by others")
    assert f"chmod go-w {file}" in str(caught.value)
    assert "--config none" in str(caught.value)


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_directory_in_which_others_may_replace_it_is_refused(file: Path, mode: int) -> None:
    file.parent.chmod(mode)
    with pytest.raises(InputError, match=f"refused: {file.parent} can be written"):
        check_writers(file)
    file.parent.chmod(mode | stat.S_ISVTX)
    check_writers(file)


def test_a_link_is_followed_step_by_step(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("below/../below/x.yaml")
    check_writers(link)
    far = tmp_path / "far"
    far.symlink_to(file.parent)
    check_writers(far / "x.yaml")
    file.parent.chmod(0o777)
    for name in (link, far / "x.yaml"):
        with pytest.raises(InputError, match=f"{name}: refused: {file.parent} can be written"):
            check_writers(name)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("directory", "is a directory, expected"),
        ("pipe", "is a pipe, expected"),
        ("link", "No such"),
        ("loop", "links"),
    ],
)
def test_anything_but_a_regular_file_is_refused_without_opening_it(
    tmp_path: Path, kind: str, why: str
) -> None:
    path = tmp_path / "x"
    match kind:
        case "directory":
            path.mkdir(mode=0o755)
        case "pipe":
            os.mkfifo(path, 0o600)
        case "link":
            path.symlink_to("gone")
        case _:
            path.symlink_to("x")
    with pytest.raises(InputError, match=why):
        check_writers(path)
    with pytest.raises(InputError, match="cannot read: No such"):
        check_writers(tmp_path / "gone" / "x")


def test_a_device_is_refused() -> None:  # not by its mode, which nobody is to change
    with pytest.raises(InputError, match="is a device or a socket, expected a regular file"):
        check_writers(Path("/dev/zero"))


@pytest.mark.parametrize("kind", [stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK])
def test_whatever_belongs_to_another_user_is_refused(monkeypatch: pytest.MonkeyPatch, kind: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for owner, refused in ((1000, False), (0, False), (1001, True)):
        state = os.stat_result((kind | 0o644, 0, 0, 1, owner, owner, 0, 0, 0, 0))
        if not refused:
            settings._check(Path("x"), Path("/a/x"), state)
            continue
        with pytest.raises(InputError, match=r"belongs to user 1001, not to you \(user 1000\) or root"):
            settings._check(Path("x"), Path("/a/x"), state)
