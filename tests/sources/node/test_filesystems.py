"""File systems of a network and of FUSE are asked each by its own, and one that hangs delays no other."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from hashcompat.sources import node
from hashcompat.sources.node import NodeReader
from hashcompat.sources.node.root import Root

TABLE = r"""/dev/vda1 / ext4 rw 0 0
server:/a /mnt/a nfs4 rw 0 0
server:/a /mnt/a nfs4 rw 0 0
server:/b /mnt/b\040c\043d nfs rw 0 0
s3fs /mnt/s3 fuse.s3fs rw 0 0
x /mnt/x fuseblk rw 0 0
odd
"""


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "proc/1").mkdir(parents=True)
    (tmp_path / "proc/1/mounts").write_text(TABLE)
    for name in ("a", "b c#d"):
        (tmp_path / "mnt" / name).mkdir(parents=True)
    return Root(tmp_path)


def test_every_mount_is_asked_once(root: Root) -> None:
    probes = {probe.name: probe for probe in NodeReader().ask_all(node.remote(root))}
    assert list(probes) == ["/mnt/a", "/mnt/b c#d", "/mnt/s3"]
    assert len(probes["/mnt/b c#d"].read().splitlines()) == 2
    assert (probes["/mnt/s3"].text, probes["/mnt/s3"].problem) == (None, "")


def test_one_that_never_answers_is_left_behind(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    own, released = os.statvfs, threading.Event()

    def statvfs(path: Path) -> os.statvfs_result:
        if path.name == "a":
            released.wait(60)
        return own(path)

    monkeypatch.setattr(os, "statvfs", statvfs)
    begun = time.monotonic()
    probes = {probe.name: probe for probe in NodeReader(0.5, 20).ask_all(node.remote(root))}
    released.set()
    assert time.monotonic() - begun < 10
    assert probes["/mnt/a"].problem == "no answer within 0.5 s"
    assert probes["/mnt/b c#d"].text


def test_without_a_mount_table_there_is_nothing_to_ask(tmp_path: Path) -> None:
    assert list(node.remote(Root(tmp_path))) == []


def test_links_to_a_directory_are_followed_inside_the_root(root: Root) -> None:
    (root.directory / "link").symlink_to("/mnt/a")
    probe = NodeReader().ask(node.filesystem(root, "/link"))
    assert probe.read().splitlines()[0].endswith(" /link")
    assert NodeReader().ask(node.filesystem(root, "/none")).problem == ""
