"""The pods of a cluster, counted one by one: what is kept grows with nodes, owners and budgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any, Final

from hashcompat.analysis.disruption.budgets import BudgetSeen, Hits, Selectors
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.model.cluster import Availability, Budget, Service, release_of
from hashcompat.core.model.impact import PodPlace
from hashcompat.core.model.items import Item, PodName
from hashcompat.core.model.pods import FINISHED, ContainerType, Pod
from hashcompat.core.model.verdicts import Verdict

# What a plan does to a pod: whether any of its containers restarts, is killed for good, or may.

Identity = str | tuple[str, str, str]
"""A uid; or namespace, name and node, where there is none."""


class Fate(IntFlag):
    """What happens to the containers of one pod."""

    NONE = 0
    RESTARTS = 1
    KILLED = 2
    UNKNOWN = 4
    CERTAIN = RESTARTS | KILLED


_FATES: Final = {Verdict.RESTART: Fate.RESTARTS, Verdict.KILL: Fate.KILLED, Verdict.UNKNOWN: Fate.UNKNOWN}


def fates(items: Iterable[Item]) -> dict[Identity, Fate]:
    """Return the fate of each pod that is not kept as it is."""
    fates: dict[Identity, Fate] = {}
    for item in items:
        if fate := _FATES.get(item.verdict):
            # A pod has an item for each container, and verdicts that differ: flags keep all of them.
            identity = identity_of(item.pod)
            fates[identity] = fates.get(identity, Fate.NONE) | fate
    return fates


def identity_of(pod: Pod | PodName) -> Identity:
    """Return by what a plan's items identify a pod."""
    return pod.uid or (pod.namespace, pod.name, pod.node)


OwnerKey = tuple[str, str]
"""A namespace, and ``Deployment/web``."""
_STATIC: Final = "StaticPod/"
ETCD: Final = "etcd"
_CONTROL_PLANE: Final = frozenset(
    {"kube-apiserver", "kube-controller-manager", "kube-scheduler", "cloud-controller-manager"}
)
_NOT_REPLICATED: Final = ("DaemonSet/", "Job/", "CronJob/", "Node/", "Pod/")
"""Owners whose pods do not replace one another."""


@dataclass(slots=True)
class NodeRestarts:
    """How many pods of an owner on one node restart, and how many may."""

    restarted: int = 0
    unknown: int = 0


@dataclass(slots=True)
class OwnerSeen:
    """The pods of one owner."""

    replicas: int = 0
    """Those that run on a node and are Ready, as far as their status shows, and those that restart."""
    idle: int = 0
    """Those that take no other one's place: Pending, on no node, not Ready, or without a container
    that runs."""
    nodes: dict[str, NodeRestarts] = field(default_factory=dict)
    """Those that restart, or may, by node."""
    unready: Counter[str] = field(default_factory=Counter)
    """Those of which nothing restarts and that are not Ready for a while, by node."""
    times: Counter[int] = field(default_factory=Counter)
    """How many seconds those took until they were Ready."""
    grace: int = 0
    unprobed: bool = False


@dataclass(slots=True)
class NodeSeen:
    """The pods of one node."""

    restarted: int = 0
    unknown: int = 0
    maybe_killed: int = 0
    """Pods that may have a container that is not started again."""
    hits: dict[int, Hits] = field(default_factory=dict)
    """What restarts of the pods of each budget and Service, by its place."""
    staying: dict[int, Hits] = field(default_factory=dict)
    """The same of the pods that no drain moves: those of DaemonSets, and static pods."""
    owners: set[OwnerKey] = field(default_factory=set)
    """Whose pods restart, or may."""
    unready: int = 0
    """Pods of which nothing restarts and that are not Ready for a while."""
    seconds: int = 0
    """For how many seconds at most."""
    unready_hits: dict[int, Hits] = field(default_factory=dict)
    """Those pods of each budget, by the budget's place."""
    unready_owners: set[OwnerKey] = field(default_factory=set)
    """Whose pods they are."""
    budgets: set[int] = field(default_factory=set)
    """Which budgets select any pod that a drain evicts."""
    evicted: Counter[OwnerKey] = field(default_factory=Counter)
    """How many pods that serve a drain evicts, by their owner; not counted where no nodes are drained at
    once."""
    withdrawn: Counter[int] = field(default_factory=Counter)
    """The same by the place of a Service that selects them."""
    system: dict[str, PodPlace] = field(default_factory=dict)
    """The static pods of the control plane, by their component: ``etcd``."""
    server: str = ""
    """The release of its API server, by the tag of the image; empty for none."""
    killed: list[PodPlace] = field(default_factory=list)
    bare: list[PodPlace] = field(default_factory=list)
    static: list[PodPlace] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)


