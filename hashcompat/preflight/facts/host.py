"""The host below the kubelet: mounts."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from hashcompat.records.probes import lines

MOUNTS: Final = "/proc/1/mounts"


_REMOTE: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "9p"})

_LOCAL: Final = frozenset({"fuse.lxcfs", "fuse.portal", "fuse.gvfsd-fuse", "fuse.snapfuse"})
"""FUSE without a server elsewhere."""


class Mount(msgspec.Struct, frozen=True):
    """A line of a mount table."""

    device: str
    """What is mounted."""
    path: str
    """Where."""
    kind: str
    """The file system's type, such as ``cgroup2``."""

    @property
    def is_fuse(self) -> bool:
        """Whether a process serves it."""
        return self.kind == "fuse" or self.kind.startswith("fuse.")

    @property
    def is_remote(self) -> bool:
        """Whether a server elsewhere or a process serves it, and may be gone."""
        return self.kind in _REMOTE or (self.is_fuse and self.kind not in _LOCAL)


def mounts(text: str) -> tuple[Mount, ...]:
    """Read a mount table, fstab(5)."""
    rows = (line.split(" ") for line in lines(text))
    return tuple(Mount(row[0], _unescaped(row[1]), row[2]) for row in rows if len(row) > 2)


def _unescaped(path: str) -> str:
    """Return a path in which the kernel wrote blanks, backslashes and the like in octal."""
    return re.sub(r"\\([0-7]{3})", lambda escape: chr(int(escape[1], 8)), path)
