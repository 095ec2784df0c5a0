"""The processes of a node: all of them, and those of containers and of their shims, as /proc shows them.

Lists are read twice where possible, for only what lasts is a hazard: a process may be about to end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Final

import msgspec

from hashcompat.core.records.probes import Dump, Probe, UnreadError, lines

LIST: Final = ("processes", "all")
"""The kind and the name of the probe of all processes."""

_CGROUPS: Final = ("cgroups", "all")

_DEAD: Final = frozenset("ZXx")
"""The states of a process that has ended: a zombie, or dead."""

_KTHREADD: Final = "2"
"""The parent of all kernel threads; these sleep in state D without anything being wrong."""

_RUNTIMES: Final = ("containerd", "dockerd", "docker-containe", "crio", "conmon", "cri-dockerd")
"""How the names of runtimes' processes begin; the kernel keeps 15 characters of a name."""

_ID: Final = re.compile("[0-9a-f]{64}")
"""The id of a container, as every runtime makes it."""

_PODS: Final = "kubepods"
"""What the cgroup of all pods has in its name; above it is what a node is in that is a container itself."""


_POD_CGROUP: Final = re.compile(r"(?:^|/)(?:[^/]*-)?kubepods(\.slice)?/")
"""How the cgroup of all pods is called, at the top of a node or in the kubelet's own root."""


class Process(msgspec.Struct, frozen=True):
    """A line of the list of processes."""

    pid: str
    parent: str
    """The id of its parent."""
    state: str
    """The letter of /proc/PID/stat: D sleeps and cannot be interrupted."""
    name: str
    """The name of its program: the kernel keeps 15 characters, and a program may set an empty one."""


class Processes(msgspec.Struct, frozen=True):
    """The processes of a node."""

    reads: tuple[Mapping[str, Process], ...]
    """Each time that they were read: processes by their ids."""

    @property
    def watched(self) -> bool:
        """Whether they were read more than once, so that it shows what lasts."""
        return len(self.reads) > 1

    def lasting(self) -> Iterator[Process]:
        """Yield those that were in the same state, under the same name, each time; no kernel threads."""
        for process in self.reads[-1].values():
            same = all(read.get(process.pid) == process for read in self.reads)
            if same and process.parent != _KTHREADD:
                yield process


class Holder(msgspec.Struct, frozen=True):
    """A process of a runtime that belongs to one container: a shim, or a runc that has not ended."""

    pid: str
    """The process."""
    state: str
    """Its state's letter; empty where the list of processes does not have it."""
    program: str
    """The file name of its program."""


def listed(dump: Dump) -> tuple[Process, ...]:
    """Return the last list of processes; raises UnreadError where it could not be read, or has none.

    A root directory without its /proc looks like that: a node always has its first process.
    """
    processes = rows(dump.read(*LIST))
    if not processes:
        raise UnreadError("no process is in the list: /proc of the node could not be seen")
    return processes


def processes_of(dump: Dump) -> Processes:
    """Read the list of processes; errors as ``listed``."""
    latest = listed(dump)
    earlier = [rows(probe.text) for probe in dump.probes[LIST][:-1] if probe.text is not None]
    return Processes(tuple({process.pid: process for process in read} for read in (*earlier, latest)))


def rows(text: str) -> tuple[Process, ...]:
    """Read lines of ``PID PPID STATE COMM``; others are passed over.

    A name may hold any other end of a line than a line feed, such as a carriage return.
    """
    words = (line.split(maxsplit=3) for line in lines(text))
    return tuple(
        Process(row[0], row[1], row[2], row[3] if len(row) > 3 else "")
        for row in words
        if len(row) > 2 and row[0].isdecimal() and row[1].isdecimal()
    )


def option(arguments: str, name: str) -> str:
    """Return the value of an option among arguments, each on a line; empty where it is not given."""
    for word, after in pairwise([*arguments.split("\n"), ""]):
        if word.lstrip("-") == name and word.startswith("-"):
            return after
        if word.startswith("-") and word.lstrip("-").startswith(f"{name}="):
            return word.partition("=")[2]
    return ""


