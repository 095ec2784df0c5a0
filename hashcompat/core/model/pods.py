"""Frozen values between the stages: pods in, verdicts out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import repeat
from operator import attrgetter
from typing import Any, Final, Protocol, runtime_checkable

import msgspec

from hashcompat.core.model.cluster import NOT_READ, ApiServers, Availability
from hashcompat.core.model.uids import Dating
from hashcompat.core.model.verdicts import Record, StoredHashes

PROFILES: Final = (
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
)
"""Annotations that API servers of some releases turn into fields of the container whose name follows."""


class ContainerType(StrEnum):
    """What a container is to the kubelet; a sidecar is an init container with restartPolicy Always."""

    CONTAINER = "container"
    INIT = "init"
    SIDECAR = "sidecar"
    EPHEMERAL = "ephemeral"

    __hash__ = str.__hash__  # that of Enum is a function in Python


CONTAINER_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")
"""The lists of containers in a pod's spec, in the order in which kubelets visit them."""

LIST_OF: Final[Mapping[ContainerType, str]] = {
    ContainerType.CONTAINER: "containers",
    ContainerType.INIT: "initContainers",
    ContainerType.SIDECAR: "initContainers",
    ContainerType.EPHEMERAL: "ephemeralContainers",
}
"""The list that has the containers of a type."""

STATUSES: Final[Mapping[str, str]] = {
    "initContainers": "initContainerStatuses",
    "containers": "containerStatuses",
    "ephemeralContainers": "ephemeralContainerStatuses",
}
"""The lists of a pod's status by those of its spec."""


PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
"""The phases of a pod (k8s.io/api core/v1 ``PodPhase``)."""
FINISHED: Final = frozenset({"Succeeded", "Failed"})
"""Those of a pod that has finished."""


class Ended(msgspec.Struct, frozen=True):
    """How a container ended, as the status reports it."""

    id: str
    """The id of the container that ended; empty where the status does not show that."""
    finished: datetime | None
    """When, UTC; None where the status does not show that."""
    final: bool
    """Whether that is its state now; otherwise it was started again, or waits for that."""
    code: int | None = None
    """Its exit code; None where the status does not show that."""
    out_of_memory: bool = False
    """Whether the reason is ``OOMKilled``, which is possible with the exit code 0."""


OUT_OF_MEMORY: Final = "OOMKilled"
"""The reason of a container that the kernel ended for its memory."""


class Blank(msgspec.Struct, frozen=True, eq=False):
    """The spec of the containers of replicas, with blanks for the texts that each has as its own.

    These are values of strings, never keys, and no verdict depends on them but by hashes.
    """

    spec: Mapping[str, Any]
    """The JSON with a word of its own for each blank, which is nowhere else in it."""
    words: tuple[str, ...]
    """Those words, in the order of ``Container.own``."""
    size: int
    """The characters of its text."""


class Container(msgspec.Struct, frozen=True, eq=False):  # noqa: PLW1641 - its spec is a dict
    """One container of a pod."""

    name: str
    type: ContainerType
    path: str
    """Where it is in the object, ``$.spec.containers[0]``, for messages."""
    spec: Mapping[str, Any]
    """Its JSON spec, as given."""
    running: bool | None = None
    """Whether the status shows it running; None where the status does not list such containers."""
    started: datetime | None = None
    """When it started, UTC; None where the status does not show that."""
    restarts: int | None = None
    """How often it was created again; None where the status does not show that."""
    probed: bool | None = None
    """Whether its startupProbe has passed (``started``); None where the status does not show that."""
    id: str = ""
    """Its id in the container runtime; empty where the status does not show that."""
    ended: Ended | None = None
    """How it ended last; None where the status shows no end."""
    stored: StoredHashes | None = None
    """What a snapshot stores of its hashes, where it hides values of its spec."""
    line: int = 0
    """The line of the pod's file at which it begins, from 1; 0 where it is not known."""
    blank: Blank | None = None
    """What its spec and those of its replicas are made of; None where that is not known."""
    own: tuple[str, ...] = ()
    """Its own texts, which fill the blanks."""
    removed: bool = False
    """Whether it runs in a static pod whose manifest does not have it any more."""
    plugins: tuple[str, ...] | None = None
    """The resources that device plugins serve on its node; None where no record shows that."""
    lost: bool = False
    """Whether the runtime reports that it does not know its state."""
    docker: bool = False
    """Whether its id is one of Docker's, as the status says of the runtime that has it."""

    def __eq__(self, other: object) -> bool:
        """Return whether all is equal but for what replicas share."""
        return _equal(self, other, _OF_CONTAINER)

    def __repr__(self) -> str:
        """Show nothing of the spec, whose values may be secret."""
        return f"Container({self.name!r}, {self.path!r})"


