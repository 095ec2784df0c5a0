"""Verdicts with their reasons, and the plan that they make up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from operator import attrgetter

from hashcompat.model.pods import ContainerType


class Verdict(StrEnum):
    """What the new kubelet does to a running container; UNKNOWN never counts as unchanged."""

    RESTART = "RESTART"
    KILL = "KILL"
    KEEP = "KEEP"
    UNKNOWN = "UNKNOWN"


FINDINGS = frozenset({Verdict.RESTART, Verdict.KILL})


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is what it is: a stable id, a few words, and where a field is behind it, its path and its Go name."""

    id: str
    text: str
    path: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Hashes:
    """A container's hash as recorded, and as the two kubelets compute it; None where it is not known."""

    recorded: int | None = None
    from_: int | None = None
    to: int | None = None


@dataclass(frozen=True, slots=True)
class PodName:
    """What a report says of a pod."""

    node: str
    namespace: str
    name: str
    uid: str
    owner: str


@dataclass(frozen=True, slots=True)
class ContainerName:
    """What a report says of a container."""

    name: str
    type: ContainerType


@dataclass(frozen=True, slots=True)
class Item:
    """One container's verdict, as it stands in a RestartPlan; a plan of a large cluster has hundreds of thousands, so no spec is kept.

    ``rests`` says that no kubelet compares it, whatever its release, ``sandboxed`` that a record tells of the
    pod's sandbox.
    """

    pod: PodName
    container: ContainerName
    from_release: str
    verdict: Verdict
    hashes: Hashes = field(default_factory=Hashes)
    reasons: tuple[Reason, ...] = ()
    pod_recreated: bool = False
    calibrated: bool | None = None
    rests: bool = False
    sandboxed: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """How many containers, pods and nodes a plan is about, and how many of them it touches."""

    containers: int
    verdicts: Mapping[Verdict, int]
    """Containers by verdict, every verdict among the keys."""
    pods: int
    pods_affected: int
    nodes_affected: int

    @property
    def findings(self) -> int:
        """How many containers are killed, whether they are started again or not."""
        return sum(self.verdicts[verdict] for verdict in FINDINGS)

    @property
    def unknown(self) -> int:
        """How many containers are not decided."""
        return self.verdicts[Verdict.UNKNOWN]


def summarized(items: Sequence[Item]) -> Summary:
    """Count items, which are in the order of a plan: by node, then by the pod's names."""
    found = [item for item in items if item.verdict in FINDINGS]
    counts = Counter(item.verdict for item in items)
    return Summary(
        len(items),
        {verdict: counts[verdict] for verdict in Verdict},
        _count_pods(items),
        _count_pods(found),
        len({item.pod.node for item in found if item.pod.node}),
    )


def _count_pods(items: Iterable[Item]) -> int:
    """Count pods by node, names and uid; by the order of items few uids are at hand at once."""
    groups = groupby(items, attrgetter("pod.node", "pod.namespace", "pod.name"))
    return sum(len({item.pod.uid for item in group}) for _, group in groups)


@dataclass(frozen=True, slots=True)
class Share:
    """How many recorded hashes this program reproduced."""

    reproduced: int = 0
    recorded: int = 0

    @property
    def complete(self) -> bool:
        """Whether none was missed; true too where nothing was recorded."""
        return self.reproduced == self.recorded

    def __str__(self) -> str:
        percent = 100 * self.reproduced // self.recorded if self.recorded else 100
        return f"{self.reproduced} of {self.recorded} recorded hashes reproduced ({percent} %)"


def share(items: Iterable[Item]) -> Share:
    """Count the items that have a record, and those of them whose record is what their kubelet's release computes."""
    calibrated = [item.calibrated for item in items if item.calibrated is not None]
    return Share(sum(calibrated), len(calibrated))


@dataclass(frozen=True, slots=True)
class Way:
    """An upgrade, or a rollback."""

    old: str
    """The current release, or ``auto``: what each pod's node reports."""
    new: str
    """The target release."""


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
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


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of an upgrade: how many containers it kills, and how many are not decided."""

    old: str
    new: str
    findings: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A patch of kubelet ``kubelet`` that would keep ``saves`` containers which restart without it."""

    kubelet: str
    likes: tuple[str, ...]
    saves: int

    @property
    def command(self) -> str:
        """The command line that makes the patch."""
        return f"hashcompat patch --kubelet {self.kubelet} --like {','.join(self.likes)}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The verdicts of one upgrade, with what was assumed on the way.

    ``hops`` is the same way one minor at a time, where that is another way; ``rollback`` the way back.
    ``patch`` says how the kubelet is patched that the plan assumes, ``suggestion`` which patch would save
    restarts.
    """

    from_release: str
    to_release: str
    items: tuple[Item, ...]
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    share: Share = field(default_factory=Share)
    hops: tuple[Hop, ...] = ()
    rollback: Hop | None = None
    patch: str = ""
    suggestion: Suggestion | None = None
    notes: tuple[str, ...] = ()
    """What is to be said of the options themselves, such as a patch that is not needed."""
    releases: tuple[ReleaseFacts, ...] = ()
    """How each release was read, the target one last."""

    @property
    def summary(self) -> Summary:
        """The counts of all items."""
        return summarized(self.items)