def missing(dump: Dump, pid: int, container: str) -> str:
    """Return why a process cannot be that of a container; empty where it is.

    The process counts as missing where every probe of it shows that: it may have been read while it ended.
    Raises UnreadError where the last probe could not be read.
    """
    last = dump.probe("process", str(pid))
    if last.problem:
        last.read()
    faults = [_fault(probe, container) for probe in dump.probes["process", str(pid)] if not probe.problem]
    return faults[-1] if all(faults) else ""


def _fault(probe: Probe, container: str) -> str:
    state, _, cgroups = (probe.text or "").partition("\n")
    if not state:
        return "does not exist"
    if state[0] in _DEAD:
        return "is a zombie"
    return "" if container in cgroups else "is another one, outside the container's cgroup"


class Tasks:
    """The processes of a dump, read once: a node may have as many containers as processes to look for."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump

    @cached_property
    def _rows(self) -> tuple[Process, ...]:
        """Every process of the node; none where the list of them was not read."""
        return rows(self._dump.probe(*LIST).text or "")

    def require_runtime(self) -> None:
        """Raise UnreadError where none is a runtime's: the list is of another PID namespace."""
        if not self._shows_runtime:
            raise UnreadError(
                "no process of a container runtime is visible: read the node in the host's PID namespace"
            )

    @cached_property
    def _shows_runtime(self) -> bool:
        return not self._rows or any(row.name.startswith(_RUNTIMES) for row in self._rows)

    def holders(self, wanted: str) -> tuple[Holder, ...]:
        """Return the processes whose arguments name a container or sandbox: its shim, or a runc.

        ``containerd-shim-runc-v2 -id ID``; before containerd 1.2 the id is in ``-workdir``.
        """
        return tuple(self._holders.get(wanted, ())) if wanted else ()

    @cached_property
    def _holders(self) -> Mapping[str, list[Holder]]:
        """The processes by every part of their arguments."""
        states = {row.pid: row.state for row in self._rows}
        holders: dict[str, list[Holder]] = {}
        for probe in self._dump.of_kind("arguments"):
            words = lines(probe.text or "")
            if not (words and probe.name.isdecimal()):
                continue
            holder = Holder(probe.name, states.get(probe.name, ""), words[0].rpartition("/")[2])
            for part in dict.fromkeys(part for word in words for part in word.split("/")):
                holders.setdefault(part, []).append(holder)
        return holders

    def has_cgroup(self, container: str) -> bool | None:
        """Return whether a container has a cgroup; None where the dump does not show it.

        Where the cgroups were not read, a child of its shim shows that it has one, even a zombie.
        """
        text = self._dump.probe(*_CGROUPS).text
        if text is not None:
            return container in self._ids or (not _ID.fullmatch(container) and container in text)
        return any(holder.pid in self._parents for holder in self.holders(container)) or None

    @cached_property
    def cgroup_drivers(self) -> frozenset[str]:
        """The drivers that made the cgroups of containers: ``kubepods.slice``, or ``kubepods``.

        Raises UnreadError where the cgroups were not read.
        """
        paths = lines(self._dump.read(*_CGROUPS))
        matches = (_POD_CGROUP.search(path) for path in paths if _ID.search(path))
        return frozenset("systemd" if match[1] else "cgroupfs" for match in matches if match)

    @cached_property
    def _ids(self) -> frozenset[str]:
        """The ids of containers in the names of cgroups: the first 64 hexadecimal digits below the pods.

        What is further below, a container that may write to its cgroup has named.
        """
        paths = lines(self._dump.probe(*_CGROUPS).text or "")
        matches = (_ID.search(path, max(path.find(_PODS), 0)) for path in paths)
        return frozenset(match[0] for match in matches if match)

    @cached_property
    def _parents(self) -> frozenset[str]:
        return frozenset(row.parent for row in self._rows)
