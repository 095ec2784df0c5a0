"""Which pods of a node a starting kubelet has room for: what they ask for against what the node can give.

A kubelet that starts admits every pod again, as if it had just been assigned. It takes the static pods first,
which it reads from files, and then those of the API server, the oldest ``creationTimestamp`` first; each has
to fit beside those that were admitted before it. What does not fit is Failed (``OutOfcpu``), however long it
ran. The scheduler asked the same once, but since then a reservation may have grown, a resize been made, or a
pod been assigned by hand.

1. *What does a pod ask for?* ``Asking`` sums requests as the release does: containers side by side, the
   largest init container, sidecars, overhead, resources of the pod itself. What a pod asks for when it is
   admitted and what it counts for beside others are two sums: the latter has a resize in it.
2. *Does it fit?* ``outcomes`` goes through the pods of a node in the kubelet's order. A critical pod that
   does not fit takes room from others instead (``preempted``), but none takes another's host port
   (``ports``).
3. *Does it matter?* For most nodes a sum shows at once that everything fits (``Sums``), and nothing else is
   looked at.

Two pods of one second have no order, nor have static pods, as a kubelet sorts what comes out of a map: where
that matters, the outcome is not known. Nor is it which of several pods that are alike goes for a critical
one, or whether a pod gets a resource of a device plugin, whose record on the node may raise what the node can
give (pkg/kubelet/cm/devicemanager/manager.go ``sanitizeNodeAllocatable``). Nor is it always known whether a
pod is there at all: a static pod whose mirror pod has failed runs again at the next start, unless its
manifest is gone.

Source: pkg/kubelet/kubelet.go ``HandlePodAdditions``; pkg/kubelet/lifecycle/predicate.go ``Admit``;
pkg/scheduler/framework/plugins/noderesources/fit.go ``fitsRequest``; component-helpers resource/helpers.go
``PodRequests``; pkg/kubelet/preemption/preemption.go (1.8.15 - 1.37.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from math import ceil
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import BEST_EFFORT, GUARANTEED, amount, qos_class
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.kubelet.decide.ports import Port, Taken, host_ports
from hashcompat.core.model.plan import Shortage
from hashcompat.core.model.pods import FINISHED, RESIZE_PENDING, Pod

Amounts = Mapping[str, int]
"""Resources by their names: thousandths of a CPU, bytes, or a number."""

POD_RESOURCES_GATE: Final = "PodLevelResources"

RESIZE_GATE: Final = "InPlacePodVerticalScaling"

POD_RESIZE_GATE: Final = "InPlacePodLevelResourcesVerticalScaling"

OVERHEAD_GATE: Final = "PodOverhead"

CLAIMS_GATE: Final = "DRAExtendedResource"

_PODS: Final = "pods"

_NATIVE: Final = frozenset({"cpu", "memory", "ephemeral-storage"})

_CRITICAL: Final = 2_000_000_000
"""The least priority of a critical pod (pkg/apis/scheduling ``SystemCriticalPriority``)."""

_KUBERNETES: Final = "kubernetes.io/"


class Asking(msgspec.Struct, frozen=True):
    """What a pod asks for, as one release sums it."""

    own: Amounts
    """When it is admitted."""
    beside: Amounts
    """What it counts for beside others."""
    freed: Amounts = {}
    """What a critical pod gains that takes its room."""
    wanted: Amounts = {}
    """What it is to ask for by a resize that no kubelet has allocated yet; empty without one."""
    claimed: frozenset[str] = frozenset()
    """The extended resources in ``own`` that a claim backs, which no device plugin serves."""
    ports: tuple[Port, ...] = ()
    """The host ports."""


def takes_room(pod: Pod, kubelet: Kubelet) -> bool:
    """Return whether a pod may take room: one that has not finished, and of manifests those of static pods.

    From 1.22 on one that has, but runs all the same, counts until its containers have ended
    (pkg/kubelet/kubelet_pods.go ``filterOutInactivePods``). A static pod's phase is not read again
    (``may_return``).
    """
    if not pod.uid or pod.phase not in FINISHED:
        return bool(pod.uid) or pod.static_manifest is not None
    ends = kubelet.behaviour.room.ending and any(one.running for one in pod.containers)
    return ends or (pod.static and not pod.manifest_missing)


def may_return(pod: Pod) -> str:
    """Return what is not known about a static pod that has ended, and may take room again at a start.

    A static pod comes from its manifest, without the status that its mirror pod has, and so is admitted
    whatever became of it; one that is to run once ends again as soon as its containers are looked at
    (pkg/kubelet/kubelet.go ``HandlePodAdditions``, 1.18.19 and 1.34.10). Empty for all other pods.
    """
    if not pod.static or any(one.running for one in pod.containers):
        return ""
    if pod.static_manifest is None:
        is_open = pod.phase in FINISHED
    else:
        ended = all(one.running is False for one in pod.containers)
        is_open = bool(pod.references) or (ended and pod.restart_policy != "Always")
    name = f"{pod.namespace}/{pod.name}"
    return f"whether the static pod {name}, which has ended, runs again is not known" if is_open else ""


def asking(pod: Pod, allocatable: Mapping[str, Any] | None, kubelet: Kubelet) -> Asking:
    """Return what a pod asks for on a node that can give some resources; None where it does not show any.

    ``kubelet`` is the one that starts. Amounts that are no quantities count as nothing, for no API server
    lets them pass.
    """
    ports = host_ports(pod.spec, kubelet)
    if allocatable is not None:
        with suppress(DecodeError):
            return structs.replace(_asking(pod, allocatable, kubelet), ports=ports)
    return Asking({}, {}, ports=ports)


def _asking(pod: Pod, allocatable: Mapping[str, Any], kubelet: Kubelet) -> Asking:
    behaviour, gates = kubelet.behaviour.room, kubelet.gates
    spec = pod.spec
    resized = pod.resized if gates.is_on(RESIZE_GATE) else {}
    by_claim = behaviour.claims and gates.is_on(CLAIMS_GATE)

    def present(name: str, container: str) -> bool:
        """Return whether admission looks at a resource: not at an extended one that the node lacks."""
        if not _is_extended(name):
            return True
        return name in allocatable and not (by_claim and (container, name) in pod.claims)

    def given(which: str, row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        requests = _requests(row)
        changed = resized.get(str(row.get("name") or "-"))
        is_init = key == "initContainers" and row.get("restartPolicy") != "Always"
        # up to 1.36 only what runs on is looked up in the status
        if changed is None or (is_init and behaviour.resized == "by container"):
            return requests
        return _merged(requests, changed, which)

    def own(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        name = str(row.get("name", ""))
        found = given("own", row, key)
        kept = behaviour.missing_extended == "counted" or (
            key == "initContainers" and behaviour.missing_extended != "ignored"
        )
        return found if kept else {one: value for one, value in found.items() if present(one, name)}

    sidecars = behaviour.sidecars
    admitted, of_pod = _summed(spec, own, sidecars=sidecars), dict[str, int]()
    whole = behaviour.beside == "whole pods"
    counted = _summed(spec, lambda row, key: given("beside", row, key), sidecars=sidecars, init=whole)
    if behaviour.resized == "by pod":
        of_allocated = _summed(spec, lambda row, key: given("own", row, key), sidecars=sidecars)
        of_actual = _summed(spec, lambda row, key: given("actual", row, key), sidecars=sidecars)
        counted = _most(of_allocated, of_actual)
    if gates.is_on(POD_RESOURCES_GATE):
        changed = resized.get("", {}) if gates.is_on(POD_RESIZE_GATE) else {}
        of_pod = _of_whole(spec, changed, "own")
        admitted = {**admitted, **of_pod}
        counted = {**counted, **_of_whole(spec, changed, "beside")}
    overhead = {name: _of(name, value) for name, value in mapping(spec.get("overhead")).items()}
    by_gate = behaviour.overhead == "by gate" and gates.is_on(OVERHEAD_GATE)
    if overhead and (by_gate or behaviour.overhead == "counted"):
        admitted = _added(admitted, overhead)
        counted = _added(counted, overhead) if whole else counted
    freed = of_pod
    if behaviour.freed == "by containers" or not _has_own(spec, gates.is_on(POD_RESOURCES_GATE)):
        adds = sidecars and behaviour.freed != "by containers"
        freed = _summed(spec, lambda row, key: given("own", row, key), sidecars=adds)
    freed = {name: number + (overhead.get(name, 0) if number else 0) for name, number in freed.items()}
    claims = frozenset(name for _, name in pod.claims)
    wanted = _wanted(spec, overhead, gates.is_on(POD_RESOURCES_GATE)) if _is_to_be_resized(pod) else {}
    return Asking(_scalar(admitted), _scalar(counted), freed, wanted, claims)


def _requests(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a container, or a pod itself, requests."""
    return mapping(mapping(spec.get("resources")).get("requests"))


