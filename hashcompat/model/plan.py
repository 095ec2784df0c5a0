"""Verdicts with their reasons, and the plan that consists of them.

What a plan has once for each container is nothing that the garbage collector looks at, because none refers
back to itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from sys import intern

import msgspec

from hashcompat.model.details import Details
from hashcompat.model.pods import ContainerType, Origin, Pod
from hashcompat.model.words import count


class Verdict(StrEnum):
    """What the new kubelet does to a container; UNKNOWN never counts as unchanged."""

    RESTART = "RESTART"
    """It kills the container and creates it again."""

    KILL = "KILL"
    """It kills the container and does not start it again."""

    KEEP = "KEEP"
    """It leaves the container as it is."""

    UNKNOWN = "UNKNOWN"
    """The input does not determine what it does."""

    __hash__ = str.__hash__  # that of Enum is a function in Python, and plans count verdicts


FINDINGS = frozenset({Verdict.RESTART, Verdict.KILL})
"""The verdicts that an upgrade is stopped for."""


class Reason(msgspec.Struct, frozen=True, gc=False):
    """Why a verdict is what it is."""

    id: str
    """The id of the rule, ``HC004``."""

    text: str
    """The reason in a few words, with the names and releases of this case."""

    path: str = ""
    """The field that causes it, below the container (``volumeMounts[*].subPathExpr``); empty if none does."""

    field: str = ""
    """The Go name of that field."""


class Hashes(msgspec.Struct, frozen=True, gc=False):
    """A container's hashes, unsigned 32-bit numbers; None where a hash is unknown or hidden by a snapshot."""

    recorded: int | None = None
    """The hash that a kubelet recorded when it created the container."""

    from_: int | None = None
    """The hash that the current release computes."""

    to: int | None = None
    """The hash that the target release computes."""


class PodName(msgspec.Struct, frozen=True, gc=False):
    """How a report identifies a pod."""

    node: str
    namespace: str
    name: str
    uid: str
    """Empty for a manifest."""

    owner: str
    """The controller, ``ReplicaSet/web-474k6w5gmh``; empty if the pod has none."""

    workload: str = ""
    """The owner above it, ``Deployment/web``, as ``Pod.workload``."""

    file: str = ""
    """The file that the pod was read from, as given; empty for a cluster or objects."""


def name_of(pod: Pod) -> PodName:
    """Return how a report identifies a pod; pods with the same names share their texts."""
    shared = pod.node, pod.namespace, pod.owner, pod.workload, pod.file
    node, namespace, owner, workload, file = map(intern, shared)
    return PodName(node, namespace, pod.name, pod.uid, owner, workload, file)


class ContainerName(msgspec.Struct, frozen=True, gc=False):
    """How a report identifies a container of a pod."""

    name: str
    type: ContainerType


class Observed(msgspec.Struct, frozen=True, gc=False):
    """What the status reported of a container when the plan was made; None where it did not."""

    key: str | bytes
    """Its id; as bytes, which take half the memory, where it is hexadecimal, as runtimes make them."""

    started: datetime | None
    """When it started, UTC."""

    restarts: int | None
    """How often it was created again."""

    running: bool | None

    @property
    def id(self) -> str:
        """Its id in the runtime; empty where the status does not show it."""
        return self.key if isinstance(self.key, str) else self.key.hex()


def key_of(identity: str) -> str | bytes:
    """Return the id of a container as ``Observed`` keeps it."""
    try:
        key = bytes.fromhex(identity)
    except ValueError:
        return identity
    return key if identity and key.hex() == identity else identity


class Prediction(msgspec.Struct, frozen=True, gc=False):
    """What becomes of a container, and why; replicas share one."""

    from_release: str
    """The current kubelet release, as given or as the node reports it; empty where it is missing."""

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    pod_recreated: bool = False
    """Whether the whole pod is recreated, not only this container."""

    calibrated: bool | None = None
    """Whether the recorded hash is one that a known release computes; None if there is nothing to
    compare."""

    rests: bool = False
    """Whether no kubelet compares the container, whatever its release."""

    sandboxed: bool = False
    """Whether there is a record of the pod's sandbox."""

    from_url: bool = False
    """Whether the pod is a static pod that comes from a URL, and only its mirror pod was read."""

    hashed: bool = False
    """Whether its hashes were compared or could be; those that a snapshot hides are None in ``hashes``."""

    creator: str = ""
    """Which release is assumed to have created the container, in words; empty where none is."""

    difference: int = 0
    """The number of its difference among the plan's details, from 1; 0 for none."""


