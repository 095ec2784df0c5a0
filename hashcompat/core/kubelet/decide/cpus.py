"""Whom resource managers refuse when a kubelet starts: it admits every pod again, by its file of CPUs.

With the policy static, a container of a Guaranteed pod that asks for whole CPUs has some of its own, which
cpu_manager_state names. A kubelet that starts keeps what is named there. But with the option full-pcpus-only
it asks first: from 1.22 on whether the number is one of whole cores, and from 1.27 to 1.36 whether as many
physical CPUs are free, besides those that the container has. Then the topology manager asks whether what it
has is on no more NUMA nodes than its policy allows, and its memory too (``memory.py``). While a kubelet
admits the pods that it finds, it frees the CPUs of none, not even of those that it refuses: not all of its
sources are ready yet.

Source: pkg/kubelet/cm/cpumanager/policy_static.go ``Allocate``, ``guaranteedCPUs`` and ``GetTopologyHints``
(1.18.20, 1.22.17, 1.26.15, 1.27.16, 1.33.13, 1.34.12, 1.36.5), ``allocateForAdd`` (1.37.2); cpu_manager.go
``removeStaleState``; pkg/kubelet/cm/topologymanager/policy_restricted.go and policy_single_numa_node.go;
pkg/kubelet/kubelet.go ``syncLoopIteration``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.behaviour import Settings
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import GUARANTEED, amount
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.memory import (
    STRICT,
    STRICTEST,
    TOPOLOGY,
    UNEXPECTED,
    Memory,
    WithMemory,
    in_turn,
    is_guaranteed,
    named,
    objection,
    pinned,
    places,
    together,
)
from hashcompat.core.kubelet.decide.resize import (
    POD_RESOURCES_GATE,
    asked_by_status,
    requests_of,
    unreported,
)
from hashcompat.core.kubelet.decide.static import moves
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.escape import count
from hashcompat.core.model.plan import Refusal
from hashcompat.core.model.pods import ContainerType, Pod

if TYPE_CHECKING:
    from fractions import Fraction

MANAGERS_GATE: Final = "PodLevelResourceManagers"

SMT: Final = "SMTAlignmentError"
"""The reason in the status of a pod that is refused because it would share a core."""

MOST_THREADS: Final = {"386": 2, "amd64": 4, "arm": 2, "arm64": 4, "s390x": 2}
"""How many threads a core has at most, by the architecture: four in a Xeon Phi or a ThunderX2.

Any other, such as POWER, may have as many as ``_NUMBERS`` has.
"""

_NUMBERS: Final = {2: "two", 4: "four", 8: "eight"}
"""How many threads a core has, where it has several."""

CPUSet = frozenset[int]


class Cpus(msgspec.Struct, frozen=True):
    """What the files of a node show of the CPUs that its kubelet gives to containers alone."""

    exclusive: bool = False
    """Whether it gives any: the policy is static."""
    held: Mapping[str, Mapping[str, CPUSet]] = {}
    """The CPUs of containers, by the UIDs of their pods and by their names."""
    whole_cores: bool = False
    """Whether it has the option full-pcpus-only."""
    threads: int | None = None
    """How many CPUs are one core; None where that is not known."""
    most_threads: int = 2
    """How many it may be where that is not known."""
    physical: tuple[int, int] = (0, 0)
    """How many are free and share no core with a reserved one, at least and at most."""
    available: int = 0
    """How many are free and not reserved."""
    topology: str = "none"
    """The topology manager's policy."""
    by_socket: bool = False
    """Whether it has the option align-by-socket, with which CPUs of one socket may be on more NUMA nodes."""
    by_pod: bool = False
    """Whether that looks at all CPUs of a pod together."""
    nodes: Mapping[str, CPUSet] = {}
    """The CPUs of NUMA nodes, by their numbers; empty where there is one."""
    memory: Memory = Memory()
    """What it shows of memory."""
    claimed: int = 0
    """How many of those that are free other pods may take first, for which the file names none: those that
    are admitted before, or whose order is not known."""
    unstarted: bool = False
    """Whether no kubelet starts with its state file; then nothing else is known."""
    fixed: frozenset[str] = frozenset()
    """Of ``cpu`` and ``memory`` those whose manager has the policy static."""


