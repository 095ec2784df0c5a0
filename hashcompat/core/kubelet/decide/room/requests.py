"""What a pod asks for, as one release sums it.

Source: component-helpers resource/helpers.go ``PodRequests``; pkg/kubelet/lifecycle/predicate.go
``removeMissingExtendedResources`` (1.8.15 - 1.37.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from math import ceil
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import amount
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.kubelet.decide.case import RESIZE_GATE
from hashcompat.core.kubelet.decide.ports import Port, host_ports
from hashcompat.core.kubelet.decide.resize import POD_RESIZE_GATE, POD_RESOURCES_GATE
from hashcompat.core.kubelet.decide.whole import has_own_resources, is_of_pods
from hashcompat.core.model.pods import RESIZE_IN_PROGRESS, RESIZE_PENDING, Pod

Amounts = Mapping[str, int]
"""Resources by their names: thousandths of a CPU, bytes, or a number."""

OVERHEAD_GATE: Final = "PodOverhead"

CLAIMS_GATE: Final = "DRAExtendedResource"

NATIVE: Final = frozenset({"cpu", "memory", "ephemeral-storage"})

_KUBERNETES: Final = "kubernetes.io/"

_NOTED: Final = "noted"
"""What of ``Pod.resized`` a kubelet noted as allocated to a pod itself."""


class Asking(msgspec.Struct, frozen=True):
    """What a pod asks for, as one release sums it."""

    admitted: Amounts
    """When it is admitted."""
    beside: Amounts
    """What it counts for beside others."""
    freed: Amounts = {}
    """What a critical pod gains that takes its room."""
    wanted: Amounts = {}
    """What it is to ask for by a resize that no kubelet has allocated yet; empty without one."""
    claimed: frozenset[str] = frozenset()
    """The extended resources in ``admitted`` that a claim backs, which no device plugin serves."""
    ports: tuple[Port, ...] = ()


def asking(
    pod: Pod, allocatable: Mapping[str, Any] | None, kubelet: Kubelet, *, forgotten: bool = False
) -> Asking:
    """Return what a pod asks for on a node that can give some resources; None where it does not show any.

    ``kubelet`` is the one that starts; ``forgotten`` says whether it takes resources of pods themselves for
    not allocated (``resize.forgets``). Amounts that are no quantities count as nothing, for no API server
    lets them pass.
    """
    ports = host_ports(pod.spec, kubelet)
    if allocatable is not None:
        with suppress(DecodeError):
            return structs.replace(_asking(pod, allocatable, kubelet, forgotten), ports=ports)
    return Asking({}, {}, ports=ports)


def as_noted(pod: Pod, old: Kubelet | None, new: Kubelet) -> Pod:
    """Return a pod without what a kubelet of up to 1.32 allocated, of which a newer one has no note.

    From 1.33 on it is noted in another file. Without a note a pod is admitted by its spec, which is allocated
    with that: no resize waits any more. Source: pkg/kubelet/status/status_manager.go
    ``podStatusManagerStateFile`` (1.32.10), pkg/kubelet/allocation/allocation_manager.go
    ``allocatedPodsStateFile`` and ``UpdatePodFromAllocation`` (1.33.13).
    """
    if not pod.resized or old is None:
        return pod
    if old.behaviour.resources_recorded or not new.behaviour.resources_recorded:
        return pod
    resized = {
        name: {place: value for place, value in row.items() if place != "allocated"}
        for name, row in pod.resized.items()
    }
    resized = {name: row for name, row in resized.items() if row}
    return structs.replace(pod, resized=resized, resizing="")


def as_allocated(pod: Pod, allocated: Mapping[str, Mapping[str, Any]], kubelet: Kubelet) -> Pod:
    """Return a pod with what a kubelet noted as allocated, which counts whatever its status shows.

    Where that is not what its spec asks for, a kubelet that starts takes the difference for a resize that
    waits, whatever the conditions (pkg/kubelet/kubelet.go ``HandlePodAdditions``, 1.33.13 and 1.36.5).
    """
    notes = kubelet.behaviour.resources_recorded and kubelet.gates.is_on(RESIZE_GATE)
    if allocated and notes:
        with suppress(DecodeError):  # of what is no quantity, the decision itself says so
            return _as_allocated(pod, allocated, kubelet)
    return pod


def _as_allocated(pod: Pod, allocated: Mapping[str, Mapping[str, Any]], kubelet: Kubelet) -> Pod:
    resized, waits = dict(pod.resized), False
    of_whole = [("", pod.spec)] if kubelet.gates.is_on(POD_RESIZE_GATE) else []
    for name, spec in (*((container.name, container.spec) for container in pod.containers), *of_whole):
        if name not in allocated:
            continue
        wanted, noted = _requests(spec), mapping(allocated[name].get("requests"))
        # of a pod itself the status has its overhead, and what is noted has not
        place = "allocated" if name else _NOTED
        changed = {key: value for key, value in resized.get(name, {}).items() if key != place}
        differs = any(
            amount(wanted.get(key, "0")) != amount(noted.get(key, "0")) for key in ("cpu", "memory")
        )
        if differs or (changed and not name):
            # it takes the place of all that is asked for: what it lacks is not allocated
            waits, changed[place] = waits or differs, {**dict.fromkeys(wanted, "0"), **noted}
        resized[name] = changed
    resized = {name: changed for name, changed in resized.items() if changed}
    state = (
        RESIZE_PENDING if waits else RESIZE_IN_PROGRESS if pod.resizing == RESIZE_PENDING else pod.resizing
    )
    if (resized, state) == (pod.resized, pod.resizing):
        return pod
    return structs.replace(pod, resized=resized, resizing=state)


def _asking(pod: Pod, allocatable: Mapping[str, Any], kubelet: Kubelet, forgotten: bool) -> Asking:
    behaviour, gates = kubelet.behaviour.room, kubelet.gates
    spec, by_pod = pod.spec, gates.is_on(POD_RESOURCES_GATE) and not forgotten
    resized = pod.resized if gates.is_on(RESIZE_GATE) else {}
    of_status = resized.get("", {}) if gates.is_on(POD_RESIZE_GATE) else {}
    by_claim = behaviour.claims == "left out" and gates.is_on(CLAIMS_GATE)

    def present(name: str, container: str) -> bool:
        """Return whether admission looks at a resource: not at an extended one that the node lacks.

        Nor at one that a claim backs, which need not be an extended one: the class of a device stands for
        itself as deviceclass.resource.kubernetes.io/NAME (1.36.5 pkg/scheduler/util
        ``IsDRAExtendedResourceName``).
        """
        if by_claim and (container, name) in pod.claims:
            return False
        return name in allocatable or not is_extended(name)

    def resized_requests(which: str, row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        requests = _requests(row)
        changed = resized.get(str(row.get("name") or "-"))
        is_init = key == "initContainers" and row.get("restartPolicy") != "Always"
        # up to 1.36 only what runs on is looked up in the status
        if changed is None or (is_init and behaviour.resized == "by container"):
            return requests
        return _merged(requests, changed, which)

    def admitted_requests(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        name = str(row.get("name", ""))
        amounts = resized_requests("allocated", row, key)
        kept = behaviour.missing_extended == "counted" or (
            key == "initContainers" and behaviour.missing_extended != "ignored"
        )
        return (
            amounts
            if kept
            else {resource: value for resource, value in amounts.items() if present(resource, name)}
        )

    sidecars = behaviour.sidecars
    overhead = _amounts(mapping(spec.get("overhead")))
    admitted, of_pod = _summed(spec, admitted_requests, sidecars=sidecars), dict[str, int]()
    with_init = behaviour.beside == "whole pods"
    counted = _summed(
        spec, lambda row, key: resized_requests("beside", row, key), sidecars=sidecars, init=with_init
    )
    if behaviour.resized == "by pod":
        of_allocated = _summed(
            spec, lambda row, key: resized_requests("allocated", row, key), sidecars=sidecars
        )
        of_actual = _summed(spec, lambda row, key: resized_requests("actual", row, key), sidecars=sidecars)
        counted = _most(of_allocated, _status_amounts(of_status) or of_actual)
    if by_pod:
        of_pod = _allocated_to_whole(spec, of_status, overhead)
        admitted = {**admitted, **of_pod}
        counted = {**counted, **_of_whole(spec, of_status, "beside")}
    by_gate = behaviour.overhead == "by gate" and gates.is_on(OVERHEAD_GATE)
    if overhead and (by_gate or behaviour.overhead == "counted"):
        admitted = _added(admitted, overhead)
        counted = _added(counted, overhead) if behaviour.beside != "containers" else counted
    freed = of_pod
    if behaviour.freed == "by containers" or not (by_pod and has_own_resources(spec)):
        adds = sidecars and behaviour.freed != "by containers"
        freed = _summed(spec, lambda row, key: resized_requests("allocated", row, key), sidecars=adds)
    freed = {name: number + (overhead.get(name, 0) if number else 0) for name, number in freed.items()}
    claims = frozenset(name for _, name in pod.claims)
    is_resized = _is_to_be_resized(pod) or (forgotten and bool(_of_whole(spec, {}, "allocated")))
    wanted = _wanted_requests(spec, overhead, gates.is_on(POD_RESOURCES_GATE)) if is_resized else {}
    return Asking(_scalar(admitted), _scalar(counted), freed, wanted, claims)


def _requests(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a container, or a pod itself, requests."""
    return mapping(mapping(spec.get("resources")).get("requests"))


