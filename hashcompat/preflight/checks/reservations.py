"""PF-325: a node with less memory than is reserved on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, space
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_SIGNAL: Final = "memory.available"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.hazards.reservations == "ignored":
        return
    capacity = facts.memory.get("MemTotal")
    if capacity is None:
        raise UnreadError(f"{space.MEMINFO}: no line MemTotal")
    merged = facts.is_set("", "mergeDefaultEvictionSettings", default=False)
    limits = space.thresholds(
        facts.setting("eviction-hard", "evictionHard"), upgrade.hazards.eviction_hard, merged=merged
    )
    reserved = space.least(limits.get(_SIGNAL, "0"), capacity)
    for flag, key in (("kube-reserved", "kubeReserved"), ("system-reserved", "systemReserved")):
        reserved += space.reserved(facts.setting(flag, key), "memory")
    if reserved > capacity:
        yield Problem(
            Status.ERROR,
            "memory",
            f"{int(reserved)} bytes of memory are reserved, and the node has {capacity}: "
            f"kubelet {upgrade.target.release} does not start",
            "reserve less with kubeReserved, systemReserved and evictionHard",
        )


RESERVATIONS: Final = Check(
    Rule(
        "PF-325",
        "more reserved than there is",
        "kubeReserved, systemReserved and evictionHard together reserve more memory than the node has, and "
        "the kubelet to be started does not start.",
        "pkg/kubelet/cm/node_container_manager_linux.go validateNodeAllocatable",
    ),
    ("/proc/meminfo", "the kubelet's flags and configuration file"),
    _find,
)
