"""The items of a plan: each container with its verdict, and names as people give them.

What a plan has once for each container is nothing that the garbage collector looks at, because none refers
back to itself. Owners are named as kubectl reads them; of a name that does not exist it is shown what is
near.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from heapq import nsmallest
from operator import attrgetter
from sys import intern
from typing import Any, ClassVar, Final

import msgspec
from msgspec import structs

from hashcompat.core.model.pods import ContainerType, Pod
from hashcompat.core.model.uids import packed, unpacked
from hashcompat.core.model.verdicts import Hashes, Reason, Verdict


class PodName(msgspec.Struct, frozen=True, gc=False):
    """How a report identifies a pod."""

    node: str
    namespace: str
    name: str
    key: str | bytes
    """Its uid, ``packed``."""
    owner: str
    """The controller, ``ReplicaSet/web-474k6w5gmh``; empty if the pod has none."""
    workload: str = ""
    """The owner above it, ``Deployment/web``, as ``Pod.workload``."""
    file: str = ""
    """The file that the pod was read from, as given; empty for a cluster or objects."""

    @property
    def uid(self) -> str:
        """Its uid; empty for a manifest."""
        return unpacked(self.key)


def name_of(pod: Pod) -> PodName:
    """Return how a report identifies a pod; pods with the same names share their texts."""
    shared = pod.node, pod.namespace, pod.owner, pod.workload, pod.file
    node, namespace, owner, workload, file = map(intern, shared)
    return PodName(node, namespace, pod.name, packed(pod.uid), owner, workload, file)


class ContainerName(msgspec.Struct, frozen=True, gc=False):
    """How a report identifies a container of a pod."""

    name: str
    type: ContainerType


@lru_cache(maxsize=4096)
def container_name(name: str, kind: ContainerType) -> ContainerName:
    """Return how a report identifies a container; replicas share it."""
    return ContainerName(name, kind)


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
    aligned: bool = False
    """Whether it may have exclusive CPUs that the target kubelet asks for again."""
    unstarted: bool = False
    """Whether the target kubelet does not start on its node with the cpu_manager_state there."""
    of_plugins: bool = False
    """Whether it is refused for devices that its spec alone shows to be of a plugin."""
    by_kernel: bool = False
    """Whether it is kept or restarted only if its node's kernel, which is not shown, is new enough."""
    settings_shown: bool = False
    """Whether a dump shows which feature gates its node sets, and which sysctls it allows."""
    mistaken: bool = False
    """Whether its pod is kept if its kubelet takes no container for the one before it."""
    gated: bool = False
    """Whether it is kept if its kubelet had a feature gate on that the target one locks."""
    timed: bool = False
    """Whether its pod has activeDeadlineSeconds that had not passed when the input was taken."""
    difference: int = 0
    """The number of its difference among the plan's details, from 1; 0 for none."""
    compared: bool = True
    """Whether percentages count the container: it runs on a node, as far as the input shows, where the
    target kubelet compares or kills it."""
    uncreated: bool = False
    """Whether its pod is yet to be created, of a manifest or a template, whatever node that names."""


def _predicted(name: str) -> Any:
    """Make a property of an item that is as predicted; a function for each would be slower."""
    return property(attrgetter(f"prediction.{name}"), doc="As predicted.")


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
    from_release: ClassVar[str] = _predicted("from_release")
    verdict: ClassVar[Verdict] = _predicted("verdict")
    reasons: ClassVar[tuple[Reason, ...]] = _predicted("reasons")
    pod_recreated: ClassVar[bool] = _predicted("pod_recreated")
    calibrated: ClassVar[bool | None] = _predicted("calibrated")
    rests: ClassVar[bool] = _predicted("rests")
    sandboxed: ClassVar[bool] = _predicted("sandboxed")
    from_url: ClassVar[bool] = _predicted("from_url")
    hashed: ClassVar[bool] = _predicted("hashed")
    creator: ClassVar[str] = _predicted("creator")
    difference: ClassVar[int] = _predicted("difference")
    aligned: ClassVar[bool] = _predicted("aligned")
    unstarted: ClassVar[bool] = _predicted("unstarted")
    of_plugins: ClassVar[bool] = _predicted("of_plugins")
    by_kernel: ClassVar[bool] = _predicted("by_kernel")
    settings_shown: ClassVar[bool] = _predicted("settings_shown")
    mistaken: ClassVar[bool] = _predicted("mistaken")
    gated: ClassVar[bool] = _predicted("gated")
    timed: ClassVar[bool] = _predicted("timed")
    compared: ClassVar[bool] = _predicted("compared")
    uncreated: ClassVar[bool] = _predicted("uncreated")

    @property
    def hashes(self) -> Hashes:
        """Its hashes."""
        return Hashes(self.recorded, self.from_hash, self.to_hash)


def without_unplaced(items: Sequence[Item]) -> list[Item]:
    """Return items in which percentages count nothing that is on no node, unless none of them is on any.

    A manifest counts as a running pod. Next to pods that are on nodes it must not: whoever may create a
    PodTemplate could make any part of all containers small. Nor does it by the ``nodeName`` that it has.
    """
    placed = any(map(_is_placed, items))
    return [
        structs.replace(item, prediction=_not_compared(item.prediction))
        if placed and not _is_placed(item) and item.prediction.compared
        else item
        for item in items
    ]


def _is_placed(item: Item) -> bool:
    return bool(item.pod.node) and not item.prediction.uncreated


@lru_cache(maxsize=64)
def _not_compared(prediction: Prediction) -> Prediction:
    """Return one prediction for all replicas."""
    return structs.replace(prediction, compared=False)


# Names as people give them: owners as kubectl reads them, and what is near a name that does not exist.

