"""Files of a node below another directory: links lead into it and never out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources.node import root as module
from hashcompat.sources.node.root import Root
from tests.helpers.hostproc import write


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "outside").write_text("no")
    node = tmp_path / "node"
    (node / "var/lib/data").mkdir(parents=True)
    (node / "var/lib/data/file").write_text("yes")
    return Root(node)


@pytest.mark.parametrize(
    "target", ["/var/lib/data", "data", "../lib/./data", "/../../../var/lib/data", "../../../../var/lib/data"]
)
def test_links_are_followed_inside(root: Root, target: str) -> None:
    (root.directory / "var/lib/link").symlink_to(target)
    assert root.text("/var/lib/link/file") == "yes"
    assert root.names("/var/lib/link") == ["file"]


def test_no_link_leads_out(root: Root, tmp_path: Path) -> None:
    (root.directory / "abs").symlink_to(tmp_path / "outside")
    (root.directory / "up").symlink_to("../outside")
    for path in ("/abs", "/up", "/../outside"):
        assert not root.holds(path)
        with pytest.raises(FileNotFoundError):
            root.read(path)


def test_links_in_a_circle(root: Root) -> None:
    (root.directory / "a").symlink_to("/b")
    (root.directory / "b").symlink_to("/a")
    assert not root.holds("/a")
    with pytest.raises(OSError, match="symbolic links"):
        root.read("/a")


def test_only_regular_files_of_some_length(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root.directory / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        root.read("/pipe")
    monkeypatch.setattr(module, "LONGEST_TEXT", 2)
    with pytest.raises(OSError, match="too large"):
        root.read("/var/lib/data/file")


@pytest.fixture
def own(tmp_path: Path) -> Root:
    write(tmp_path / "own", "etc/kubernetes/config", "yes")
    write(tmp_path, "outside", "no")
    return Root(tmp_path / "own")


@pytest.mark.parametrize("target", ["config", "/etc/kubernetes/config", "../../../etc/kubernetes/./config"])
def test_own_files_are_read_through_links_inside(own: Root, target: str) -> None:
    (own.directory / "etc/kubernetes/link").symlink_to(target)
    assert own.trusted_text("/etc/kubernetes/link") == "yes"
    assert own.trusted_names("/etc/kubernetes") == ["config", "link"]
    place, seen = own.trusted_place("/etc/kubernetes/link", _anywhere)
    assert (place, seen.st_size) == (own.directory / "etc/kubernetes/config", 3)
    assert own.trusted_place("/", _anywhere)[0] == own.directory


def _anywhere(_path: str) -> str:
    return ""


def test_no_link_of_an_own_file_leads_out(own: Root, tmp_path: Path) -> None:
    (own.directory / "abs").symlink_to(tmp_path / "outside")
    (own.directory / "up").symlink_to("../outside")
    (own.directory / "a").symlink_to("/a")
    for path in ("/abs", "/up", "/../outside"):
        with pytest.raises(FileNotFoundError):
            own.trusted_place(path, _anywhere)
    with pytest.raises(OSError, match="symbolic links"):
        own.trusted_place("/a", _anywhere)
    with pytest.raises(NotADirectoryError):
        own.trusted_text("/etc/kubernetes/config/x")


def test_own_files_are_where_those_of_kubelets_are_also_behind_links(own: Root) -> None:
    write(own.directory, "etc/other", "no")
    (own.directory / "etc/kubernetes/link").symlink_to("/etc/other")

    assert own.trusted_text("/etc/kubernetes/config") == "yes"
    for path in ("/etc/other", "/etc/kubernetes/link"):
        with pytest.raises(InputError, match=r"^not read: /etc/other: no file of a kubelet is there"):
            own.trusted_text(path)
        with pytest.raises(InputError, match=r"^not read: /etc/other: elsewhere$"):
            own.trusted_place(path, lambda path: "elsewhere" if path == "/etc/other" else "")


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o1777])
@pytest.mark.parametrize("place", ["", "etc", "etc/kubernetes", "etc/kubernetes/config"])
def test_what_others_can_write_is_no_own_file(own: Root, place: str, mode: int) -> None:
    (own.directory / place).chmod(mode)
    with pytest.raises(InputError, match=f"not read: /{place}: it is writable by others than its owner"):
        own.trusted_text("/etc/kubernetes/config")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
@pytest.mark.parametrize("place", ["", "etc", "etc/kubernetes/link", "etc/kubernetes/config"])
def test_what_another_user_owns_is_no_own_file(own: Root, place: str) -> None:
    (own.directory / "etc/kubernetes/link").symlink_to("config")
    os.chown(own.directory / place, 1000, 0, follow_symlinks=False)
    with pytest.raises(InputError, match=f"/{place}: it belongs to the user 1000, not to root"):
        own.trusted_text("/etc/kubernetes/link")


def test_an_own_file_is_a_regular_one(own: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(own.directory / "etc/kubernetes/pipe", 0o644)
    with pytest.raises(OSError, match="not a regular file"):
        own.trusted_text("/etc/kubernetes/pipe")
    with pytest.raises(NotADirectoryError):
        own.trusted_names("/etc/kubernetes/config")
    monkeypatch.setattr(module, "LONGEST_TEXT", 2)
    with pytest.raises(OSError, match="too large"):
        own.trusted_text("/etc/kubernetes/config")
