"""The files of a node whose / is mounted at a directory: links are followed as the node does."""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.sources.limits import LONGEST_TEXT

_MOST_LINKS: Final = 40
"""As many as Linux follows."""


class Root(msgspec.Struct, frozen=True):
    """A directory in which a node's / is; every path is one on the node."""

    directory: Path
    """The directory; ``/`` on the node itself."""

    def place(self, path: str) -> Path:
        """Return where a path of the node is, with no link in it that the node would follow.

        Absolute links lead into the directory and not out of it. Raises OSError for too many links.
        """
        found, left, links = self.directory, deque(path.split("/")), 0
        while left:
            name = left.popleft()
            if name in ("", "."):
                continue
            if name == "..":
                found = found if found == self.directory else found.parent
                continue
            below = found / name
            if not below.is_symlink():
                found = below
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            target = below.readlink()
            found = self.directory if target.is_absolute() else found
            left.extendleft(reversed(target.parts[1:] if target.is_absolute() else target.parts))
        return found

    def read(self, path: str) -> bytes:
        """Return what a regular file holds; raises OSError, for one that is too long too."""
        place = self.place(path)
        if not stat.S_ISREG(place.stat().st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        with place.open("rb") as stream:
            found = stream.read(LONGEST_TEXT + 1)
        if len(found) > LONGEST_TEXT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return found

    def text(self, path: str) -> str:
        """Return the text of a file; what is not UTF-8 is replaced."""
        return self.read(path).decode(errors="replace")

    def names(self, path: str) -> list[str]:
        """Return the names in a directory, sorted; raises OSError."""
        return sorted(found.name for found in self.place(path).iterdir())

    def holds(self, path: str) -> bool:
        """Return whether there is something at a path, as far as that can be seen."""
        try:
            return self.place(path).exists()
        except OSError:
            return False
