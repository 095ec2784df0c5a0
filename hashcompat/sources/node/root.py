"""The files of a node whose / is mounted at a directory: links are followed as the node does.

What decides about a kubelet, or is run, is read only where nobody but root can have written it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.sources.content import LONGEST_TEXT

_MOST_LINKS: Final = 40
"""As many as Linux follows."""
_PATH_ONLY: Final = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC
"""Opens a file, a directory, a link or a FIFO without its content, so that nothing waits or happens."""
_TO_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


class Root(msgspec.Struct, frozen=True):
    """A directory in which a node's / is; every path is one on the node."""

    directory: Path
    """The directory; ``/`` on the node itself."""
    also: tuple[str, ...] = ()
    """More directories of the kubelet's own files, as whoever runs this program says."""

    def why_not_read(self, path: str) -> str:
        """Return why nothing is read at a path; empty where a kubelet's own file can be there."""
        return why_not_read(path, self.also)

    def place(self, path: str) -> Path:
        """Return where a path of the node is, with no link in it that the node would follow.

        Absolute links lead into the directory and not out of it. Raises OSError for too many links.
        """
        place, left, links = self.directory, deque(path.split("/")), 0
        while left:
            name = left.popleft()
            if name in ("", "."):
                continue
            # Above the root is the root, as on the node: else ../../.. would lead out of the mounted
            # directory.
            if name == "..":
                place = place if place == self.directory else place.parent
                continue
            below = place / name
            if not below.is_symlink():
                place = below
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            target = below.readlink()
            place = self.directory if target.is_absolute() else place
            # The target's own names come next, before the rest of the path: each of them may be a link too.
            left.extendleft(reversed(target.parts[1:] if target.is_absolute() else target.parts))
        return place

    def read(self, path: str) -> bytes:
        """Return what a regular file holds; raises OSError, for one that is too long too."""
        place = self.place(path)
        _check_regular(place.lstat())
        return _content(os.open(place, _TO_READ))

    def trusted_text(self, path: str) -> str:
        """Return the text of a file that nobody but root can have written.

        The file, every directory and every link on the way belong to root, or to whoever runs this program,
        and none is writable by others. The path, and the one that its links lead to, are those of a kubelet's
        own file. Raises InputError with the reason where nothing is read, and OSError.
        """
        with self._checked(path, self.why_not_read) as (parent, name, seen):
            _check_regular(seen)
            descriptor = os.open(name, _TO_READ, dir_fd=parent)
            # Between the check and the opening a directory's owner can put another file there. O_NOFOLLOW
            # keeps links out, and the comparison everything else.
            if not os.path.samestat(os.fstat(descriptor), seen):
                os.close(descriptor)
                raise InputError("not read: it was replaced meanwhile")
            return _content(descriptor).decode(errors="replace")

    def trusted_names(self, path: str) -> list[str]:
        """Return the names in a directory, sorted, under the conditions of ``trusted_text``."""
        with self._checked(path, self.why_not_read) as (parent, name, _):
            descriptor = os.open(
                name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent
            )
            try:
                return sorted(os.listdir(descriptor))  # noqa: PTH208 - of a descriptor
            finally:
                os.close(descriptor)

    def trusted_place(self, path: str, why_not: Callable[[str], str]) -> tuple[Path, os.stat_result]:
        """Return where a file is, with no link in it, and its status, on the conditions of ``trusted_text``.

        But it may be wherever ``why_not`` gives no reason against, which is asked of the same two paths.
        """
        with self._checked(path, why_not) as (_, _, seen):
            return self.place(path), seen

    @contextmanager
    def _checked(self, path: str, why_not: Callable[[str], str]) -> Iterator[tuple[int, str, os.stat_result]]:
        """Walk to a path from one open directory to the next: nothing can be put in the way meanwhile.

        Yields the directory, the name in it and the status.
        """
        _refuse(why_not(path), path)
        with ExitStack() as stack:
            opened, seen = _entry(stack, self.directory, None, "/")
            above, names = [(opened, ".", seen)], list[str]()
            left, links = deque(path.split("/")), 0
            while left:
                name = left.popleft()
                if name in ("", "."):
                    continue
                if name == "..":
                    # The root itself stays, however many .. there are.
                    del above[max(len(above) - 1, 1) :], names[-1:]
                    continue
                opened, seen = _entry(stack, name, above[-1][0], "/".join(["", *names, name]))
                if not stat.S_ISLNK(seen.st_mode):
                    above.append((opened, name, seen))
                    names.append(name)
                    continue
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target = Path(os.readlink(name, dir_fd=above[-1][0]))
                if target.is_absolute():
                    del above[1:], names[:]
                left.extendleft(reversed(target.parts[1:] if target.is_absolute() else target.parts))
            real = "/" + "/".join(names)
            _refuse(why_not(real), real)
            yield (above[-2] if len(above) > 1 else above[-1])[0], above[-1][1], above[-1][2]

    def text(self, path: str) -> str:
        """Return the text of a file; what is not UTF-8 is replaced."""
        return self.read(path).decode(errors="replace")

    def names(self, path: str) -> list[str]:
        """Return the names in a directory, sorted; raises OSError."""
        return sorted(entry.name for entry in self.place(path).iterdir())

    def holds(self, path: str) -> bool:
        """Return whether there is something at a path, as far as that can be seen."""
        try:
            return self.place(path).exists()
        except OSError:
            return False


