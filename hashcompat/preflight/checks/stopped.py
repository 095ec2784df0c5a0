"""PF-001: containers that the runtime shows as running and whose process is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.catalog.releases import parse_range
from hashcompat.errors import UsageError
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, runtime, tasks
from hashcompat.preflight.facts.runtime import Container, Runtime
from hashcompat.records.probes import UnreadError
from hashcompat.release import parse_release
from hashcompat.rules import Rule

_NEWER: Final = "docker stop {}"

_OLDER: Final = "restart dockerd with live-restore set, then docker rm -f {}"

_ADVICE_CRI: Final = "crictl stop {}; where that fails, restart the runtime"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    seen: set[str] = set()
    unread: list[str] = []
    for found in facts.runtimes:
        for container in found.containers:
            if container.id in seen:
                continue
            try:
                yield from _problems(facts, upgrade, found, container)
            except UnreadError as error:
                unread.append(f"{container.path}: {error}")
        seen |= {container.id for container in found.containers}
    if unread:
        raise UnreadError("; ".join(unread))


def _problems(facts: Facts, upgrade: Upgrade, found: Runtime, container: Container) -> Iterator[Problem]:
    if not container.running or container.paused:
        return
    if container.problem:
        raise UnreadError(f"inspect: {container.problem}")
    if container.pid is None:
        raise UnreadError("inspect does not show its process")
    fault = tasks.missing(facts.dump, container.pid, container.id)
    if not fault:
        return
    facts.tasks.require_runtime()
    restarted = upgrade.restarts(container.uid, container.name) is True
    yield Problem(
        Status.ERROR if restarted else Status.WARN,
        container.path,
        f"{found.name} shows container {container.id[:12]} as running, and its process {container.pid}"
        f" {fault}{_effect(upgrade, found, restarted=restarted)}",
        _advice(upgrade, found).format(container.id),
    )


def _effect(upgrade: Upgrade, found: Runtime, *, restarted: bool) -> str:
    if not restarted:
        return ""
    how = "hangs" if _hangs(upgrade, found) else "needs repeated attempts"
    return f"; kubelet {upgrade.target.release} kills it, because its hash changes, and that {how}"


def _hangs(upgrade: Upgrade, found: Runtime) -> bool:
    """Return whether stopping such a container waits without end; so it may where the version is unknown."""
    try:
        return not parse_range(upgrade.hazards.docker_stop_repairs).holds(parse_release(found.version))
    except UsageError:
        return True


def _advice(upgrade: Upgrade, found: Runtime) -> str:
    if found.kind == runtime.CRI:
        return _ADVICE_CRI
    return _OLDER if _hangs(upgrade, found) else _NEWER


STOPPED: Final = Check(
    Rule(
        "PF-001",
        "containers without a process",
        "The runtime shows a container as running, and its process is missing. Killing it may hang, so it"
        " breaks an upgrade that restarts the container.",
        "docker/for-linux#779, moby/moby#38934, #41227, #41303",
    ),
    (
        "the state of every container",
        "its process and the process's cgroup, read twice where it looks missing",
    ),
    _find,
)
