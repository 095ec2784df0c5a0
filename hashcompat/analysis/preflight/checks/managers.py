"""State files of the CPU manager and the memory manager, compared with the node: PF-105 and PF-108."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.checks import Check, Problem, Upgrade, states
from hashcompat.analysis.preflight.facts import Facts, runtime
from hashcompat.analysis.preflight.facts.kubelet import chosen, reserved_memory, truth
from hashcompat.analysis.preflight.facts.statefiles import State
from hashcompat.core import shown
from hashcompat.core.errors import DecodeError
from hashcompat.core.go import strconv
from hashcompat.core.records.probes import AbsentError, UnreadError

# PF-105: a cpu_manager_state with which the kubelet does not start.

ONLINE: Final = "/sys/devices/system/cpu/online"
"""The CPUs that the kernel uses."""

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
    elif policy == _STATIC_CPUS and upgrade.hazards.cpus_have_to_match:
        yield from _other_cpus(facts, content)


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


def _other_cpus(facts: Facts, content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the difference between the node's CPUs and those in the file (policy_static.go validateState)."""
    try:
        default = strconv.parse_cpus(content.get("defaultCpuSet") or "")
        assigned = list(_assigned(content))
        online = strconv.parse_cpus(facts.dump.read("file", ONLINE).strip())
    except DecodeError as error:
        raise UnreadError(str(error)) from None
    known = default.union(*assigned)
    if default and known != (present := online - _strictly_reserved(facts)):
        yield f"it has the CPUs {strconv.show_cpus(known)} and the node has {strconv.show_cpus(present)}"
    elif assigned and not default:
        yield "it leaves no CPU to other containers"


def _assigned(content: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    for entry in (content.get("entries") or {}).values():
        # Up to 1.17 a set per container id, from 1.18 on a mapping of pods to containers and their sets.
        sets = [entry] if isinstance(entry, str) else (entry or {}).values()
        yield from map(strconv.parse_cpus, sets)
    for entry in (content.get("podEntries") or {}).values():
        yield strconv.parse_cpus((entry or {}).get("cpuSet") or "")


def _strictly_reserved(facts: Facts) -> frozenset[int]:
    """Return the CPUs that are kept out of the file (option strict-cpu-reservation, from 1.32)."""
    options = facts.config.get("cpuManagerPolicyOptions")
    if not isinstance(options, Mapping) or truth(options.get(_STRICT)) is not True:
        return frozenset()
    reserved = chosen(facts.flags, "reserved-cpus", facts.config, "reservedSystemCPUs", "")
    if not reserved:
        raise UnreadError(f"{_STRICT} is set, and which CPUs are reserved is up to the kubelet")
    return strconv.parse_cpus(reserved)


CPU_STATE: Final = Check("PF-105", _find_cpu_state)


# PF-108: a memory_manager_state with which the kubelet does not start.

NODES: Final = "/sys/devices/system/node"
"""The directory of NUMA nodes; each has a file meminfo."""

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
    path = f"{NODES}/node{node}/meminfo"
    try:
        total = _TOTAL.search(facts.dump.read("file", path))
    except AbsentError:
        return None
    if not total:
        raise UnreadError(f"{path}: no MemTotal")
    return int(total[1]) * 1024


def _nodes(facts: Facts) -> set[str]:
    names = facts.dump.read("directory", NODES).split()
    return {name.removeprefix("node") for name in names if re.fullmatch("node[0-9]+", name)}


MEMORY_STATE: Final = Check("PF-108", _find_memory_state)
