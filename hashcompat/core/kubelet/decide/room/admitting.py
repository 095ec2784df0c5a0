"""Whom a starting kubelet has no room for, and who has to make room: it asks pod after pod, in its own order.

Source: pkg/kubelet/kubelet.go ``HandlePodAdditions``; pkg/kubelet/lifecycle/predicate.go ``Admit``;
pkg/scheduler/framework/plugins/noderesources/fit.go ``fitsRequest``; pkg/kubelet/preemption/preemption.go
(1.8.15 - 1.37.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Final

from msgspec import structs

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import BEST_EFFORT, GUARANTEED, qos_class
from hashcompat.core.errors import DecodeError
from hashcompat.core.kubelet.decide.ports import Taken
from hashcompat.core.kubelet.decide.resize import POD_RESOURCES_GATE
from hashcompat.core.kubelet.decide.room.requests import CLAIMS_GATE, NATIVE, Amounts, is_extended
from hashcompat.core.kubelet.decide.room.tenants import NOT_KNOWN, PODS, NodeResources, Sums, Tenant
from hashcompat.core.kubelet.decide.whole import class_shown, has_own_resources, is_critical_pod
from hashcompat.core.model.plan import Shortage
from hashcompat.core.model.pods import RESIZE_PENDING


def outcomes(tenants: Sequence[Tenant], node: NodeResources, kubelet: Kubelet) -> dict[str, Shortage]:
    """Return the pods of a node for which a kubelet that starts has no room, by their uids.

    ``tenants`` are those that take room. An outcome is marked as not known that depends on the order of two
    pods of one second, on a pod that may not be there, on the priority of a static pod whose manifest is not
    known, or on an annotation that makes a pod critical.
    """
    shortages = _with_priorities(tenants, node, kubelet)
    if not kubelet.gates.is_on(ANNOTATION_GATE):
        return shortages
    lacking = (
        tenant for tenant in tenants if tenant.pod.uid in shortages and tenant.pod.namespace == "kube-system"
    )
    short = next((tenant for tenant in lacking if not is_critical(tenant, kubelet)), None)
    if short is None:
        return shortages
    taken = Shortage(shortages[short.pod.uid].resource, preemptor=short.name)
    why = f"whether the annotation of {short.name} makes it critical is not known"
    return {
        tenant.pod.uid: structs.replace(shortages.get(tenant.pod.uid, taken), certain=False, why=why)
        for tenant in tenants
    }


ANNOTATION_GATE: Final = "ExperimentalCriticalPodAnnotation"
"""With it pods of kube-system are critical by an annotation (``IsCriticalPod``, 1.7.5 and 1.15.12)."""


def _with_priorities(tenants: Sequence[Tenant], node: NodeResources, kubelet: Kubelet) -> dict[str, Shortage]:
    """Return the same with the priorities that static pods' manifests may have."""
    shortages = _with_doubts(tenants, node, kubelet)
    first = next((tenant for tenant in tenants if tenant.mirrored.priority != tenant.priority), None)
    if first is None:
        return shortages
    other = _with_doubts([tenant.mirrored for tenant in tenants], node, kubelet)
    why = f"whether the manifest of the static pod {first.name} sets a priority is not known"
    open_ = {
        uid: structs.replace(short, certain=False, why=why)
        for uid, short in (shortages | other).items()
        if not (uid in shortages and uid in other)
    }
    less = {uid: short for uid, short in other.items() if uid in shortages and not short.certain}
    return shortages | less | open_


def _with_doubts(tenants: Sequence[Tenant], node: NodeResources, kubelet: Kubelet) -> dict[str, Shortage]:
    """Return the same with the priorities that pods have, as far as these are known.

    A pod that may not be there, or may lack something, may leave room to those behind it.
    """
    last, left = _ordered(tenants, node, kubelet), list(tenants)
    shortages, always, open_ = dict(last), set(last), set[str]()
    first: Tenant | None = None
    # without those that may not be there, or of which it is not known by themselves whether they
    # are admitted or make room: again, until no other one may lack something by that
    while gone := {
        tenant.pod.uid: tenant
        for tenant in left
        if tenant.doubt or (tenant.pod.uid in last and last[tenant.pod.uid].why in _OPEN)
    }:
        first = first or next(iter(gone.values()))
        open_ |= {uid for uid, tenant in gone.items() if not tenant.doubt}
        left = [tenant for tenant in left if tenant.pod.uid not in gone]
        last = _ordered(left, node, kubelet)
        shortages |= last
        always &= last.keys()
    if first is None:
        return shortages
    why = first.doubt or NOT_KNOWN.format(first.name)
    return shortages | {
        uid: structs.replace(short, certain=False, why=why, by_manifest=first.may_return)
        for uid, short in shortages.items()
        if uid not in always | open_
    }


