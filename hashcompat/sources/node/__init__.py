"""This node: its runtimes, kubelets, processes and files, each asked within a time.

Processes, and how full file systems are, are read here; file systems of a network or of FUSE may never
answer.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.records.probes import (
    CGROUP_DEPTH,
    CGROUP_NAME,
    CGROUPS,
    CGROUPS_OF_SERVICES,
    MOUNTS,
    Probe,
    lines,
)
from hashcompat.sources.http import LateError, before
from hashcompat.sources.node.root import Root

# Make probes with a deadline each and one for all of them: what never answers is left behind.

MOST_AT_ONCE: Final = 8
"""How many things are asked at once."""
SECONDS_EACH: Final = 10.0
"""For each answer."""
SECONDS_WHOLE: Final = 90.0
"""For a whole node."""
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ESRCH})


class NoneSuchError(InputError):
    """What was asked for does not exist."""


class NodeQuery(msgspec.Struct, frozen=True):
    """Something to read on a node."""

    kind: str
    """The kind of the probe."""
    name: str
    read: Callable[[], str]
    """Returns the text. Raises OSError, and NoneSuchError or InputError with why there is none."""


class NodeReader:
    """Asks questions on one node, which has some time in all."""

    def __init__(self, seconds: float | None = None, whole: float | None = None) -> None:
        self.seconds = SECONDS_EACH if seconds is None else seconds
        """Seconds for each answer."""
        self._whole = SECONDS_WHOLE if whole is None else whole
        self._end = time.monotonic() + self._whole

    def ask(self, question: NodeQuery) -> Probe:
        """Return the probe that a question leads to; it never waits for longer than it may."""
        end = min(time.monotonic() + self.seconds, self._end)
        if time.monotonic() >= self._end:
            return self._late(question, over=True)
        try:
            return Probe(question.kind, question.name, before(end, question.read))
        except LateError:
            return self._late(question, over=end == self._end)
        except NoneSuchError:
            return Probe(question.kind, question.name)
        except OSError as error:
            if error.errno in _ABSENT:
                return Probe(question.kind, question.name)
            return _failed(question, (error.strerror or type(error).__name__).lower())
        except InputError as error:
            return _failed(question, str(error))

    def _late(self, question: NodeQuery, *, over: bool) -> Probe:
        """Return the probe of what was not read in time: only an answer's own time shows that it hangs."""
        whole = f"not read: the {self._whole:g} s for the whole node were over"
        return _failed(question, whole if over else f"no answer within {self.seconds:g} s")

    def gather(self, make: Callable[[], Iterable[NodeQuery]], where: str) -> list[NodeQuery]:
        """Return questions that can only be made by looking at the node, within the time for one answer.

        Where it takes longer, one question is left, which fails as late.
        """
        questions: list[NodeQuery] = []

        def look() -> str:
            questions.extend(make())
            return ""

        looked = self.ask(NodeQuery("directory", where, look))
        return (
            questions if looked.text is not None else [NodeQuery("directory", where, lambda: _fail(looked))]
        )

    def ask_all(self, questions: Iterable[NodeQuery]) -> list[Probe]:
        """Return the probes of questions in their order; at most MOST_AT_ONCE are asked at once."""
        left = deque(enumerate(questions))
        probes: dict[int, Probe] = {}
        # Daemons, so that ^C ends the program while they wait for an NFS server or a FUSE program that hangs.
        workers = [Thread(target=self._work, args=(left, probes), daemon=True) for _ in range(MOST_AT_ONCE)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return [probes[place] for place in sorted(probes)]

    def _work(self, left: deque[tuple[int, NodeQuery]], probes: dict[int, Probe]) -> None:
        while True:
            try:
                # popleft is atomic, and needs no lock; to ask first whether anything is left would be a race.
                place, question = left.popleft()
            except IndexError:
                return
            probes[place] = self.ask(question)


def _fail(looked: Probe) -> str:
    raise InputError(looked.problem)


def _failed(question: NodeQuery, problem: str) -> Probe:
    return Probe(question.kind, question.name, problem=problem)


# Processes, and how full file systems are, as probes.

_HOLDERS: Final = re.compile(r"containerd-shim|docker-containe|runc|conmon")
"""How the names of processes begin whose arguments name a container."""
_CONTAINER: Final = re.compile(r"[0-9a-f]{64}")
"""The id of a container in the name of its cgroup."""
_BREAK: Final = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for some reader; a process may have it in its name, to look like two."""


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


def listed(root: Root) -> NodeQuery:
    """Return the question for all processes."""
    return NodeQuery("processes", "all", partial(everything, root))


def process(root: Root, pid: str) -> NodeQuery:
    """Return the question for the state and the cgroups of a process."""
    return NodeQuery("process", pid, partial(_process, root, pid))


def _process(root: Root, pid: str) -> str:
    return f"{state_of(root, pid)}\n{root.text(f'/proc/{pid}/cgroup')}"


def state_of(root: Root, pid: str) -> str:
    """Return the state of a process, such as S, or Z of one that has ended; raises OSError if it is gone."""
    return root.text(f"/proc/{pid}/stat").rpartition(")")[2].split()[0]


def cgroups(root: Root) -> NodeQuery:
    """Return the question for the cgroups of containers: their paths, one per line."""
    return NodeQuery("cgroups", "all", partial(_cgroups, root))


def _cgroups(root: Root) -> str:
    """Walk one hierarchy: cgroup v2's, or of v1 that of the processor; some end meanwhile."""
    top = root.place(CGROUPS)
    start = next((top / name for name in ("cpu", "cpu,cpuacct") if (top / name).is_dir()), top)
    if not any(start.iterdir()):
        raise InputError("nothing is mounted there")
    directories = (f"{directory}/{name}" for directory, names, _ in os.walk(start) for name in names)
    paths = sorted(path.removeprefix(str(start)) for path in directories if _CONTAINER.search(path))
    return "".join(f"{path}\n" for path in paths)


_HIERARCHIES: Final = ("cpu", "cpuacct", "cpuset", "memory", "systemd", "pids", "hugetlb")
"""Those of cgroup v1 that a kubelet looks for a cgroup in."""


def services(root: Root) -> NodeQuery:
    """Return the question for the other cgroups, of slices and services: each with its controllers, a line.

    With cgroup v1 these are the hierarchies that it is in. The first line is that of the root.
    """
    return NodeQuery(*CGROUPS_OF_SERVICES, partial(_services, root))


def _services(root: Root) -> str:
    top = root.place(CGROUPS)
    controllers_by_path: dict[str, list[str]] = {}
    if (top / "cgroup.controllers").is_file():
        controllers_by_path = {path: _controllers(top / path[1:]) for path in _paths_of_services(top)}
    else:
        for name in _HIERARCHIES:
            for path in _paths_of_services(top / name):
                controllers_by_path.setdefault(path, []).append(name)
    if not controllers_by_path:
        top.stat()
        raise InputError("nothing is mounted there")
    return "".join(f"{path} {' '.join(names)}\n" for path, names in controllers_by_path.items())


def _paths_of_services(top: Path, path: str = "/", depth: int = 0) -> Iterator[str]:
    try:
        names = [entry.name for entry in os.scandir(top / path[1:]) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return  # a hierarchy that is not mounted, or a service that has ended
    yield path
    if depth < CGROUP_DEPTH:
        for name in names:
            if CGROUP_NAME.fullmatch(name):
                yield from _paths_of_services(top, f"{path.rstrip('/')}/{name}", depth + 1)


def _controllers(place: Path) -> list[str]:
    try:
        return (place / "cgroup.controllers").read_text(encoding="ascii").split()
    except OSError:
        return []  # it has ended


def holders(root: Root, processes: Probe) -> list[NodeQuery]:
    """Return the questions for the arguments of shims and the like.

    A container calls its process as it likes: of one that is not of the node itself nothing is read.
    """
    return [
        NodeQuery("arguments", pid, partial(_of_node, root, pid))
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
    return all(_is_shared(root, pid, name) for name in ("mnt", "user"))


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
    """Return the value of a kubelet's flag, the last one; empty where it has none.

    A kubelet reads _ as - in names.
    """
    last_value, before = "", ""
    for line in lines(arguments.text or ""):
        word, equals, value = line.lstrip("-").partition("=")
        word = word.replace("_", "-")
        if before == name and not line.startswith("-"):
            last_value = line
        if line.startswith("-") and word == name and equals:
            last_value = value
        before = word if line.startswith("-") and not equals else ""
    return last_value


_REMOTE: Final = re.compile(r"nfs4?|cifs|smb3|ceph|glusterfs|9p|fuse|fuse\..*")
"""Types of file systems with a server: on the network, or a process."""
_ESCAPE: Final = re.compile(r"\\([0-7]{3})")
"""How the kernel writes blanks and the like in a mount table."""


def filesystem(root: Root, path: str, why_not: Callable[[str], str] | None = None) -> NodeQuery:
    """Return the question for the file system of a directory.

    With ``why_not`` somebody named it, and it is looked at as ``Root.trusted_text`` would.
    """

    def read() -> str:
        place = root.trusted_place(path, why_not)[0] if why_not else root.place(path)
        return _usage(os.statvfs(place), path)

    return NodeQuery("filesystem", path, read)


def remote(root: Root) -> Iterator[NodeQuery]:
    """Yield the question for each file system of a network or of FUSE; it is asked where it is mounted.

    No other question looks at it: where its server is gone, whoever does hangs.
    """
    try:
        paths = [path for path, kind in mounts(root) if _REMOTE.fullmatch(kind)]
    except OSError:
        return  # the question for the mount table shows why
    for path in dict.fromkeys(paths):
        yield NodeQuery("filesystem", path, partial(_of_mount, root, path))


def mounts(root: Root) -> list[tuple[str, str]]:
    """Return where something is mounted, and the type of its file system; raises OSError."""
    rows = (line.split(" ") for line in root.text(MOUNTS).split("\n"))
    return [
        (_ESCAPE.sub(lambda escape: chr(int(escape[1], 8)), row[1]), row[2]) for row in rows if len(row) > 2
    ]


def _of_mount(root: Root, path: str) -> str:
    """Ask without following links: there are none in a mount table."""
    return _usage(os.statvfs(root.directory / path.lstrip("/")), path)


def _usage(status: os.statvfs_result, path: str) -> str:
    """Return how full a file system is, as ``df -Pk`` and ``df -Pi`` write it."""
    total, free, available = (
        count * status.f_frsize // 1024 for count in (status.f_blocks, status.f_bfree, status.f_bavail)
    )
    return _row(total, free, available, path) + _row(status.f_files, status.f_ffree, status.f_favail, path)


def _row(total: int, free: int, available: int, path: str) -> str:
    used = total - free
    share = f"{-(-used * 100 // (used + available))}%" if used + available else "-"
    return f"- {total} {used} {available} {share} {path}\n"