POD: Final = "Pod"

NODE: Final = "Node"

_SHORT: Final = {
    "po": POD,
    "no": NODE,
    "deploy": "Deployment",
    "rs": "ReplicaSet",
    "sts": "StatefulSet",
    "ds": "DaemonSet",
    "cj": "CronJob",
    "rc": "ReplicationController",
}
"""The short names of built-in resources (pkg/registry of each: ``ShortNames``)."""

KINDS: Final = (POD, NODE, *(kind for kind in _SHORT.values() if kind not in (POD, NODE)), "Job")
"""The kinds of what runs pods, and of pods and nodes."""


def is_kind(word: str, kind: str) -> bool:
    """Return whether a word is a kind as kubectl reads it.

    It is so in small or large letters, in the plural, as a short name, and with its API group or version.
    """
    asked, wanted = word.partition(".")[0].lower(), kind.lower()
    if not (asked and wanted):
        return False
    plurals = [f"{wanted}s"]  # as resources are named: jobs, ingresses, policies
    if wanted.endswith(("s", "x", "ch", "sh")):
        plurals.append(f"{wanted}es")
    if wanted.endswith("y"):
        plurals.append(f"{wanted[:-1]}ies")
    return _SHORT.get(asked, asked).lower() == wanted or asked in plurals


def names_a_kind(word: str) -> bool:
    """Return whether a word is one of the kinds above."""
    return any(is_kind(word, kind) for kind in KINDS)


class Owner(msgspec.Struct, frozen=True):
    """What controls pods: their direct controller, or the workload above it; without a name: nothing does."""

    kind: str
    """The kind as it was written, such as ``deploy``."""
    name: str

    def owns(self, pod: Pod | PodName) -> bool:
        """Return whether it is the controller of a pod, or the workload above that one, or the bare pod."""
        if not (self.kind or self.name):
            return not pod.owner
        return any(map(self.is_named, owners_of(pod)))

    def is_named(self, owner: str) -> bool:
        """Return whether ``Kind/name`` is this owner."""
        kind, _, name = owner.partition("/")
        return name == self.name and is_kind(self.kind, kind)


def owners_of(pod: Pod | PodName) -> tuple[str, ...]:
    """Return what a pod belongs to, each once: the workload first, which reports show, then its controller.

    A pod that nothing controls is its own owner, ``Pod/NAME``.
    """
    if pod.workload and pod.owner and pod.workload != pod.owner:
        return pod.workload, pod.owner
    return (pod.workload or pod.owner or f"{POD}/{pod.name}",)


def owner_of(text: str) -> Owner:
    """Return the owner that ``KIND/NAME`` names; a word alone is one of no name, which owns nothing."""
    kind, _, name = text.partition("/")
    return Owner(kind, name)


def near_owners(wanted: Owner, owners: Iterable[str]) -> list[str]:
    """Return the owners, ``Kind/name``, with names near that of a missing one, those of its kind first."""
    by_name: dict[str, list[str]] = {}
    for owner in dict.fromkeys(owners):
        by_name.setdefault(owner.partition("/")[2], []).append(owner)
    near_by = [owner for name in near(wanted.name or wanted.kind, by_name) for owner in by_name[name]]
    return sorted(near_by, key=lambda owner: not is_kind(wanted.kind, owner.partition("/")[0]))[:3]


# Which of the names that exist somebody may have meant by one that does not.

_LONGEST: Final = 253
"""Characters of a name that are compared: those of a DNS subdomain, the longest name in Kubernetes."""

_COMPARED: Final = 64
"""How many names are compared letter by letter: those with the longest start and end in common."""

_SHOWN: Final = 3

_START: Final = 3
"""Letters of a start that says something."""


def near(wanted: str, names: Iterable[str], *, most: int = _SHOWN) -> list[str]:
    """Return some names, the nearest first; none where nothing is near.

    Near are names that differ in at most a third of the letters, and those that start with one another.
    Every name is looked at once, and few letter by letter, so that a large cluster's take no time.
    """
    asked = wanted[:_LONGEST].lower()
    likely = nsmallest(_COMPARED, dict.fromkeys(names), key=lambda name: _unlike(asked, name.lower()))
    ranked = [(_rank(asked, name[:_LONGEST].lower()), name) for name in likely]
    nearest = sorted((rank, name) for rank, name in ranked if rank is not None)
    return [name for _, name in nearest[:most]]


def _unlike(asked: str, name: str) -> tuple[int, int]:
    """Return how many letters are neither of the start nor of the end that two names share."""
    start = _shared(asked, name)
    end = _shared(asked[start:][::-1], name[start:][::-1])
    return len(asked) - start - end, len(name)


def _shared(text: str, other: str) -> int:
    """Return how many letters two texts start with in common."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (letter, wanted) in pairs if letter != wanted), min(len(text), len(other)))


def _rank(asked: str, name: str) -> tuple[int, int] | None:
    """Return how far two names are apart, misspelled ones before longer and shorter ones; None if too far."""
    steps = distance(asked, name)
    if steps <= max(1, len(asked) // 3):
        return 0, steps
    starts = min(len(asked), len(name)) >= _START and (name.startswith(asked) or asked.startswith(name))
    return (1, abs(len(name) - len(asked))) if starts else None


def distance(text: str, other: str) -> int:
    """Return how many letters to insert, leave out, replace or swap with the next make one text the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(text):
        earlier, before, row = before, row, [index + 1]
        for place, wanted in enumerate(other):
            steps = min(before[place + 1] + 1, row[place] + 1, before[place] + (letter != wanted))
            if index and place and letter == other[place - 1] and text[index - 1] == wanted:
                steps = min(steps, earlier[place - 1] + 1)
            row.append(steps)
    return row[-1]
