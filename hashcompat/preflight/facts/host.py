"""The host below the kubelet: mounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOUNTS: Final = "/proc/1/mounts"


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of a mount table."""

    device: str
    """What is mounted."""
    path: str
    """Where."""
    kind: str
    """The file system's type, such as ``cgroup2``."""


def mounts(text: str) -> tuple[Mount, ...]:
    """Read a mount table, fstab(5)."""
    rows = (line.split(" ") for line in text.splitlines())
    return tuple(Mount(row[0], _unescaped(row[1]), row[2]) for row in rows if len(row) > 2)


def _unescaped(path: str) -> str:
    """Return a path in which the kernel wrote blanks and backslashes in octal."""
    for octal, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(octal, character)
    return path
