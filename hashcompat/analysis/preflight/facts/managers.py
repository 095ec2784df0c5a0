"""What a kubelet's resource managers go by: reserved CPUs, options of policies, and whose CPUs are whose.

Plans ask for the same as checks: a pod whose CPUs a kubelet refuses is killed when that starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.preflight.facts import host
from hashcompat.analysis.preflight.facts.kubelet import ARGUMENTS, chosen, pairs, truth
from hashcompat.analysis.preflight.facts.statefiles import Condition, is_read, string_digest
from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.hazards import StateFile, StateFiles
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go import jsontext, metav1
from hashcompat.core.kubelet.decide.cpus import Cpus, most_threads
from hashcompat.core.kubelet.decide.memory import STRICTEST, Block, Memory
from hashcompat.core.model.verdicts import Files
from hashcompat.core.records.collected import dump_of
from hashcompat.core.records.probes import CPUS, KUBELET_ROOT, NUMA, AbsentError, UnparsedError, UnreadError
from hashcompat.core.shown import MASK

if TYPE_CHECKING:
    from hashcompat.analysis.preflight.facts import Facts

STATIC: Final = "static"

STATIC_MEMORY: Final = "Static"

STRICT: Final = "strict-cpu-reservation"

WHOLE_CORES: Final = "full-pcpus-only"

BY_SOCKET: Final = "align-by-socket"
"""With it, what is on one socket is admitted too, and which nodes are is not in a dump."""


class UnstartedError(UnreadError):
    """A kubelet does not start with its state file."""


def policy(facts: Facts) -> str:
    """Return the CPU manager's policy."""
    return chosen(facts.flags, "cpu-manager-policy", facts.config, "cpuManagerPolicy", "none")


def memory_policy(facts: Facts) -> str:
    """Return the memory manager's policy."""
    return chosen(facts.flags, "memory-manager-policy", facts.config, "memoryManagerPolicy", "None")


def has_option(facts: Facts, name: str) -> bool:
    """Return whether an option of the CPU manager's policy is on."""
    options = facts.setting("cpu-manager-policy-options", "cpuManagerPolicyOptions")
    if not isinstance(options, Mapping):
        options = dict(pairs(str(options or "")))
    return truth(options.get(name)) is True


def reserved_amount(facts: Facts) -> Fraction:
    """Return how many CPUs are reserved by their number."""
    settings = (("kube-reserved", "kubeReserved"), ("system-reserved", "systemReserved"))
    return sum((host.reserved(facts.setting(*names), "cpu") for names in settings), Fraction(0))


def reserved_cpus(facts: Facts) -> tuple[frozenset[int] | None, int]:
    """Return the reserved CPUs, None where only their number is given, and that number.

    Source: pkg/kubelet/cm/cpumanager/cpu_manager.go ``NewManager``: parts of a CPU count as a whole one.
    """
    listed = chosen(facts.flags, "reserved-cpus", facts.config, "reservedSystemCPUs", "")
    if listed:
        cpus = metav1.parse_cpus(listed)
        return cpus, len(cpus)
    return None, ceil(reserved_amount(facts))


def numa_nodes(facts: Facts) -> set[str]:
    """Return the numbers of the NUMA nodes, as text."""
    return set(map(str, host.numa_nodes(facts.dump)))


# What a snapshot keeps of the files of a node: a dump that shows the same of its CPUs, and nothing else.

_SETTINGS: Final = {
    "cpu-manager-policy": "cpuManagerPolicy",
    "cpu-manager-policy-options": "cpuManagerPolicyOptions",
    "feature-gates": "featureGates",
    "kube-reserved": "kubeReserved",
    "memory-manager-policy": "memoryManagerPolicy",
    "reserved-cpus": "reservedSystemCPUs",
    "system-reserved": "systemReserved",
    "topology-manager-policy": "topologyManagerPolicy",
    "topology-manager-scope": "topologyManagerScope",
}
"""The settings that are read here: flags, and keys of the configuration file."""
_PLACE: Final = f"{KUBELET_ROOT}/config.yaml"
_WORDS: Final = re.compile(r"[A-Za-z0-9_.,=+ -]{0,4096}")
"""Names, numbers and truth values; what is none of these may be anything."""
_OF_CPUS: Final = ("/online", "/cpulist", f"/{host.SIBLINGS}")
"""How the paths of files end that hold numbers of CPUs."""
_NUMBERS: Final = re.compile(r"[0-9,-]{0,4096}")
_NODE: Final = re.compile(r"node[0-9]{1,9}")
_HIDDEN: Final = "not in the snapshot"

