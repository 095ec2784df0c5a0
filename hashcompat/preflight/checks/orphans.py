"""PF-000: containers whose sandbox the runtime no longer lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks import states
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, checkpoints, runtime
from hashcompat.preflight.facts.runtime import Container, Runtime
from hashcompat.records.probes import AbsentError, UnreadError
from hashcompat.rules import Rule

_GATES: Final = ("CPUManager", "MemoryManager")
"""Either one makes a kubelet build its map of containers, whatever the policy."""

_REMOVE: Final = {
    runtime.DOCKER: "drain the node, then docker rm -f {}; never delete checkpoints by hand",
    runtime.CRI: "drain the node, then crictl rm -f {}",
}


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    seen: set[str] = set()
    for found in facts.runtimes:
        listed = runtime.sandboxes(facts.dump, found.kind)
        for container in found.containers:
            orphan = container.listed and container.sandbox not in listed
            if orphan and container.id not in seen:
                yield _problem(facts, upgrade, found, container)
        seen |= {container.id for container in found.containers}


def _problem(facts: Facts, upgrade: Upgrade, found: Runtime, container: Container) -> Problem:
    missing = (
        f"container {container.id[:12]}: its sandbox {container.sandbox[:12] or 'without an id'} is missing"
    )
    if found.kind == runtime.DOCKER and _has_checkpoint(facts, upgrade, container):
        return Problem(Status.INFO, container.path, f"{missing}, and its checkpoint is left")
    refused = upgrade.hazards.orphaned_container == "refused" and _is_mapped(facts, upgrade)
    return Problem(
        Status.ERROR if refused else Status.WARN,
        container.path,
        f"{missing}: {_effect(upgrade, refused=refused)}",
        _REMOVE[found.kind].format(container.id),
    )


def _effect(upgrade: Upgrade, *, refused: bool) -> str:
    what = "does not start (no PodsandBox found)" if refused else "starts, and never removes it by itself"
    return f"kubelet {upgrade.target.release} {what}"


def _has_checkpoint(facts: Facts, upgrade: Upgrade, container: Container) -> bool:
    """Return whether whoever lists Docker's sandboxes for the new kubelet finds a checkpoint of one."""
    own, other = upgrade.hazards.sandbox_checkpoint, upgrade.hazards.cri_dockerd_checkpoint
    if own is not None and not _is_remote(facts):
        return checkpoints.valid(facts.dump, checkpoints.DOCKERSHIM, container.sandbox, own)
    return checkpoints.valid(facts.dump, checkpoints.CRI_DOCKERD, container.sandbox, other)


def _is_remote(facts: Facts) -> bool:
    """Return whether the kubelet is given a runtime other than its own dockershim."""
    try:
        return facts.flags.get("container-runtime", "docker") == "remote"
    except (UnreadError, AbsentError):
        return False


def _is_mapped(facts: Facts, upgrade: Upgrade) -> bool:
    """Return whether the kubelet builds a map of containers, by its gates as they are set on the node."""
    try:
        gates = states.gates_of(facts, upgrade)
    except (UnreadError, AbsentError):
        gates = upgrade.target.gates
    return any(gates.is_on(gate) for gate in _GATES)


ORPHANS: Final = Check(
    Rule(
        "PF-000",
        "orphaned containers",
        "A container's sandbox is missing, and no valid checkpoint of it is left; kubelets 1.18.0 to 1.23.13"
        " do not start with one.",
        "pkg/kubelet/cm/container_manager_linux.go buildContainerMapFromRuntime; kubernetes/kubernetes#98218,"
        " #107115, fixed by #108325 and #113354",
    ),
    (
        "the containers and sandboxes of the runtime",
        "/var/lib/dockershim/sandbox and /var/lib/cri-dockerd/sandbox",
        "the kubelet's flags and configuration",
    ),
    _find,
)
