"""What the checks want to know of a node, made of its dump when it is first asked for.

Every property raises UnreadError or AbsentError where the dump does not hold what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from hashcompat.catalog.gates import Gates, Settings
from hashcompat.catalog.statefiles import StateFile
from hashcompat.preflight.facts import host, kubelet, runtime, settings, statefiles, units
from hashcompat.records.probes import AbsentError, Dump, UnreadError


class Facts:
    """The facts of one node."""

    def __init__(self, dump: Dump) -> None:
        self.dump = dump

    @cached_property
    def node(self) -> str:
        """The node's name."""
        return self.dump.node

    @cached_property
    def mounts(self) -> tuple[host.Mount, ...]:
        """What is mounted, as the host's first process sees it."""
        return host.mounts(self.dump.read("file", host.MOUNTS))

    @cached_property
    def flags(self) -> Mapping[str, str]:
        """The flags of the kubelet that runs, or would be started: names without dashes, and values."""
        try:
            return kubelet.flags(self.dump)
        except AbsentError:
            if not self.start.complete:
                raise
            return kubelet.flags_of([word.text for word in self.start.words])

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The kubelet's configuration file; empty where the kubelet is given none."""
        return kubelet.config(self.dump, self.flags)

    @cached_property
    def root(self) -> str:
        """The kubelet's root directory."""
        return settings.root(self.flags)

    @cached_property
    def gates(self) -> Settings:
        """The feature gates that the kubelet is given."""
        return settings.gates(self.flags, self.config)

    @cached_property
    def start(self) -> units.Start:
        """The arguments of the kubelet's next start, as far as the files of systemd show them."""
        return units.start(self.dump)

    @cached_property
    def words(self) -> tuple[units.Word, ...]:
        """The arguments of the kubelet that runs."""
        arguments = self.dump.read("arguments", kubelet.ARGUMENTS).splitlines()[1:]
        return tuple(units.Word(word, units.RUNNING) for word in arguments)

    def path(self, file: StateFile) -> str:
        """Return where a state file is."""
        return f"{self.root.rstrip('/')}/{file.path}"

    def state(self, file: StateFile, gates: Gates) -> statefiles.State:
        """Return what a kubelet with some feature gates finds in a state file."""
        return statefiles.read(self.dump.read("file", self.path(file)), file, gates)

    @cached_property
    def _runtimes(self) -> tuple[tuple[runtime.Runtime, ...], tuple[str, ...]]:
        return runtime.runtimes(self.dump)

    @property
    def runtimes(self) -> Iterator[runtime.Runtime]:
        """The container runtimes, Docker first; raises UnreadError last for those that could not be read."""
        found, problems = self._runtimes
        yield from found
        if problems:
            raise UnreadError("; ".join(problems))