def _of_whole(
    spec: Mapping[str, Any], changed: Mapping[str, Mapping[str, Any]], which: str
) -> dict[str, int]:
    """Return what a pod itself requests; ``changed`` is what its status shows of a resize of that."""
    requests = _requests(spec)
    merged = _merged(requests, changed, which) if changed else requests
    return {name: _of(name, merged[name]) for name in requests if _of_pods(name)}


def _wanted(spec: Mapping[str, Any], overhead: Amounts, by_pod: bool) -> dict[str, int]:
    of_pod = _of_whole(spec, {}, "own") if by_pod else {}
    of_containers = _summed(spec, lambda row, _: _requests(row), sidecars=True)
    return _added({**of_containers, **of_pod}, overhead)


def _is_to_be_resized(pod: Pod) -> bool:
    """Return whether a pod's spec asks for other resources than its kubelet has allocated, as it shows."""
    return bool(pod.resized) and (pod.seen is not None or pod.resizing == RESIZE_PENDING)


def _has_own(spec: Mapping[str, Any], counts: bool) -> bool:
    """Return whether a pod has resources of its own that count (``IsPodLevelResourcesSet``)."""
    resources = mapping(spec.get("resources"))
    names = [name for key in ("requests", "limits") for name in mapping(resources.get(key))]
    return counts and any(map(_of_pods, names))


