"""What was read on a node: probes, each with its text or with why there is none; of each node a dump.

Besides, the paths by which the collector reads what checks look up, and the order of systemd's units.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hashcompat.core.errors import HashcompatError, InputError
from hashcompat.core.regex import regex
from hashcompat.core.shown import said

NOT_COLLECTED: Final = "not in the dump; collect again with --preflight"
WITHOUT_NODE: Final = "not read without the node"
INCOMPLETE: Final = "the dump was cut: its last line is missing"
NO_CONFIGURATION: Final = "not read: it is no KubeletConfiguration that a kubelet would start with"
"""Why the collector does not show a configuration file that cannot be parsed, or is of another kind."""
MARK: Final = "hashcompat"
"""The key by which a line of a dump is known."""
FORMAT: Final = 2
"""The newest form of dumps; up to 1 they do not name it."""
CHANGING: Final = ("process", "processes")
"""The kinds of probes that a collector reads twice, because states change."""

# Where things are on a node.

MOUNTS: Final = "/proc/1/mounts"
SWAPS: Final = "/proc/swaps"
MEMINFO: Final = "/proc/meminfo"
HOSTNAME: Final = "/proc/sys/kernel/hostname"
NUMA: Final = "/sys/devices/system/node"
"""The directory of NUMA nodes; each has a file meminfo."""
CGROUPS: Final = "/sys/fs/cgroup"
CGROUPS_OF_SERVICES: Final = ("cgroups", "services")
"""The kind and the name of the probe of the cgroups of slices and services."""
CGROUP_DEPTH: Final = 3
"""How many levels of them are looked at: a cgroup that somebody sets aside for daemons is near the root."""
CGROUP_NAME: Final = regex(
    r"(?!.*kubepods|.*\.scope$|docker$|lxc|user\.slice$|machine\.slice$|.*[0-9a-f]{64})[A-Za-z0-9_.:@\\-]+"
)
"""Their names. Those of pods, containers, machines and users are not shown, nor what is below them."""
CPUS: Final = "/sys/devices/system/cpu"
ONLINE: Final = f"{CPUS}/online"
"""The CPUs that the kernel uses."""
USERS: Final = "/etc/passwd"
SUB_IDS: Final = ("/etc/subuid", "/etc/subgid")
NAME_SERVICES: Final = "/etc/nsswitch.conf"
GETSUBIDS: Final = "getsubids"
SERVICE_PATH: Final = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""The PATH of services of systemd, in its order."""
KUBELET_ROOT: Final = "/var/lib/kubelet"
"""Where a kubelet keeps its state by default."""
KUBEADM_FLAGS: Final = "kubeadm-flags.env"
"""The file below it in which kubeadm puts flags."""
VARIABLE_FILES: Final = (f"{KUBELET_ROOT}/{KUBEADM_FLAGS}", "/etc/default/kubelet", "/etc/sysconfig/kubelet")
"""Files of variables that packages of the kubelet use."""
IMAGES: Final = {
    "containerd": "/var/lib/containerd",
    "docker": "/var/lib/docker",
    "cri-o": "/var/lib/containers/storage",
}
"""Where runtimes keep images by default."""
CRIO_CONFIG: Final = "/etc/crio/crio.conf"
CRIO_DROP_INS: Final = "/etc/crio/crio.conf.d"
CNI_NETWORKS: Final = "/etc/cni/net.d"
CNI_SUFFIXES: Final = (".conf", ".conflist", ".json")
"""How the names of network configurations end."""
CNI_PLUGINS: Final = "/opt/cni/bin"
DOCKERSHIM: Final = "/var/lib/dockershim/sandbox"
CRI_DOCKERD: Final = "/var/lib/cri-dockerd/sandbox"

UNITS: Final = tuple(
    f"{place}/systemd/system" for place in ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
)
"""The directories of units, in the order in which systemd looks."""
KUBELET_UNIT: Final = "kubelet.service"
BEFORE_COMMAND: Final = "@-:+!|"
"""Characters with a meaning of their own before the command of a unit."""


def in_order(unit: str, there: Collection[str]) -> Iterator[str]:
    """Yield the unit and its drop-ins: of files of one name, the first by directory hides the others.

    ``there`` are the paths of the files that there are, others too; drop-ins are sorted by their names.
    """
    yield from [path for place in UNITS if (path := f"{place}/{unit}") in there][:1]
    named: dict[str, str] = {}
    for place in reversed(UNITS):
        prefix = f"{place}/{unit}.d/"
        named |= {
            path.removeprefix(prefix): path
            for path in there
            if path.startswith(prefix) and path.endswith(".conf")
        }
    yield from (named[name] for name in sorted(named))


class AbsentError(HashcompatError):
    """The node has no such file, directory or process."""


class UnreadError(HashcompatError):
    """Whether it is there, or what it holds, could not be read; the message is the reason."""