class Item(msgspec.Struct, frozen=True, gc=False):
    """One container's verdict in a plan.

    A plan of a large cluster has hundreds of thousands of items, so an item does not keep the spec.
    """

    pod: PodName
    container: ContainerName
    prediction: Prediction
    recorded: int | None = None
    """As in ``Hashes``, as are the next two: three numbers take less memory than one more value."""
    from_hash: int | None = None
    to_hash: int | None = None
    line: int = 0
    """The line of the pod's file at which the container begins, from 1; 0 where it is not known."""

    observed: Observed | None = None
    """What is compared after the upgrade; None where no status lists the container."""

    @property
    def hashes(self) -> Hashes:
        """Its hashes."""
        return Hashes(self.recorded, self.from_hash, self.to_hash)

    @property
    def from_release(self) -> str:
        """As predicted."""
        return self.prediction.from_release

    @property
    def verdict(self) -> Verdict:
        """As predicted."""
        return self.prediction.verdict

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """As predicted."""
        return self.prediction.reasons

    @property
    def pod_recreated(self) -> bool:
        """As predicted."""
        return self.prediction.pod_recreated

    @property
    def calibrated(self) -> bool | None:
        """As predicted."""
        return self.prediction.calibrated

    @property
    def rests(self) -> bool:
        """As predicted."""
        return self.prediction.rests

    @property
    def sandboxed(self) -> bool:
        """As predicted."""
        return self.prediction.sandboxed

    @property
    def from_url(self) -> bool:
        """As predicted."""
        return self.prediction.from_url

    @property
    def hashed(self) -> bool:
        """As predicted."""
        return self.prediction.hashed

    @property
    def creator(self) -> str:
        """As predicted."""
        return self.prediction.creator

    @property
    def difference(self) -> int:
        """As predicted."""
        return self.prediction.difference


class Summary(msgspec.Struct, frozen=True):
    """How many containers, pods and nodes a plan covers, and how many of them it affects."""

    containers: int
    verdicts: Mapping[Verdict, int]
    """The number of containers by verdict; every verdict is a key."""

    pods: int
    pods_affected: int
    """How many pods have a container that is killed."""

    nodes_affected: int
    """How many nodes have such a pod."""

    @property
    def findings(self) -> int:
        """How many containers are killed, whether they are started again or not."""
        return sum(self.verdicts[verdict] for verdict in FINDINGS)

    @property
    def unknown(self) -> int:
        """How many containers have the verdict UNKNOWN."""
        return self.verdicts[Verdict.UNKNOWN]


def summarized(items: Sequence[Item]) -> Summary:
    """Return the summary of items, which are in the order of a plan: by node, namespace and pod."""
    verdicts = [item.verdict for item in items]
    affected = [item.pod for item in items if item.verdict in FINDINGS]
    return Summary(
        len(items),
        {verdict: verdicts.count(verdict) for verdict in Verdict},
        _number_of(item.pod for item in items),
        _number_of(affected),
        len({pod.node for pod in affected if pod.node}),
    )


def _number_of(pods: Iterable[PodName]) -> int:
    """Count pods by node, names and uid; because they are sorted, few uids are in memory at once."""
    number, last, uids = 0, None, set[str]()
    for pod, _ in groupby(pods):
        if last is None or (pod.name, pod.namespace, pod.node) != (last.name, last.namespace, last.node):
            number, last, uids = number + len(uids), pod, set()
        uids.add(pod.uid)
    return number + len(uids)