class Census:
    """Counts pods, each with what a plan does to it; Services come after the budgets, as one more kind."""

    def __init__(
        self,
        availability: Availability,
        fates: Mapping[Identity, Fate],
        unready: Callable[[Pod], int],
        *,
        drains: bool,
    ) -> None:
        """``drains``: whether nodes may be drained at once, so that it counts which pods are evicted."""
        selecting: tuple[Budget | Service, ...] = (*availability.budgets, *availability.services)
        self.seen = [BudgetSeen() for _ in selecting]
        self.owners: dict[OwnerKey, OwnerSeen] = {}
        self.nodes: dict[str, NodeSeen] = {}
        self.met: set[Identity] = set()
        """The pods that restart, or may, and were among those that were added."""

        self._selectors, self._fates, self._unready = Selectors(selecting), fates, unready
        self._drains, self._services = drains, len(availability.budgets)

    def add(self, pod: Pod) -> None:
        """Count one more pod."""
        fate = self._met(pod)
        if pod.phase in FINISHED:
            # of no budget and no owner's replicas, and a drain removes it without a flag (kubectl pkg/drain)
            if fate:
                _note_end(self.nodes.setdefault(pod.node, NodeSeen()), pod, fate)
            return
        selected = self._selectors.of(pod.namespace, pod.labels)
        for place in selected:
            _count(self.seen[place], pod)
        node = self.nodes.setdefault(pod.node, NodeSeen())
        _note_drain(node, pod, [place for place in selected if place < self._services])
        _note_system(node, pod)
        owner = self.owners.setdefault(owner_key(pod), OwnerSeen())
        if not _goes(pod):
            serves = bool(fate) or _runs(pod)
            owner.replicas += serves
            owner.idle += not serves
            if self._drains and serves and not stays(pod):
                node.evicted[owner_key(pod)] += 1
                node.withdrawn.update(place for place in selected if place >= self._services)
        if fate:
            _note_fate(node, pod, fate)
            self._hit(pod, fate, selected)
            if (seconds := seconds_to_ready(pod)) is not None:
                owner.times[seconds] += 1
            owner.grace = max(owner.grace, grace_seconds(pod.spec))
            owner.unprobed |= is_unprobed(pod)
        elif pod.ready and not _goes(pod) and (seconds := self._unready(pod)):
            self._wait(pod, seconds, selected)

    def _met(self, pod: Pod) -> Fate:
        """Return what a plan does to a pod that stays."""
        identity = identity_of(pod)
        fate = self._fates.get(identity, Fate.NONE)
        if fate:
            self.met.add(identity)
        return Fate.NONE if _goes(pod) else fate

    def _wait(self, pod: Pod, seconds: int, selected: tuple[int, ...]) -> None:
        node, key = self.nodes[pod.node], owner_key(pod)
        node.unready += 1
        node.seconds = max(node.seconds, seconds)
        node.unready_owners.add(key)
        self.owners[key].unready[pod.node] += 1
        for number in selected:
            node.unready_hits.setdefault(number, Hits()).certain += 1

    def _hit(self, pod: Pod, fate: Fate, selected: tuple[int, ...]) -> None:
        node, key = self.nodes[pod.node], owner_key(pod)
        node.owners.add(key)
        places = self.owners[key].nodes.setdefault(pod.node, NodeRestarts())
        places.restarted += bool(fate & Fate.CERTAIN)
        places.unknown += not fate & Fate.CERTAIN
        # A pod that is not ready is not among the healthy, so its restart takes nothing from the budget.
        ready = _ready(pod)
        hit = Hits(
            bool(ready and fate & Fate.CERTAIN), bool(ready and not fate & Fate.CERTAIN), ready is None
        )
        for number in selected:
            node.hits.setdefault(number, Hits()).add(hit)
            if stays(pod):
                node.staying.setdefault(number, Hits()).add(hit)


def owner_key(pod: Pod) -> OwnerKey:
    """Return whose pod it is; its own, where nothing controls it.

    Nothing controls static pods either, but those of one component replace one another on their nodes.
    """
    if pod.static:
        return pod.namespace, f"{_STATIC}{component_of(pod)}"
    return pod.namespace, pod.workload or pod.owner or f"Pod/{pod.name}"


def component_of(pod: Pod) -> str:
    """Return what a static pod is on every node that has it: its label, or its name without the node.

    kubeadm and RKE2 set the label; a kubelet appends its node's name to the pod's
    (pkg/kubelet/config/common.go ``generatePodName``).
    """
    label = pod.labels.get("component")
    return label if isinstance(label, str) and label else pod.name.removesuffix(f"-{pod.node.lower()}")


def is_static(owner: OwnerKey) -> bool:
    """Return whether an owner stands for static pods of one component."""
    return owner[1].startswith(_STATIC)


def is_of_control_plane(component: str) -> bool:
    """Return whether static pods of a component are part of the control plane, etcd included."""
    return component in _CONTROL_PLANE or is_etcd(component)


def is_etcd(component: str) -> bool:
    """Return whether static pods of a component are members of etcd, or keep some (``etcd-manager-main``)."""
    return component == ETCD or component.startswith(f"{ETCD}-")


def stays(pod: Pod) -> bool:
    """Return whether a pod stays on its node when that is drained, and so restarts with its kubelet."""
    return pod.static or pod.owner.startswith("DaemonSet/")