Probes = tuple[tuple[str, str, str | None, str], ...]
"""As a record of files has them."""
Alias = Callable[[str], str]
"""What stands for the UID of a pod."""


def reduced(files: Files, catalog: Catalog, alias: Alias) -> Probes:
    """Return what of the files of a node shows how its CPUs are managed, without any other value.

    Nothing where that cannot be known: then no plan of the files knows it either.
    """
    from hashcompat.analysis.preflight.facts import Facts  # noqa: PLC0415 - as above

    hazards = catalog.hazards(catalog.kubelet(catalog.known.newest).release)
    facts = Facts(dump_of(files), hazards=hazards)
    try:
        flags, config = facts.flags, facts.config
        is_static, is_pinned = policy(facts) == STATIC, memory_policy(facts) == STATIC_MEMORY
        states = hazards.states
        path, memory = map(facts.path, (states.cpu_manager_state, states.memory_manager_state))
    except (AbsentError, UnreadError, UnparsedError, InputError):
        return ()
    words = [f"--{flag}={_plain(flags[flag])}" for flag in _SETTINGS if flag in flags]
    settings = {key: _plain(config[key]) for key in _SETTINGS.values() if key in config}
    made = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", **settings}
    probes: list[tuple[str, str, str | None, str]] = [
        ("arguments", ARGUMENTS, "\n".join(["kubelet", f"--config={_PLACE}", *words, ""]), ""),
        ("file", _PLACE, jsontext.dumps(made), ""),
    ]
    for kind, name, text, problem in files.probes:
        # whatever the policy now, a kubelet does not start with the file of another one
        if kind == "file" and (name == path or (name == memory and (is_static or is_pinned))):
            written = _state if name == path else _memory_state
            state = (None, _HIDDEN) if problem else (None, "") if text is None else written(text, alias)
            probes.append((kind, f"{KUBELET_ROOT}/{PurePosixPath(name).name}", *state))
        elif not (is_static or is_pinned):
            continue
        elif kind == "directory" and name == NUMA:
            names = [word for word in (text or "").split() if _NODE.fullmatch(word)]
            probes.append((kind, name, None if text is None else "\n".join(names), problem and _HIDDEN))
        elif name.startswith((CPUS, NUMA)) and name.endswith(_OF_CPUS):
            is_kept = not problem and (text is None or _NUMBERS.fullmatch(text.strip()) is not None)
            probes.append((kind, name, text if is_kept else None, "" if is_kept else _HIDDEN))
    return tuple(probes)


def _plain(value: Any) -> Any:
    """Return a setting with a mask for each text that may be anything."""
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return MASK
    return value if not isinstance(value, str) or _WORDS.fullmatch(value) else MASK


def _state(text: str, alias: Alias) -> tuple[str | None, str]:
    """Return a state file with aliases for UIDs; why it is not there for what no kubelet writes."""
    try:
        document = jsontext.loads(text)
        kept = _aliased(document, alias)
    except InputError:
        return None, _HIDDEN
    return (text if kept == document else jsontext.dumps(kept)), ""


def _memory_state(text: str, alias: Alias) -> tuple[str | None, str]:
    """Return what pins memory in the file of a memory manager, with aliases for UIDs."""
    pinned = _entries(text)
    if pinned is None:
        return "{}", ""  # with which no kubelet starts either
    kept = {
        alias(uid): {
            _plain(name): [structs.replace(row, type=_plain(row.type)) for row in rows]
            for name, rows in containers.items()
        }
        for uid, containers in pinned.items()
    }
    return jsontext.dumps({"policyName": STATIC_MEMORY, "entries": msgspec.to_builtins(kept)}), ""