def _ordered(tenants: Sequence[Tenant], node: NodeResources, kubelet: Kubelet) -> dict[str, Shortage]:
    shortages = _outcomes(sorted(tenants, key=lambda tenant: tenant.order), node, kubelet)
    # what fits in one order need not in another: a pod may count for more beside others than it asks for
    tied = _tied(tenants, node, kubelet)
    uncertain = dict[str, Shortage]()
    all_static = all(tenant.pod.static for alike in tied for tenant in alike)
    why = f"{'static pods' if all_static else 'pods of one second'} have no order"
    if len(tied) > _TRIED:
        results = chain(
            [shortages], (_outcomes(order, node, kubelet) for order in _other_orders(tenants, tied[:1]))
        )
        first = next((short for result in results for short in result.values()), None)
        if first is None:
            return shortages
        for uid in (tenant.pod.uid for alike in tied for tenant in alike):
            uncertain[uid] = structs.replace(shortages.get(uid, first), certain=False, why=why)
        return {**shortages, **uncertain}
    for order in _other_orders(tenants, tied):
        other = _outcomes(order, node, kubelet)
        for uid in shortages.keys() ^ other.keys():
            uncertain[uid] = structs.replace(shortages.get(uid) or other[uid], certain=False, why=why)
    for alike in tied:  # any of them may come where another one came
        short = next((uncertain[tenant.pod.uid] for tenant in alike if tenant.pod.uid in uncertain), None)
        if short is None:
            continue
        for tenant in alike:
            # of two that ask for one port either may have it
            holder = next((other.name for other in alike if other.name != tenant.name), "")
            own = short.holder == tenant.name
            uncertain[tenant.pod.uid] = structs.replace(short, holder=holder) if own else short
    return {**shortages, **uncertain}


def deferred(
    tenants: Iterable[Tenant], node: NodeResources, leaving: Collection[str], kubelet: Kubelet
) -> dict[str, Shortage]:
    """Return the pods of a node that are to be resized and stay as they are, by their uids: nothing is free.

    ``leaving`` are the uids of pods that may not stay. A kubelet tries a resize as it admits a pod, with what
    that is to ask for, one after the other; one that does not fit waits, or is infeasible
    (pkg/kubelet/kubelet.go ``canResizePod``, 1.33.13; pkg/kubelet/allocation/allocation_manager.go
    ``retryPendingResizes``, 1.34.4 - 1.37.2). Where their order decides and is not known, a shortage is not
    certain.
    """
    used, waiting = Counter[str](), list[Tenant]()
    for tenant in tenants:
        stays = not (tenant.refused or tenant.doubt or tenant.pod.deleting or tenant.pod.uid in leaving)
        if stays:
            used.update(tenant.asking.beside)
        if tenant.asking.wanted:
            waiting.append(
                tenant if stays else structs.replace(tenant, asking=structs.replace(tenant.asking, beside={}))
            )
    is_sorted = len(waiting) <= _SORTED or all(tenant.pod.resizing == RESIZE_PENDING for tenant in waiting)
    in_order = is_sorted and not any(tenant.pod.static for tenant in waiting)

    def turn(tenant: Tenant) -> tuple[object, ...]:
        """Return what decides which resizes are tried first (``sortPendingResizes``, 1.34.4, 1.36.5, 1.37.2).

        Those that wait already come before the others, and in the order of their pods' creation too: they
        count as waiting since the start, which notes it of one after the other
        (``BackfillPodResizeConditions``).
        """
        if kubelet.behaviour.room.resizes != "sorted":
            return ()
        wanted, own = tenant.asking.wanted, tenant.asking.admitted
        increases = any(wanted.get(name, 0) > own.get(name, 0) for name in ("cpu", "memory"))
        waits = tenant.pod.resizing == RESIZE_PENDING
        created = tenant.pod.created if in_order else ""
        guaranteed = class_of(tenant, kubelet) == GUARANTEED
        return increases, -(tenant.priority or 0), not guaranteed, not waits and in_order, created

    shortages, most = dict[str, Shortage](), Counter(used)
    for _, group in groupby(sorted(waiting, key=turn), turn):
        peers = list(group)
        shortages |= {
            tenant.pod.uid: short for tenant in peers if (short := _lacking_more(tenant, used, node, kubelet))
        }
        open_ = [tenant for tenant in peers if tenant.pod.uid not in shortages]
        for tenant in open_:
            most.update(_resize_growth(tenant))
        shortages |= dict(_after_others(open_, most, node, kubelet))
        for tenant in open_:
            if tenant.pod.uid not in shortages:
                used.update(_resize_growth(tenant))
    return shortages


