"""Files of a node below another directory: links lead into it and never out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hashcompat.sources.node import root as module
from hashcompat.sources.node.root import Root


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
