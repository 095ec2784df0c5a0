"""Verdicts with their reasons, and the plan that they make up."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

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
