"""PF-003: containers for which the runtime does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, runtime
from hashcompat.preflight.facts.runtime import Container
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_SERVICES: Final = {runtime.DOCKER: "dockerd", runtime.CRI: "the container runtime"}


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    for kind in runtime.kinds(facts.dump):
        problem = runtime.list_problem(facts.dump, kind)
        if problem.startswith(runtime.HANGS):
            yield _whole_node(kind, problem)
    unread: list[str] = []
    for found in facts.runtimes:
        for container in found.containers:
            problem = _hang(facts, found.kind, container)
            if problem.startswith(runtime.HANGS):
                yield _problem(facts, upgrade, found.kind, container)
            elif problem:
                unread.append(f"{container.path}: {problem}")
    if unread:
        raise UnreadError("; ".join(unread))


def _whole_node(kind: str, problem: str) -> Problem:
    return Problem(
        Status.ERROR,
        "",
        f"the list of containers: {problem}: the node stays NotReady (container runtime is down)",
        f"find what holds a container's lock in the stacks of {_SERVICES[kind]}, or restart it",
    )


def _hang(facts: Facts, kind: str, container: Container) -> str:
    """Return the problem of the request that a container in such a state does not answer."""
    in_cri = kind == runtime.CRI and container.running
    return container.problem or (runtime.stats_problem(facts.dump, container.id) if in_cri else "")


def _problem(facts: Facts, upgrade: Upgrade, kind: str, container: Container) -> Problem:
    inspected = kind == runtime.DOCKER and upgrade.hazards.cadvisor_docker == "linked"
    cgroup = facts.tasks.has_cgroup(container.id)
    breaks = inspected and cgroup is not False
    effect = "only its own pod and the pods' life cycle events suffer"
    if breaks:
        unknown = "" if cgroup else "; whether it has a cgroup is unknown"
        effect = f"with kubelet {upgrade.target.release} the node stays NotReady (runtime is down){unknown}"
    return Problem(
        Status.ERROR if breaks else Status.WARN,
        container.path,
        f"{kind} does not answer for container {container.id[:12]}: {effect}",
        _advice(facts, kind, container),
    )


def _advice(facts: Facts, kind: str, container: Container) -> str:
    """Return how to release a container: its shim goes on where it is stopped, and is killed otherwise.

    Docker has a shim a container, a CRI runtime one a sandbox.
    """
    found = facts.tasks.holders(container.id)
    if kind == runtime.CRI:
        found = found or facts.tasks.holders(container.sandbox)
    if not found:
        return f"find its shim with ps -ef | grep {container.id}; state T: kill -CONT PID, else kill -9 PID"
    signals = ((holder, "-CONT" if holder.state == "T" else "-9") for holder in found)
    return ", ".join(f"kill {signal} {holder.pid} ({holder.program})" for holder, signal in signals)


HANGING: Final = Check(
    Rule(
        "PF-003",
        "containers that hang the runtime",
        "The runtime does not answer for a container. The Docker part of cAdvisor in kubelets up to 1.23"
        " waits for that without end, and the node stays NotReady.",
        "cadvisor container/docker/factory.go CanHandleAndAccept; kubernetes/kubernetes#94829",
    ),
    (
        "what the runtime answers for each container, within 10 s",
        "whether the container has a cgroup",
        "the processes of its shim",
    ),
    _find,
)
