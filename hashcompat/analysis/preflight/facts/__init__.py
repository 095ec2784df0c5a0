"""What the checks want to know of a node, made of its dump when it is first asked for.

``Facts`` is the page to read: a property per fact, and which file of this folder reads it. Every property
raises UnreadError or AbsentError where the dump does not hold what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import msgspec

from hashcompat.analysis.preflight.facts import (
    host,
    kubelet,
    processes,
    runtime,
    runtimefiles,
    settings,
    statefiles,
    units,
)
from hashcompat.analysis.preflight.facts.processes import Processes, processes_of
from hashcompat.analysis.preflight.facts.runtime import Runtime, runtimes_of
from hashcompat.core.catalog.behaviour import Gates, Settings
from hashcompat.core.catalog.hazards import Hazards, StateFile
from hashcompat.core.catalog.kubeletsettings import dashed
from hashcompat.core.model.pods import Node, Pod
from hashcompat.core.records.probes import MEMINFO, MOUNTS, AbsentError, Dump, UnreadError, lines


class NodeObjects(msgspec.Struct, frozen=True):
    """The objects of one node."""

    node: Node | None = None
    """Its Node object; None where the input has none."""
    pods: tuple[Pod, ...] | None = None
    """Its pods; None where no pods were read at all."""


_NOWHERE: Final = NodeObjects()
_NO_KUBELET: Final = "no kubelet runs on this node, and no unit shows how it would be started"


def _runtimes_driver(dump: Dump) -> str:
    """Return the cgroup driver of a CRI runtime; empty where it does not show it."""
    try:
        return runtime.cgroup_driver(runtime.document(dump, "cri", "info"))
    except (UnreadError, AbsentError):
        return ""


class Facts:
    """The facts of one node."""

    def __init__(self, dump: Dump, cluster: NodeObjects = _NOWHERE, hazards: Hazards | None = None) -> None:
        """``hazards``: those of the kubelet that starts, by which its flags and files are read."""
        node = cluster.node
        noted = node is not None and node.node_arguments is not None
        is_shown = noted or ("arguments", kubelet.K3S) in dump.probes
        self.dump = kubelet.within_k3s(dump, node, _runtimes_driver) if is_shown else dump
        self.cluster = cluster
        self._hazards = hazards
        self._table = hazards.flags if hazards else None

    @property
    def on_node(self) -> bool:
        """Whether anything was read on the node itself."""
        return bool(self.dump.probes)

    @property
    def node_object(self) -> Node:
        """The Node object."""
        if self.cluster.node is None:
            raise UnreadError(f"the input has no Node object called {self.node}")
        return self.cluster.node

    @property
    def pods(self) -> tuple[Pod, ...]:
        """The pods that an API server shows on the node."""
        if self.cluster.pods is None:
            raise UnreadError("the input has no pods")
        return self.cluster.pods

    @cached_property
    def runtime(self) -> str:
        """The container runtime and its version, as in a Node object: ``containerd://1.6.20``."""
        return runtime.runtime_version(self.dump, self.cluster.node)

    @cached_property
    def cri_info(self) -> Mapping[str, Any]:
        """What a CRI runtime reports of itself."""
        return runtime.document(self.dump, "cri", "info")

    @cached_property
    def docker_info(self) -> Mapping[str, Any]:
        """What Docker reports of itself."""
        return runtime.document(self.dump, "docker", "info")

    @cached_property
    def cgroup_driver(self) -> str:
        """The cgroup driver of the runtime."""
        if self.runtime.startswith("cri-o://"):
            return runtimefiles.crio_cgroup_driver(self.dump)
        return runtime.cgroup_driver(self.docker_info if self.drives_docker else self.cri_info)

    @property
    def drives_docker(self) -> bool:
        """Whether the kubelet's runtime is Docker."""
        return self.runtime.startswith("docker://")

    @cached_property
    def memory(self) -> Mapping[str, int]:
        """The lines of /proc/meminfo, in bytes."""
        return host.meminfo(self.dump.read("file", MEMINFO))

    @cached_property
    def huge_pages(self) -> int:
        """The bytes of memory that are kept for huge pages; kernels before 4.20 show only one size."""
        shown = self.memory.get("HugePages_Total", 0) // 1024 * self.memory.get("Hugepagesize", 0)
        return self.memory.get("Hugetlb", shown)

    @cached_property
    def tasks(self) -> processes.Tasks:
        """The processes of containers and of their shims."""
        return processes.Tasks(self.dump)

    @cached_property
    def processes(self) -> Processes:
        """The processes, each time that they were read."""
        return processes_of(self.dump)

    @cached_property
    def expiries(self) -> tuple[host.Expiry, ...]:
        """When the certificates on the node expire."""
        return tuple(host.expiries(self.dump))

    def setting(self, flag: str, key: str) -> Any:
        """Return what the kubelet is given: the flag, or else the key of its configuration file, or None."""
        return self.flags[flag] if flag in self.flags else self.config.get(key)

    def is_set(self, flag: str, key: str, *, default: bool) -> bool:
        """Return a truth value that the kubelet is given, by a flag or in its configuration file."""
        value = self.setting(flag, key)
        return default if value is None else value is True or str(value).lower() in ("true", "t", "1")

    def usage(self, path: str) -> host.Usage:
        """Return how full the file system of a directory is."""
        return host.usage(self.dump.read("filesystem", path))

    @cached_property
    def node(self) -> str:
        """The node's name."""
        return self.dump.node

    @property
    def called(self) -> str:
        """What a message calls the node."""
        return self.node or "a node without a name"

    @cached_property
    def mounts(self) -> tuple[host.Mount, ...]:
        """What is mounted, as the host's first process sees it."""
        return host.mounts(self.dump.read("file", MOUNTS))

    @cached_property
    def swaps(self) -> list[str]:
        """What the node swaps to."""
        places = host.swaps(self.dump)
        # Of a node whose /proc was not seen it is not known, which its mounts show.
        return places if places or self.mounts else []

    @cached_property
    def flags(self) -> Mapping[str, str]:
        """The flags of the kubelet's next start: names without dashes, and values.

        Where no unit shows them whole, or where it starts another program than the one that runs, those of
        the kubelet that runs.
        """
        try:
            running = self.running_flags
        except AbsentError:
            if not self.start.complete:
                raise UnreadError(_NO_KUBELET) from None
            running = {}
        else:
            if not self.restarts_from_unit:
                return running
        flags = kubelet.flags_to_start([word.text for word in self.start.words], self._table)
        # The collector may have left out a value that a variable has: --config=${FILE}.
        return {name: value or running.get(name, "") for name, value in flags.items()}

    @cached_property
    def running_flags(self) -> Mapping[str, str]:
        """The flags of the kubelet that runs."""
        kubelet.check_own_flags(self.dump)
        return kubelet.flags(self.dump, self._table)

    @cached_property
    def restarts_from_unit(self) -> bool:
        """Whether a unit shows the next start of the kubelet that runs, with all of its arguments."""
        try:
            program = self.start.program if self.start.complete else ""
            return bool(program) and program == lines(self.dump.read("arguments", kubelet.ARGUMENTS))[0]
        except (UnreadError, AbsentError):
            return False

    def next_flags(self, name: str) -> tuple[units.UnitArgument, ...]:
        """Return the values that a flag has at the kubelet's next start, the last one first."""
        is_complete = self.start.complete
        words = self.start.words if is_complete else (*self.start.words, *self.words)
        arguments: list[units.UnitArgument] = []
        for word, after in pairwise([*words, units.UnitArgument("", "")]):
            flag, equals, value = word.text.lstrip("-").partition("=")
            if dashed(flag) == name and word.text.startswith("-"):
                arguments.append(units.UnitArgument(value, word.source) if equals else after)
        return tuple(reversed(arguments))

    @cached_property
    def certificate_node(self) -> str:
        """The node that the client certificate is of; empty where no certificate shows one."""
        return host.node_of_certificates(self.dump)

    @cached_property
    def config_file(self) -> Mapping[str, Any]:
        """The kubelet's configuration file; empty where the kubelet is given none."""
        return kubelet.config(self.dump, self.flags)

    @cached_property
    def drop_ins(self) -> settings.Documents:
        """The files of --config-dir; errors as ``settings.drop_ins``."""
        return settings.drop_ins(self.dump, self.flags.get("config-dir", ""))

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """What the kubelet's configuration file and those of --config-dir give together."""
        if not self.drop_ins:
            return self.config_file
        way = self._hazards.drop_ins if self._hazards else "as patches"
        if way == "with defaults":
            raise UnreadError("the kubelet merges each file of --config-dir with all of its defaults")
        documents = [self.config_file, *(document for _, document in self.drop_ins)]
        return settings.merged(documents, nulls_remove=way != "nulls are nothing")

    @cached_property
    def root(self) -> str:
        """The kubelet's root directory."""
        return kubelet.root(self.flags)

    @cached_property
    def gates(self) -> Settings:
        """The feature gates that the kubelet is given."""
        return kubelet.gates(self.flags, self.config)

    @cached_property
    def start(self) -> units.Start:
        """The arguments of the kubelet's next start, as far as the files of systemd show them."""
        return units.start(self.dump)

    @cached_property
    def words(self) -> tuple[units.UnitArgument, ...]:
        """The arguments of the kubelet that runs."""
        try:
            arguments = lines(self.dump.read("arguments", kubelet.ARGUMENTS))[1:]
        except AbsentError:
            raise UnreadError(_NO_KUBELET) from None
        return tuple(units.UnitArgument(word, units.RUNNING) for word in arguments)

    def path(self, file: StateFile) -> str:
        """Return where a state file is."""
        return f"{self.root.rstrip('/')}/{file.path}"

    def state(self, file: StateFile, gates: Gates) -> statefiles.CheckedStateFile:
        """Return what a kubelet with some feature gates finds in a state file."""
        return statefiles.read(self.dump.read("file", self.path(file)), file, gates)

    @cached_property
    def _runtimes(self) -> tuple[tuple[Runtime, ...], tuple[str, ...]]:
        return runtimes_of(self.dump)

    @property
    def runtimes(self) -> Iterator[Runtime]:
        """The container runtimes, Docker first; raises UnreadError last for those that could not be read."""
        read, problems = self._runtimes
        yield from read
        if problems:
            raise UnreadError("; ".join(problems))