def _of_whole(
    spec: Mapping[str, Any], changed: Mapping[str, Mapping[str, Any]], which: str
) -> dict[str, int]:
    """Return what a pod itself requests; ``changed`` is what its status shows of a resize of that."""
    requests = _requests(spec)
    merged = _merged({**requests, **changed.get(_NOTED, {})}, changed, which) if changed else requests
    return {name: counted_as(name, merged[name]) for name in requests if is_of_pods(name)}


def _allocated_to_whole(
    spec: Mapping[str, Any], of_status: Mapping[str, Mapping[str, Any]], overhead: Amounts
) -> dict[str, int]:
    """Return what a kubelet allocated to a pod itself, without the overhead that its status has in it.

    Source: pkg/kubelet/allocation/allocation_manager.go ``updatePodFromAllocation`` and
    pkg/kubelet/kubelet_pods.go ``generateAPIPodStatus`` (1.35.8, 1.36.5, 1.37.2).
    """
    if _NOTED in of_status:
        return _of_whole(spec, {_NOTED: of_status[_NOTED]}, "allocated")
    amounts, shown = _of_whole(spec, of_status, "allocated"), of_status.get("allocated", {})
    return {name: number - overhead.get(name, 0) * (name in shown) for name, number in amounts.items()}


def _status_amounts(of_status: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return what a status shows that a whole pod has; nothing where it does not show both of two sums.

    The pod's overhead is in them, and is added again (component-helpers resource/helpers.go
    ``AggregateContainerRequests`` and ``PodRequests``, 0.37.2).
    """
    if not ("allocated" in of_status and "actual" in of_status):
        return {}
    return _most(_amounts(of_status["allocated"]), _amounts(of_status["actual"]))


def _wanted_requests(spec: Mapping[str, Any], overhead: Amounts, by_pod: bool) -> dict[str, int]:
    of_pod = _of_whole(spec, {}, "allocated") if by_pod else {}
    of_containers = _summed(spec, lambda row, _: _requests(row), sidecars=True)
    return _added({**of_containers, **of_pod}, overhead)


def _is_to_be_resized(pod: Pod) -> bool:
    """Return whether a pod's spec asks for other resources than its kubelet has allocated, as it shows."""
    is_other = bool(_requests(pod.spec)) if set(pod.resized) == {""} else bool(pod.resized)
    return is_other and (pod.seen is not None or pod.resizing == RESIZE_PENDING)


