"""A plan, what sums it up, what it can show beyond its items, and what a node lacks for a pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import compress, groupby
from typing import Final

import msgspec

from hashcompat.core.model.escape import count
from hashcompat.core.model.items import Item, PodName
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.results import Count, HopEnd, Making, Object, ReleaseName, Result
from hashcompat.core.model.verdicts import FINDINGS, Verdict

AUTO: Final = "auto"
"""The current release of a plan in which each pod's node reports its own."""


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
    compared: int
    """How many containers run on a node and are compared there: the whole of every percentage."""
    aside: int = 0
    """How many of the others are UNKNOWN, as those on nodes that the input lacks."""
    apart: int = 0
    """How many of the others are killed, as those of manifests next to pods that are on nodes."""

    @property
    def not_compared(self) -> int:
        """How many containers no percentage counts."""
        return self.containers - self.compared

    @property
    def never_compared(self) -> int:
        """How many of these have no other verdict than that."""
        return self.not_compared - self.aside - self.apart

    @property
    def kept(self) -> int:
        """How many of those that are compared are kept."""
        return max(self.compared - (self.findings - self.apart) - (self.unknown - self.aside), 0)

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
    verdicts = [item.prediction.verdict for item in items]
    pods = [item.pod for item in items]
    affected = list(compress(pods, [verdict in FINDINGS for verdict in verdicts]))
    number = _number_of(pods)
    apart = [item.prediction.verdict for item in items if not item.prediction.compared]
    return Summary(
        len(items),
        {verdict: verdicts.count(verdict) for verdict in Verdict},
        number,
        number if len(affected) == len(pods) else _number_of(affected),
        len({pod.node for pod in affected if pod.node}),
        sum(item.prediction.compared for item in items),
        apart.count(Verdict.UNKNOWN),
        sum(map(apart.count, FINDINGS)),
    )


def _number_of(pods: Iterable[PodName]) -> int:
    """Count pods by node, names and uid; because they are sorted, few uids are in memory at once.

    Manifests have no uid, and workloads of two kinds may have one name: whose it is tells these apart.
    """
    number, last, uids = 0, None, set[object]()
    for pod, _ in groupby(pods):
        if last is None or (pod.name, pod.namespace, pod.node) != (last.name, last.namespace, last.node):
            number, last, uids = number + len(uids), pod, set()
        uids.add(pod.key or (pod.owner, pod.file))
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


class DisputedNode(Object, frozen=True):
    """A node that reports another release than the plan is given."""

    node: str
    kubelet: str
    """The release that it reports."""


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


class Hop(Object, frozen=True):
    """One step: how many containers it kills, and how many are not decided."""

    old: HopEnd = msgspec.field(name="from")
    """The release that nodes start from; auto where they start from several, or from unknown ones."""
    new: HopEnd = msgspec.field(name="to")
    """The release that it leads to; auto of a way back to several, or to unknown ones."""
    findings: Count
    unknown: Count
    """Those on nodes whose release is unknown count in every hop, and in no part of it."""
    parts: tuple[Hop, ...]
    """The same for the nodes of each known release; empty where neither from nor to is auto."""


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


class Plan(Result[Item], msgspec.Struct, frozen=True):
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
    rewritable: int = 0
    """How many restarts rewritten records would save; no saved plan has it."""
    notes: tuple[str, ...] = ()
    """What is to be said of the options themselves, such as a patch that is not needed."""
    releases: tuple[ReleaseFacts, ...] = ()
    """How each release was read, the target one last."""
    origin: Origin = msgspec.field(default_factory=Origin)
    """Where the pods come from."""
    making: Making = Making()
    """What the plan was made by, and when the pods were read."""
    counted: Summary | None = None
    """The counts of the whole plan, where only some of its items were saved; None if these are all."""
    details: Details | None = None
    """Where hashed texts differ, and the releases in pairs; None where nobody asked for that."""
    disputed: tuple[DisputedNode, ...] = ()
    """The nodes with pods that report another release than the plan is given."""
    overridden: bool = False
    """Whether the plan goes by the release that it is given, against what these nodes report."""
    besides: tuple[str, ...] = ()
    """What happens besides restarts, one line each: readiness, phases, what may not start again."""

    @property
    def summary(self) -> Summary:
        """The counts of all items."""
        return self.counted or summarized(self.items)

    @property
    def created(self) -> datetime | None:
        """When the pods were read, UTC; None where that is not known."""
        return self.making.at

    @property
    def running(self) -> tuple[str, ...]:
        """The current releases: the one that is given, or those that the nodes of the pods report."""
        if self.from_release != AUTO:
            return (self.from_release,)
        # a plan without its kept containers knows more releases than its items have
        reported = dict.fromkeys(item.from_release for item in self.items if item.from_release)
        names = [facts.name for facts in self.releases[:-1]]
        return tuple(dict.fromkeys([*reported, *names]))


