"""How full the file systems of a node are, as probes; those of a network or of FUSE may never answer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from hashcompat.sources.node.asking import Question
from hashcompat.sources.node.root import Root

MOUNTS: Final = "/proc/1/mounts"

_REMOTE: Final = re.compile(r"nfs4?|cifs|smb3|ceph|glusterfs|9p|fuse|fuse\..*")
"""Types of file systems with a server: on the network, or a process."""

_ESCAPE: Final = re.compile(r"\\([0-7]{3})")
"""How the kernel writes blanks and the like in a mount table."""


def filesystem(root: Root, path: str, why_not: Callable[[str], str] | None = None) -> Question:
    """Return the question for the file system of a directory.

    With ``why_not`` somebody named it, and it is looked at as ``Root.own`` would.
    """

    def read() -> str:
        place = root.own_place(path, why_not)[0] if why_not else root.place(path)
        return _usage(os.statvfs(place), path)

    return Question("filesystem", path, read)


def remote(root: Root) -> Iterator[Question]:
    """Yield the question for each file system of a network or of FUSE; it is asked where it is mounted.

    No other question looks at it: where its server is gone, whoever does hangs.
    """
    try:
        found = [path for path, kind in mounts(root) if _REMOTE.fullmatch(kind)]
    except OSError:
        return  # the question for the mount table shows why
    for path in dict.fromkeys(found):
        yield Question("filesystem", path, partial(_of_mount, root, path))


def mounts(root: Root) -> list[tuple[str, str]]:
    """Return where something is mounted, and the type of its file system; raises OSError."""
    rows = (line.split(" ") for line in root.text(MOUNTS).split("\n"))
    return [(_ESCAPE.sub(_character, row[1]), row[2]) for row in rows if len(row) > 2]


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 8))


def _of_mount(root: Root, path: str) -> str:
    """Ask without following links: there are none in a mount table."""
    return _usage(os.statvfs(root.directory / path.lstrip("/")), path)


def _usage(found: os.statvfs_result, path: str) -> str:
    """Return how full a file system is, as ``df -Pk`` and ``df -Pi`` write it."""
    total, free, available = (
        count * found.f_frsize // 1024 for count in (found.f_blocks, found.f_bfree, found.f_bavail)
    )
    return _row(total, free, available, path) + _row(found.f_files, found.f_ffree, found.f_favail, path)


def _row(total: int, free: int, available: int, path: str) -> str:
    used = total - free
    share = f"{-(-used * 100 // (used + available))}%" if used + available else "-"
    return f"- {total} {used} {available} {share} {path}\n"
