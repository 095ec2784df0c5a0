"""Room on a node: memory and disk space, and what it can give to pods.

What is full, makes a kubelet evict, or is reserved: PF-125, 212, 225 and 325. What new containers have less
of: PF-148, 150 and 151. What no longer has room: PF-130 and PF-131.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.checks import OF_BOTH, OF_PLAN, Check, KubeletStart, Need, Problem
from hashcompat.analysis.preflight.checks.pods import of_reasons
from hashcompat.analysis.preflight.checks.states import gates_of, was_on
from hashcompat.analysis.preflight.facts import Facts, host, runtime
from hashcompat.analysis.preflight.facts.host import least
from hashcompat.analysis.preflight.facts.kubelet import pairs
from hashcompat.core import rules, shown
from hashcompat.core.catalog.hazards import Hazards
from hashcompat.core.errors import DecodeError
from hashcompat.core.go import metav1
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.room.admitting import outcomes
from hashcompat.core.kubelet.decide.room.requests import NATIVE, asking
from hashcompat.core.kubelet.decide.room.tenants import NodeResources, node_resources, takes_room, tenant_of
from hashcompat.core.model.escape import count, name_path
from hashcompat.core.model.pods import Node
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import MEMINFO, AbsentError, UnreadError

# PF-212: a file system with nothing left.


def _find_full(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    facts.dump.read("filesystem", facts.root)
    mount_points, release = _mounted_for_pods(facts), upgrade.target.release
    for probe in facts.dump.of_kind("filesystem"):
        own = probe.name == facts.root
        if probe.name in mount_points and not own:
            continue
        try:
            usage = host.usage(probe.read())
        except AbsentError:
            continue
        except UnreadError as error:
            yield Problem(Status.UNKNOWN, probe.name, str(error))
            continue
        rows = ("block", "-Pk", usage.size, usage.used), ("inode", "-Pi", usage.inodes, usage.inodes_used)
        then = "write its state" if own else "start containers there"
        for what, option, size, used in rows:
            if size and size <= used:
                text = (
                    f"no {what} is left on the file system of {probe.name}: kubelet {release} cannot {then}"
                )
                advice = f"remove what is not needed there: df {option} {probe.name}"
                yield Problem(Status.ERROR if own else Status.WARN, probe.name, text, advice)


def _mounted_for_pods(facts: Facts) -> frozenset[str]:
    """Return where file systems of pods are mounted: the kubelet and the runtime keep nothing there."""
    try:
        return frozenset(mount.path for mount in facts.mounts if mount.is_remote or mount.is_fuse)
    except (UnreadError, AbsentError):
        return frozenset()


DISK_FULL: Final = Check("PF-212", _find_full)


# PF-125: a kubelet that starts under pressure evicts pods at once.

_PRESSURES: Final = ("MemoryPressure", "DiskPressure", "PIDPressure")
_FREE: Final = "free some space first: crictl rmi --prune, old logs, or fewer pods"

_MEMORY: Final = "memory.available"

_WITHOUT_HUGE_PAGES: Final = "HugepageAwareEviction"
"""The feature gate (on from 1.37) with which memory that is kept for huge pages is not available."""

Space = tuple[int, int]
"""What is available, and of how much."""


def _find_pressure(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if facts.cluster.node is not None or not facts.on_node:
        conditions = facts.node_object.conditions
        if conditions is None:
            raise UnreadError(f"the conditions of {facts.called} are not in the input")
        for name in _PRESSURES:
            if conditions.get(name) == "True":
                yield Problem(Status.ERROR, name, f"the node has {name}: pods are evicted", _FREE)
        if conditions.get("Ready", "Unknown") != "True":
            text = "the node is not Ready, and what is wrong with it is not the upgrade's doing"
            yield Problem(Status.WARN, "Ready", text, "find out why before its kubelet is restarted")
    if facts.on_node:
        limits, spaces = _evicting(facts, upgrade), _spaces(facts, upgrade)
        for signal in (key for key in spaces if key in limits):
            limit, (available, whole) = limits[signal], spaces[signal]
            if whole and available < host.least(limit, whole):
                text = f"{signal} is {available}, below the {shown.name(limit)} at which the kubelet evicts"
                if signal == _MEMORY and _begins_without_huge_pages(facts, upgrade):
                    text += f"; it no longer counts the huge pages, {facts.huge_pages} more"
                yield Problem(Status.ERROR, signal, text, _FREE)


def _begins_without_huge_pages(facts: Facts, upgrade: KubeletStart) -> bool:
    """Return whether the next kubelet does not count huge pages as available, as the current one does."""
    counted = was_on(facts, upgrade, _WITHOUT_HUGE_PAGES) is False
    return bool(facts.huge_pages) and counted and gates_of(facts, upgrade).is_on(_WITHOUT_HUGE_PAGES)


def _evicting(facts: Facts, upgrade: KubeletStart) -> Mapping[str, str]:
    return host.thresholds(
        facts.setting("eviction-hard", "evictionHard"),
        upgrade.hazards.eviction_hard,
        merged=facts.is_set("", "mergeDefaultEvictionSettings", default=False),
    )


def _spaces(facts: Facts, upgrade: KubeletStart) -> Mapping[str, Space]:
    """Return what is available by the signals of eviction; MemAvailable is near the kubelet's own count.

    Kubelets take from the whole memory what processes and files use, so that huge pages count as available,
    whether they are in use or not, until the gate: pkg/kubelet/server/stats/summary.go
    ``adjustForHugePages``, 1.37.2.
    """
    info = facts.docker_info if facts.drives_docker else facts.cri_info
    node = facts.usage(facts.root)
    images = facts.usage(runtime.image_directory(facts.runtime, info))
    counted = 0 if gates_of(facts, upgrade).is_on(_WITHOUT_HUGE_PAGES) else facts.huge_pages
    return {
        _MEMORY: (facts.memory.get("MemAvailable", 0) + counted, facts.memory.get("MemTotal", 0)),
        "nodefs.available": (node.available, node.size),
        "nodefs.inodesFree": (node.inodes_free, node.inodes),
        "imagefs.available": (images.available, images.size),
        "imagefs.inodesFree": (images.inodes_free, images.inodes),
    }


PRESSURE: Final = Check("PF-125", _find_pressure, OF_BOTH)


# PF-148: memory that containers get more slowly from some of their limit on.

_THROTTLING: Final = "MemoryQoS"
"""The feature gate (on from 1.37) with which memoryThrottlingFactor counts; up to 1.36 it had a default."""


def _find_throttling(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Find a factor that only the next kubelet makes memory.high of, for it is given it by name.

    pkg/kubelet/kuberuntime/kuberuntime_container_linux.go ``generateLinuxContainerResources``, 1.37.2.
    """
    factor = facts.config.get("memoryThrottlingFactor")
    if factor is None or not gates_of(facts, upgrade).is_on(_THROTTLING):
        return
    if was_on(facts, upgrade, _THROTTLING) or host.cgroups(facts.dump) != host.CGROUP_V2:
        return
    yield Problem(
        Status.WARN,
        "memoryThrottlingFactor",
        f"kubelet {upgrade.target.release} sets memory.high of the containers that it creates, by "
        f"memoryThrottlingFactor {shown.name(str(factor))} between what they request and their limit, or "
        "what the node can give: beyond that their processes are slowed down",
        "remove memoryThrottlingFactor from the configuration file",
    )