class Share(msgspec.Struct, frozen=True):
    """How many of the recorded hashes this program reproduces."""

    reproduced: int = 0
    """How many of them a known release computes too."""

    recorded: int = 0
    """How many hashes were recorded."""

    @property
    def complete(self) -> bool:
        """Whether every recorded hash was reproduced; true also if there are none."""
        return self.reproduced == self.recorded

    def __str__(self) -> str:
        if not self.recorded:
            return "no recorded hash could be compared"
        percent = 100 * self.reproduced // self.recorded
        return f"{self.reproduced} of {count(self.recorded, 'recorded hash')} reproduced ({percent} %)"


def share(items: Iterable[Item]) -> Share:
    """Count the items that have a record, and those whose record a known release computes too."""
    calibrated = [item.calibrated for item in items if item.calibrated is not None]
    return Share(sum(calibrated), len(calibrated))


class Way(msgspec.Struct, frozen=True):
    """An upgrade, or a rollback."""

    old: str
    """The current release, or ``auto``: what each pod's node reports."""
    new: str
    """The target release."""


class ReleaseFacts(msgspec.Struct, frozen=True):
    """How a release's name was read."""

    name: str
    """The release as it was given, or as a node reports it."""
    read_as: str
    """The upstream release that it was read as."""
    era: str
    types: str
    """The first minor with these Go types."""
    vendor_assumed: bool
    """Whether a vendor's build is read as the upstream release that it names."""
    patch_assumed: bool
    """Whether it is newer than the newest known patch release of its minor."""


class Hop(msgspec.Struct, frozen=True):
    """One step of an upgrade, from one release to the next, or its rollback."""

    old: str
    """The release that it starts from; ``auto`` where nodes start from several, or from unknown ones."""

    new: str
    """The release that it leads to; ``auto`` of a rollback to several, or to unknown ones."""

    findings: int
    """How many containers it restarts or kills."""

    unknown: int
    """How many containers have the verdict UNKNOWN."""

    parts: tuple[Hop, ...] = ()
    """The same for the nodes of each known release, where ``auto`` is an end of it."""


class Suggestion(msgspec.Struct, frozen=True):
    """A patch that would keep containers which restart without it."""

    kubelet: str
    """The release to patch."""

    likes: tuple[str, ...]
    """The releases whose hashes the patch accepts."""

    saves: int
    """How many containers it keeps."""

    @property
    def command(self) -> str:
        """The command line that makes the patch."""
        return f"hashcompat patch --kubelet {self.kubelet} --like {','.join(self.likes)}"


class Plan(msgspec.Struct, frozen=True):
    """The verdicts of one upgrade, with what was assumed for them."""

    from_release: str
    """The current release as given, which may be ``auto``."""

    to_release: str
    """The target release."""

    items: tuple[Item, ...]
    """One item per container, sorted by node, namespace and pod; pods without a node come last."""

    assumptions: tuple[str, ...] = ()
    """What the plan takes as given because the input does not show it, one line each."""

    warnings: tuple[str, ...] = ()
    """What upstream does not support, and what was left out, one line each."""

    share: Share = msgspec.field(default_factory=Share)
    """How many recorded hashes were reproduced."""

    hops: tuple[Hop, ...] = ()
    """The same upgrade one minor release at a time; empty where that is the same path."""

    rollback: Hop | None = None
    """The way back from the target release; None where the current release of no pod is known."""

    patch: str = ""
    """How the target kubelet is assumed to be patched; empty if it is not."""

    suggestion: Suggestion | None = None
    """A patch that would save restarts."""
    notes: tuple[str, ...] = ()
    """What is to be said of the options themselves, such as a patch that is not needed."""
    releases: tuple[ReleaseFacts, ...] = ()
    """How each release was read, the target one last."""
    origin: Origin = msgspec.field(default_factory=Origin)
    """Where the pods come from."""

    tool: str = ""
    """The version of this program that made the plan; empty for this one."""

    created: datetime | None = None
    """When the pods were read, UTC; None where that is not known."""

    counted: Summary | None = None
    """The counts of the whole plan, where only some of its items were saved; None if these are all."""

    details: Details | None = None
    """Where hashed texts differ, and the releases in pairs; None where nobody asked for that."""

    @property
    def summary(self) -> Summary:
        """The counts of all items."""
        return self.counted or summarized(self.items)
