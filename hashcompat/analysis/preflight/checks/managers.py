"""State files of the CPU and memory managers, compared with the node: PF-105, PF-108, PF-138 and PF-139."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import Any, Final

from hashcompat.analysis.preflight.checks import Check, Problem, Upgrade, states
from hashcompat.analysis.preflight.facts import Facts, host, runtime
from hashcompat.analysis.preflight.facts.kubelet import chosen, pairs, reserved_memory, truth
from hashcompat.analysis.preflight.facts.statefiles import Condition, State
from hashcompat.core import shown
from hashcompat.core.errors import DecodeError
from hashcompat.core.go import metav1
from hashcompat.core.kubelet.decide.room.tenants import given
from hashcompat.core.model.escape import count, name_path
from hashcompat.core.model.pods import FINISHED
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, UnreadError

# PF-105: a cpu_manager_state with which the kubelet does not start.

_STATIC_CPUS: Final = "static"
_STRICT: Final = "strict-cpu-reservation"


def _find_cpu_state(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    file = upgrade.hazards.states.cpu_manager_state
    return states.problems(
        facts, upgrade, file, lambda state: _cpu_objections(facts, upgrade, state, state.content)
    )


def _cpu_objections(
    facts: Facts, upgrade: Upgrade, state: State, content: Mapping[str, Any]
) -> Iterator[str]:
    yield from _missing_containers(facts, upgrade, state, content)
    policy = chosen(facts.flags, "cpu-manager-policy", facts.config, "cpuManagerPolicy", "none")
    written = content.get("policyName") or ""
    if policy != written:
        given, recorded = (json.dumps(shown.name(str(value))) for value in (policy, written))
        yield f"the configured policy {given} differs from {recorded} in the file"
        return
    try:
        default = metav1.parse_cpus(content.get("defaultCpuSet") or "")
        own, of_pods = list(_assigned(content)), list(_of_pods(content))
    except DecodeError:
        # state_file.go tryRestoreState, 1.10.13; state_checkpoint.go restoreState, 1.14.10 - 1.37.1
        yield "a set of CPUs in it is none"
        return
    if policy == _STATIC_CPUS and upgrade.hazards.cpus_have_to_match:
        yield from _other_cpus(facts, default, own, of_pods)


def _missing_containers(
    facts: Facts, upgrade: Upgrade, state: State, content: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the entries by container id whose container no longer exists, where the target looks it up."""
    entries = content.get("entries") or {}
    if state.form is None or not state.form.by_id or not entries or not upgrade.hazards.cpu_entries_migrate:
        return
    known = runtime.container_ids(facts.dump)
    for name in sorted(entries):
        if name not in known:
            yield f"it names container {name[:12]}, which no longer exists"


def _other_cpus(
    facts: Facts, default: frozenset[int], own: list[frozenset[int]], of_pods: list[frozenset[int]]
) -> Iterator[str]:
    """Yield what in the file does not fit the node, or itself (policy_static.go validateState)."""
    if shared := default.intersection(frozenset[int]().union(*own)):
        yield f"it gives the CPUs {metav1.show_cpus(shared)} to containers, and to all others too"
        return
    try:
        _reserved_cpus(facts)
    except DecodeError:
        return  # the kubelet ends before it reads the file, as PF-126 reports
    online = host.online_cpus(facts.dump)
    known = default.union(*own, *of_pods)
    if default and known != (present := online - _strictly_reserved(facts)):
        yield f"it has the CPUs {metav1.show_cpus(known)} and the node has {metav1.show_cpus(present)}"
    elif (own or of_pods) and not default:
        yield "it leaves no CPU to other containers"
    elif default and not _is_strict(facts):  # strictly reserved ones are not among those of the file
        yield from _reserved_elsewhere(facts, default, online)


