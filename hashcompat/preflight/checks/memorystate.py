"""PF-108: a memory_manager_state with which the kubelet does not start."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.errors import DecodeError
from hashcompat.preflight.checks import states
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.settings import chosen, reserved_memory
from hashcompat.records.probes import AbsentError, UnreadError
from hashcompat.rules import Rule
from hashcompat.shown import name

NODES: Final = "/sys/devices/system/node"
"""The directory of NUMA nodes; each has a file meminfo."""

_TOTAL: Final = re.compile(r"MemTotal:\s*([0-9]+) kB")
_STATIC: Final = "Static"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    file = upgrade.hazards.states.memory_manager_state
    return states.problems(facts, upgrade, file, lambda state: _objections(facts, state.content))


def _objections(facts: Facts, content: Mapping[str, Any]) -> Iterator[str]:
    policy = chosen(facts.flags, "memory-manager-policy", facts.config, "memoryManagerPolicy", "None")
    written = content.get("policyName") or ""
    if policy != written:
        given, found = (json.dumps(name(str(one))) for one in (policy, written))
        yield f"the configured policy {given} differs from {found} in the file"
    elif policy == _STATIC:
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
        found = _TOTAL.search(facts.dump.read("file", path))
    except AbsentError:
        return None
    if not found:
        raise UnreadError(f"{path}: no MemTotal")
    return int(found[1]) * 1024


def _nodes(facts: Facts) -> set[str]:
    names = facts.dump.read("directory", NODES).split()
    return {name.removeprefix("node") for name in names if re.fullmatch("node[0-9]+", name)}


MEMORY_STATE: Final = Check(
    Rule(
        "PF-108",
        "state of the memory manager",
        "The file memory_manager_state has another policy than the kubelet to be started, other memory than "
        "the node, a form that this kubelet does not read, or a checksum that does not hold.",
        "pkg/kubelet/cm/memorymanager/state/state_checkpoint.go and policy_static.go, 1.21.0 - 1.37.1",
    ),
    (
        "memory_manager_state",
        "policy and reserved memory in the kubelet's command line and configuration file",
        f"{NODES} and the meminfo of each NUMA node",
    ),
    _find,
)