class StaticManifest(msgspec.Struct, frozen=True, eq=False):
    """What a kubelet reads a static pod from.

    Compared by identity, so that results for it can be cached.
    """

    content: Mapping[str, Any]
    """The whole object, decoded from JSON or YAML."""
    node: str
    """The name under which the kubelet registers."""
    source: str
    """``file:<path>``, with the path on the node."""
    raw: bytes = b""
    """The content of the file that it was read from; empty where it is not one that can be replaced."""
    placed: bool = True
    """Whether that path is known; otherwise it is where a copy lies."""
    alone: bool = True
    """Whether it is all that is asked about; kubelets read past others that they cannot decode."""

    def __repr__(self) -> str:
        """Show nothing of the content, whose values may be secret."""
        return f"StaticManifest({self.node!r}, {self.source!r})"


RESTARTING_ALL: Final = "AllContainersRestarting"
"""The condition of a pod whose kubelet has begun to restart all of its containers (from 1.35 on)."""

SANDBOX_READY: Final = "PodReadyToStartContainers"
"""The condition of a pod that has a sandbox with which its kubelet is content (on from 1.29)."""

RESIZE_PENDING, RESIZE_IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
"""The conditions of a pod whose kubelet has not taken a resize yet, or has not applied it (from 1.33 on)."""


class Seen(msgspec.Struct, frozen=True):
    """What a status shows of the spec by which a kubelet made a container."""

    image: str
    """The image, as the runtime names it; empty where that is not shown."""
    resources: Mapping[str, Any] | None
    """The limits and requests that it has; None where they are not shown."""