def _merged(
    requests: Mapping[str, Any], changed: Mapping[str, Mapping[str, Any]], which: str
) -> Mapping[str, Any]:
    """Return the requests of a container that is being resized: those that a kubelet allocated.

    ``actual`` are those that it has, and what counts beside others is the larger of both
    (``UseStatusResources``).
    """
    allocated = {**requests, **changed.get("allocated", {})}
    if which == "allocated":
        return allocated
    actual = changed.get("actual", {})
    if which == "actual":
        return {**requests, **actual}
    larger = {
        name: value for name, value in actual.items() if amount(value) > amount(allocated.get(name, "0"))
    }
    return {**allocated, **larger}


def _summed(
    spec: Mapping[str, Any],
    of: Callable[[Mapping[str, Any], str], Mapping[str, Any]],
    *,
    sidecars: bool,
    init: bool = True,
) -> dict[str, int]:
    """Return the larger of two sums: containers and sidecars, and an init container with those before it."""
    total, before, largest = dict[str, int](), dict[str, int](), dict[str, int]()
    for row in rows(spec, "containers"):
        total = _added(total, _amounts(of(mapping(row), "containers")))
    for row in rows(spec, "initContainers") if init else ():
        amounts = _amounts(of(mapping(row), "initContainers"))
        if sidecars and mapping(row).get("restartPolicy") == "Always":
            total, before = _added(total, amounts), _added(before, amounts)
            amounts = before
        else:
            amounts = _added(amounts, before)
        largest = _most(largest, amounts)
    return _most(total, largest)


def _amounts(requests: Mapping[str, Any]) -> dict[str, int]:
    return {name: counted_as(name, value) for name, value in requests.items()}


def counted_as(name: str, value: Any) -> int:
    """Return an amount as admission compares it, rounded up (``MilliValue`` and ``Value``)."""
    return _of_text(value, name == "cpu") if type(value) is str else _rounded(value, name == "cpu")


def _rounded(value: Any, thousandths: bool) -> int:
    return ceil(amount(value) * 1000) if thousandths else ceil(amount(value))


_of_text = lru_cache(4096)(_rounded)
"""The same of a text, of which a cluster has few."""


def _added(amounts: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {**amounts, **{name: amounts.get(name, 0) + number for name, number in other.items()}}


def _most(amounts: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {**amounts, **{name: max(amounts.get(name, number), number) for name, number in other.items()}}


def is_extended(name: str) -> bool:
    """Return whether a resource is an extended one (pkg/apis/core/v1/helper ``IsExtendedResourceName``)."""
    return "/" in name and _KUBERNETES not in name and not name.startswith("requests.")


def _scalar(amounts: Mapping[str, int]) -> dict[str, int]:
    """Return the resources that are counted at all (``Resource.Add``, ``IsScalarResourceName``)."""
    return {
        name: number
        for name, number in amounts.items()
        if name in NATIVE
        or name.startswith(("hugepages-", "attachable-volumes-"))
        or is_extended(name)
        or _KUBERNETES in name
    }