def _aliased(document: Any, alias: Alias) -> dict[str, Any]:
    """Return the content of a state file with aliases, and checksums that hold.

    One of 0 holds in each form but that of PodLevelResourceManagers in 1.36, and that of ``data``.
    """
    if not isinstance(document, Mapping) or not document.keys() <= {*_OF_STATE, *_CHECKSUMS}:
        raise InputError(_HIDDEN)
    kept = {key: _plain(value) for key, value in document.items() if key != "data"}
    for key in ("entries", "podEntries"):
        if isinstance(kept.get(key), Mapping):
            kept[key] = {alias(str(uid)): entry for uid, entry in kept[key].items()}
    if kept != {key: document[key] for key in kept} and "checksum" in kept:
        kept["checksum"] = 0
    if isinstance(document.get("data"), str):
        inner = jsontext.loads(document["data"])
        is_same = (content := _aliased(inner, alias)) == inner
        kept["data"] = document["data"] if is_same else jsontext.dumps(content)
        kept["dataChecksum"] = document.get("dataChecksum") if is_same else string_digest(kept["data"])
    return {key: kept[key] for key in document if key in kept}


_OF_STATE: Final = ("policyName", "defaultCpuSet", "entries", "podEntries")
_CHECKSUMS: Final = ("checksum", "data", "dataChecksum")


def cpus_of(
    facts: Facts, states: StateFiles, gates: Gates, *, asked: bool = True, architecture: str = ""
) -> Cpus:
    """Return what the CPU and the memory manager find that are to be started with these gates.

    ``asked``: whether there are pods that may ask for CPUs, besides those in the file; ``architecture``
    decides about cores that are not in the dump. Raises UnreadError and AbsentError for what is not in the
    dump, and where a kubelet does not start.
    """
    memory = memory_of(facts, states.memory_manager_state, gates)
    is_on = is_read(states.cpu_manager_state, gates) and gates.is_on("CPUManager")
    is_static = is_on and policy(facts) == STATIC
    topology, by_pod, by_socket = "none", False, False
    if is_static or memory.pinned:
        topology, by_pod, by_socket = _topology(facts, gates)
    nodes: Mapping[str, frozenset[int]] = {}
    try:
        nodes = _nodes(facts) if topology != "none" or memory.pinned else {}
    except (AbsentError, UnreadError):
        if is_static and topology != "none":
            raise
        memory = structs.replace(memory, is_read=False)
    base = Cpus(topology=topology, by_pod=by_pod, by_socket=by_socket, nodes=nodes, memory=memory)
    if not is_static:
        return base
    try:
        content = _content(facts, states.cpu_manager_state, gates)
        default = metav1.parse_cpus(content.get("defaultCpuSet") or "")
        held = {
            pod: {container: metav1.parse_cpus(cpus) for container, cpus in of_pod.items()}
            for pod, of_pod in (content.get("entries") or {}).items()
            if isinstance(of_pod, Mapping)
        }
        listed, number = reserved_cpus(facts)
    except DecodeError as error:
        raise UnreadError(str(error)) from None
    strict = has_option(facts, STRICT)
    if not default:
        default = host.online_cpus(facts.dump) - (listed or frozenset() if strict else frozenset())
    whole_cores = gates.is_on("CPUManagerPolicyOptions") and has_option(facts, WHOLE_CORES)
    cores = _cores(facts) if whole_cores and (held or asked) else frozenset[frozenset[int]]()
    threads = most_threads(architecture)
    return structs.replace(
        base,
        exclusive=True,
        held=held,
        whole_cores=whole_cores,
        threads=sum(map(len, cores)) // len(cores) if cores else None,
        most_threads=threads,
        physical=_physical(default, cores, listed, number, strict=strict, threads=threads),
        available=len(default - listed) if listed is not None else len(default) - number * (not strict),
    )


