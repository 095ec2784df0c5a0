"""The forms of the rows of values that hold a setting against the host: PF-126."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from hashcompat.analysis.preflight.checks.formats import is_enough_nodes
from hashcompat.analysis.preflight.checks.given import Given, Refusal, is_same
from hashcompat.analysis.preflight.facts import host
from hashcompat.analysis.preflight.facts.settings import Setting
from hashcompat.core.catalog.kubeletsettings import MostNodes
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.metav1 import parse_cpus, show_cpus
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError

Fact = TypeVar("Fact")


class UnknownError(Exception):
    """What the host is decides, and is not known."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.why)
        self.refusal = refusal
        """What is said of the setting then."""


def _read(read: Callable[[Dump], Fact], given: Given, why: str, value: str = "") -> Fact:
    """Return a fact of the host; raises UnknownError, which says ``why``, where it was not read."""
    try:
        return read(given.dump)
    except (AbsentError, UnreadError) as error:
        raise UnknownError(Refusal(f"{why}: {error}", value=value, status=Status.UNKNOWN)) from None


def _numa_nodes(dump: Dump) -> frozenset[int] | None:
    """Return the numbers of the host's NUMA nodes; None where the kernel knows none. Raises UnreadError."""
    try:
        return host.numa_nodes(dump)
    except AbsentError:
        return None


def not_on_cgroup_v1(given: Given, values: tuple[object, ...], setting: Setting) -> Iterator[Refusal]:
    """Yield a value that needs cgroup v2, on a host without it."""
    if not any(is_same(setting.value, each) for each in values):
        return
    value = given.shown(setting.value)
    unknown = "it needs cgroup v2, and whether the host has that is not known"
    if _read(host.cgroups, given, unknown, value) != host.CGROUP_V2:
        yield Refusal("it needs cgroup v2, and the host has cgroup v1", "", value)


def cpus_exist(given: Given, which: str, setting: Setting) -> Iterator[Refusal]:
    """Yield the CPUs of a set that the host does not have."""
    try:
        wanted = parse_cpus(str(setting.value))
    except DecodeError:
        return  # another form says so
    online = _read(host.online_cpus, given, "which CPUs the host has is not known")
    missing = wanted - (online if which == "online" else frozenset(range(len(online))))
    if missing:
        yield Refusal(f"the host has the CPUs {show_cpus(online)}, and not {show_cpus(missing)}")


def nodes_exist(given: Given, _exist: bool, setting: Setting) -> Iterator[Refusal]:
    """Yield the NUMA nodes of reservedMemory that the host does not have."""
    rows = setting.value if isinstance(setting.value, list) else []
    named = (row.get("numaNode") or 0 for row in rows if isinstance(row, Mapping))
    wanted = {node for node in named if isinstance(node, int)}
    found = _read(_numa_nodes, given, "which NUMA nodes the host has is not known")
    for node in sorted(wanted - found) if found is not None else ():
        yield Refusal(f"the host has no NUMA node {node}")


def most_nodes(given: Given, limit: MostNodes, setting: Setting) -> Iterator[Refusal]:
    """Yield that the host has more NUMA nodes than the topology manager takes."""
    options = given.settings.find("topologyManagerPolicyOptions", "topology-manager-policy-options")
    option = options.value.get(limit.option) if options and isinstance(options.value, Mapping) else None
    most = int(option) if isinstance(option, str) and is_enough_nodes(option) else limit.most
    value = given.shown(setting.value)
    found = _read(_numa_nodes, given, f"it has to have at most {most} NUMA nodes", value)
    if found is not None and len(found) > most:
        number = len(found)
        advice = f"set {limit.option} of topologyManagerPolicyOptions to {number}" if limit.option else ""
        why = f"the host has {number} NUMA nodes, and it has to have at most {most}"
        yield Refusal(why, advice, value)
