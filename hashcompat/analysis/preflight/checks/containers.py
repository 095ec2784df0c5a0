"""Containers and processes that the runtime and the node show differently: PF-000, 001, 003, 124, 313, 413.

What a runtime shows and what runs can differ for months without harm. A kubelet that starts looks at every
container again, and then such a container keeps it from starting, hangs it, or cannot be killed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem, states
from hashcompat.analysis.preflight.facts import Facts, processes, statefiles
from hashcompat.analysis.preflight.facts.processes import Process
from hashcompat.analysis.preflight.facts.runtime import (
    CRI,
    DOCKER,
    HANGS,
    Runtime,
    RuntimeContainer,
    kinds,
    list_problem,
    sandboxes,
    stats_problem,
)
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import count, few
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import CRI_DOCKERD, DOCKERSHIM, AbsentError, UnreadError
from hashcompat.core.release import parse_release

# PF-001: containers that the runtime shows as running and whose process is missing.


def _find_stopped(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    seen: set[str] = set()
    unread: list[str] = []
    for runtime in facts.runtimes:
        for container in runtime.containers:
            if container.id in seen:
                continue
            try:
                yield from _stopped(facts, upgrade, runtime, container)
            except UnreadError as error:
                unread.append(f"{container.path}: {error}")
        seen |= {container.id for container in runtime.containers}
    if unread:
        raise UnreadError("; ".join(unread))


def _stopped(
    facts: Facts, upgrade: KubeletStart, runtime: Runtime, container: RuntimeContainer
) -> Iterator[Problem]:
    if not container.running or container.paused:
        return
    if container.problem:
        raise UnreadError(f"inspect: {container.problem}")
    if container.pid is None:
        raise UnreadError("inspect does not show its process")
    fault = processes.missing(facts.dump, container.pid, container.id)
    if not fault:
        return
    facts.tasks.require_runtime()
    hangs = _hangs(upgrade, runtime)
    shown = f"{runtime.name} shows container {container.id[:12]} as running"
    text = f"{shown}, and its process {container.pid} {fault}"
    restarted = upgrade.restarts(container.uid, container.name) is True
    if restarted:
        how = "hangs" if hangs else "needs repeated attempts"
        text += f"; kubelet {upgrade.target.release} kills it, because its hash changes, and that {how}"
    advice = f"docker stop {container.id}"
    if runtime.kind == CRI:
        advice = f"crictl stop {container.id}; where that fails, restart the runtime"
    elif hangs:
        # docker stop would wait for an exit that dockerd never sees; a restart makes it look.
        advice = f"restart dockerd with live-restore set, then docker rm -f {container.id}"
    yield Problem(Status.ERROR if restarted else Status.WARN, container.path, text, advice)


def _hangs(upgrade: KubeletStart, runtime: Runtime) -> bool:
    """Return whether stopping such a container waits without end; so it may where the version is unknown."""
    try:
        return not parse_range(upgrade.hazards.docker_stop_repairs).holds(parse_release(runtime.version))
    except UsageError:
        return True


STOPPED: Final = Check("PF-001", _find_stopped)


# PF-003: containers for which the runtime does not answer.

_SERVICES: Final = {DOCKER: "dockerd", CRI: "the container runtime"}


def _find_hanging(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    for kind in kinds(facts.dump):
        problem = list_problem(facts.dump, kind)
        if problem.startswith(HANGS):
            text = f"the list of containers: {problem}: the node stays NotReady (container runtime is down)"
            advice = f"find what holds a container's lock in the stacks of {_SERVICES[kind]}, or restart it"
            yield Problem(Status.ERROR, "", text, advice)
    unread: list[str] = []
    for runtime in facts.runtimes:
        for container in runtime.containers:
            problem = container.problem
            if not problem and runtime.kind == CRI and container.running:
                problem = stats_problem(facts.dump, container.id)
            if problem.startswith(HANGS):
                yield _hanging(facts, upgrade, runtime.kind, container)
            elif problem:
                unread.append(f"{container.path}: {problem}")
    if unread:
        raise UnreadError("; ".join(unread))


def _hanging(facts: Facts, upgrade: KubeletStart, kind: str, container: RuntimeContainer) -> Problem:
    inspected = kind == DOCKER and upgrade.hazards.cadvisor_docker == "linked"
    cgroup = facts.tasks.has_cgroup(container.id)
    breaks = inspected and cgroup is not False
    effect = "only its own pod and the pods' life cycle events suffer"
    if breaks:
        unknown = "" if cgroup else "; whether it has a cgroup is unknown"
        effect = f"with kubelet {upgrade.target.release} the node stays NotReady (runtime is down){unknown}"
    text = f"{kind} does not answer for container {container.id[:12]}: {effect}"
    advice = _releasing(facts, kind, container)
    return Problem(Status.ERROR if breaks else Status.WARN, container.path, text, advice)


def _releasing(facts: Facts, kind: str, container: RuntimeContainer) -> str:
    """Return how to release a container: its shim goes on where it is stopped, and is killed otherwise.

    Docker has a shim a container, a CRI runtime one a sandbox.
    """
    holders = facts.tasks.holders(container.id)
    if kind == CRI:
        holders = holders or facts.tasks.holders(container.sandbox)
    if not holders:
        return f"find its shim with ps -ef | grep {container.id}; state T: kill -CONT PID, else kill -9 PID"
    signals = ((holder, "-CONT" if holder.state == "T" else "-9") for holder in holders)
    return ", ".join(f"kill {signal} {holder.pid} ({holder.program})" for holder, signal in signals)


HANGING: Final = Check("PF-003", _find_hanging)


# PF-000: containers whose sandbox the runtime no longer lists.

_GATES: Final = ("CPUManager", "MemoryManager")
"""Either one makes a kubelet build its map of containers, whatever the policy."""

_REMOVE: Final = {
    DOCKER: "drain the node, then docker rm -f {}; never delete checkpoints by hand",
    CRI: "drain the node, then crictl rm -f {}",
}


def _find_orphans(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    seen: set[str] = set()
    for runtime in facts.runtimes:
        listed = sandboxes(facts.dump, runtime.kind)
        for container in runtime.containers:
            if not container.listed or container.sandbox in listed or container.id in seen:
                continue
            sandbox = container.sandbox[:12] or "without an id"
            missing = f"container {container.id[:12]}: its sandbox {sandbox} is missing"
            if runtime.kind == DOCKER and _has_checkpoint(facts, upgrade, container):
                yield Problem(Status.INFO, container.path, f"{missing}, and its checkpoint is left")
                continue
            refused = upgrade.hazards.orphaned_container == "refused" and _is_mapped(facts, upgrade)
            effect = "starts, and never removes it by itself"
            if refused:
                effect = "does not start (no PodsandBox found)"
            text = f"{missing}: kubelet {upgrade.target.release} {effect}"
            advice = _REMOVE[runtime.kind].format(container.id)
            yield Problem(Status.ERROR if refused else Status.WARN, container.path, text, advice)
        seen |= {container.id for container in runtime.containers}


def _has_checkpoint(facts: Facts, upgrade: KubeletStart, container: RuntimeContainer) -> bool:
    """Return whether whoever lists Docker's sandboxes for the new kubelet finds a checkpoint of one."""
    own, cri_dockerd = upgrade.hazards.sandbox_checkpoint, upgrade.hazards.cri_dockerd_checkpoint
    if own is not None and not _is_remote(facts):
        return statefiles.has_checkpoint(facts.dump, DOCKERSHIM, container.sandbox, own)
    return statefiles.has_checkpoint(facts.dump, CRI_DOCKERD, container.sandbox, cri_dockerd)


