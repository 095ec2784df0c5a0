"""Critical pods, which take the room of others (pkg/kubelet/preemption/preemption.go, 1.8.15 - 1.37.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import BEST_EFFORT, GUARANTEED, qos_class
from hashcompat.core.errors import DecodeError
from hashcompat.core.kubelet.decide.podlevel import POD_RESOURCES_GATE
from hashcompat.core.kubelet.decide.room.requests import has_own
from hashcompat.core.kubelet.decide.room.tenants import PODS, Tenant

_CRITICAL: Final = 2_000_000_000
"""The least priority of a critical pod (pkg/apis/scheduling ``SystemCriticalPriority``)."""


def is_critical(tenant: Tenant, kubelet: Kubelet) -> bool:
    """Return whether room is made for a pod (pkg/kubelet/types/pod_update.go ``IsCriticalPod``)."""
    rule = kubelet.behaviour.room.critical
    if rule == "static or by priority" and tenant.pod.static:
        return True
    return rule != "none" and (tenant.priority or 0) >= _CRITICAL


def _is_preemptable(tenant: Tenant, other: Tenant, kubelet: Kubelet) -> bool:
    if is_critical(tenant, kubelet) and not is_critical(other, kubelet):
        return True
    mine, its = tenant.priority, other.priority
    return mine is not None and its is not None and mine > its


Requirements = Sequence[tuple[str, int]]
"""Resources that are missing, each with how much of it."""


def preempted(
    tenant: Tenant, admitted: Sequence[Tenant], missing: Requirements, kubelet: Kubelet
) -> list[Tenant] | None:
    """Return the pods that a critical one takes the room of; None where those do not have enough.

    Source: pkg/kubelet/preemption/preemption.go ``getPodsToPreempt``.
    """
    classes = dict[str, list[Tenant]]()
    for one in admitted:
        if _is_preemptable(tenant, one, kubelet):
            classes.setdefault(class_of(one, kubelet), []).append(one)
    best, burstable, guaranteed = (classes.get(name, []) for name in (BEST_EFFORT, "Burstable", GUARANTEED))
    if _less(missing, [*best, *burstable, *guaranteed]):
        return None
    of_guaranteed = _nearest(guaranteed, _less(missing, [*best, *burstable]))
    of_burstable = _nearest(burstable, _less(missing, [*best, *of_guaranteed]))
    of_best = _nearest(best, _less(missing, [*of_burstable, *of_guaranteed]))
    return [*of_best, *of_burstable, *of_guaranteed]


def exchangeable(
    tenant: Tenant,
    taken: Sequence[Tenant],
    left: Sequence[Tenant],
    missing: Sequence[str],
    kubelet: Kubelet,
) -> Iterator[Tenant]:
    """Yield the pods between which chance decides: those that are taken and those that are left instead.

    A kubelet goes through its pods in no order (pkg/kubelet/pod/pod_manager.go ``GetPods``, a map), and takes
    the last one of those that are as near and ask for as much.
    """

    def kind(one: Tenant) -> tuple[object, ...]:
        return class_of(one, kubelet), *(_asked(one, name) for name in ("memory", "cpu", *missing))

    others = [one for one in left if _is_preemptable(tenant, one, kubelet)]
    same = {kind(one) for one in taken} & {kind(one) for one in others}
    yield from (one for one in (*taken, *others) if kind(one) in same)


def class_of(tenant: Tenant, kubelet: Kubelet) -> str:
    """Return the QoS class of a pod: by its own resources, where these count."""
    pod = tenant.pod
    try:
        if has_own(pod.spec, kubelet.gates.is_on(POD_RESOURCES_GATE)):
            return qos_class([pod.spec])
        return qos_class(one.spec for one in pod.containers if one.type != "ephemeral")
    except DecodeError:
        return "Burstable"


def _asked(tenant: Tenant, name: str) -> int:
    return 1 if name == PODS else tenant.asking.freed.get(name, 0)


def _less(missing: Requirements, taken: Iterable[Tenant]) -> list[tuple[str, int]]:
    """Return what is still missing once the room of some pods is free."""
    pods = list(taken)
    left = [(name, number - sum(_asked(one, name) for one in pods)) for name, number in missing]
    return [(name, number) for name, number in left if number > 0]


def _nearest(pods: Sequence[Tenant], missing: Requirements) -> list[Tenant]:
    """Return the pods that meet what is missing most nearly, one after the other."""
    left, found = list(pods), list[Tenant]()
    while missing and left:
        place = 0
        best = float(len(missing) + 1)
        for index, one in enumerate(left):
            distance = _distance(one, missing)
            if distance < best or (distance == best and _is_smaller(one, left[place])):
                place, best = index, distance
        missing = _less(missing, [left[place]])
        found.append(left[place])
        left[place] = left[-1]
        left.pop()
    return found


def _distance(tenant: Tenant, missing: Requirements) -> float:
    lacks = ((number - _asked(tenant, name), number) for name, number in missing)
    return sum((rest / number) ** 2 for rest, number in lacks if rest > 0)


def _is_smaller(one: Tenant, other: Tenant) -> bool:
    for name in ("memory", "cpu"):
        mine, its = _asked(one, name), _asked(other, name)
        if mine != its:
            return mine < its
    return True