def _merged(
    requests: Mapping[str, Any], changed: Mapping[str, Mapping[str, Any]], which: str
) -> Mapping[str, Any]:
    """Return the requests of a container that is being resized: those that a kubelet allocated.

    ``actual`` are those that it has, and what counts beside others is the larger of both
    (``UseStatusResources``).
    """
    allocated = {**requests, **changed.get("allocated", {})}
    if which == "own":
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
    return {name: _of(name, value) for name, value in requests.items()}


def _of(name: str, value: Any) -> int:
    """Return an amount as admission compares it, rounded up (``MilliValue`` and ``Value``)."""
    return _of_text(value, name == "cpu") if type(value) is str else _rounded(value, name == "cpu")


def _rounded(value: Any, thousandths: bool) -> int:
    return ceil(amount(value) * 1000) if thousandths else ceil(amount(value))


_of_text = lru_cache(4096)(_rounded)
"""The same of a text, of which a cluster has few."""


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {**one, **{name: one.get(name, 0) + number for name, number in other.items()}}


def _most(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {**one, **{name: max(one.get(name, number), number) for name, number in other.items()}}


def _of_pods(name: str) -> bool:
    """Return whether a pod itself can have a resource (``IsSupportedPodLevelResource``)."""
    return name in ("cpu", "memory") or name.startswith("hugepages-")


def _is_extended(name: str) -> bool:
    """Return whether a resource is an extended one (pkg/apis/core/v1/helper ``IsExtendedResourceName``)."""
    return "/" in name and _KUBERNETES not in name and not name.startswith("requests.")


def _scalar(amounts: Mapping[str, int]) -> dict[str, int]:
    """Return those resources that are counted at all (``Resource.Add``, ``IsScalarResourceName``)."""
    return {
        name: number
        for name, number in amounts.items()
        if name in _NATIVE
        or name.startswith(("hugepages-", "attachable-volumes-"))
        or _is_extended(name)
        or _KUBERNETES in name
    }


class Given(msgspec.Struct, frozen=True):
    """What a node can give."""

    amounts: Amounts
    """By the resources that it shows."""
    pods: int | None
    """How many pods; None where it does not show that."""


def given(allocatable: Mapping[str, Any]) -> Given:
    """Return what ``status.allocatable`` of a node shows; amounts that are no quantities are not shown."""
    found = dict[str, int]()
    for name, value in allocatable.items():
        try:
            found[name] = _of(name, value)
        except DecodeError:
            continue
    return Given({name: number for name, number in found.items() if name != _PODS}, found.get(_PODS))


class Sums(msgspec.Struct):
    """What the pods of a node ask for at most, whatever their order."""

    amounts: dict[str, int] = msgspec.field(default_factory=dict)
    pods: int = 0
    taken: Taken = msgspec.field(default_factory=Taken)
    clash: bool = False
    """Whether two of them ask for one host port."""

    def add(self, one: Asking) -> None:
        """Count one more pod."""
        self.pods += 1
        if one.ports:
            self._take(one.ports)
        amounts = self.amounts
        for name, number in one.beside.items():
            amounts[name] = amounts.get(name, 0) + max(number, one.own.get(name, 0))
        for name, number in one.own.items():
            if name not in one.beside:
                amounts[name] = amounts.get(name, 0) + number

    def merge(self, other: Sums) -> None:
        """Count the pods of others."""
        self.pods += other.pods
        self.clash |= other.clash
        self._take(tuple(other.taken.ports))
        for name, number in other.amounts.items():
            self.amounts[name] = self.amounts.get(name, 0) + number

    def _take(self, ports: Sequence[Port]) -> None:
        self.clash |= any(self.taken.holder(one) for one in ports)
        self.taken.add(ports)

    def fit(self, node: Given) -> bool:
        """Return whether every pod fits, whatever their order."""
        return not self.clash and self.have_room(node)

    def have_room(self, node: Given) -> bool:
        """Return whether every pod finds what it asks for, whatever their order, but for host ports."""
        if node.pods is not None and self.pods > node.pods:
            return False
        return all(number <= node.amounts.get(name, number) for name, number in self.amounts.items())


class Tenant(msgspec.Struct, frozen=True, eq=False):
    """A pod of a node, as far as room goes."""

    pod: Pod
    asking: Asking
    refused: bool = False
    """Whether it is not admitted for another reason, so that it takes no room."""
    doubt: str = ""
    """Why it may not be there at all (``may_return``), or not be admitted; empty for others."""
    may_return: bool = False
    """Whether that is because it has ended, and its manifest may be there still."""

    @property
    def order(self) -> tuple[bool, str]:
        """What it is sorted by: static pods come first, and times as text are in their order."""
        return not self.pod.static, self.pod.created

    @property
    def name(self) -> str:
        """``namespace/name``."""
        return f"{self.pod.namespace}/{self.pod.name}"

    @property
    def priority(self) -> int | None:
        """Its priority; None where it has none."""
        found = self.pod.spec.get("priority")
        return found if type(found) is int else None


def tenant_of(pod: Pod, asks: Asking, *, refused: bool = False, is_open: bool = False) -> Tenant:
    """Return a pod as its kubelet sees it, which reads a static one from a manifest without a time.

    So no time of a mirror pod is its static pod's, and these have no order. One without a mirror pod goes by
    its name. ``is_open``: whether it is not known if it is refused for another reason.
    """
    doubt = returns = may_return(pod)
    if is_open and not doubt:
        doubt = f"whether {pod.namespace}/{pod.name} is admitted is not known"
    if pod.static:
        pod = structs.replace(pod, created="", uid=pod.uid or f"{pod.namespace}/{pod.name}")
    return Tenant(pod, asks, refused, doubt, bool(returns))


def outcomes(tenants: Sequence[Tenant], node: Given, kubelet: Kubelet) -> dict[str, Shortage]:
    """Return the pods of a node for which a kubelet that starts has no room, by their uids.

    ``tenants`` are those that take room. An outcome is marked as not known that depends on the order of two
    pods of one second, or on a pod that may not be there.
    """
    found = _ordered(tenants, node, kubelet)
    first = next((one for one in tenants if one.doubt), None)
    if first is None:
        return found
    without = _ordered([one for one in tenants if not one.doubt], node, kubelet)
    open_ = {
        uid: structs.replace(short, certain=False, why=first.doubt, by_manifest=first.may_return)
        for uid, short in (found | without).items()
        if not (uid in found and uid in without)
    }
    return found | without | open_


def _ordered(tenants: Sequence[Tenant], node: Given, kubelet: Kubelet) -> dict[str, Shortage]:
    found = _outcomes(sorted(tenants, key=lambda one: one.order), node, kubelet)
    if not found:
        return found
    tied = _tied(tenants, node, kubelet)
    uncertain = dict[str, Shortage]()
    why = _TIED_STATIC if all(one.pod.static for alike in tied for one in alike) else _TIED
    if len(tied) > _TRIED:
        first = next(iter(found.values()))
        for uid in (one.pod.uid for alike in tied for one in alike):
            uncertain[uid] = structs.replace(found.get(uid, first), certain=False, why=why)
        return {**found, **uncertain}
    for again in _others(tenants, tied):
        other = _outcomes(again, node, kubelet)
        for uid in found.keys() ^ other.keys():
            uncertain[uid] = structs.replace(found.get(uid) or other[uid], certain=False, why=why)
    for alike in tied:  # any of them may come where another one came
        short = next((uncertain[one.pod.uid] for one in alike if one.pod.uid in uncertain), None)
        if short is None:
            continue
        for one in alike:
            # of two that ask for one port either may have it
            holder = next((other.name for other in alike if other.name != one.name), "")
            own = short.holder == one.name
            uncertain[one.pod.uid] = structs.replace(short, holder=holder) if own else short
    return {**found, **uncertain}


def deferred(
    tenants: Iterable[Tenant], node: Given, leaving: Collection[str], kubelet: Kubelet
) -> dict[str, Shortage]:
    """Return the pods of a node that are to be resized and stay as they are, by their uids: nothing is free.

    ``leaving`` are the uids of pods that may not stay. A kubelet tries a resize as it admits a pod, with what
    that is to ask for; one that does not fit waits, or is infeasible (pkg/kubelet/kubelet.go
    ``canResizePod``, 1.33.13; pkg/kubelet/allocation, 1.34.10 - 1.37.1).
    """
    found, used = dict[str, Shortage](), Counter[str]()
    waiting = list[Tenant]()
    for one in tenants:
        stays = not (one.refused or one.doubt or one.pod.deleting or one.pod.uid in leaving)
        if stays:
            used.update(one.asking.beside)
        if one.asking.wanted:
            waiting.append(
                one if stays else structs.replace(one, asking=structs.replace(one.asking, beside={}))
            )
    for one in waiting:
        asking = structs.replace(one.asking, own=one.asking.wanted)
        others = Counter(used)
        others.subtract(one.asking.beside)
        lacks = _lacking(structs.replace(one, asking=asking), 0, others, node, kubelet)
        if short := next((lack for lack in lacks if lack.certain), None):
            found[one.pod.uid] = short
    return found


_TRIED: Final = 32
"""Kinds of pods of one second that are tried in other orders; of more, no outcome is known."""

_TIED: Final = "pods of one second have no order"

_TIED_STATIC: Final = "static pods have no order"

_CHANCE: Final = "other pods are alike, and it takes the room of any of them"

_HIDDEN: Final = "the snapshot hides their addresses, which may differ"

_NOT_ADMITTED: Final = "that pod may not be admitted itself"

_OF_PLUGIN: Final = "the record of a device plugin on the node may make room"


def _tied(tenants: Iterable[Tenant], node: Given, kubelet: Kubelet) -> list[list[Tenant]]:
    """Return the pods that share their second with others, where it may matter which of them comes first.

    Those that nothing else tells apart are together. While everything fits, no order matters.
    """
    found, sums = list[list[Tenant]](), Sums()
    taking = sorted((one for one in tenants if not one.refused), key=lambda one: one.order)
    asked = Counter(port[:2] for one in taking for port in one.asking.ports)
    for _, second in groupby(taking, key=lambda one: one.order):
        some = list(second)
        for one in some:
            sums.add(one.asking)
        if len(some) == 1 or sums.fit(node):
            continue
        if sums.have_room(node):  # only those matter that may share a port with another pod
            some = [one for one in some if any(asked[port[:2]] > 1 for port in one.asking.ports)]
        alike: dict[Any, list[Tenant]] = {}
        for one in some:
            amounts = one.asking.own, one.asking.beside, one.asking.freed
            key = (*(tuple(sorted(each.items())) for each in amounts), one.asking.claimed, one.asking.ports)
            alike.setdefault((key, one.priority, _class_of(one, kubelet)), []).append(one)
        found += alike.values()
    return found


def _others(tenants: Sequence[Tenant], tied: Iterable[Sequence[Tenant]]) -> Iterator[list[Tenant]]:
    """Yield other orders in which pods of one second may come: each of them first, and last.

    The ones beside it come by what they ask for, in both directions: what is left then differs most.
    """

    def size(one: Tenant) -> int:
        return sum(one.asking.own.values())

    ways = [sorted(tenants, key=lambda one: sign * size(one)) for sign in (1, -1)]
    for first, *_ in tied:
        for place in (False, True):
            yield from (sorted(way, key=lambda one: (one.order, (one is first) is place)) for way in ways)


class _Admitted:
    """The pods of a node that are admitted so far, and what they have."""

    def __init__(self, node: Given, kubelet: Kubelet) -> None:
        self._node, self._kubelet = node, kubelet
        self.pods: list[Tenant] = []
        self.found: dict[str, Shortage] = {}
        """Those that are not, or may not be."""
        self._used = Counter[str]()
        self._taken = Taken()
        self._names: dict[str, str] = {}
        """Of those with host ports, by their uids."""

    def ask(self, tenant: Tenant) -> None:
        """Admit one more pod, or note why it is not."""
        lacks = list(_lacking(tenant, len(self.pods), self._used, self._node, self._kubelet))
        clash = self._clashing(tenant)
        critical = _is_critical(tenant, self._kubelet)
        if clash and (critical or not any(one.certain for one in lacks)):
            # a kubelet takes room for a critical pod only if nothing else refuses it
            lacks = [clash]
        elif lacks and critical and self._preempt(tenant, lacks):
            lacks = []
        if lacks:
            certain = [one for one in lacks if one.certain]
            self.found[tenant.pod.uid] = structs.replace((certain or lacks)[0], in_vain=critical)
            if certain:
                return
        self._admit(tenant)

    def _admit(self, tenant: Tenant) -> None:
        self.pods.append(tenant)
        self._used.update(tenant.asking.beside)
        if tenant.asking.ports:
            self._taken.add(tenant.asking.ports, tenant.pod.uid)
            self._names[tenant.pod.uid] = tenant.name

    def _clashing(self, tenant: Tenant) -> Shortage | None:
        """Return what refuses a pod one of whose host ports a pod before it has; None where none does."""
        first, reason = None, self._kubelet.behaviour.host_ports.reason
        for port in tenant.asking.ports:
            held = self._taken.holder(port)
            if held is None:
                continue
            uid, shown = held
            why = (_NOT_ADMITTED if uid in self.found else "") if shown else _HIDDEN
            short = Shortage(str(port), holder=self._names[uid], predicate=reason, certain=not why, why=why)
            if short.certain:
                return short
            first = first or short
        return first

    def _preempt(self, tenant: Tenant, lacks: Sequence[Shortage]) -> bool:
        """Take the room of other pods for a critical one; return whether they have enough."""
        victims = preempted(tenant, self.pods, [(one.resource, one.missing) for one in lacks], self._kubelet)
        if victims is None:
            return False
        certain = any(one.certain for one in lacks)
        why = "" if certain else lacks[0].why
        short = Shortage(lacks[0].resource, preemptor=tenant.name, certain=certain, why=why)
        self.found |= {victim.pod.uid: short for victim in victims}
        if not certain:  # then there may be room for both
            return True
        left = [one for one in self.pods if one not in victims]
        for one in _alike(tenant, victims, left, [one.resource for one in lacks], self._kubelet):
            self.found[one.pod.uid] = structs.replace(short, certain=False, why=_CHANCE)
        self.pods, self._used, self._taken = [], Counter(), Taken()
        for one in left:
            self._admit(one)
        return True


def _outcomes(ordered: Iterable[Tenant], node: Given, kubelet: Kubelet) -> dict[str, Shortage]:
    admitted = _Admitted(node, kubelet)
    for tenant in ordered:
        if not tenant.refused:
            admitted.ask(tenant)
    return admitted.found


def _lacking(tenant: Tenant, pods: int, used: Amounts, node: Given, kubelet: Kubelet) -> Iterator[Shortage]:
    """Yield what a pod lacks beside those that are admitted, and what they use (``fitsRequest``)."""
    if node.pods is not None and pods + 1 > node.pods:
        yield Shortage(_PODS, 1, pods, node.pods)
    own = tenant.asking.own
    if not any(own.get(name) for name in _NATIVE) and not any(name not in _NATIVE for name in own):
        return
    unrequested = kubelet.behaviour.room.unrequested
    for name in dict.fromkeys(("cpu", "memory", "ephemeral-storage", *sorted(own))):
        asked, capacity = own.get(name, 0), node.amounts.get(name)
        if capacity is None or (not asked and not (unrequested and (name in _NATIVE or name in own))):
            continue
        taken = used.get(name, 0)
        if asked > capacity - taken:
            by_plugin = _is_extended(name) and name not in tenant.asking.claimed
            yield Shortage(
                name, asked, taken, capacity, certain=not by_plugin, why=_OF_PLUGIN if by_plugin else ""
            )


# Critical pods, which take the room of others.


def _is_critical(tenant: Tenant, kubelet: Kubelet) -> bool:
    """Return whether room is made for a pod (pkg/kubelet/types/pod_update.go ``IsCriticalPod``)."""
    rule = kubelet.behaviour.room.critical
    if rule == "static or by priority" and tenant.pod.static:
        return True
    return rule != "none" and (tenant.priority or 0) >= _CRITICAL


def _is_preemptable(tenant: Tenant, other: Tenant, kubelet: Kubelet) -> bool:
    if _is_critical(tenant, kubelet) and not _is_critical(other, kubelet):
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
            classes.setdefault(_class_of(one, kubelet), []).append(one)
    best, burstable, guaranteed = (classes.get(name, []) for name in (BEST_EFFORT, "Burstable", GUARANTEED))
    if _less(missing, [*best, *burstable, *guaranteed]):
        return None
    of_guaranteed = _nearest(guaranteed, _less(missing, [*best, *burstable]))
    of_burstable = _nearest(burstable, _less(missing, [*best, *of_guaranteed]))
    of_best = _nearest(best, _less(missing, [*of_burstable, *of_guaranteed]))
    return [*of_best, *of_burstable, *of_guaranteed]


def _alike(
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
        return _class_of(one, kubelet), *(_asked(one, name) for name in ("memory", "cpu", *missing))

    others = [one for one in left if _is_preemptable(tenant, one, kubelet)]
    same = {kind(one) for one in taken} & {kind(one) for one in others}
    yield from (one for one in (*taken, *others) if kind(one) in same)


def _class_of(tenant: Tenant, kubelet: Kubelet) -> str:
    """Return the QoS class of a pod: by its own resources, where these count."""
    pod = tenant.pod
    try:
        if _has_own(pod.spec, kubelet.gates.is_on(POD_RESOURCES_GATE)):
            return qos_class([pod.spec])
        return qos_class(one.spec for one in pod.containers if one.type != "ephemeral")
    except DecodeError:
        return "Burstable"


def _asked(tenant: Tenant, name: str) -> int:
    return 1 if name == _PODS else tenant.asking.freed.get(name, 0)


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
