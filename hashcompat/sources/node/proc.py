"""The processes of a node and how full its file systems are, as probes.

File systems of a network or of FUSE may never answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.records.probes import Probe, lines
from hashcompat.sources.node import NoneSuchError, Question
from hashcompat.sources.node.root import Root

_HOLDERS: Final = re.compile(r"containerd-shim|docker-containe|runc|conmon")
"""How the names of processes begin whose arguments name a container."""
_CONTAINER: Final = re.compile(r"[0-9a-f]{64}")
"""The id of a container in the name of its cgroup."""
_BREAK: Final = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for some reader; a process may have it in its name, to look like two."""
_NAMESPACES: Final = ("mnt", "user")
_CGROUPS: Final = "/sys/fs/cgroup"


def everything(root: Root) -> str:
    """Return a line for each process: its id, its parent's, its state and the name of its program."""
    return "".join(f"{line}\n" for line in _lines(root))


def _lines(root: Root) -> Iterator[str]:
    for pid in sorted((name for name in root.names("/proc") if name.isdecimal()), key=int):
        try:
            before, _, rest = root.text(f"/proc/{pid}/stat").rpartition(")")
        except OSError:
            continue  # it has ended
        state, parent, *_ = [*rest.split(), "", ""]
        yield f"{pid} {parent} {state} {_BREAK.sub('?', before.partition('(')[2])}"


def listed(root: Root) -> Question:
    """Return the question for all processes."""
    return Question("processes", "all", partial(everything, root))


def process(root: Root, pid: str) -> Question:
    """Return the question for the state and the cgroups of a process."""
    return Question("process", pid, partial(_process, root, pid))


def _process(root: Root, pid: str) -> str:
    state = root.text(f"/proc/{pid}/stat").rpartition(")")[2].split()[0]
    return f"{state}\n{root.text(f'/proc/{pid}/cgroup')}"


def cgroups(root: Root) -> Question:
    """Return the question for the cgroups of containers: their paths, one per line."""
    return Question("cgroups", "all", partial(_cgroups, root))


def _cgroups(root: Root) -> str:
    """Walk one hierarchy: cgroup v2's, or of v1 that of the processor; some end meanwhile."""
    top = root.place(_CGROUPS)
    start = next((top / name for name in ("cpu", "cpu,cpuacct") if (top / name).is_dir()), top)
    if not any(start.iterdir()):
        raise InputError("nothing is mounted there")
    found = (f"{directory}/{name}" for directory, names, _ in os.walk(start) for name in names)
    paths = sorted(path.removeprefix(str(start)) for path in found if _CONTAINER.search(path))
    return "".join(f"{path}\n" for path in paths)


def holders(root: Root, processes: Probe) -> list[Question]:
    """Return the questions for the arguments of shims and the like.

    A container calls its process as it likes: of one that is not of the node itself nothing is read.
    """
    return [
        Question("arguments", pid, partial(_of_node, root, pid))
        for pid, _, _, name in named(processes)
        if _HOLDERS.match(name)
    ]


def _of_node(root: Root, pid: str) -> str:
    if not (is_of_root(root, pid) and is_in_namespaces(root, pid)):
        raise NoneSuchError("not a process of the node itself")
    return arguments(root, pid)


def is_of_root(root: Root, pid: str) -> bool:
    """Return whether all uids of a process are 0: real, effective, saved and of the file system."""
    rows = (row.split() for row in root.text(f"/proc/{pid}/status").split("\n"))
    return next((row[1:] for row in rows if row[:1] == ["Uid:"]), []) == ["0"] * 4


def is_in_namespaces(root: Root, pid: str) -> bool:
    """Return whether a process is in the mount and the user namespace of process 1."""
    return all(_is_shared(root, pid, name) for name in _NAMESPACES)


def _is_shared(root: Root, pid: str, name: str) -> bool:
    """Return whether a process is in a namespace of process 1; a kernel may have none of that kind."""
    try:
        of_first = (root.directory / "proc/1/ns" / name).readlink()
    except FileNotFoundError:
        if name == "mnt":
            raise
        return True
    return (root.directory / "proc" / pid / "ns" / name).readlink() == of_first


def named(processes: Probe) -> Iterator[tuple[str, str, str, str]]:
    """Yield the id, the parent's, the state and the name of the program of each process."""
    for line in (processes.text or "").split("\n"):
        pid, parent, state, name = [*line.split(" ", 3), "", "", "", ""][:4]
        if name:
            yield pid, parent, state, name


def arguments(root: Root, pid: str) -> str:
    """Return the arguments of a process, one per line, its program first."""
    return _BREAK.sub(" ", root.text(f"/proc/{pid}/cmdline")).replace("\0", "\n")


def flag(arguments: Probe, name: str) -> str:
    """Return the value of a kubelet's flag, the last one; empty where it has none."""
    found, before = "", ""
    for line in lines(arguments.text or ""):
        word, given, value = line.lstrip("-").partition("=")
        if before == name and not line.startswith("-"):
            found = line
        if line.startswith("-") and word == name and given:
            found = value
        before = word if line.startswith("-") and not given else ""
    return found


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