def _is_remote(facts: Facts) -> bool:
    """Return whether the kubelet is given a runtime other than its own dockershim."""
    try:
        return facts.flags.get("container-runtime", "docker") == "remote"
    except (UnreadError, AbsentError):
        return False


def _is_mapped(facts: Facts, upgrade: KubeletStart) -> bool:
    """Return whether the kubelet builds a map of containers, by its gates as they are set on the node."""
    try:
        gates = states.gates_of(facts, upgrade)
    except (UnreadError, AbsentError):
        gates = upgrade.target.gates
    return any(gates.is_on(gate) for gate in _GATES)


ORPHANS: Final = Check("PF-000", _find_orphans)


# PF-124: shims of containerd without a process.

_COMMAND: Final = "containerd-shim"
"""How the kernel names a shim: it cuts names after 15 characters."""

_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,127}")


def _find_shims(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:  # noqa: ARG001 - every check has it
    rows = processes.listed(facts.dump)
    parents = {row.parent for row in rows}
    shims: dict[str, list[str]] = {}
    unread: dict[str, None] = {}
    for row in rows:
        if not row.name.startswith(_COMMAND):
            continue
        try:
            missing = "" if row.pid not in parents else _missing_release(facts, row.pid)
        except UnreadError as error:
            unread[str(error)] = None
            continue
        if missing or row.pid not in parents:
            shims.setdefault(missing, []).append(row.pid)
    yield from (_shims(facts, pids, missing) for missing, pids in shims.items())
    if unread:
        raise UnreadError("; ".join(unread))


_SHOWN: Final = 3
"""Shims that a finding names; a node may have hundreds."""


def _shims(facts: Facts, pids: Sequence[str], missing: str) -> Problem:
    """Return the problem of shims, all of which were started from a directory that is gone, or of none."""
    several, ids = len(pids) > 1, [_id(facts, pid) for pid in pids[:_SHOWN]]
    names = [f"{pid} for {name[:12]}" if name else pid for pid, name in zip(pids, ids, strict=False)]
    which = f"{'processes' if several else 'process'} {few([*names, *pids[_SHOWN:]], _SHOWN)}"
    of, place = f"{count(len(pids), 'shim')} of containerd", "" if several else pids[0]
    if missing:
        return Problem(
            Status.WARN,
            place,
            f"{of} {'were' if several else 'was'} started from {missing}, which is gone: containerd cannot "
            f"stop {'them' if several else 'it'}, nor take {'their' if several else 'its'} containers over "
            f"when it is restarted: {which}",
            "drain the node before its runtime is restarted",
        )
    pods = f"crictl pods --id {ids[0]}; if there is no such pod: " if ids[0] else ""
    more = "; and so with the others" if several else ""
    verb = "have" if several else "has"
    return Problem(Status.WARN, place, f"{of} {verb} no process left: {which}", f"{pods}kill {pids[0]}{more}")


def _id(facts: Facts, pid: str) -> str:
    """Return the id that a shim was started for; empty where its arguments do not show one.

    It becomes a part of a command, and anybody may call a process a shim.
    """
    try:
        name = processes.option(facts.dump.read("arguments", pid), "id")
    except (AbsentError, UnreadError):
        return ""
    return name if _ID.fullmatch(name) else ""


_RELEASES: Final = re.compile(r"(/var/lib/rancher/(?:rke2|k3s)/data)/([0-9A-Za-z._-]+)/")
"""Where RKE2 and k3s have a directory of programs for each of their releases; old ones are removed."""


def _missing_release(facts: Facts, pid: str) -> str:
    """Return the directory of programs that a shim was started from, where it is gone; empty elsewhere."""
    try:
        match = _RELEASES.match(facts.dump.read("arguments", pid))
    except AbsentError:
        return ""  # it has ended meanwhile
    if match is None:
        return ""
    return "" if match[2] in facts.dump.names(match[1]) else f"{match[1]}/{match[2]}"


SHIMS: Final = Check("PF-124", _find_shims)


# PF-313 and PF-413: processes that nothing can interrupt, and containers that never finished starting.


def _find_sleeping(facts: Facts, _upgrade: KubeletStart) -> Iterator[Problem]:
    for process in facts.processes.lasting():
        if process.state.startswith("D"):
            what = f"process {process.pid} ({process.name}) is in state D: no signal reaches it"
            advice = f"look at /proc/{process.pid}/stack and at the disk or mount that it waits for"
            yield _lasting(facts, process, what, advice)


def _find_starting(facts: Facts, _upgrade: KubeletStart) -> Iterator[Problem]:
    for process in facts.processes.lasting():
        if process.name.startswith("runc:["):
            what = f"process {process.pid} ({process.name}) is runc init: its container does not start"
            advice = f"find its container in /proc/{process.pid}/cgroup; kill -9 {process.pid}"
            yield _lasting(facts, process, what, advice)


def _lasting(facts: Facts, process: Process, what: str, advice: str) -> Problem:
    """Warn of what lasts; what was seen once may be over."""
    status = Status.WARN if facts.processes.watched else Status.INFO
    once = "" if facts.processes.watched else " (seen once)"
    return Problem(status, process.pid, what + once, advice)


SLEEPING: Final = Check("PF-313", _find_sleeping)

STARTING: Final = Check("PF-413", _find_starting)