# What a plan can show beyond its items: where hashed texts differ, and its releases in pairs.


class Kind(StrEnum):
    """Which of the two texts a piece is of."""

    SAME = "same"
    REMOVED = "removed"
    """Of the first text alone."""
    ADDED = "added"
    """Of the second text alone."""
    GAP = "gap"
    """Stands for characters that are left out."""


class Piece(Object, frozen=True):
    """A part of a fragment."""

    # between two gaps, the same and the removed pieces in a row are part of the first text, and the same and
    # the added ones of the second
    kind: Kind
    text: str
    """Empty for a gap."""


class Beginning(Object, frozen=True):
    """How a text begins."""

    pieces: tuple[Piece, ...]


class Difference(Object, frozen=True):
    """Where the texts differ that two releases hash of some containers."""

    old: ReleaseName = msgspec.field(name="from")
    new: ReleaseName = msgspec.field(name="to")
    pieces: tuple[Piece, ...] = msgspec.field(name="fragment")
    """The first places where the masked texts differ; empty across eras, and where masked values differ."""
    more: bool
    """Whether there are more places."""
    hashes: tuple[str, ...]
    """Across eras what each of the two releases hashes, in words; else empty."""
    begins: tuple[Beginning, ...]
    """Across eras how the two masked texts of one container begin; else empty."""
    example: str
    """That container, as explain takes it; else empty."""


class Scope(StrEnum):
    """Which containers restart between two releases: all, those with certain fields, none."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


class Pair(Object, frozen=True):
    """What an upgrade between two releases does."""

    old: str = msgspec.field(name="from")
    new: str = msgspec.field(name="to")
    scope: Scope
    """Which unchanged containers restart, whatever the pods."""
    findings: Count | None
    """Null where it was not counted."""
    unknown: Count | None
    """Null where it was not counted."""


class Details(Object, frozen=True):
    """Where hashed texts differ, and the releases on the way in pairs."""

    differences: tuple[Difference, ...]
    """Each distinct difference once."""
    omitted: Count
    """For how many containers no difference is kept, for there were too many distinct ones."""
    releases: tuple[str, ...]
    """The releases on the way, in its order; the first may be auto."""
    passed: Count
    """How many releases of the way are left out of these."""
    pairs: tuple[Pair, ...]
    """What an upgrade between any two of them does."""


# What a node lacks for a pod that a starting kubelet admits again.


class Refusal(msgspec.Struct, frozen=True):
    """Why a resource manager does not admit a pod again, or may not."""

    container: str
    """The first container for which it does not."""
    reason: str
    """The reason in the pod's status."""
    text: str
    """What is the case, in words."""
    certain: bool = True
    """Whether it is refused; else that depends on what is not known."""


class Shortage(msgspec.Struct, frozen=True):
    """Why a kubelet has no room for a pod."""

    resource: str
    """The first resource that is missing, as the reason names it: ``cpu``, ``pods``; or the host port that
    another pod has, ``8080/TCP``."""
    asked: int = 0
    """How much of it the pod asks for: thousandths of a CPU, bytes, or a number."""
    used: int = 0
    """How much the pods before it have."""
    capacity: int = 0
    """How much the node can give."""
    in_vain: bool = False
    """Whether the pod is a critical one, and others do not have the room that it takes."""
    preemptor: str = ""
    """The critical pod that takes its room, ``namespace/name``; empty where it is not admitted."""
    holder: str = ""
    """The pod that has its host port, ``namespace/name``; empty where a resource is missing."""
    predicate: str = ""
    """What refuses pods whose host port another one has: ``NodePorts``."""
    certain: bool = True
    """Whether the input decides."""
    why: str = ""
    """Why it does not."""
    by_manifest: bool = False
    """Whether the manifest of a static pod would decide, which has ended."""

    @property
    def reason(self) -> str:
        """The reason in the pod's status."""
        if self.preemptor:
            return "Preempting"
        if self.holder:
            return self.predicate
        return "UnexpectedAdmissionError" if self.in_vain else f"OutOf{self.resource}"

    @property
    def missing(self) -> int:
        """How much is missing."""
        return self.asked - (self.capacity - self.used)

    @property
    def amounts(self) -> tuple[str, str, str]:
        """What it asks for, what others have, and what the node can give, as people write it."""
        name = self.resource
        return _amount(name, self.asked), _amount(name, self.used), _amount(name, self.capacity)


def _amount(name: str, number: int) -> str:
    if name == "cpu":
        return str(number // 1000) if number % 1000 == 0 else f"{number}m"
    is_bytes = name in ("memory", "ephemeral-storage") or name.startswith("hugepages-")
    for unit, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if is_bytes and number and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)