def _entry(stack: ExitStack, name: str | Path, parent: int | None, path: str) -> tuple[int, os.stat_result]:
    """Open an entry of a directory without its content.

    Raises InputError where others than root, or whoever runs this program, can write it.
    """
    # The directory that the user names may be a link: it is the user's word, not the node's.
    opened = os.open(name, _PATH_ONLY if parent is not None else _PATH_ONLY & ~os.O_NOFOLLOW, dir_fd=parent)
    stack.callback(os.close, opened)
    seen = os.fstat(opened)
    if seen.st_uid not in (0, os.geteuid()):
        _refuse(f"it belongs to the user {seen.st_uid}, not to root", path)
    # a link has all rights, and none counts
    if seen.st_mode & _WRITABLE_BY_OTHERS and not stat.S_ISLNK(seen.st_mode):
        _refuse("it is writable by others than its owner", path)
    return opened, seen


def _refuse(why: str, path: str) -> None:
    if why:
        raise InputError(f"not read: {path or '/'}: {why}")


def _check_regular(seen: os.stat_result) -> None:
    if not stat.S_ISREG(seen.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")


def _content(opened: int) -> bytes:
    with open(opened, "rb") as stream:
        _check_regular(os.fstat(opened))
        # One more than is allowed shows that a file is too long. Its size does not: below /proc it is always
        # 0.
        data = stream.read(LONGEST_TEXT + 1)
    if len(data) > LONGEST_TEXT:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


_PLACES: Final = tomllib.loads((Path(__file__).parent / "places.toml").read_text(encoding="utf-8"))

KUBELET_PATHS: Final[tuple[str, ...]] = tuple(_PLACES["kubelet"])
"""Files and directories of kubelets, of the runtimes below them, and of systemd."""
PROGRAMS: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(directories) for name, directories in _PLACES["programs"].items()
}
"""The programs with a kubelet in them, and the directories in which distributions have them."""
_OF_TENANTS: Final = re.compile(
    r"/(pods|plugins|plugins_registry|checkpoints)(/|$)"  # volumes, and what CSI drivers write
    r"|^/var/lib/rancher/[^/]+/(storage|agent/containerd)(/|$)"  # volumes of local-path, images, containers
    r"|^/var/lib/k0s/containerd(/|$)"
    r"|^/var/snap/[^/]+/common/(default-storage|var/lib/containerd)(/|$)"
)
"""What is below these and holds the files of containers, whose root owns them as the node's does."""
_KEY: Final = re.compile(r"[._-]key(\.pem)?$")
"""How the names of private keys end."""
_NO_DISK: Final = ("/proc", "/sys", "/dev")
_VOLATILE: Final = (*_NO_DISK, "/run", "/tmp", "/var/tmp", "/var/run", "/var/lib")  # noqa: S108
"""Where no program is that a unit may name, but for those of PROGRAMS."""


def why_not_read(path: str, also: Sequence[str] = ()) -> str:
    """Return why a path is not one that a kubelet's own file can have; empty where it can.

    ``also`` names more directories with such files, by the word of whoever runs this program.
    """
    if not path.startswith("/") or ".." in path.split("/") or "\0" in path:
        return "it is not an absolute path without .."
    if _KEY.search(path):
        return "it is a private key, by its name"
    if not _is_below(path, (*KUBELET_PATHS, *also)) or _is_of_tenants(path):
        return "no file of a kubelet is there, see --read-also"
    return ""


def why_not_asked(path: str) -> str:
    """Return why a path is not one whose file system may be asked how full it is; empty where it is one.

    Runtimes keep their files on whatever disk there is, and of that no more than numbers is read.
    """
    if not path.startswith("/") or ".." in path.split("/") or _is_below(path, _NO_DISK):
        return "it is not the path of a disk"
    return ""


def why_not_run(path: str) -> str:
    """Return why a path is not one at which a kubelet's program can be; empty where it can."""
    if not path.startswith("/") or ".." in path.split("/"):
        return "it is not an absolute path without .."
    usual = {directory for directories in PROGRAMS.values() for directory in directories}
    is_volatile = _is_below(path, _VOLATILE) and not _is_below(path, (*usual, "/var/lib/rancher"))
    if is_volatile or _is_of_tenants(path):
        return "no program of a node is there"
    return ""


def _is_below(path: str, places: tuple[str, ...]) -> bool:
    clean_path = PurePosixPath(re.sub("/+", "/", path))
    return any(clean_path.is_relative_to(place) for place in places)


def _is_of_tenants(path: str) -> bool:
    return _OF_TENANTS.search(re.sub("/+", "/", path)) is not None
