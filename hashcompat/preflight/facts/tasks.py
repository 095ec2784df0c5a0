"""The processes of containers and of their shims, as /proc shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

import msgspec

from hashcompat.records.probes import Dump, Probe, UnreadError, lines

PROCESS: Final = "process"

PROCESSES: Final = "processes"

ARGUMENTS: Final = "arguments"

ALL: Final = "all"

CGROUPS: Final = "cgroups"

_DEAD: Final = frozenset("ZXx")
"""The states of a process that has ended: a zombie, or dead."""

_RUNTIMES: Final = ("containerd", "dockerd", "docker-containe", "crio", "conmon", "cri-dockerd")
"""How the names of runtimes' processes begin; the kernel keeps 15 characters of a name."""


_ID: Final = re.compile("[0-9a-f]{64}")
"""The id of a container, as every runtime makes it."""

_PODS: Final = "kubepods"
"""What the cgroup of all pods has in its name; above it is what a node is in that is a container itself."""


class Row(msgspec.Struct, frozen=True):
    """One process in the list of all."""

    pid: int
    """The process."""
    parent: int
    """Its parent."""
    state: str
    """Its state's letter, as in /proc/PID/stat."""
    name: str
    """Its name, at most 15 characters."""


class Holder(msgspec.Struct, frozen=True):
    """A process of a runtime that belongs to one container: a shim, or a runc that has not ended."""

    pid: int
    """The process."""
    state: str
    """Its state's letter; empty where the list of processes does not have it."""
    program: str
    """The file name of its program."""


def rows(dump: Dump) -> tuple[Row, ...]:
    """Return every process of the node; none where the list of them was not read."""
    return tuple(_rows(dump.probe(PROCESSES, ALL).text or ""))


def _rows(text: str) -> Iterator[Row]:
    for line in lines(text):
        words = line.split(maxsplit=3)
        if len(words) > 2 and words[0].isdecimal() and words[1].isdecimal():
            yield Row(int(words[0]), int(words[1]), words[2], words[3] if len(words) > 3 else "")


def missing(dump: Dump, pid: int, container: str) -> str:
    """Return why a process cannot be that of a container; empty where it is.

    The process counts as missing where every probe of it shows that: it may have been read while it ended.
    Raises UnreadError where the last probe could not be read.
    """
    last = dump.probe(PROCESS, str(pid))
    if last.problem:
        last.read()
    faults = [_fault(probe, container) for probe in dump.probes[PROCESS, str(pid)] if not probe.problem]
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
    def rows(self) -> tuple[Row, ...]:
        """Every process of the node."""
        return rows(self._dump)

    def require_runtime(self) -> None:
        """Raise UnreadError where none is a runtime's: the list is of another PID namespace."""
        if not self._shows_runtime:
            raise UnreadError(
                "no process of a container runtime is visible: read the node in the host's PID namespace"
            )

    @cached_property
    def _shows_runtime(self) -> bool:
        return not self.rows or any(row.name.startswith(_RUNTIMES) for row in self.rows)

    def holders(self, wanted: str) -> tuple[Holder, ...]:
        """Return the processes whose arguments name a container or sandbox: its shim, or a runc.

        ``containerd-shim-runc-v2 -id ID``; before containerd 1.2 the id is in ``-workdir``.
        """
        return tuple(self._holders.get(wanted, ())) if wanted else ()

    @cached_property
    def _holders(self) -> Mapping[str, list[Holder]]:
        """The processes by every part of their arguments."""
        states = {row.pid: row.state for row in self.rows}
        found: dict[str, list[Holder]] = {}
        for probe in self._dump.of_kind(ARGUMENTS):
            words = lines(probe.text or "")
            if not (words and probe.name.isdecimal()):
                continue
            pid = int(probe.name)
            holder = Holder(pid, states.get(pid, ""), words[0].rpartition("/")[2])
            for part in dict.fromkeys(part for word in words for part in word.split("/")):
                found.setdefault(part, []).append(holder)
        return found

    def has_cgroup(self, container: str) -> bool | None:
        """Return whether a container has a cgroup; None where the dump does not show it.

        Where the cgroups were not read, a child of its shim shows that it has one, even a zombie.
        """
        text = self._dump.probe(CGROUPS, ALL).text
        if text is not None:
            return container in self._ids or (not _ID.fullmatch(container) and container in text)
        return any(holder.pid in self._parents for holder in self.holders(container)) or None

    @cached_property
    def _ids(self) -> frozenset[str]:
        """The ids of containers in the names of cgroups: the first 64 hexadecimal digits below the pods.

        What is further below, a container that may write to its cgroup has named.
        """
        paths = lines(self._dump.probe(CGROUPS, ALL).text or "")
        found = (_ID.search(path, max(path.find(_PODS), 0)) for path in paths)
        return frozenset(match[0] for match in found if match)

    @cached_property
    def _parents(self) -> frozenset[int]:
        return frozenset(row.parent for row in self.rows)