def _reserved_elsewhere(facts: Facts, default: frozenset[int], online: frozenset[int]) -> Iterator[str]:
    """Yield what is reserved now and was not when the file was written (policy_static.go validateState).

    Raises UnreadError where it takes the threads of the cores to know (``takeByTopology``), unless as many
    were reserved when the kubelet that wrote the file reported what its node can give.
    """
    listed, number = _reserved_cpus(facts)
    if listed is not None and (held := listed - default):
        yield f"the CPUs {metav1.show_cpus(held)} are reserved, and it gives them to containers"
    elif number > len(default):
        yield (
            f"{number} CPUs are reserved, and it leaves {len(default)} to all but containers with their own"
        )
    elif listed is None and number and 0 not in default:
        # A number is taken from the first core of the first socket on; which others, its threads decide.
        yield "CPU 0 is the first one that is reserved, and it gives it to containers"
    elif listed is None and number > 1 and default != online and not _were_reserved(facts):
        raise UnreadError(
            f"{number} CPUs are reserved, the cores decide which, and it gives some CPUs to containers; "
            "reservedSystemCPUs would name them"
        )


def _were_reserved(facts: Facts) -> bool:
    """Return whether the Node object shows that as much CPU was reserved as now."""
    node = facts.cluster.node
    if node is None or node.capacity is None or node.allocatable is None:
        return False
    had, gives = (given(one).amounts.get("cpu", 0) for one in (node.capacity, node.allocatable))
    return had - gives == 1000 * _reserved_amount(facts)


def _reserved_amount(facts: Facts) -> Fraction:
    """Return how many CPUs are reserved by their number."""
    settings = (("kube-reserved", "kubeReserved"), ("system-reserved", "systemReserved"))
    return sum((host.reserved(facts.setting(*names), "cpu") for names in settings), Fraction(0))


def _reserved_cpus(facts: Facts) -> tuple[frozenset[int] | None, int]:
    """Return the reserved CPUs, None where only their number is given, and that number.

    Source: pkg/kubelet/cm/cpumanager/cpu_manager.go ``NewManager``: parts of a CPU count as a whole one.
    """
    listed = chosen(facts.flags, "reserved-cpus", facts.config, "reservedSystemCPUs", "")
    if listed:
        cpus = metav1.parse_cpus(listed)
        return cpus, len(cpus)
    return None, ceil(_reserved_amount(facts))


