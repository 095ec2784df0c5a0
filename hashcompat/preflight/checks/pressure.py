"""PF-125: a kubelet that starts under pressure evicts pods at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hashcompat import shown
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import OF_BOTH, Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver, space
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_PRESSURES: Final = ("MemoryPressure", "DiskPressure", "PIDPressure")

_ADVICE: Final = "free some space first: crictl rmi --prune, old logs, or fewer pods"

Space = tuple[int, int]
"""What is available, and of how much."""


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if facts.cluster.node is not None or not facts.on_node:
        yield from _by_conditions(facts)
    if facts.on_node:
        yield from _by_thresholds(facts, upgrade)


def _by_conditions(facts: Facts) -> Iterator[Problem]:
    conditions = facts.node_object.conditions
    if conditions is None:
        raise UnreadError(f"the conditions of {facts.node} are not in the input")
    for name in _PRESSURES:
        if conditions.get(name) == "True":
            yield Problem(Status.ERROR, name, f"the node has {name}: pods are evicted", _ADVICE)
    if conditions.get("Ready", "Unknown") != "True":
        text = "the node is not Ready, and what is wrong with it is not the upgrade's doing"
        yield Problem(Status.WARN, "Ready", text, "find out why before its kubelet is restarted")


def _by_thresholds(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    merged = facts.is_set("", "mergeDefaultEvictionSettings", default=False)
    given = facts.setting("eviction-hard", "evictionHard")
    limits = space.thresholds(given, upgrade.hazards.eviction_hard, merged=merged)
    spaces = _spaces(facts)
    for signal in (each for each in spaces if each in limits):
        limit, (available, whole) = limits[signal], spaces[signal]
        if whole and available < space.least(limit, whole):
            text = f"{signal} is {available}, below the {shown.name(limit)} at which the kubelet evicts"
            yield Problem(Status.ERROR, signal, text, _ADVICE)


def _spaces(facts: Facts) -> Mapping[str, Space]:
    """Return what is available by the signals of eviction; MemAvailable is near the kubelet's own count."""
    info = facts.docker_info if facts.drives_docker else facts.cri_info
    node = facts.usage(facts.root)
    images = facts.usage(driver.image_directory(facts.runtime, info))
    return {
        "memory.available": (facts.memory.get("MemAvailable", 0), facts.memory.get("MemTotal", 0)),
        "nodefs.available": (node.available, node.size),
        "nodefs.inodesFree": (node.free, node.inodes),
        "imagefs.available": (images.available, images.size),
        "imagefs.inodesFree": (images.free, images.inodes),
    }


PRESSURE: Final = Check(
    Rule(
        "PF-125",
        "node under pressure",
        "Memory, disk space or inodes are below the thresholds of eviction: a kubelet that starts evicts "
        "pods at once.",
        "pkg/kubelet/eviction/eviction_manager.go synchronize; pkg/kubelet/eviction/defaults_linux.go",
    ),
    ("the Node object's conditions", "df of the kubelet's and the runtime's directories", "/proc/meminfo"),
    _find,
    OF_BOTH,
)