THROTTLING: Final = Check("PF-148", _find_throttling)


# PF-225: images that a kubelet removes soon after it starts.


def _find_image_gc(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    threshold = facts.setting("image-gc-high-threshold", "imageGCHighThresholdPercent")
    high = least(str(upgrade.hazards.image_gc_high if threshold is None else threshold), 0)
    info = facts.docker_info if facts.drives_docker else facts.cri_info
    directory = runtime.image_directory(facts.runtime, info)
    usage = facts.usage(directory)
    used = 100 - usage.available * 100 // usage.size if usage.size else 0
    if high < 100 and used >= high:
        yield Problem(
            Status.WARN,
            directory,
            f"{directory} is {used} % full: from {high} % on the kubelet removes images that no container "
            "uses, those of stopped containers too",
            "free some space first, or raise imageGCHighThresholdPercent",
        )


IMAGE_GC: Final = Check("PF-225", _find_image_gc)


# PF-325: a node with less memory, or fewer CPUs, than are reserved on it.

_RESERVED: Final = (("kube-reserved", "kubeReserved"), ("system-reserved", "systemReserved"))


def _find_reservations(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if upgrade.hazards.reservations == "ignored":
        return
    capacity = facts.memory.get("MemTotal")
    if capacity is None:
        raise UnreadError(f"{MEMINFO}: no line MemTotal")
    reserved = host.least(_evicting(facts, upgrade).get(_MEMORY, "0"), capacity)
    for flag, key in _RESERVED:
        reserved += host.reserved(facts.setting(flag, key), "memory")
    then = f"kubelet {upgrade.target.release} does not start"
    if reserved > capacity:
        text = f"{int(reserved)} bytes of memory are reserved, and the node has {capacity}: {then}"
        advice = "reserve less with kubeReserved, systemReserved and evictionHard"
        yield Problem(Status.ERROR, "memory", text, advice)
    thousandths = sum(node_resources(_reserved(facts, *names)).amounts.get("cpu", 0) for names in _RESERVED)
    if thousandths and thousandths > 1000 * (cpus := len(host.online_cpus(facts.dump))):
        text = f"{thousandths}m of CPU are reserved, and the node has {count(cpus, 'CPU')}: {then}"
        advice = "reserve less with kubeReserved, systemReserved and reservedSystemCPUs"
        yield Problem(Status.ERROR, "cpu", text, advice)


RESERVATIONS: Final = Check("PF-325", _find_reservations)

# PF-130: pods that the new kubelet has no room for.

_MOST_PODS: Final = 110
"""What maxPods is by default."""

ROOM: Final = Check(
    "PF-130",
    of_reasons(
        {
            rules.ROOM: "move pods away from the node until what is left fits",
            rules.HOST_PORT: "move one of the two pods to another node, or give it another host port",
        }
    ),
    OF_PLAN,
)


# PF-131: a configuration with which the node can give less than it shows.


def _find_smaller(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    node = facts.node_object
    if node.allocatable is None or node.capacity is None:
        raise UnreadError("the Node object does not show what the node can give")
    now, then = node_resources(node.allocatable), _configured(facts, upgrade, node)
    smaller = {name for name, number in then.amounts.items() if number < now.amounts.get(name, 0)}
    fewer = then.pods is not None and now.pods is not None and then.pods < now.pods
    if not (smaller or fewer):
        return
    tenants = [
        tenant_of(pod, asking(pod, node.allocatable, upgrade.target), upgrade.target)
        for pod in facts.pods
        if takes_room(pod, upgrade.target)
    ]
    before = outcomes(tenants, now, upgrade.target)
    after = outcomes(tenants, then, upgrade.target)
    names = {tenant.pod.uid: name_path(tenant.pod.namespace, tenant.pod.name) for tenant in tenants}
    for uid, short in after.items():
        if uid not in before:
            yield Problem(
                Status.WARN,
                names[uid],
                f"{names[uid]} is refused ({short.reason}) once the Node object has the allocatable of this "
                "configuration, at the kubelet's next start or the one after it",
                "reserve less (kubeReserved, systemReserved, evictionHard, maxPods), or move pods away first",
            )


def _configured(facts: Facts, upgrade: KubeletStart, node: Node) -> NodeResources:
    """Return what the node can give once its kubelet has reported what it is configured with.

    Source: pkg/kubelet/cm/node_container_manager_linux.go ``GetNodeAllocatableReservation``, and
    pkg/kubelet/nodestatus/setters.go ``MachineInfo``, which takes huge pages off the memory; 1.33.13.
    """
    capacity = node_resources(node.capacity or {})
    amounts = dict(capacity.amounts)
    for names in _RESERVED:
        for name, number in node_resources(_reserved(facts, *names)).amounts.items():
            if name in amounts:
                amounts[name] -= number
    limits = _evicting(facts, upgrade)
    for signal, name in _EVICTED.items():
        if name in amounts and (limit := limits.get(signal)):
            amounts[name] -= int(host.least(limit, capacity.amounts[name]))
    if "memory" in amounts:
        pages = (number for name, number in capacity.amounts.items() if name.startswith("hugepages-"))
        amounts["memory"] -= sum(pages)
    kept = {name: max(amounts[name], 0) for name in NATIVE if name in amounts}
    shown = node_resources(node.allocatable or {})
    return NodeResources({**shown.amounts, **kept}, _pods(facts, capacity))


_EVICTED: Final = {_MEMORY: "memory", "nodefs.available": "ephemeral-storage"}
"""What is kept free by hard eviction, by its signals (``hardEvictionReservation``)."""


def _reserved(facts: Facts, flag: str, key: str) -> Mapping[str, Any]:
    """Return what is reserved by one setting; CPUs that are named stand for those of both.

    Source: cmd/kubelet/app/server.go ``run``, 1.20.15 and 1.37.2.
    """
    value = facts.setting(flag, key)
    reserved = dict(pairs(value)) if isinstance(value, str) else value
    amounts = dict(reserved) if isinstance(reserved, Mapping) else {}
    if cpus := facts.setting("reserved-cpus", "reservedSystemCPUs"):
        try:
            amounts["cpu"] = str(len(metav1.parse_cpus(str(cpus)))) if key == "systemReserved" else "0"
        except DecodeError as error:
            raise UnreadError(str(error)) from None
    return amounts


def _pods(facts: Facts, capacity: NodeResources) -> int | None:
    """Return how many pods the kubelet takes; None where that is not a number."""
    most = facts.setting("max-pods", "maxPods")
    per_core = facts.setting("pods-per-core", "podsPerCore")
    try:
        pods = _MOST_PODS if most is None else int(most)
        pods_per_core = int(per_core or 0)
    except (TypeError, ValueError):
        return None
    return min(pods, pods_per_core * capacity.amounts.get("cpu", 0) // 1000) if pods_per_core else pods


SMALLER: Final = Check("PF-131", _find_smaller, (frozenset({Need.NODE, Need.OBJECTS}),))


# PF-150 and PF-151: what becomes of containers that the next kubelet creates, where memory is short.

_UNKNOWN_CURRENT: Final = "the release of the kubelet that runs now is unknown; give it with --from"


def _find_oom(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if not _ends_whole(facts, upgrade.hazards) or host.cgroups(facts.dump) != host.CGROUP_V2:
        return
    if upgrade.before is None:
        raise UnreadError(_UNKNOWN_CURRENT)
    if _ends_whole(facts, upgrade.before):
        return
    can_choose = upgrade.hazards.oom_kill == "configured"
    yield Problem(
        Status.WARN,
        "memory.oom.group",
        f"in each container that kubelet {upgrade.target.release} creates, the kernel ends all processes "
        "where one is out of memory, and not that one alone",
        "set singleProcessOOMKill: true where a container survives the end of a process"
        if can_choose
        else "raise the memory limits of containers that survive the end of a process",
    )


def _ends_whole(facts: Facts, hazards: Hazards) -> bool:
    if hazards.oom_kill == "configured":
        return facts.config.get("singleProcessOOMKill") is not True
    return hazards.oom_kill == "container"


OOM_KILL: Final = Check("PF-150", _find_oom)

_SWAP_GATE: Final = "NodeSwap"
_LIMITED: Final = "LimitedSwap"
_NO_SWAP, _SOME_SWAP, _ALL_SWAP = "none of it", "a share of it, if they are Burstable", "all of it"
_BY_AMOUNT: Final = (_NO_SWAP, _SOME_SWAP, _ALL_SWAP)


def _find_less_swap(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if not facts.swaps:
        return
    if facts.is_set("fail-swap-on", "failSwapOn", default=upgrade.hazards.fail_swap_on):
        return  # PF-213
    now = _swap(facts, upgrade.hazards, is_on=gates_of(facts, upgrade).is_on(_SWAP_GATE))
    if now == _ALL_SWAP:
        return
    if upgrade.before is None:
        raise UnreadError(_UNKNOWN_CURRENT)
    then = _swap(facts, upgrade.before, is_on=bool(was_on(facts, upgrade, _SWAP_GATE)))
    if _BY_AMOUNT.index(now) < _BY_AMOUNT.index(then):
        yield Problem(
            Status.WARN,
            "memorySwap",
            f"the node has swap: containers that kubelet {upgrade.target.release} creates may use {now}, and "
            f"those of the current one {then}",
            f"measure what they need without swap, or set memorySwap.swapBehavior: {_LIMITED}",
        )


def _swap(facts: Facts, hazards: Hazards, *, is_on: bool) -> str:
    """Return which swap containers may use that a kubelet creates."""
    behavior = mapping(facts.config.get("memorySwap")).get("swapBehavior")
    if not is_on:
        return _ALL_SWAP if hazards.swap == "left alone" else _NO_SWAP
    if behavior == _LIMITED or (hazards.swap == "left alone" and behavior != "UnlimitedSwap"):
        return _SOME_SWAP
    return _NO_SWAP if hazards.swap == "none" else _ALL_SWAP


LESS_SWAP: Final = Check("PF-151", _find_less_swap)