def memory_of(facts: Facts, file: StateFile, gates: Gates) -> Memory:
    """Return what the memory manager finds; none is pinned where a kubelet does not start with the file.

    Whether its checksum holds is not looked at here.
    """
    if not is_read(file, gates) or memory_policy(facts) != STATIC_MEMORY:
        return Memory()
    try:
        entries = _entries(facts.dump.read("file", facts.path(file)))
    except AbsentError:
        return Memory(pinned=True)
    except UnreadError:
        return Memory(pinned=True, is_read=False)
    if entries is None:
        return Memory()
    held = {
        uid: {
            name: tuple(Block(row.type, row.size, frozenset(map(str, row.numa_affinity))) for row in rows)
            for name, rows in containers.items()
        }
        for uid, containers in entries.items()
    }
    return Memory(pinned=True, held=held)


class _Row(msgspec.Struct, rename="camel"):
    """A block of memory in a state file."""

    numa_affinity: list[int]
    type: str
    size: int


_Entries = dict[str, dict[str, list[_Row]]]


def _entries(text: str) -> _Entries | None:
    """Return what the file of a memory manager pins; None where a kubelet does not start with it."""
    try:
        content = jsontext.loads(text)
        if isinstance(content, Mapping) and isinstance(content.get("data"), str):
            content = jsontext.loads(content["data"])
        if not isinstance(content, Mapping) or content.get("policyName") != STATIC_MEMORY:
            return None
        return msgspec.convert(content.get("entries") or {}, _Entries)
    except (InputError, msgspec.ValidationError):
        return None


def _content(facts: Facts, file: StateFile, gates: Gates) -> Mapping[str, Any]:
    """Return what is in the state file; nothing where there is none, with which a kubelet begins anew."""
    try:
        state = facts.state(file, gates)
    except AbsentError:
        return {}
    if state.condition != Condition.GOOD or (state.content.get("policyName") or "") != STATIC:
        raise UnstartedError(f"{facts.path(file)}: no kubelet starts with it")
    return state.content


def _cores(facts: Facts) -> frozenset[frozenset[int]]:
    """Return the CPUs of each core; none where a dump does not show them."""
    try:
        return host.cores(facts.dump)
    except (AbsentError, UnreadError):
        return frozenset()


def _physical(
    default: frozenset[int],
    cores: frozenset[frozenset[int]],
    listed: frozenset[int] | None,
    number: int,
    *,
    strict: bool,
    threads: int,
) -> tuple[int, int]:
    """Return how many CPUs are free whose core has no reserved CPU, at least and at most.

    A number is reserved core by core; without their CPUs, a core has ``threads`` at most.
    """
    if listed is not None and cores:
        free = len(default.difference(listed, *(core for core in cores if core & listed)))
        return free, free
    if listed is not None:
        most = len(default - listed)
        return most - number * (threads - 1), most
    most = len(default) - (0 if strict else number)
    size = max(map(len, cores), default=threads)
    return most - -number % size, most


def _topology(facts: Facts, gates: Gates) -> tuple[str, bool, bool]:
    """Return the topology manager's policy, and whether its scope is the pod, and CPUs are aligned by socket.

    No kubelet starts with the latter and the strictest policy (pkg/kubelet/cm/cpumanager/policy_options.go
    ``ValidateStaticPolicyOptions``, 1.26.15 and 1.36.5).
    """
    topology = chosen(facts.flags, "topology-manager-policy", facts.config, "topologyManagerPolicy", "none")
    scope = chosen(facts.flags, "topology-manager-scope", facts.config, "topologyManagerScope", "container")
    by_socket = has_option(facts, BY_SOCKET)
    is_asked = gates.is_on("TopologyManager") and not (by_socket and topology == STRICTEST)
    return topology if is_asked else "none", scope == "pod", by_socket


def _nodes(facts: Facts) -> Mapping[str, frozenset[int]]:
    """Return the CPUs of the NUMA nodes; none where there is one alone."""
    nodes = sorted(numa_nodes(facts), key=int)
    return {node: host.cpus_of(facts.dump, node) for node in nodes} if len(nodes) > 1 else {}