class Pod(msgspec.Struct, frozen=True, eq=False):  # noqa: PLW1641 - its spec is a dict
    """A pod or a pod template, as far as a kubelet's decision depends on it."""

    origin: str
    """The file and the object in it, for messages."""
    namespace: str
    name: str
    uid: str
    """Empty for a manifest."""
    node: str
    """The node's name; empty if the pod has not been scheduled."""
    owner: str
    """The controller, or the object with the template: ``ReplicaSet/web-474k6w5gmh``; empty if there is
    none."""
    manifest: bool
    """Whether it has neither ``uid`` nor ``status``, so no API server has set defaults in it."""
    phase: str
    """``status.phase``; empty if unset."""
    deleting: bool
    """Whether ``metadata.deletionTimestamp`` is set."""
    static: bool
    """Whether it is a static pod, or the mirror pod of one."""
    host_network: bool
    restart_policy: str
    references: tuple[str, ...]
    """The kinds of API objects that a manifest or a static pod refers to, such as ``secrets``; kubelets ask
    for those of static pods alone."""
    automount: bool | None
    """``spec.automountServiceAccountToken``; None if unset."""
    containers: tuple[Container, ...]
    spec: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """The JSON of ``spec``, as given."""
    from_url: bool = False
    """Whether it is a static pod that its kubelet reads from a URL, which is part of what its UID digests."""
    config_hash: str = ""
    """The UID of the static pod, from the annotation of its mirror pod; empty for other pods."""
    mirror_doubt: str = ""
    """What contradicts the annotation that makes it a mirror pod, in a few words; empty for nothing."""
    profiles: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The annotations of a manifest that ask for security profiles of its containers."""
    static_manifest: StaticManifest | None = None
    """What the static pod is read from; None where the manifest is not available."""
    manifest_missing: bool = False
    """Whether it is the mirror of a static pod that none of the node's manifests has, where all are given."""
    workload: str = ""
    """The owner above the direct one, ``Deployment/web``; the direct one where no other shows; ``Node/NAME``
    of a static pod without one; empty for a pod that nothing controls."""
    doubt: str = ""
    """Why it may be only the first part of a pod; empty where nothing indicates that."""
    file: str = ""
    """The file that it was read from, as given; empty for a cluster or objects."""
    labels: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """``metadata.labels``, as given."""
    ready: bool | None = None
    """Whether its condition Ready is True; None where the status has no such condition."""
    ready_since: datetime | None = None
    """When it became Ready, UTC; None where it is not, or the status does not show that."""
    created: str = ""
    """``metadata.creationTimestamp``, as given: as texts such times are in their order; empty if unset."""
    ends: datetime | None = None
    """When its activeDeadlineSeconds have passed since its startTime, UTC; None where it has none, or the
    status does not show that."""
    resized: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    """By their names, the containers whose resources a kubelet has not taken from their spec: the requests
    that it ``allocated``, those that they ``actual``-ly have, and their ``limits``, where the status shows
    them and they differ. The empty name is the pod's itself; of one without resources of its own both
    requests are there where the status shows them, whether they differ or not."""
    resizing: str = ""
    """The condition of a resize that is not done, ``PodResizePending`` or ``PodResizeInProgress``; empty for
    none."""
    qos: str = ""
    """The QoS class that its status shows; empty where it shows none, and for static pods, whose status no
    kubelet reads."""
    restarting: bool = False
    """Whether its kubelet has begun to restart all of its containers, and has not reported an end of that."""
    unsandboxed: bool = False
    """Whether its kubelet reports that it needs another sandbox."""
    claims: frozenset[tuple[str, str]] = frozenset()
    """The containers and extended resources that a claim backs, as the status shows."""
    persistent: tuple[str, ...] = ()
    """The kinds of the PersistentVolumes behind the claims that its containers mount, such as ``rbd``: those
    that some kubelets have no plugin for, where the input has the volumes."""
    seen: Mapping[str, Seen] | None = None
    """What its kubelet has seen of its containers, by their names, where the spec changed since; None where
    it did not, or the status does not show that (before 1.34)."""
    images: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Of a mirror pod, the images that the status names, by the names of its containers."""
    limited: bool = False
    """Whether admission set resources in a mirror pod, which its manifest need not have (LimitRanger)."""
    mirror: Pod | None = None
    """The mirror pod of a static pod whose manifest is available, where that is in the input too."""
    shape: Hashable | None = None
    """The same object in pods that differ in nothing but names, addresses, times, ids, and texts that only
    their hashes depend on; None where that is not known."""

    @property
    def deadline(self) -> tuple[str, datetime] | None:
        """The file that shows since when it runs, of a static pod its mirror pod's, and when it ``ends``."""
        return None if self.ends is None else ((self.mirror or self).file, self.ends)

    def __eq__(self, other: object) -> bool:
        """Return whether all is equal but for what replicas share."""
        return _equal(self, other, _OF_POD)

    def __repr__(self) -> str:
        """Show nothing of the spec, whose values may be secret."""
        return f"Pod({self.namespace!r}, {self.name!r}, {self.uid!r})"


def besides(type_of: type[msgspec.Struct], named: Iterable[str]) -> Callable[[Any], Any]:
    """Return what takes all facts from a value but those that are named."""
    return attrgetter(*(name for name in type_of.__struct_fields__ if name not in named))


_OF_CONTAINER: Final = besides(Container, ("blank", "own"))
_OF_POD: Final = besides(Pod, ("shape",))


def _equal(value: object, other: object, facts: Callable[[object], object]) -> bool:
    return type(value) is type(other) and facts(value) == facts(other)


class Node(msgspec.Struct, frozen=True):
    """A node, as its status describes it."""

    name: str
    kubelet: str
    """The kubelet release that it reports, ``v1.9.11``."""
    runtime: str = ""
    """The container runtime, ``docker://17.3.2``; empty if unknown."""
    labels: Mapping[str, str] | None = None
    """Its labels; None where the input does not show them."""
    taints: tuple[Mapping[str, Any], ...] = ()
    """``spec.taints``, as given."""
    strict_groups: bool | None = None
    """Whether its status has the feature supplementalGroupsPolicy; None where that is not reported."""
    conditions: Mapping[str, str] | None = None
    """``status.conditions``: the status of each type, such as ``True``; None where there are none."""
    allocatable: Mapping[str, Any] | None = None
    """``status.allocatable``, as given; None where there is none."""
    capacity: Mapping[str, Any] | None = None
    """``status.capacity``, as given; None where there is none."""
    node_arguments: tuple[str, ...] | None = None
    """The arguments of k3s on it, which it notes in an annotation; None where there is none."""
    heartbeat: datetime | None = None
    """When its kubelet last renewed the condition Ready, UTC; None where the status does not show that."""
    system: str = ""
    """Its operating system, as Go names it: ``linux``; empty where it shows that nowhere."""
    drivers: tuple[str, ...] | None = None
    """The CSI drivers that are registered with its kubelet, sorted; None where it has no annotations at all,
    among which the kubelet notes them."""
    architecture: str = ""
    """That of its processor, as Go names it: ``amd64``; empty where it shows that nowhere."""
    kernel: str = ""
    """The numbers with which the version of its kernel begins, ``5.15.0``; empty where it shows none."""
    uid: str = ""
    """The uid of its Node; empty where it shows none."""


