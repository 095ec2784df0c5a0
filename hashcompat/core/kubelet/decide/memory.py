"""Whom a kubelet refuses for memory that the memory manager pinned: it admits every pod again when it starts.

With the policy Static each container of a Guaranteed pod has its memory and its huge pages on some NUMA
nodes, which memory_manager_state names. A kubelet that starts looks at no amount of what is named there. But
the topology manager asks for the nodes again, and with a strict policy refuses a pod whose memory is on more
of them than it allows, or not where its CPUs are: that has come with another policy since the pod was
admitted. A container that the file lacks gets memory anew, on nodes that depend on all that others have.

Devices do not count: where they are is known once their plugins have registered, which is later.

Source: pkg/kubelet/cm/memorymanager/policy_static.go ``Allocate``, ``regenerateHints``, ``GetTopologyHints``
and ``GetPodTopologyHints`` (1.21.14, 1.27.16, 1.33.13, 1.36.5, 1.37.2), and
pkg/kubelet/cm/topologymanager/policy.go ``mergePermutation``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import GUARANTEED, amount
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.resize import requests_of, unreported
from hashcompat.core.kubelet.decide.whole import Whole, class_shown
from hashcompat.core.model.pods import Container, ContainerType, Pod

TOPOLOGY, UNEXPECTED = "TopologyAffinityError", "UnexpectedAdmissionError"
"""The reasons in the status of a pod that is refused."""

STRICTEST: Final = "single-numa-node"

STRICT: Final = ("restricted", STRICTEST)
"""The policies of the topology manager that refuse pods."""

Amounts = Mapping[str, int]
"""Bytes of memory and of huge pages, by the names of these resources."""

NumaNodes = frozenset[str]
"""NUMA nodes, by their numbers."""


class Block(msgspec.Struct, frozen=True):
    """Memory of one kind that a container has."""

    kind: str
    """``memory``, or huge pages of a size."""
    size: int
    """How many bytes."""
    nodes: NumaNodes
    """Where."""


class Memory(msgspec.Struct, frozen=True):
    """What the files of a node show of the memory that its kubelet pins."""

    pinned: bool = False
    """Whether it pins any: the policy is Static, and it starts with its state file."""
    held: Mapping[str, Mapping[str, Sequence[Block]]] = {}
    """The memory of containers, by the UIDs of their pods and by their names."""
    is_read: bool = True
    """Whether the file and the NUMA nodes were read."""
    twice: bool = False
    """Whether a pod asks beside what its former UID has, which room on its node does not count."""


class WithMemory(msgspec.Struct, frozen=True):
    """A container whose memory is pinned."""

    name: str
    asks: Amounts
    """What it asks for."""
    held: Sequence[Block] | None = None
    """What it has; None for nothing yet."""
    type: ContainerType = ContainerType.CONTAINER


def pinned(whole: Whole, pod: Pod, memory: Memory, old: Kubelet | None, new: Kubelet) -> list[WithMemory]:
    """Return the containers of a pod whose memory a kubelet pins, in its order, with what it asks of them."""
    if not is_guaranteed(whole, pod, new):
        return []
    held = memory.held.get(pod.uid) or memory.held.get(pod.config_hash) or {}
    hidden = unreported(pod, old, new)
    return [
        WithMemory(
            container.name,
            {} if container.type in hidden else amounts_of(requests_of(pod, container, new)),
            held.get(container.name),
            container.type,
        )
        for container in in_turn(pod)
        if container.type is not ContainerType.EPHEMERAL
    ]


def is_guaranteed(whole: Whole, pod: Pod, new: Kubelet) -> bool:
    """Return whether a pod has the QoS class Guaranteed; its containers' resources are quantities then."""
    if shown := class_shown(pod, new.behaviour):
        return shown == GUARANTEED and whole.qos_classes is not None
    counted = (
        container.spec for container in pod.containers if container.type is not ContainerType.EPHEMERAL
    )
    limits = (mapping(mapping(spec.get("resources")).get("limits")) for spec in counted)
    # all of a Guaranteed pod have a limit of CPU, which is seen at once
    return all("cpu" in amounts for amounts in limits) and (whole.qos_classes or ("", ""))[1] == GUARANTEED


def in_turn(pod: Pod) -> list[Container]:
    """Return the containers of a pod in the order in which resource managers are asked for them."""
    return sorted(pod.containers, key=lambda container: container.type is ContainerType.CONTAINER)


def amounts_of(requests: object) -> Amounts:
    """Return what requests have of memory; raises DecodeError for what is not a quantity."""
    asked = {
        name: amount(value)
        for name, value in mapping(requests).items()
        if name == "memory" or name.startswith("hugepages-")
    }
    return {name: int(value) for name, value in asked.items() if value.denominator == 1}


def together(asks: Iterable[tuple[ContainerType, int]]) -> int:
    """Return what the containers of a pod ask for at once: init containers end before the next one begins.

    Source: ``getPodRequestedResources`` here, ``podGuaranteedCPUs`` in policy_static.go of the CPU manager.
    """
    regular = sidecars = init = 0
    for kind, number in asks:
        if kind is ContainerType.INIT:
            init = max(init, sidecars + number)
        elif kind is ContainerType.SIDECAR:
            sidecars += number
        else:
            regular += number
    return max(regular + sidecars, init)


def places(containers: Sequence[WithMemory], *, by_pod: bool) -> Iterator[tuple[str, list[NumaNodes]]]:
    """Yield where containers have memory, as the topology manager is told; of a pod the first that has any.

    Nothing of one whose memory is not what it asks for: then it may be anywhere.
    """
    having = [
        (container.name, container.held or (), container.asks)
        for container in containers
        if container.held is not None
    ]
    if by_pod:
        # what all ask for at once, of what those have that are no init containers
        init = ContainerType.INIT, ContainerType.SIDECAR
        names = {name for container in containers if container.type not in init for name in container.asks}
        totals = {
            name: together((container.type, container.asks.get(name, 0)) for container in containers)
            for name in names
        }
        having = [(name, blocks, totals) for name, blocks, _ in having[:1]]
    for name, blocks, asks in having:
        if blocks and {block.kind: block.size for block in blocks} == asks and len(blocks) == len(asks):
            yield name, [block.nodes for block in blocks]


def objection(cpus: NumaNodes, memory: Sequence[NumaNodes], policy: str, *, equal: bool) -> str:
    """Return what a strict policy refuses of places of memory, and of CPUs; empty for nothing.

    ``cpus`` is empty where a container has none of its own; ``equal``: whether all of them have to be on the
    same nodes, not only on some that all share.
    """
    spread = next((nodes for nodes in memory if len(nodes) > 1), None) if policy == STRICTEST else None
    if spread:
        return f"memory of {named(spread)}"
    own = [("CPUs", cpus)] if cpus else []
    (kind, first), *others = own + [("memory", nodes) for nodes in memory]
    common = first
    for other_kind, nodes in others:
        common &= nodes
        if nodes != first if equal else not common:
            return f"{kind} of {named(first)} and {other_kind} of {named(nodes)}"
    return ""


def named(nodes: NumaNodes) -> str:
    """Return NUMA nodes in words."""
    return f"NUMA node{'' if len(nodes) == 1 else 's'} {', '.join(sorted(nodes, key=int))}"