def _after_others(
    tenants: Iterable[Tenant], used: Amounts, node: NodeResources, kubelet: Kubelet
) -> Iterator[tuple[str, Shortage]]:
    """Yield the pods whose resizes do not fit once those of all others are made, which count in ``used``."""
    for tenant in tenants:
        before = Counter(used)
        before.subtract(_resize_growth(tenant))
        if short := _lacking_more(tenant, before, node, kubelet):
            why = "which resize comes first is not known"
            yield tenant.pod.uid, structs.replace(short, certain=False, why=why)


_SORTED: Final = 12
"""Resizes that a kubelet leaves in the order of their pods' creation where nothing else tells them apart: Go
sorts so few by insertion."""


def _resize_growth(tenant: Tenant) -> Counter[str]:
    """Return how much more a pod counts for once its resize is accepted: what it has counts until then."""
    wanted, beside = tenant.asking.wanted, tenant.asking.beside
    return Counter({name: max(number - beside.get(name, 0), 0) for name, number in wanted.items()})


def _lacking_more(tenant: Tenant, used: Amounts, node: NodeResources, kubelet: Kubelet) -> Shortage | None:
    """Return what a pod surely lacks for its resize, beside what all pods use."""
    asking, used_by_others = structs.replace(tenant.asking, admitted=tenant.asking.wanted), Counter(used)
    used_by_others.subtract(tenant.asking.beside)
    lacks = _lacking(structs.replace(tenant, asking=asking), 0, used_by_others, node, kubelet)
    return next((lack for lack in lacks if lack.certain), None)


_TRIED: Final = 32
"""Kinds of pods of one second that are tried in other orders; of more, no outcome is known."""

_NOT_ADMITTED: Final = "that pod may not be admitted itself"

_UNSHOWN: Final = "the node does not show how much of it there is"

_OF_PLUGIN: Final = "the record of a device plugin on the node may make room"

_OPEN: Final = frozenset({_NOT_ADMITTED, _UNSHOWN, _OF_PLUGIN})
"""Why a pod may not be admitted, whatever the order in which they come."""


def _tied(tenants: Iterable[Tenant], node: NodeResources, kubelet: Kubelet) -> list[list[Tenant]]:
    """Return the pods that share their second with others, where it may matter which of them comes first.

    Those that nothing else tells apart are together. While everything fits, no order matters.
    """
    groups, sums = list[list[Tenant]](), Sums()
    taking = sorted((tenant for tenant in tenants if not tenant.refused), key=lambda tenant: tenant.order)
    asked = Counter(port[:2] for tenant in taking for port in tenant.asking.ports)
    for _, second in groupby(taking, key=lambda tenant: tenant.order):
        peers = list(second)
        for tenant in peers:
            sums.add(tenant.asking)
        if len(peers) == 1 or sums.fit(node):
            continue
        if sums.have_room(node):  # only those matter that may share a port with another pod
            peers = [tenant for tenant in peers if any(asked[port[:2]] > 1 for port in tenant.asking.ports)]
        alike: dict[Any, list[Tenant]] = {}
        for tenant in peers:
            amounts = tenant.asking.admitted, tenant.asking.beside, tenant.asking.freed
            key = (
                *(tuple(sorted(resources.items())) for resources in amounts),
                tenant.asking.claimed,
                tenant.asking.ports,
            )
            alike.setdefault((key, tenant.priority, class_of(tenant, kubelet)), []).append(tenant)
        groups += alike.values()
    return groups


def _other_orders(tenants: Sequence[Tenant], tied: Iterable[Sequence[Tenant]]) -> Iterator[list[Tenant]]:
    """Yield other orders in which pods of one second may come: each of them first, and last.

    The ones beside it come by what they ask for, in both directions: what is left then differs most.
    """

    def size(tenant: Tenant) -> int:
        return sum(tenant.asking.admitted.values())

    ways = [sorted(tenants, key=lambda tenant: sign * size(tenant)) for sign in (1, -1)]
    for first, *_ in tied:
        for place in (False, True):
            yield from (
                sorted(way, key=lambda tenant: (tenant.order, (tenant is first) is place)) for way in ways
            )