def is_replicated(owner: OwnerKey) -> bool:
    """Return whether the pods of an owner replace one another."""
    return not owner[1].startswith(_NOT_REPLICATED)


def _goes(pod: Pod) -> bool:
    """Return whether a pod is being deleted: it goes whatever the kubelet does.

    The pod in its place starts with the new release. The deletion of a mirror pod is not that of its static
    pod.
    """
    return pod.deleting and not pod.static


def _runs(pod: Pod) -> bool:
    """Return whether a pod can serve in place of another one: a manifest counts as running."""
    # A manifest has no status; a kubelet runs it for as long as the file is there.
    if pod.manifest:
        return True
    own = [container.running for container in pod.containers if container.type is ContainerType.CONTAINER]
    ready = _ready(pod) is not False and not all(running is False for running in own)
    return ready and bool(pod.node) and pod.phase != "Pending"


def _ready(pod: Pod) -> bool | None:
    """Return whether a pod is Ready; None where it may be. A Pending one is not."""
    return False if pod.ready is None and pod.phase == "Pending" else pod.ready


def _count(seen: BudgetSeen, pod: Pod) -> None:
    seen.pods += 1
    if pod.owner:
        seen.owners[pod.namespace, pod.owner] = pod.namespace, pod.workload or pod.owner
    if not pod.deleting:
        ready = _ready(pod)
        seen.ready += ready is True
        seen.unsure += ready is None


def _note_system(node: NodeSeen, pod: Pod) -> None:
    if pod.static and not pod.mirror_doubt and is_of_control_plane(component := component_of(pod)):
        node.system[component] = pod.namespace, pod.name
        for container in pod.containers:
            image = container.spec.get("image") if container.name == component else None
            if component == "kube-apiserver" and isinstance(image, str):
                node.server = release_of(image)


def _note_drain(node: NodeSeen, pod: Pod, selected: Sequence[int]) -> None:
    """Note what ``kubectl drain`` needs for a pod (k8s.io/kubectl pkg/drain/filters.go)."""
    if pod.static:
        return
    if pod.owner.startswith("DaemonSet/"):
        # And no more: drain leaves these pods alone, and its later filters, as that of emptyDir, never see
        # them.
        node.flags.add("--ignore-daemonsets")
        return
    node.budgets.update(selected)
    if any(isinstance(volume, Mapping) and "emptyDir" in volume for volume in rows(pod.spec, "volumes")):
        node.flags.add("--delete-emptydir-data")
    if not pod.owner:
        node.flags.add("--force")


def _note_end(node: NodeSeen, pod: Pod, fate: Fate) -> None:
    node.restarted += bool(fate & Fate.CERTAIN)
    node.unknown += not fate & Fate.CERTAIN
    if fate & Fate.KILLED:
        node.killed.append((pod.namespace, pod.name))


def _note_fate(node: NodeSeen, pod: Pod, fate: Fate) -> None:
    place = pod.namespace, pod.name
    node.maybe_killed += bool(fate & Fate.UNKNOWN and pod.restart_policy != "Always")
    _note_end(node, pod, fate)
    if pod.static:
        node.static.append(place)
    elif not pod.owner:
        node.bare.append(place)


# How long a pod took until it was Ready, as its status shows it.
#
# From the latest start among its containers until its condition Ready became True. A container without a
# readinessProbe counts as ready once it is started. A pod that lost its readiness and found it again shows a
# later time, so an hour or more counts as not shown.

_LONGEST_SECONDS: Final = 3600
_DEFAULT_GRACE: Final = 30
"""Seconds, of ``terminationGracePeriodSeconds`` (pkg/apis/core/v1/defaults.go)."""
_MOST_GRACE: Final = 1 << 31
_SERVING: Final = frozenset({ContainerType.CONTAINER, ContainerType.SIDECAR})


def seconds_to_ready(pod: Pod) -> int | None:
    """Return how many seconds a pod took; None where its status does not show that."""
    started = [
        container.started for container in pod.containers if container.started and container.type in _SERVING
    ]
    if not started or pod.ready_since is None:
        return None
    seconds = int((pod.ready_since - max(started)).total_seconds())
    return seconds if 0 <= seconds < _LONGEST_SECONDS else None


def grace_seconds(spec: Mapping[str, Any]) -> int:
    """Return how long containers of a pod may take to stop."""
    seconds = spec.get("terminationGracePeriodSeconds")
    # The type itself: to isinstance, true is an integer.
    return min(max(seconds, 0), _MOST_GRACE) if type(seconds) is int else _DEFAULT_GRACE


def is_unprobed(pod: Pod) -> bool:
    """Return whether a container that serves has no readinessProbe."""
    return any(
        container.type in _SERVING and not mapping(container.spec.get("readinessProbe"))
        for container in pod.containers
    )


def median(times: Counter[int]) -> int | None:
    """Return the lower median of some times, each with how often it was seen; None of none."""
    # The lower one is a time that was seen; a mean of two may not have been.
    half = (times.total() + 1) // 2
    for seconds in sorted(times):
        half -= times[seconds]
        if half <= 0:
            return seconds
    return None