def _assigned(content: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    for entry in (content.get("entries") or {}).values():
        # Up to 1.17 a set per container id, from 1.18 on a mapping of pods to containers and their sets.
        sets = [entry] if isinstance(entry, str) else (entry or {}).values()
        yield from map(metav1.parse_cpus, sets)


def _of_pods(content: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    for entry in (content.get("podEntries") or {}).values():
        yield metav1.parse_cpus((entry or {}).get("cpuSet") or "")


def _strictly_reserved(facts: Facts) -> frozenset[int]:
    """Return the CPUs that are kept out of the file (option strict-cpu-reservation, from 1.32)."""
    if not _is_strict(facts):
        return frozenset()
    reserved = chosen(facts.flags, "reserved-cpus", facts.config, "reservedSystemCPUs", "")
    if not reserved:
        raise UnreadError(f"{_STRICT} is set, and which CPUs are reserved is up to the kubelet")
    return metav1.parse_cpus(reserved)


def _is_strict(facts: Facts) -> bool:
    return _has_option(facts, _STRICT)


def _has_option(facts: Facts, name: str) -> bool:
    """Return whether an option of the CPU manager's policy is on."""
    options = facts.setting("cpu-manager-policy-options", "cpuManagerPolicyOptions")
    if not isinstance(options, Mapping):
        options = dict(pairs(str(options or "")))
    return truth(options.get(name)) is True


CPU_STATE: Final = Check("PF-105", _find_cpu_state)


# PF-138 and PF-139: running containers with CPUs of their own that a kubelet does not admit again.

_WHOLE_CORES: Final = "full-pcpus-only"


def _owners(facts: Facts, upgrade: Upgrade) -> dict[tuple[str, str], frozenset[int]]:
    """Return the CPUs that containers have for themselves, by the uids of pods and their own names."""
    policy = chosen(facts.flags, "cpu-manager-policy", facts.config, "cpuManagerPolicy", "none")
    state = None
    if policy == _STATIC_CPUS:
        state = states.found(facts, upgrade, upgrade.hazards.states.cpu_manager_state)
    if state is None or state.condition != Condition.GOOD:
        return {}
    entries = state.content.get("entries") or {}
    pods = facts.cluster.pods
    running = None if pods is None else {pod.uid for pod in pods if pod.phase not in FINISHED}
    try:
        return {
            (pod, container): metav1.parse_cpus(cpus)
            for pod, held in entries.items()
            if isinstance(held, Mapping) and (running is None or pod in running)
            for container, cpus in held.items()
        }
    except DecodeError as error:
        raise UnreadError(str(error)) from None


def _called(facts: Facts, owner: tuple[str, str]) -> str:
    """Return the name of a container, by its pod's uid where the pod is not in the input."""
    uid, container = owner
    pod = next((pod for pod in facts.cluster.pods or () if pod.uid == uid), None)
    return name_path(pod.namespace, pod.name, container) if pod else f"{shown.uid(uid)}/{container}"


def _find_whole_cores(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    """Yield the containers that need more free physical CPUs than there are besides those that they have.

    Source: pkg/kubelet/cm/cpumanager/policy_static.go ``Allocate`` and ``enforceSMTAlignment``, 1.27.16 and
    1.36.3. Siblings of reserved CPUs are not free either; which they are is not known, but that there are at
    most as many. The CPUs of whoever is refused may be free for those after it.
    """
    if upgrade.target.behaviour.aligned_cpus == "kept" or not _has_option(facts, _WHOLE_CORES):
        return
    owners = _owners(facts, upgrade)
    if not owners:
        return
    content = facts.state(upgrade.hazards.states.cpu_manager_state, states.gates_of(facts, upgrade)).content
    default = metav1.parse_cpus(content.get("defaultCpuSet") or "")
    listed, number = _reserved_cpus(facts)
    most = len(default - listed) if listed is not None else len(default) - number
    least = most - (number if listed is not None else number % 2)
    for owner, cpus in sorted(owners.items()):
        freed = sum(len(held) for other, held in owners.items() if other[0] != owner[0] and len(held) > most)
        name, new = _called(facts, owner), upgrade.target.release
        if len(cpus) <= least:
            if len(cpus) % 2:
                text = (
                    f"{new} gives whole cores alone, and {name} has {count(len(cpus), 'CPU')}: "
                    "where a core has two threads, its pod is refused (SMTAlignmentError)"
                )
                yield Problem(Status.UNKNOWN, name, text, _MOVE)
            continue
        asks = f"{new} asks for {len(cpus)} free physical CPUs for {name}, which has as many already"
        if len(cpus) > most + freed:
            yield Problem(
                Status.ERROR,
                name,
                f"{asks}, and {max(most, 0)} are free: its pod is refused (SMTAlignmentError)",
                _MOVE,
            )
        else:
            yield Problem(
                Status.UNKNOWN,
                name,
                f"{asks}; whether they are free depends on "
                + ("which pods are refused before it" if len(cpus) > most else "which CPUs share a core"),
                _MOVE,
            )


_MOVE: Final = "move the pod to another node before the kubelet starts"

WHOLE_CORES: Final = Check("PF-138", _find_whole_cores)

_STRICTEST: Final = "single-numa-node"
_BY_SOCKET: Final = "align-by-socket"
"""With it, what is on one socket is admitted too, and which nodes are is not in a dump."""


def _find_topology(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    """Yield the containers whose CPUs are on more NUMA nodes than the topology manager admits.

    Source: pkg/kubelet/cm/cpumanager/policy_static.go ``generateCPUTopologyHints``: hints are made again of
    the CPUs that a container has; cm/topologymanager/policy_restricted.go and policy_single_numa_node.go,
    1.18.19 - 1.37.1.
    """
    policy = chosen(facts.flags, "topology-manager-policy", facts.config, "topologyManagerPolicy", "none")
    if policy not in ("restricted", _STRICTEST) or _has_option(facts, _BY_SOCKET):
        return
    scope = chosen(facts.flags, "topology-manager-scope", facts.config, "topologyManagerScope", "container")
    owners = _owners(facts, upgrade)
    if scope == "pod":
        pods: dict[tuple[str, str], frozenset[int]] = {}
        for (uid, _), cpus in owners.items():
            first = min(name for pod, name in owners if pod == uid)
            pods[uid, first] = pods.get((uid, first), frozenset()) | cpus
        owners = pods
    if not owners or len(_nodes(facts)) < 2:
        return
    nodes = {node: host.cpus_of(facts.dump, node) for node in sorted(_nodes(facts), key=int)}
    sizes = sorted(map(len, nodes.values()), reverse=True)
    for owner, cpus in sorted(owners.items()):
        spread = [node for node, held in nodes.items() if cpus & held]
        needed = next((n for n in range(1, len(sizes) + 1) if sum(sizes[:n]) >= len(cpus)), len(sizes))
        if len(spread) > (1 if policy == _STRICTEST else needed):
            name = _called(facts, owner)
            yield Problem(
                Status.ERROR,
                name,
                f"{name} has CPUs of NUMA nodes {', '.join(spread)}, which the topology manager's policy "
                f"{policy} does not admit again: its pod is refused (TopologyAffinityError)",
                _MOVE,
            )


TOPOLOGY: Final = Check("PF-139", _find_topology)


# PF-108: a memory_manager_state with which the kubelet does not start.

_TOTAL: Final = re.compile(r"MemTotal:\s*([0-9]+) kB")
_STATIC_MEMORY: Final = "Static"


def _find_memory_state(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    file = upgrade.hazards.states.memory_manager_state
    return states.problems(facts, upgrade, file, lambda state: _memory_objections(facts, state.content))


def _memory_objections(facts: Facts, content: Mapping[str, Any]) -> Iterator[str]:
    policy = chosen(facts.flags, "memory-manager-policy", facts.config, "memoryManagerPolicy", "None")
    written = content.get("policyName") or ""
    if policy != written:
        given, recorded = (json.dumps(shown.name(str(value))) for value in (policy, written))
        yield f"the configured policy {given} differs from {recorded} in the file"
    elif policy == _STATIC_MEMORY:
        yield from _other_memory(facts, content.get("machineState") or {})


def _other_memory(facts: Facts, machine: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between the node and the file (policy_static.go validateState)."""
    try:
        reserved = reserved_memory(facts.flags, facts.config)
    except DecodeError as error:
        raise UnreadError(f"the reserved memory: {error}") from None
    for node, held in sorted(machine.items()):
        table = ((held or {}).get("memoryMap") or {}).get("memory") or {}
        total, had = _total(facts, node), table.get("total", 0)
        if total != had:
            yield f"NUMA node {node} had {had} bytes of memory and has {'none' if total is None else total}"
        elif (now := reserved.get(int(node), 0)) != (before := table.get("systemReserved", 0)):
            yield f"{before} bytes were reserved on NUMA node {node} and {now} are"
    if machine:
        yield from (f"NUMA node {node} is not in the file" for node in sorted(_nodes(facts) - machine.keys()))


def _total(facts: Facts, node: str) -> int | None:
    """Return a NUMA node's memory in bytes; None where there is no such node."""
    if node not in _nodes(facts):
        return None
    path = f"{host.NUMA}/node{node}/meminfo"
    try:
        total = _TOTAL.search(facts.dump.read("file", path))
    except AbsentError:
        return None
    if not total:
        raise UnreadError(f"{path}: no MemTotal")
    return int(total[1]) * 1024


def _nodes(facts: Facts) -> set[str]:
    return set(map(str, host.numa_nodes(facts.dump)))


MEMORY_STATE: Final = Check("PF-108", _find_memory_state)