class _Admitted:
    """The pods of a node that are admitted so far, and what they have."""

    def __init__(self, node: NodeResources, kubelet: Kubelet) -> None:
        self._node, self._kubelet = node, kubelet
        self.pods: list[Tenant] = []
        self.shortages: dict[str, Shortage] = {}
        """Those that are not, or may not be."""
        self._used = Counter[str]()
        self._taken = Taken()
        self._names: dict[str, str] = {}
        """Of those with host ports, by their uids."""

    def ask(self, tenant: Tenant) -> None:
        """Admit one more pod, or note why it is not."""
        lacks = list(_lacking(tenant, len(self.pods), self._used, self._node, self._kubelet))
        clash = self._clashing(tenant)
        critical = is_critical(tenant, self._kubelet)
        if clash and (critical or not any(lack.certain for lack in lacks)):
            # a kubelet takes room for a critical pod only if nothing else refuses it
            lacks = [clash]
        elif lacks and critical and self._preempt(tenant, lacks):
            lacks = []
        if tenant.refused:
            return
        if lacks:
            certain = [lack for lack in lacks if lack.certain]
            self.shortages[tenant.pod.uid] = structs.replace((certain or lacks)[0], in_vain=critical)
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
            uid, hidden = held
            why = f"the snapshot hides their {hidden}, which may differ" if hidden else ""
            why = why or (_NOT_ADMITTED if uid in self.shortages else "")
            short = Shortage(str(port), holder=self._names[uid], predicate=reason, certain=not why, why=why)
            if short.certain:
                return short
            first = first or short
        return first

    def _preempt(self, tenant: Tenant, lacks: Sequence[Shortage]) -> bool:
        """Take the room of other pods for a critical one; return whether they have enough."""
        victims = preempted(
            tenant, self.pods, [(lack.resource, lack.missing) for lack in lacks], self._kubelet
        )
        if victims is None:
            return False
        certain = any(lack.certain for lack in lacks)
        why = "" if certain else lacks[0].why
        short = Shortage(lacks[0].resource, preemptor=tenant.name, certain=certain, why=why)
        for victim in victims:  # one that may lack something is gone either way, and may leave room before
            before = self.shortages.get(victim.pod.uid)
            self.shortages[victim.pod.uid] = (
                structs.replace(short, why=why or before.why) if before else short
            )
        if not certain:  # then there may be room for both
            return True
        left = [neighbour for neighbour in self.pods if neighbour not in victims]
        for neighbour in exchangeable(
            tenant, victims, left, [lack.resource for lack in lacks], self._kubelet
        ):
            self.shortages[neighbour.pod.uid] = structs.replace(
                short, certain=False, why="other pods are alike, and it takes the room of any of them"
            )
        self.pods, self._used, self._taken = [], Counter(), Taken()
        for neighbour in left:
            self._admit(neighbour)
        return True


def _outcomes(ordered: Iterable[Tenant], node: NodeResources, kubelet: Kubelet) -> dict[str, Shortage]:
    admitted = _Admitted(node, kubelet)
    for tenant in ordered:
        if tenant.refused_last or not tenant.refused:
            admitted.ask(tenant)
    return admitted.shortages


def _lacking(
    tenant: Tenant, pods: int, used: Amounts, node: NodeResources, kubelet: Kubelet
) -> Iterator[Shortage]:
    """Yield what a pod lacks beside those that are admitted, and what they use (``fitsRequest``).

    A kubelet counts what the node does not list as none; every kubelet lists CPUs and memory. With the gate
    for claims, 1.34 leaves whatever the node does not list to these, whether there is one or not, and 1.35
    what it has none of (1.35.8 fit.go ``shouldDelegateResourceToDRA``).
    """
    if node.pods is not None and pods + 1 > node.pods:
        yield Shortage(PODS, 1, pods, node.pods)
    own = tenant.asking.admitted
    if not any(own.get(name) for name in NATIVE) and not any(name not in NATIVE for name in own):
        return
    room = kubelet.behaviour.room
    left_out = room.claims if kubelet.gates.is_on(CLAIMS_GATE) else ""
    for name in dict.fromkeys(("cpu", "memory", "ephemeral-storage", *sorted(own))):
        asked, capacity, taken = own.get(name, 0), node.amounts.get(name, 0), used.get(name, 0)
        if not asked and not (room.unrequested and (name in node.amounts or name in own)):
            continue
        why = _UNSHOWN if name in NATIVE and name not in node.amounts else ""
        if is_extended(name) and name not in tenant.asking.claimed:
            why = _OF_PLUGIN if tenant.devices is None else ""
            capacity = max(capacity, (tenant.devices or {}).get(name, 0))
        unlisted = left_out == "left out where the node lists none" and name not in node.amounts
        none = left_out == "left out where the node has none" and not capacity
        if (unlisted or none) and name not in NATIVE:
            continue
        if asked > capacity - taken:
            yield Shortage(name, asked, taken, capacity, certain=not why, why=why)


