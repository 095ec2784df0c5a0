"""State files of the CPU and memory managers, compared with the node: PF-105, PF-108, PF-138 and PF-139."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem, states
from hashcompat.analysis.preflight.facts import Facts, host, managers, nodemanagers, runtime
from hashcompat.analysis.preflight.facts.kubelet import reserved_memory
from hashcompat.analysis.preflight.facts.managers import UnstartedError
from hashcompat.analysis.preflight.facts.statefiles import FoundStateFile
from hashcompat.core import shown
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import DecodeError
from hashcompat.core.kubelet.decide.cpus import (
    Cpus,
    WithCpus,
    refusals,
    refused,
    taken_anew,
    with_gates,
    without_held,
)
from hashcompat.core.kubelet.decide.memory import TOPOLOGY, WithMemory
from hashcompat.core.kubelet.decide.room.tenants import turn_of, turns
from hashcompat.core.kubelet.decide.static import moves
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.plan import Refusal
from hashcompat.core.model.pods import FINISHED
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import NUMA, AbsentError, UnreadError

# PF-105: a cpu_manager_state with which the kubelet does not start.


def _find_cpu_state(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    file = upgrade.hazards.states.cpu_manager_state
    yield from states.problems(
        facts, upgrade, file, lambda state: _cpu_objections(facts, upgrade, state, state.content)
    )
    if states.found(facts, upgrade, file) is None and managers.policy(facts) == managers.STATIC:
        yield from _too_many_reserved(facts, upgrade)


def _too_many_reserved(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Yield that more CPUs are reserved than there are (policy_static.go NewStaticPolicy, 1.10.13 - 1.37.2).

    A file says so itself, for it cannot leave that many to others; CPUs by their numbers are for PF-126.
    """
    try:
        (listed, number), online = managers.reserved_cpus(facts), host.online_cpus(facts.dump)
    except (DecodeError, AbsentError, UnreadError):
        return
    if listed is None and number > len(online):
        text = f"{number} CPUs are reserved, and the node has {len(online)}"
        yield Problem(
            Status.ERROR,
            "",
            f"{text}: kubelet {upgrade.target.release} does not start with the policy static",
            "reserve fewer CPUs: kubeReserved, systemReserved",
        )


def _cpu_objections(
    facts: Facts, upgrade: KubeletStart, state: FoundStateFile, content: Mapping[str, Any]
) -> Iterator[str]:
    yield from _missing_containers(facts, upgrade, state, content)
    yield from nodemanagers.objections(facts, content, compares=upgrade.hazards.cpus_have_to_match)