class WithCpus(msgspec.Struct, frozen=True):
    """A container that asks for CPUs of its own."""

    name: str
    number: int
    """How many it asks for."""
    held: CPUSet | None = None
    """Those that it has; None for none."""
    type: ContainerType = ContainerType.CONTAINER


def with_gates(kubelet: Kubelet, settings: Settings) -> Kubelet:
    """Return a kubelet with the feature gates that its node sets besides, where it sets any."""
    return structs.replace(kubelet, gates=kubelet.gates.beside(settings)) if settings else kubelet


def most_threads(architecture: str) -> int:
    """Return how many threads a core may have on an architecture; one that is empty is not known."""
    return MOST_THREADS.get(architecture, max(_NUMBERS))


def worst(refusals: Sequence[Refusal]) -> Refusal | None:
    """Return what decides about a pod: the first that is certain, or the first; None for none."""
    return next((refusal for refusal in refusals if refusal.certain), refusals[0] if refusals else None)


def without_held(cpus: Cpus) -> Cpus:
    """Return what is found for a static pod with another UID: what any pod has is not its own, nor free."""
    return structs.replace(cpus, held={}, memory=structs.replace(cpus.memory, held={}, twice=True))


def refused(whole: Whole, pod: Pod, cpus: Cpus, old: Kubelet | None, new: Kubelet) -> list[Refusal]:
    """Return for which containers a kubelet that starts refuses a pod, for its CPUs or its memory.

    ``old`` is the kubelet that reported the pod's status, None where it is not known.
    """
    if not (cpus.exclusive or cpus.memory.pinned):
        return []
    if whole.has_own_resources and new.gates.is_on(POD_RESOURCES_GATE):
        if not new.gates.is_on(MANAGERS_GATE):
            return []  # from 1.34 on such a pod has no CPUs of its own; before, the gate is off by default
        text = f"{new.release} has {MANAGERS_GATE} on, and what it gives a pod with resources of its own"
        return [Refusal(pod.containers[0].name, UNEXPECTED, f"{text} is not looked at", certain=False)]
    containers = asked(whole, pod, cpus, old, new) if cpus.exclusive else []
    with_memory = pinned(whole, pod, cpus.memory, old, new) if cpus.memory.pinned else []
    all_refusals = refusals(containers, cpus, new, with_memory)
    if old is not None or not asked_by_status(pod, new):
        return all_refusals
    return [structs.replace(refusal, certain=False) for refusal in all_refusals]


def asked(whole: Whole, pod: Pod, cpus: Cpus, old: Kubelet | None, new: Kubelet) -> list[WithCpus]:
    """Return the containers of a pod for which a kubelet asks for CPUs of their own, in its order.

    From 1.27 to 1.34 it goes, where containers can be resized, by what the status shows as allocated: where
    an older kubelet wrote the status, that is nothing.
    """
    if not is_guaranteed(whole, pod, new):
        return []
    held = cpus.held.get(pod.uid) or cpus.held.get(pod.config_hash) or {}
    hidden = unreported(pod, old, new)
    containers = list[WithCpus]()
    for container in in_turn(pod):
        if container.type is not ContainerType.EPHEMERAL and container.type not in hidden:
            number = whole_cpus({"resources": {"requests": requests_of(pod, container, new)}})
            containers.append(WithCpus(container.name, number, held.get(container.name), container.type))
        elif container.name in held:
            containers.append(WithCpus(container.name, 0, held[container.name]))
    return containers if any(container.number for container in containers) else []