class Source(StrEnum):
    """What kind of place pods come from."""

    FILES = "files"
    CLUSTER = "cluster"
    SAMPLE = "sample"
    SNAPSHOT = "snapshot"
    OBJECTS = "objects"


class Origin(msgspec.Struct, frozen=True):
    """Where the pods of an inventory come from, for a plan that names its source."""

    kind: Source = Source.OBJECTS
    """By default objects that were passed to the Python API."""
    names: tuple[str, ...] = ()
    """Files, directories and URLs (without user, password and query), in the order given."""
    context: str = ""
    """The kubeconfig context of a cluster; empty for a service account, or if kubectl does not show it."""
    server: str = ""
    """The URL of the cluster's API server; empty if kubectl does not show it."""
    cluster: str = ""
    """The UID of the namespace kube-system, which no other cluster has; empty where nothing shows it."""
    name: str = ""
    """What whoever took a snapshot calls its cluster; empty for other sources, and where it has no name."""
    labels: tuple[tuple[str, str], ...] = ()
    """The labels that they gave it, sorted."""
    oldest: datetime | None = None
    """When the oldest of the files was last written, UTC; None for other sources, and where none shows it.

    Nothing is decided by it: a copy is as new as it was made."""
    taken: datetime | None = None
    """When it was taken, at the earliest, UTC: a cluster when its list began, files by the times in them.

    Of several files the oldest counts. None where that is not known, and of files until their pods were read.
    """


class PodShare(Protocol):
    """Some of the pods of an inventory."""

    def __iter__(self) -> Iterator[Pod]:
        """Yield the pods."""

    @property
    def seen(self) -> Any:
        """What is to be checked of all shares together, once the pods were iterated over."""

    @property
    def lines(self) -> int:
        """By how many lines those of the next shares' containers are too low, once they were iterated over.

        Where there are any, the places in their errors are those in the share as well.
        """


@runtime_checkable
class SharedPods(Protocol):
    """Pods that several processes can read, each some of them."""

    def shares(self) -> Sequence[PodShare]:
        """Return the pods in shares, in their order; none where one process reads them."""

    def are_right(self, seen: Sequence[Any]) -> bool:
        """Return whether the shares are right together, by what was seen in each."""


@runtime_checkable
class Selected(Protocol):
    """Pods that are some of those of their source: the others take room on their nodes all the same."""

    def with_unselected(self) -> Iterator[tuple[Pod, bool]]:
        """Yield all pods of the nodes in question, each with whether it is one of the selected."""


def with_unselected(pods: Iterable[Pod]) -> Iterator[tuple[Pod, bool]]:
    """Yield pods, and those that a filter left out of them, each with whether it is one of them."""
    return pods.with_unselected() if isinstance(pods, Selected) else zip(pods, repeat(True), strict=False)


class Inventory(msgspec.Struct, frozen=True):
    """All pods and nodes of a source, in the order given."""

    pods: Iterable[Pod]
    """Each pod once; those of files are read again each time they are iterated over."""
    nodes: tuple[Node, ...] = ()
    """The nodes, each once."""
    records: tuple[Record, ...] = ()
    """The records that a snapshot contains; empty for other sources."""
    origin: Origin = Origin()
    """Where the pods come from."""
    warnings: tuple[str, ...] = ()
    """What a reader may expect among the pods but was left out, one line each."""
    containers: int = 0
    """How many containers its largest file shows before its pods are read, copies included; else 0."""
    budgets: Availability = NOT_READ
    """The PodDisruptionBudgets of the namespaces of its pods."""
    guessed: bool = False
    """Whether all but the pods rests on a guess at where they are, which asking for all of them confirms, or
    refuses by an InputError."""
    dating: Dating | None = None
    """What shows when it was taken, besides the pods; None where nothing does."""
    servers: ApiServers = msgspec.field(default_factory=ApiServers)
    """What a cluster reports of its API servers, and what pods that were passed over show of them, once the
    others were iterated over."""
