"""What the checks want to know of a node, made of its dump when it is first asked for.

Every property raises UnreadError or AbsentError where the dump does not hold what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from hashcompat.preflight.facts import host, kubelet, runtime
from hashcompat.records.probes import Dump, UnreadError


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
        return kubelet.flags(self.dump)

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The kubelet's configuration file; empty where the kubelet is given none."""
        return kubelet.config(self.dump, self.flags)

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