def _missing_containers(
    facts: Facts, upgrade: KubeletStart, state: FoundStateFile, content: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the entries by container id whose container no longer exists, where the target looks it up."""
    entries = content.get("entries") or {}
    if state.form is None or not state.form.by_id or not entries or not upgrade.hazards.cpu_entries_migrate:
        return
    known = runtime.container_ids(facts.dump)
    for name in sorted(entries):
        if name not in known:
            yield f"it names container {name[:12]}, which no longer exists"


CPU_STATE: Final = Check("PF-105", _find_cpu_state)


# PF-138 and PF-139: running containers with CPUs of their own that a kubelet does not admit again.

_MOVE: Final = "move the pod to another node before the kubelet starts"


def _refusals(facts: Facts, upgrade: KubeletStart) -> Iterator[tuple[str, Problem]]:
    """Yield the pods that a kubelet refuses for their CPUs (``decide.cpus``), or may, with the reason."""
    gates = states.gates_of(facts, upgrade)
    try:
        architecture = facts.cluster.node.architecture if facts.cluster.node else ""
        asked = bool(facts.cluster.pods)
        cpus = managers.cpus_of(facts, upgrade.hazards.states, gates, asked=asked, architecture=architecture)
    except UnstartedError:
        return  # PF-105 and PF-112 say so
    old = upgrade.current and with_gates(upgrade.current, facts.gates)
    for name, found in _refused(facts, cpus, old, with_gates(upgrade.target, facts.gates)):
        then = "is" if found.certain else "may be"
        text = f"{name}: {found.text}: its pod {then} refused ({found.reason})"
        yield found.reason, Problem(Status.ERROR if found.certain else Status.UNKNOWN, name, text, _MOVE)


def _refused(facts: Facts, cpus: Cpus, old: Kubelet | None, new: Kubelet) -> Iterator[tuple[str, Refusal]]:
    """Yield the names of containers that are refused, with why; of pods that are not in the input by UIDs."""
    if facts.cluster.pods is None:
        for uid in sorted(cpus.held.keys() | cpus.memory.held.keys()):
            held = cpus.held.get(uid, {})
            containers = [WithCpus(name, len(own), own) for name, own in sorted(held.items())]
            pinned = [
                WithMemory(name, {one.kind: one.size for one in blocks}, blocks)
                for name, blocks in sorted(cpus.memory.held.get(uid, {}).items())
            ]
            those = refusals(containers, cpus, new, pinned)
            yield from ((f"{shown.uid(uid)}/{one.container}", one) for one in those)
        return
    pods = [(pod, Whole(pod)) for pod in facts.cluster.pods if pod.phase not in FINISHED]
    anew = [taken_anew(whole, pod, cpus, old, new) for pod, whole in pods]
    taken = Counter[str]()
    for (pod, _), own in zip(pods, anew, strict=True):
        taken[turn_of(pod)] += own
    in_turn = turns(taken)
    for (pod, whole), own in zip(pods, anew, strict=True):
        found = without_held(cpus) if moves(pod, old, new) else cpus
        claiming = structs.replace(found, claimed=in_turn.until(pod) - own)
        for one in refused(whole, pod, claiming, old, new):
            yield name_path(pod.namespace, pod.name, one.container), one


WHOLE_CORES: Final = Check(
    "PF-138", lambda facts, upgrade: (one for reason, one in _refusals(facts, upgrade) if reason != TOPOLOGY)
)

TOPOLOGY_REFUSED: Final = Check(
    "PF-139", lambda facts, upgrade: (one for reason, one in _refusals(facts, upgrade) if reason == TOPOLOGY)
)


# PF-108: a memory_manager_state with which the kubelet does not start.

_TOTAL: Final = re.compile(r"MemTotal:\s*([0-9]+) kB")
_PAGES: Final = re.compile(r"HugePages_Total:\s*([0-9]+)")


def _find_memory_state(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    file = upgrade.hazards.states.memory_manager_state
    return states.problems(facts, upgrade, file, lambda state: _memory_objections(facts, state.content))


def _memory_objections(facts: Facts, content: Mapping[str, Any]) -> Iterator[str]:
    policy = managers.memory_policy(facts)
    written = content.get("policyName") or ""
    if policy != written:
        given, recorded = (json.dumps(shown.name(str(value))) for value in (policy, written))
        yield f"the configured policy {given} differs from {recorded} in the file"
    elif policy == managers.STATIC_MEMORY:
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
        elif (pages := _huge_pages(facts, node)) is not None:
            size, has = pages
            name = f"hugepages-{size >> 20}Mi" if size < 1 << 30 else f"hugepages-{size >> 30}Gi"
            if has != (had := (((held or {}).get("memoryMap") or {}).get(name) or {}).get("total", 0)):
                yield f"NUMA node {node} had {had} bytes of {name} and has {has}"
    if machine:
        yield from (
            f"NUMA node {node} is not in the file"
            for node in sorted(managers.numa_nodes(facts) - machine.keys())
        )


def _total(facts: Facts, node: str) -> int | None:
    """Return a NUMA node's memory in bytes; None where there is no such node."""
    if node not in managers.numa_nodes(facts):
        return None
    path = f"{NUMA}/node{node}/meminfo"
    try:
        total = _TOTAL.search(facts.dump.read("file", path))
    except AbsentError:
        return None
    if not total:
        raise UnreadError(f"{path}: no MemTotal")
    return int(total[1]) * 1024


def _huge_pages(facts: Facts, node: str) -> tuple[int, int] | None:
    """Return the size of a NUMA node's huge pages of the default size, and how many bytes they have.

    None where that is not shown; the file has those of other sizes too, of which a dump has nothing.
    """
    found = _PAGES.search(facts.dump.read("file", f"{NUMA}/node{node}/meminfo"))
    size = facts.memory.get("Hugepagesize", 0)
    return (size, int(found[1]) * size) if found and size >= 1 << 20 else None


MEMORY_STATE: Final = Check("PF-108", _find_memory_state)
