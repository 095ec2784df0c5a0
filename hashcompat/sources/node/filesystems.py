"""How full the file systems of a node are, as probes; those of a network or of FUSE may never answer."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from hashcompat.sources.node.asking import Question
from hashcompat.sources.node.root import Root

MOUNTS: Final = "/proc/1/mounts"

_REMOTE: Final = re.compile(r"nfs4?|cifs|smb3|ceph|glusterfs|9p|fuse|fuse\..*")
"""Types of file systems with a server: on the network, or a process."""

_ESCAPE: Final = re.compile(r"\\([0-7]{3})")
"""How the kernel writes blanks and the like in a mount table."""


def filesystem(root: Root, path: str) -> Question:
    """Return the question for the file system of a directory."""
    return Question("filesystem", path, lambda: _usage(os.statvfs(root.place(path)), path))


def remote(root: Root) -> Iterator[Question]:
    """Yield the question for each file system of a network or of FUSE; it is asked where it is mounted.

    No other question looks at it: where its server is gone, whoever does hangs.
    """
    try:
        rows = [line.split(" ") for line in root.text(MOUNTS).splitlines()]
    except OSError:
        return  # the question for the mount table shows why
    found = (row[1] for row in rows if len(row) > 2 and _REMOTE.fullmatch(row[2]))
    for path in dict.fromkeys(_ESCAPE.sub(_character, one) for one in found):
        yield Question("filesystem", path, partial(_of_mount, root, path))


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