class UnparsedError(HashcompatError):
    """The kubelet cannot parse its configuration file either, and ends."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} cannot be read: {why}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing that was read, or was not."""

    kind: str
    """What kind of thing: ``file``, ``directory``, ``process``, ``docker``, ``cri`` and so on."""
    name: str
    """Which one: a path, a process id, a request."""
    text: str | None = field(default=None, repr=False)
    """What it holds; None where there is nothing or where it could not be read."""
    problem: str = ""
    """Why it could not be read; empty where it was read or is absent."""

    def read(self) -> str:
        """Return the text; raises AbsentError or UnreadError."""
        if self.problem:
            raise UnreadError(f"{self.name}: {self.problem}")
        if self.text is None:
            raise AbsentError(f"{self.name}: not found")
        return self.text


def lines(text: str) -> list[str]:
    """Split a probe's text at line feeds alone: a process has any other break of a line in its name."""
    return text.removesuffix("\n").split("\n") if text else []


class Dump(msgspec.Struct, frozen=True):
    """Everything that was read on one node, once or, where states change, twice."""

    node: str
    origin: str
    """Where the dump comes from, for messages: a file, or ``this node``."""
    probes: Mapping[tuple[str, str], tuple[Probe, ...]]
    """The probes by kind and name, in the order in which they were read."""
    complete: bool = True
    """Whether the dump has its end."""
    lacking: str = NOT_COLLECTED
    """Why a thing is not in a whole dump."""

    def probe(self, kind: str, name: str) -> Probe:
        """Return the last probe of a thing; one with a problem where it was not collected."""
        probes = self.probes.get((kind, name))
        if probes:
            return probes[-1]
        return Probe(kind, name, problem=self.lacking if self.complete else INCOMPLETE)

    def read(self, kind: str, name: str) -> str:
        """Return the text of a thing; raises AbsentError or UnreadError."""
        return self.probe(kind, name).read()

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory; none where it is missing. Raises UnreadError as ``read``."""
        try:
            return self.read("directory", directory).splitlines()
        except AbsentError:
            return []

    def of_kind(self, kind: str) -> Iterator[Probe]:
        """Yield the last probe of each thing of a kind; raises UnreadError last where there may be more."""
        yield from (probes[-1] for (probe_kind, _), probes in self.probes.items() if probe_kind == kind)
        if not self.complete:
            raise UnreadError(f"{kind}: {INCOMPLETE}")


def dumps(documents: Iterable[Any], origin: str) -> Iterator[Dump]:
    """Yield the dumps among the documents of a stream; whatever is not of a dump is passed over.

    A dump is a document ``{"hashcompat": "dump", "format": 2, "node": NAME}``, its probes, and
    ``{"hashcompat": "end"}``; a probe is ``{"hashcompat": "probe", "kind", "name"}`` and one of ``text``,
    ``absent`` and ``problem``. Older collectors wrote no ``format``, and a text of somebody else could end
    up as a probe of its own in what they wrote. Raises InputError for such a document with something else in
    it, for a newer format, and for a thing that is twice in a dump, with other content, where it is read
    once: which of the two was read, and which one somebody planted, cannot be known.
    """
    node, probes = "", dict[tuple[str, str], list[Probe]]()
    for document in documents:
        mark = document.get(MARK) if isinstance(document, Mapping) else None
        if mark == "dump":
            if probes or node:
                yield _dump(node, origin, probes, complete=False)
            version = document.get("format", 1)
            if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= FORMAT:
                raise InputError(
                    f"{origin}: a dump in a format that is not known; want one up to {FORMAT}, "
                    "so use the hashcompat whose collector wrote it, or a newer one"
                )
            node, probes = _text(document, "node", origin), {}
        elif mark == "probe":
            probe = _probe(document, origin)
            same = probes.setdefault((probe.kind, probe.name), [])
            _check_repeated(probe, same, f"{origin}: node {node}")
            same.append(probe)
        elif mark == "end":
            yield _dump(node, origin, probes, complete=True)
            node, probes = "", {}
    if probes or node:
        yield _dump(node, origin, probes, complete=False)


def _check_repeated(probe: Probe, before: Sequence[Probe], where: str) -> None:
    if (probe.kind in CHANGING and len(before) < 2) or all(earlier == probe for earlier in before):
        return
    raise InputError(
        f"{where}: {said(f'{probe.kind} {probe.name}')[:200]} is twice in the dump, with other content: "
        "somebody on the node may have forged one; collect it again, with the collector of this hashcompat"
    )


def _dump(
    node: str, origin: str, probes_by_name: Mapping[tuple[str, str], list[Probe]], *, complete: bool
) -> Dump:
    if not node:
        raise InputError(f"{origin}: a dump without its first line; collect it again")
    return Dump(node, origin, {key: tuple(probes) for key, probes in probes_by_name.items()}, complete)


def _probe(document: Mapping[str, Any], origin: str) -> Probe:
    kind, which = _text(document, "kind", origin), _text(document, "name", origin)
    if document.get("absent") is True:
        return Probe(kind, which)
    if "problem" in document:
        return Probe(kind, which, problem=said(_text(document, "problem", origin)))
    return Probe(kind, which, _text(document, "text", origin, empty=True))


def _text(document: Mapping[str, Any], key: str, origin: str, *, empty: bool = False) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not (value or empty):
        raise InputError(f"{origin}: a line of a dump without {key!r}; collect it again")
    return value
