"""The processes of a node, read twice where possible: only what lasts is a hazard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec

from hashcompat.records.probes import Dump

Key = tuple[str, str]
"""The kind and the name of a probe."""

ALL: Key = ("processes", "all")


class Process(msgspec.Struct, frozen=True):
    """A line of the list of processes."""

    pid: str
    """Its id."""
    parent: str
    """The id of its parent."""
    state: str
    """The letter of /proc/PID/stat: D sleeps and cannot be interrupted."""
    name: str
    """The name of its program, as the kernel shortens it."""


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
            if all(read.get(process.pid) == process for read in self.reads) and process.parent != "2":
                yield process


def processes_of(dump: Dump) -> Processes:
    """Read the list of processes; raises UnreadError where the last one could not be read."""
    dump.read(*ALL)
    texts = (probe.text for probe in dump.probes[ALL])
    return Processes(tuple(_read(text) for text in texts if text is not None))


def rows(text: str) -> tuple[Process, ...]:
    """Read lines of ``PID PPID STATE COMM``; others are passed over.

    A name may hold any other end of a line than a line feed, such as a carriage return.
    """
    found = (line.split(maxsplit=3) for line in text.split("\n"))
    return tuple(Process(*words) for words in found if len(words) == 4 and words[0].isdecimal())


def _read(text: str) -> Mapping[str, Process]:
    return {process.pid: process for process in rows(text)}


def option(arguments: str, name: str) -> str:
    """Return the value of an option among arguments, each on a line; empty where it is not given."""
    for word, after in pairwise([*arguments.split("\n"), ""]):
        if word.lstrip("-") == name and word.startswith("-"):
            return after
        if word.startswith("-") and word.lstrip("-").startswith(f"{name}="):
            return word.partition("=")[2]
    return ""