def asking(whole: Whole, pod: Pod, old: Kubelet | None, new: Kubelet) -> frozenset[str]:
    """Return the containers that a kubelet may refuse for CPUs of their own, whatever is known of its node.

    All of a pod where an init container has some, which does not run any more.
    """
    has_own = whole.has_own_resources and new.gates.is_on(POD_RESOURCES_GATE)
    if new.behaviour.aligned_cpus == "kept" or (has_own and not new.gates.is_on(MANAGERS_GATE)):
        return frozenset()
    containers = [
        container for container in asked(whole, pod, Cpus(exclusive=True), old, new) if container.number
    ]
    has_init = any(container.type is ContainerType.INIT for container in containers)
    return frozenset(container.name for container in (pod.containers if has_init else containers))


def taken_anew(whole: Whole, pod: Pod, cpus: Cpus, old: Kubelet | None, new: Kubelet) -> int:
    """Return how many free CPUs a pod takes at most when a kubelet starts, besides those that it has.

    Those of an init container are chosen from for the next ones, but others may be taken all the same.
    Source: pkg/kubelet/cm/cpumanager/policy_static.go ``allocateCPUs`` (1.18.20, 1.36.5).
    """
    if not cpus.exclusive:
        return 0
    if moves(pod, old, new) is not False:
        cpus = without_held(cpus)
    if whole.has_own_resources and new.gates.is_on(POD_RESOURCES_GATE):
        is_given = new.gates.is_on(MANAGERS_GATE) and whole.static_qos_class(by_pod=True) == GUARANTEED
        return ceil(_amount(pod.spec)) if is_given and pod.uid not in cpus.held else 0
    return sum(container.number for container in asked(whole, pod, cpus, None, new) if container.held is None)


def whole_cpus(spec: Mapping[str, object]) -> int:
    """Return the number of whole CPUs that a container of a Guaranteed pod asks for; 0 for parts of one.

    That the pod has such a class shows that these are quantities.
    """
    number = _amount(spec)
    return int(number) if number.denominator == 1 else 0


def _amount(spec: Mapping[str, object]) -> Fraction:
    resources = mapping(spec.get("resources"))
    quantity = mapping(resources.get("requests")).get("cpu", mapping(resources.get("limits")).get("cpu"))
    return amount(quantity or "0")


def refusals(
    containers: Sequence[WithCpus], cpus: Cpus, new: Kubelet, with_memory: Sequence[WithMemory] = ()
) -> list[Refusal]:
    """Return for which of a pod's containers a kubelet refuses it, once for each and for each reason.

    In its order: the topology manager looks at each container before that gets CPUs, or first at all of them.
    """
    by_reason = dict[tuple[str, str], Refusal]()
    checks = (
        _misplaced(containers, cpus),
        _unaligned(containers, cpus, new),
        _apart(containers, with_memory, cpus, new),
    )
    for refusal in chain(*checks):
        earlier = by_reason.get((refusal.container, refusal.reason))
        if earlier is None or (refusal.certain and not earlier.certain):
            by_reason[refusal.container, refusal.reason] = refusal
    names = [*(container.name for container in with_memory), *(container.name for container in containers)]
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}

    def turn(refusal: Refusal) -> tuple[int, bool]:
        of_topology = refusal.reason == TOPOLOGY
        return -1 if of_topology and cpus.by_pod else order[refusal.container], not of_topology

    return sorted(by_reason.values(), key=turn)


class _Free:
    """How many CPUs are free while the containers of a pod get theirs, as far as it shows which these are."""

    def __init__(self, cpus: Cpus) -> None:
        self.number = cpus.available
        """How many are free, those of init containers included (``cpusToReuse``)."""
        self.physical = cpus.physical
        """How many of the others share no core with a reserved one, at least and at most."""
        self._reusable = CPUSet()

    def keeps(self, container: WithCpus, held: CPUSet) -> None:
        """Let a container keep what it has: an init container's CPUs are those after it too."""
        if container.type is ContainerType.INIT:
            self.number += len(held - self._reusable)
            self._reusable |= held
        else:
            self.number -= len(held & self._reusable)
            self._reusable -= held

    def takes(self, container: WithCpus) -> None:
        """Give a container CPUs that are free, or that an init container has: which is not known here."""
        least, most = self.physical
        extra = max(self.number - least, 0)  # of init containers, or sharing cores with reserved ones
        self.physical = least - container.number, most - max(container.number - extra, 0)
        if container.type is not ContainerType.INIT:
            self.number -= container.number


