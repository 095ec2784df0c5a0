"""The kubelet's state files, and what is in those of its managers: PF-105 to 108, 112, 118, 138 and 139.

A file is judged as the kubelet to be started reads it, by its release and feature gates; the reasons for
which it does not are the same for all files, and what follows differs (``refusal``). Those of the CPU and
memory managers are compared with the node too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from shlex import quote
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem
from hashcompat.analysis.preflight.facts import Facts, host, managers, nodemanagers, runtime
from hashcompat.analysis.preflight.facts.kubelet import reserved_memory
from hashcompat.analysis.preflight.facts.managers import UnstartedError
from hashcompat.analysis.preflight.facts.statefiles import CheckedStateFile, Condition, is_read
from hashcompat.core import shown
from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.hazards import StateFile
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

# What several checks say about the kubelet's state files.

_WORDS: Final = {Condition.EMPTY: "it is empty", Condition.NO_JSON: "it holds no JSON object"}


def gates_of(facts: Facts, upgrade: KubeletStart) -> Gates:
    """Return the feature gates of the kubelet that will be started, as this node sets them."""
    return upgrade.target.gates.with_settings(facts.gates)


def was_on(facts: Facts, upgrade: KubeletStart, gate: str) -> bool | None:
    """Return whether the current kubelet has a gate on, as this node sets it; None for an unknown one."""
    current = upgrade.current
    return None if current is None else current.gates.with_settings(facts.gates).is_on(gate)


def _state_file(facts: Facts, upgrade: KubeletStart, file: StateFile) -> CheckedStateFile | None:
    """Return what the target finds in a state file; None where there is none, or where it reads none.

    None too where the file does not hold JSON, which PF-112 reports.
    """
    try:
        state = _read(facts, upgrade, file)
    except AbsentError:
        return None
    return None if state is None or state.condition in _WORDS else state


def _read(facts: Facts, upgrade: KubeletStart, file: StateFile) -> CheckedStateFile | None:
    """Return a state file as the target finds it; None where it reads none. Raises AbsentError."""
    if not file.forms:
        return None
    gates = gates_of(facts, upgrade)
    return facts.state(file, gates) if is_read(file, gates) else None


def _problems(
    facts: Facts,
    upgrade: KubeletStart,
    file: StateFile,
    objections: Callable[[CheckedStateFile], Iterable[str]] = lambda _: (),
) -> Iterator[Problem]:
    """Yield the problems of a state file: the target does not read it, or objects to what is in it.

    ``objections`` are those of one check to a file that the target reads.
    """
    state = _state_file(facts, upgrade, file)
    if state is None:
        return
    yield from _unread(facts, upgrade, file, state)
    if state.condition == Condition.GOOD:
        for what in objections(state):
            yield _problem(facts, upgrade, file, what)


def _unread(
    facts: Facts, upgrade: KubeletStart, file: StateFile, state: CheckedStateFile
) -> Iterator[Problem]:
    if state.condition == Condition.GOOD:
        return
    what = "its checksum does not hold"
    if state.form is not None:
        what = f"a kubelet of {state.form.by} wrote it, in a form that this one does not read"
    yield _problem(facts, upgrade, file, what)


def _problem(facts: Facts, upgrade: KubeletStart, file: StateFile, what: str) -> Problem:
    """Return the problem of a file that the target refuses, with what follows from it."""
    path = facts.path(file)
    status = Status.ERROR if file.refusal == "stops" else Status.WARN
    return Problem(
        status,
        path,
        f"{what}: kubelet {upgrade.target.release} {_EFFECTS[file.refusal]}",
        f"kubectl drain {quote(facts.node)} --ignore-daemonsets --delete-emptydir-data; "
        f"stop the kubelet; rm {quote(path)}",
    )


_EFFECTS = {
    "stops": "does not start with it",
    "warns": "starts without what it holds",
    "resets": "starts an empty one",
}
"""What a kubelet does about a file that it cannot read."""


# PF-106: a pod_status_manager_state with which the kubelet does not start.

POD_STATE: Final = Check(
    "PF-106", lambda facts, upgrade: _problems(facts, upgrade, upgrade.hazards.states.pod_status_state)
)


# PF-107: a dra_manager_state with which the kubelet does not start.

DRA_STATE: Final = Check(
    "PF-107", lambda facts, upgrade: _problems(facts, upgrade, upgrade.hazards.states.dra_manager_state)
)


# PF-112: damaged state files.

_VERIFIED_HERE: Final = frozenset({"allocated_pods_state", "actuated_pods_state", "device_plugins_state"})
"""The files whose checksum no other check looks at."""

_LEFT_OUT: Final = '"AllocResp":""'
"""How the collector writes what device plugins answered, which may hold secrets of environments."""


def _find_damaged(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    for name in upgrade.hazards.states.__struct_fields__:
        file: StateFile = getattr(upgrade.hazards.states, name)
        try:
            yield from _of_file(facts, upgrade, file, verified=name in _VERIFIED_HERE)
        except AbsentError:
            continue
        except UnreadError as error:
            yield Problem(Status.UNKNOWN, file.path, str(error))


def _of_file(facts: Facts, upgrade: KubeletStart, file: StateFile, *, verified: bool) -> Iterator[Problem]:
    state = _read(facts, upgrade, file)
    if state is None:
        return
    if state.condition in _WORDS and not (state.condition == Condition.EMPTY and file.empty):
        yield _problem(facts, upgrade, file, _WORDS[state.condition])
    elif (
        verified
        and state.condition == Condition.CORRUPT
        and _LEFT_OUT in "".join(facts.dump.read("file", facts.path(file)).split())
    ):
        text = "its checksum is not verified: a dump leaves out what device plugins answered"
        yield Problem(Status.INFO, facts.path(file), text, "run preflight on the node itself")
    elif verified and state.condition not in _WORDS:
        yield from _unread(facts, upgrade, file, state)


DAMAGED: Final = Check("PF-112", _find_damaged)


# PF-118: state files of a newer kubelet, which the one to be started neither reads nor removes.


def _find_left_behind(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    states = upgrade.hazards.states
    for file in (states.allocated_pods_state, states.actuated_pods_state):
        if file.forms:
            continue
        path = facts.path(file)
        try:
            facts.dump.read("file", path)
        except AbsentError:
            continue
        yield Problem(
            Status.WARN,
            path,
            f"a newer kubelet wrote it; {upgrade.target.release} neither reads nor removes it, takes the "
            "resources of pods from their specs, and the next newer kubelet believes this file again",
            f"once kubelet {upgrade.target.release} runs: rm {path}",
        )


LEFT_BEHIND: Final = Check("PF-118", _find_left_behind)


# PF-105: a cpu_manager_state with which the kubelet does not start.


def _find_cpu_state(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    file = upgrade.hazards.states.cpu_manager_state
    compares = upgrade.hazards.cpus_have_to_match

    def objections(state: CheckedStateFile) -> Iterator[str]:
        yield from _missing_containers(facts, upgrade, state)
        yield from nodemanagers.objections(facts, state.content, compares=compares)

    yield from _problems(facts, upgrade, file, objections)
    if _state_file(facts, upgrade, file) is None and managers.policy(facts) == managers.STATIC:
        # More CPUs may be reserved than there are (policy_static.go NewStaticPolicy, 1.10.13 - 1.37.2). A
        # file says so itself, for it cannot leave that many to others; CPUs by their numbers are for PF-126.
        try:
            (listed, number), online = managers.reserved_cpus(facts), host.online_cpus(facts.dump)
        except (DecodeError, AbsentError, UnreadError):
            return
        if listed is None and number > len(online):
            what = f"{number} CPUs are reserved, and the node has {len(online)}"
            text = f"{what}: kubelet {upgrade.target.release} does not start with the policy static"
            advice = "reserve fewer CPUs: kubeReserved, systemReserved"
            yield Problem(Status.ERROR, "", text, advice)


def _missing_containers(facts: Facts, upgrade: KubeletStart, state: CheckedStateFile) -> Iterator[str]:
    """Yield the entries by container id whose container no longer exists, where the target looks it up."""
    entries = state.content.get("entries") or {}
    if state.form is None or not state.form.by_id or not entries or not upgrade.hazards.cpu_entries_migrate:
        return
    ids = runtime.container_ids(facts.dump)
    for name in sorted(entries):
        if name not in ids:
            yield f"it names container {name[:12]}, which no longer exists"


CPU_STATE: Final = Check("PF-105", _find_cpu_state)


# PF-138 and PF-139: running containers with CPUs of their own that a kubelet does not admit again.


def _refusals(facts: Facts, upgrade: KubeletStart) -> Iterator[tuple[str, Problem]]:
    """Yield the pods that a kubelet refuses for their CPUs (``decide.cpus``), or may, with the reason."""
    gates = gates_of(facts, upgrade)
    try:
        architecture = facts.cluster.node.architecture if facts.cluster.node else ""
        asked = bool(facts.cluster.pods)
        cpus = managers.cpus_of(facts, upgrade.hazards.states, gates, asked=asked, architecture=architecture)
    except UnstartedError:
        return  # PF-105 and PF-112 say so
    old = upgrade.current and with_gates(upgrade.current, facts.gates)
    move = "move the pod to another node before the kubelet starts"
    for name, refusal in _refused(facts, cpus, old, with_gates(upgrade.target, facts.gates)):
        then = "is" if refusal.certain else "may be"
        text = f"{name}: {refusal.text}: its pod {then} refused ({refusal.reason})"
        yield refusal.reason, Problem(Status.ERROR if refusal.certain else Status.UNKNOWN, name, text, move)


def _refused(facts: Facts, cpus: Cpus, old: Kubelet | None, new: Kubelet) -> Iterator[tuple[str, Refusal]]:
    """Yield the names of containers that are refused, with why; of pods that are not in the input by UIDs."""
    if facts.cluster.pods is None:
        for uid in sorted(cpus.held.keys() | cpus.memory.held.keys()):
            held = cpus.held.get(uid, {})
            containers = [WithCpus(name, len(own), own) for name, own in sorted(held.items())]
            pinned = [
                WithMemory(name, {block.kind: block.size for block in blocks}, blocks)
                for name, blocks in sorted(cpus.memory.held.get(uid, {}).items())
            ]
            pod_refusals = refusals(containers, cpus, new, pinned)
            yield from ((f"{shown.uid(uid)}/{refusal.container}", refusal) for refusal in pod_refusals)
        return
    pods = [(pod, Whole(pod)) for pod in facts.cluster.pods if pod.phase not in FINISHED]
    anew = [taken_anew(whole, pod, cpus, old, new) for pod, whole in pods]
    taken = Counter[str]()
    for (pod, _), own in zip(pods, anew, strict=True):
        taken[turn_of(pod)] += own
    in_turn = turns(taken)
    for (pod, whole), own in zip(pods, anew, strict=True):
        base = without_held(cpus) if moves(pod, old, new) else cpus
        claiming = structs.replace(base, claimed=in_turn.until(pod) - own)
        for refusal in refused(whole, pod, claiming, old, new):
            yield name_path(pod.namespace, pod.name, refusal.container), refusal


WHOLE_CORES: Final = Check(
    "PF-138",
    lambda facts, upgrade: (problem for reason, problem in _refusals(facts, upgrade) if reason != TOPOLOGY),
)

TOPOLOGY_REFUSED: Final = Check(
    "PF-139",
    lambda facts, upgrade: (problem for reason, problem in _refusals(facts, upgrade) if reason == TOPOLOGY),
)


# PF-108: a memory_manager_state with which the kubelet does not start.

_TOTAL: Final = re.compile(r"MemTotal:\s*([0-9]+) kB")
_PAGES: Final = re.compile(r"HugePages_Total:\s*([0-9]+)")


def _find_memory_state(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    def objections(state: CheckedStateFile) -> Iterator[str]:
        policy = managers.memory_policy(facts)
        written = state.content.get("policyName") or ""
        if policy != written:
            configured, recorded = (json.dumps(shown.name(str(value))) for value in (policy, written))
            yield f"the configured policy {configured} differs from {recorded} in the file"
        elif policy == managers.STATIC_MEMORY:
            yield from _other_memory(facts, state.content.get("machineState") or {})

    return _problems(facts, upgrade, upgrade.hazards.states.memory_manager_state, objections)


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
    match = _PAGES.search(facts.dump.read("file", f"{NUMA}/node{node}/meminfo"))
    size = facts.memory.get("Hugepagesize", 0)
    return (size, int(match[1]) * size) if match and size >= 1 << 20 else None


MEMORY_STATE: Final = Check("PF-108", _find_memory_state)