# Critical pods, which take the room of others.


def is_critical(tenant: Tenant, kubelet: Kubelet) -> bool:
    """Return whether room is made for a pod."""
    return is_critical_pod(tenant.pod, tenant.priority, kubelet.behaviour)


def _is_preemptable(tenant: Tenant, other: Tenant, kubelet: Kubelet) -> bool:
    if is_critical(tenant, kubelet) and not is_critical(other, kubelet):
        return True
    mine, its = tenant.priority, other.priority
    by_priority = kubelet.behaviour.room.victims == "less important"
    return by_priority and mine is not None and its is not None and mine > its


Requirements = Sequence[tuple[str, int]]
"""Resources that are missing, each with how much of it."""


def preempted(
    tenant: Tenant, admitted: Sequence[Tenant], missing: Requirements, kubelet: Kubelet
) -> list[Tenant] | None:
    """Return the pods that a critical one takes the room of; None where those do not have enough.

    Source: pkg/kubelet/preemption/preemption.go ``getPodsToPreempt``.
    """
    classes = dict[str, list[Tenant]]()
    for neighbour in admitted:
        if _is_preemptable(tenant, neighbour, kubelet):
            classes.setdefault(class_of(neighbour, kubelet), []).append(neighbour)
    best, burstable, guaranteed = (classes.get(name, []) for name in (BEST_EFFORT, "Burstable", GUARANTEED))
    if _still_missing(missing, [*best, *burstable, *guaranteed]):
        return None
    of_guaranteed = _nearest(guaranteed, _still_missing(missing, [*best, *burstable]))
    of_burstable = _nearest(burstable, _still_missing(missing, [*best, *of_guaranteed]))
    of_best = _nearest(best, _still_missing(missing, [*of_burstable, *of_guaranteed]))
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

    def kind(neighbour: Tenant) -> tuple[object, ...]:
        return class_of(neighbour, kubelet), *(
            _freed(neighbour, name) for name in ("memory", "cpu", *missing)
        )

    candidates = [neighbour for neighbour in left if _is_preemptable(tenant, neighbour, kubelet)]
    same = {kind(neighbour) for neighbour in taken} & {kind(neighbour) for neighbour in candidates}
    yield from (neighbour for neighbour in (*taken, *candidates) if kind(neighbour) in same)


def class_of(tenant: Tenant, kubelet: Kubelet) -> str:
    """Return the QoS class of a pod: that of its status, or by its own resources, where these count."""
    pod = tenant.pod
    if shown := class_shown(pod, kubelet.behaviour):
        return shown
    try:
        if kubelet.gates.is_on(POD_RESOURCES_GATE) and has_own_resources(pod.spec):
            return qos_class([pod.spec])
        return qos_class(container.spec for container in pod.containers if container.type != "ephemeral")
    except DecodeError:
        return "Burstable"


def _freed(tenant: Tenant, name: str) -> int:
    return 1 if name == PODS else tenant.asking.freed.get(name, 0)


def _still_missing(missing: Requirements, taken: Iterable[Tenant]) -> list[tuple[str, int]]:
    """Return what is still missing once the room of some pods is free."""
    pods = list(taken)
    left = [(name, number - sum(_freed(tenant, name) for tenant in pods)) for name, number in missing]
    return [(name, number) for name, number in left if number > 0]


def _nearest(pods: Sequence[Tenant], missing: Requirements) -> list[Tenant]:
    """Return the pods that meet what is missing most nearly, one after the other."""
    left, victims = list(pods), list[Tenant]()
    while missing and left:
        place = 0
        best = float(len(missing) + 1)
        for index, tenant in enumerate(left):
            lacks = ((number - _freed(tenant, name), number) for name, number in missing)
            distance = sum((rest / number) ** 2 for rest, number in lacks if rest > 0)
            if distance < best or (distance == best and _is_smaller(tenant, left[place])):
                place, best = index, distance
        missing = _still_missing(missing, [left[place]])
        victims.append(left[place])
        left[place] = left[-1]
        left.pop()
    return victims


def _is_smaller(tenant: Tenant, other: Tenant) -> bool:
    for name in ("memory", "cpu"):
        mine, its = _freed(tenant, name), _freed(other, name)
        if mine != its:
            return mine < its
    return True