def _unaligned(containers: Iterable[WithCpus], cpus: Cpus, new: Kubelet) -> Iterator[Refusal]:
    """Yield the containers that do not get CPUs again (``Allocate``)."""
    aligned, free = new.behaviour.aligned_cpus, _Free(cpus)
    for entry in containers:
        is_new = entry.held is None
        if not entry.number:
            continue
        if cpus.whole_cores and (is_new or aligned != "kept"):
            yield from _of_parts(entry, cpus, new)
        if cpus.whole_cores and (aligned == "asked for again" or (is_new and aligned == "kept")):
            yield from _short(entry, free, cpus, new)
        if entry.held is not None:
            free.keeps(entry, entry.held)
            continue
        if entry.number > free.number - cpus.claimed:
            is_certain = entry.number > free.number
            asks = f"{new.release} asks for {count(entry.number, 'CPU')} for {entry.name}, which has none"
            text = f"{asks} in cpu_manager_state, and {max(free.number, 0)} are free"
            reason = TOPOLOGY if cpus.topology in STRICT else UNEXPECTED
            yield Refusal(
                entry.name, reason, text if is_certain else f"{text}{_claimed(cpus)}", certain=is_certain
            )
        free.takes(entry)


def _claimed(cpus: Cpus) -> str:
    return f", of which other pods without any may take {cpus.claimed} first"


def _of_parts(entry: WithCpus, cpus: Cpus, new: Kubelet) -> Iterator[Refusal]:
    if entry.number % (cpus.threads or cpus.most_threads) == 0:
        return
    text = f"{new.release} gives whole cores alone, and {entry.name} asks for {count(entry.number, 'CPU')}"
    if cpus.threads is None:
        threads = next(word for size, word in _NUMBERS.items() if entry.number % size)
        yield Refusal(
            entry.name, SMT, f"{text}, which are none where a core has {threads} threads", certain=False
        )
    else:
        yield Refusal(entry.name, SMT, f"{text} where a core has {cpus.threads} threads")


def _short(entry: WithCpus, free: _Free, cpus: Cpus, new: Kubelet) -> Iterator[Refusal]:
    least, most = free.physical
    asks = f"{new.release} asks for {count(entry.number, 'free physical CPU')} for {entry.name}"
    asks += ", which has as many already" if entry.held is not None else ""
    if entry.number > most:
        yield Refusal(entry.name, SMT, f"{asks}, and {max(most, 0)} are free")
    elif entry.number > least:
        text = f"{asks}; whether they are free depends on which CPUs share a core"
        yield Refusal(entry.name, SMT, text, certain=False)
    elif entry.number > least - cpus.claimed:
        yield Refusal(entry.name, SMT, f"{asks}, and {max(least, 0)} are free{_claimed(cpus)}", certain=False)


def _misplaced(containers: Sequence[WithCpus], cpus: Cpus) -> Iterator[Refusal]:
    """Yield the containers whose CPUs the topology manager does not admit.

    Hints are made again of the CPUs that a container has, of all of a pod's together with the scope pod;
    where it has others than it asks for, none fits. What it gets anew is not known here.
    """
    if cpus.topology not in STRICT:
        return
    held = [
        container
        for container in containers
        if container.held is not None and (container.number or cpus.by_pod)
    ]
    policy = _not_again(cpus)
    for container in held:
        if container.held is not None and len(container.held) != container.number:
            has = f"{container.name} asks for {count(container.number, 'CPU')} and has {len(container.held)}"
            yield Refusal(container.name, TOPOLOGY, f"{has}, {policy}")
    asking = [container for container in containers if container.number]
    if any(container.held is None for container in asking) and len(cpus.nodes) > 1:
        first = next(container for container in asking if container.held is None)
        text = f"{first.name} has no CPUs in cpu_manager_state, and may get some of too many NUMA nodes"
        yield Refusal(first.name, TOPOLOGY, text, certain=False)
        if cpus.by_pod:
            return
    number = together((container.type, container.number) for container in containers) if cpus.by_pod else 0
    for name, own in _sets(held, by_pod=cpus.by_pod):
        if nodes := _too_many(own, number or len(own), cpus):
            text = f"{name} has CPUs of {named(frozenset(nodes))}, {policy}"
            yield Refusal(name, TOPOLOGY, f"{text}{_of_socket(cpus)}", certain=not cpus.by_socket)


