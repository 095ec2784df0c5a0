"""The processes of containers and of their shims, as /proc shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from hashcompat.records.probes import Dump, Probe, UnreadError

PROCESS: Final = "process"

PROCESSES: Final = "processes"

ARGUMENTS: Final = "arguments"

ALL: Final = "all"

CGROUPS: Final = "cgroups"

_DEAD: Final = frozenset("ZXx")
"""The states of a process that has ended: a zombie, or dead."""

_RUNTIMES: Final = ("containerd", "dockerd", "docker-containe", "crio", "conmon", "cri-dockerd")
"""How the names of runtimes' processes begin; the kernel keeps 15 characters of a name."""


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
    for line in text.splitlines():
        words = line.split(maxsplit=3)
        if len(words) > 2 and words[0].isdecimal() and words[1].isdecimal():
            yield Row(int(words[0]), int(words[1]), words[2], words[3] if len(words) > 3 else "")


def require_runtime(dump: Dump) -> None:
    """Raise UnreadError where the list of processes has none of a runtime: it is of another PID namespace."""
    found = rows(dump)
    if found and not any(row.name.startswith(_RUNTIMES) for row in found):
        raise UnreadError(
            "no process of a container runtime is visible: read the node in the host's PID namespace"
        )


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


def holders(dump: Dump, wanted: str) -> tuple[Holder, ...]:
    """Return the processes whose arguments name a container or sandbox: its shim, or a runc.

    ``containerd-shim-runc-v2 -id ID``; before containerd 1.2 the id is in ``-workdir``.
    """
    states = {row.pid: row.state for row in rows(dump)}
    return tuple(
        Holder(int(probe.name), states.get(int(probe.name), ""), words[0].rpartition("/")[2])
        for probe in dump.of_kind(ARGUMENTS)
        if probe.name.isdecimal() and (words := (probe.text or "").splitlines())
        if wanted and any(wanted in word.split("/") for word in words)
    )


def has_cgroup(dump: Dump, container: str) -> bool | None:
    """Return whether a container has a cgroup; None where the dump does not show it.

    Where the cgroups were not read, a child of its shim shows that it has one, even a zombie.
    """
    found = dump.probe(CGROUPS, ALL)
    if found.text is not None:
        return container in found.text
    shims = {holder.pid for holder in holders(dump, container)}
    return any(row.parent in shims for row in rows(dump)) or None
