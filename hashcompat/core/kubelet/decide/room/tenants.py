"""The pods of a node that take room on it, and what the node can give them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.metav1 import is_time
from hashcompat.core.kubelet.decide.ports import Port, Taken
from hashcompat.core.kubelet.decide.room.requests import Amounts, Asking, counted_as
from hashcompat.core.model.pods import FINISHED, ContainerType, Pod

NOT_KNOWN: Final = "whether {} is admitted is not known"
"""Why an outcome is not known that another pod decides, with its name."""

PODS: Final = "pods"


def takes_room(pod: Pod, kubelet: Kubelet) -> bool:
    """Return whether a pod may take room: one that has not finished, and of manifests those of static pods.

    From 1.22 on one that has, but runs all the same, counts until its containers have ended
    (pkg/kubelet/kubelet_pods.go ``filterOutInactivePods``), though not in 1.22.2, and in 1.22.0 and 1.22.1
    so may any that has (``may_count``). From 1.6 to 1.21 one that is being deleted does
    not count once no regular container of it runs (``podIsTerminated``). A static pod's phase is not read
    again (``may_return``).
    """
    if pod.deleting and not pod.static and not kubelet.behaviour.room.deleted and _runs_none(pod):
        return False
    if not pod.uid or pod.phase not in FINISHED:
        return bool(pod.uid) or pod.static_manifest is not None
    ending = kubelet.behaviour.room.ending
    ends = ending == "until ended" or (ending == "while running" and _runs(pod))
    return ends or (pod.static and not pod.manifest_missing)


def _runs(pod: Pod) -> bool:
    return any(container.running for container in pod.containers)


def may_count(pod: Pod, kubelet: Kubelet) -> str:
    """Return what is not known about a pod that has finished, and of which nothing runs.

    Such a kubelet ends it while it admits those behind it, which is a race. Source: pkg/kubelet/
    pod_workers.go ``CouldHaveRunningContainers`` and ``UpdatePod``, 1.22.0 and 1.22.1. Empty for all other
    pods and kubelets.
    """
    has_finished = pod.phase in FINISHED and not pod.static and not _runs(pod)
    if kubelet.behaviour.room.ending != "until ended" or not has_finished:
        return ""
    name = f"{pod.namespace}/{pod.name}"
    return f"whether {name}, which has finished, still counts to {kubelet.release} is not known"


def _runs_none(pod: Pod) -> bool:
    """Return whether a status shows that no regular container runs: of a pod that waits without any too."""
    regular = {container.running for container in pod.containers if container.type is ContainerType.CONTAINER}
    return regular <= ({False, None} if pod.phase == "Pending" else {False})


def may_return(pod: Pod) -> str:
    """Return what is not known about a static pod that has ended, and may take room again at a start.

    A static pod comes from its manifest, without the status that its mirror pod has, and so is admitted
    whatever became of it; one that is to run once ends again as soon as its containers are looked at
    (pkg/kubelet/kubelet.go ``HandlePodAdditions``, 1.18.19 and 1.34.10). Empty for all other pods.
    """
    if not pod.static or _runs(pod):
        return ""
    if pod.static_manifest is None:
        is_open = pod.phase in FINISHED
    else:
        ended = all(container.running is False for container in pod.containers)
        is_open = bool(pod.references) or (ended and pod.restart_policy != "Always")
    name = f"{pod.namespace}/{pod.name}"
    return f"whether the static pod {name}, which has ended, runs again is not known" if is_open else ""


class NodeResources(msgspec.Struct, frozen=True):
    """What a node can give."""

    amounts: Amounts
    """By the resources that it shows."""
    pods: int | None
    """How many pods; None where it does not show that."""


def node_resources(allocatable: Mapping[str, Any]) -> NodeResources:
    """Return what ``status.allocatable`` of a node shows; amounts that are no quantities are not shown."""
    amounts = dict[str, int]()
    for name, value in allocatable.items():
        try:
            amounts[name] = counted_as(name, value)
        except DecodeError:
            continue
    return NodeResources(
        {name: number for name, number in amounts.items() if name != PODS}, amounts.get(PODS)
    )


class Sums(msgspec.Struct):
    """What the pods of a node ask for at most, whatever their order."""

    amounts: dict[str, int] = msgspec.field(default_factory=dict)
    pods: int = 0
    taken: Taken = msgspec.field(default_factory=Taken)
    clash: bool = False
    """Whether two of them ask for one host port."""
    asked: set[str] = msgspec.field(default_factory=set)
    """The resources of which one asks for some when it is admitted."""

    def add(self, asking: Asking) -> None:
        """Count one more pod."""
        self.pods += 1
        if asking.ports:
            self._take(asking.ports)
        self.asked.update(asking.admitted)
        amounts = self.amounts
        for name, number in asking.beside.items():
            amounts[name] = amounts.get(name, 0) + max(number, asking.admitted.get(name, 0))
        for name, number in asking.admitted.items():
            if name not in asking.beside:
                amounts[name] = amounts.get(name, 0) + number

    def merge(self, other: Sums) -> None:
        """Count the pods of others."""
        self.pods += other.pods
        self.clash |= other.clash
        self.asked |= other.asked
        self._take(tuple(other.taken.ports))
        for name, number in other.amounts.items():
            self.amounts[name] = self.amounts.get(name, 0) + number

    def _take(self, ports: Sequence[Port]) -> None:
        self.clash |= any(self.taken.holder(port) for port in ports)
        self.taken.add(ports)

    def fit(self, node: NodeResources) -> bool:
        """Return whether every pod fits, whatever their order."""
        return not self.clash and self.have_room(node)

    def have_room(self, node: NodeResources) -> bool:
        """Return whether every pod finds what it asks for, whatever their order, but for host ports."""
        if node.pods is not None and self.pods > node.pods:
            return False
        return all(
            number <= node.amounts.get(name, 0 if name in self.asked else number)
            for name, number in self.amounts.items()
        )


def _in_order(time: str) -> str:
    """Return a time as API servers write it, whose texts are in the order of the times: UTC, whole seconds.

    Source: apimachinery pkg/apis/meta/v1/time.go ``MarshalJSON``. What is no time is returned as it is.
    """
    if len(time) == len("2026-01-01T00:00:00Z") or not is_time(time):
        return time
    try:
        moment = datetime.fromisoformat(time).astimezone(UTC)
    except (ValueError, OverflowError):  # the year 1 or 9999 in another time zone; 24:00 and the like
        return time
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


def turn_of(pod: Pod) -> str:
    """Return when a kubelet that starts admits a pod, as a text: those of one text have no order.

    Static pods come first, then the others from the oldest to the newest.
    """
    return "" if pod.static else f"then {_in_order(pod.created)}"


class Turns(msgspec.Struct, frozen=True):
    """What pods of a node take, in the order in which their kubelet admits them."""

    turns: tuple[str, ...]
    """When (``turn_of``), sorted."""
    sums: tuple[int, ...]
    """How much they have taken by the end of each turn."""

    def until(self, pod: Pod) -> int:
        """Return how much is taken before a pod at most: by its own turn as well, and by itself."""
        place = bisect_right(self.turns, turn_of(pod))
        return self.sums[place - 1] if place else 0


def turns(taken: Mapping[str, int]) -> Turns:
    """Return what is taken by turns, given each by itself."""
    order = sorted(taken)
    return Turns(tuple(order), tuple(accumulate(taken[turn] for turn in order)))


class Tenant(msgspec.Struct, frozen=True, eq=False):
    """A pod of a node, as far as room goes."""

    pod: Pod
    asking: Asking
    refused: bool = False
    """Whether it is not admitted for another reason, so that it takes no room."""
    refused_last: bool = False
    """Whether that reason is looked for after room, which a kubelet has made for it then."""
    doubt: str = ""
    """Why it may not count at all (``may_return``, ``may_count``), or not be admitted; empty for others."""
    may_return: bool = False
    """Whether that is because it has ended, and its manifest may be there still."""
    devices: Mapping[str, int] | None = None
    """How many devices pods of its node have, by their resources, if it has some itself, and else none; None
    where the device manager's record is not known."""
    as_mirrored: bool = False
    """Whether a static pod counts with the priority of its mirror pod, where its manifest is not known."""

    @property
    def order(self) -> tuple[bool, str]:
        """What it is sorted by: static pods come first."""
        return not self.pod.static, _in_order(self.pod.created)

    @property
    def name(self) -> str:
        """``namespace/name``."""
        return f"{self.pod.namespace}/{self.pod.name}"

    @property
    def priority(self) -> int | None:
        """Its priority; None where it has none.

        No kubelet resolves the priorityClassName of a static pod, and so it has the priority alone that its
        manifest sets, and its mirror pod the one that an API server resolves (pkg/kubelet/config/file.go,
        plugin/pkg/admission/priority/admission.go, 1.15.12 and 1.34.12).
        """
        value = self.pod.spec.get("priority")
        is_known = self.as_mirrored or not self.is_seen_by_mirror
        return value if type(value) is int and is_known else None

    @property
    def is_seen_by_mirror(self) -> bool:
        """Whether it is a static pod of which only the mirror pod is known."""
        return self.pod.static and self.pod.static_manifest is None and self.pod.uid != self.pod.config_hash

    @property
    def mirrored(self) -> Tenant:
        """It with the priority of its mirror pod."""
        return structs.replace(self, as_mirrored=True)