def _sets(held: Sequence[WithCpus], *, by_pod: bool) -> Iterator[tuple[str, CPUSet]]:
    if by_pod and held:
        yield held[0].name, CPUSet().union(*(container.held or () for container in held))
    elif not by_pod:
        yield from ((container.name, container.held or CPUSet()) for container in held)


def _too_many(held: CPUSet, number: int, cpus: Cpus) -> list[str]:
    """Return the NUMA nodes of some CPUs, where these are more than so many need."""
    spread = [node for node, own in cpus.nodes.items() if held & own]
    sizes = sorted(map(len, cpus.nodes.values()), reverse=True)
    needed = next((n for n in range(1, len(sizes) + 1) if sum(sizes[:n]) >= number), len(sizes))
    return spread if len(spread) > (1 if cpus.topology == STRICTEST else needed) else []


def _apart(
    containers: Iterable[WithCpus], with_memory: Sequence[WithMemory], cpus: Cpus, new: Kubelet
) -> Iterator[Refusal]:
    """Yield the containers whose memory the topology manager does not admit, or that may get none.

    Where a container's CPUs are not known, memory alone decides here; of such CPUs ``_misplaced`` tells.
    """
    if not cpus.memory.is_read and cpus.topology in STRICT:
        for container in with_memory:
            text = f"where {container.name} has memory is not known"
            yield Refusal(container.name, TOPOLOGY, text, certain=False)
    if not cpus.memory.is_read or (len(cpus.nodes) < 2 and not cpus.memory.twice):
        return  # memory of a single node is room, which does not depend on this
    for container in with_memory:
        if container.held is None and container.asks:
            reason = TOPOLOGY if cpus.topology in STRICT else UNEXPECTED
            text = f"{container.name} has no memory in memory_manager_state"
            yield Refusal(
                container.name, reason, f"{text}, and may find too little on any NUMA node", certain=False
            )
    if cpus.topology not in STRICT:
        return
    asking = [container for container in containers if container.number]
    has_all = all(
        container.held is not None and len(container.held) == container.number for container in asking
    )
    own = {container.name: container.held or CPUSet() for container in asking if not cpus.by_pod or has_all}
    all_cpus = CPUSet().union(*own.values())
    equal = new.behaviour.numa_affinity == "equal"
    for name, memory in places(with_memory, by_pod=cpus.by_pod):
        alone = all_cpus if cpus.by_pod else own.get(name, CPUSet())
        nodes = frozenset(node for node, node_cpus in cpus.nodes.items() if node_cpus & alone)
        if problem := objection(nodes, memory, cpus.topology, equal=equal):
            text = f"{name} has {problem}, {_not_again(cpus)}{_of_socket(cpus)}"
            yield Refusal(name, TOPOLOGY, text, certain=not cpus.by_socket)


def _of_socket(cpus: Cpus) -> str:
    """Say what is not known with the option align-by-socket.

    Source: pkg/kubelet/cm/cpumanager/policy_static.go ``isHintSocketAligned`` (1.26.15, 1.36.5).
    """
    return ", unless they are one socket's (align-by-socket)" if cpus.by_socket else ""


def _not_again(cpus: Cpus) -> str:
    return f"which the topology manager's policy {cpus.topology} does not admit again"