def tenant_of(  # noqa: PLR0913 - all but the first three by name
    pod: Pod,
    asks: Asking,
    kubelet: Kubelet,
    *,
    refused: bool = False,
    refused_last: bool = False,
    is_open: bool = False,
    devices: Mapping[str, int] | None = None,
) -> Tenant:
    """Return a pod as its kubelet sees it, which reads a static one from a manifest without a time.

    So no time of a mirror pod is its static pod's, and these have no order. One without a mirror pod goes by
    its name. ``is_open``: whether it is not known if it is refused for another reason.
    """
    returns = may_return(pod)
    doubt = returns or may_count(pod, kubelet)
    if is_open and not doubt:
        doubt = NOT_KNOWN.format(f"{pod.namespace}/{pod.name}")
    if pod.static:
        pod = structs.replace(pod, created="", uid=pod.uid or f"{pod.namespace}/{pod.name}")
    return Tenant(pod, asks, refused, refused_last, doubt, bool(returns), devices)


def devices_of(pod: Pod, held: Mapping[str, Mapping[str, Collection[str]]]) -> dict[str, int]:
    """Return how many devices the pods of a node have, by their resources; none for a pod without any.

    ``held`` is the device manager's record: where a pod has devices, its node can give as many as all have
    (pkg/kubelet/cm/devicemanager/manager.go ``UpdatePluginResources`` and ``sanitizeNodeAllocatable``,
    1.18.20 and 1.36.5).
    """
    if not any({pod.uid, pod.config_hash} & of_pods.keys() for of_pods in held.values()):
        return {}
    return {name: len(set().union(*of_pods.values())) for name, of_pods in held.items()}
