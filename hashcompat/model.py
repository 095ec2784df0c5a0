"""Frozen values between the stages: pods in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ContainerType(StrEnum):
    """What a container is to the kubelet; a sidecar is an init container with restartPolicy Always."""

    CONTAINER = "container"
    INIT = "init"
    SIDECAR = "sidecar"
    EPHEMERAL = "ephemeral"


class Verdict(StrEnum):
    """What the new kubelet does to a running container; UNKNOWN never counts as unchanged."""

    RESTART = "RESTART"
    KILL = "KILL"
    KEEP = "KEEP"
    UNKNOWN = "UNKNOWN"


FINDINGS = frozenset({Verdict.RESTART, Verdict.KILL})


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a pod: its JSON spec as given, and where it stands (``$.spec.containers[0]``).

    ``running`` is None where the status does not tell.
    """

    name: str
    type: ContainerType
    path: str
    spec: Mapping[str, Any]
    running: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StaticManifest:
    """What a kubelet reads a static pod from: the whole object, the name under which it registers, ``file:<path>`` on the node.

    Compared by identity, so that what kubelets make of it is computed once.
    """

    content: Mapping[str, Any]
    node: str
    source: str


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod or a pod template, as far as a kubelet's decision depends on it.

    ``origin`` names the file and the object in it, for messages. ``manifest`` says that no API server has
    defaulted it; ``references`` names the API objects that the pod refers to; ``automount`` is what it says
    of the service account's token. ``spec`` is the pod's own, as given; ``config_hash`` the UID that a mirror
    pod's annotation tells of its static pod, and ``static_manifest`` what that static pod is read from, where
    it is at hand.
    """

    origin: str
    namespace: str
    name: str
    uid: str
    node: str
    owner: str
    manifest: bool
    phase: str
    deleting: bool
    static: bool
    host_network: bool
    restart_policy: str
    references: tuple[str, ...]
    automount: bool | None
    containers: tuple[Container, ...]
    spec: Mapping[str, Any] = field(default_factory=dict)
    config_hash: str = ""
    static_manifest: StaticManifest | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node, the kubelet release that it reports and its container runtime (``docker://17.3.2``)."""

    name: str
    kubelet: str
    runtime: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A hash that a kubelet recorded when it created a container, as a runtime or a log tells it.

    ``uid`` and ``namespace`` are empty where the source does not tell; ``hash`` is None where the record is
    missing. ``without_resources`` is the second hash that 1.27 - 1.30 record with the gate
    InPlacePodVerticalScaling, None elsewhere.
    """

    uid: str
    namespace: str
    pod: str
    container: str
    hash: int | None
    running: bool
    attempt: int = 0
    without_resources: int | None = None


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A pod's sandbox as a runtime tells it; ``host_network`` and ``ip`` are None where the source does not tell."""

    uid: str
    namespace: str
    pod: str
    ready: bool
    attempt: int = 0
    host_network: bool | None = None
    ip: str | None = None


@dataclass(frozen=True, slots=True)
class Inventory:
    """All pods and nodes of a source, in the order given, and what a snapshot holds of records.

    The pods of files are read anew each time they are asked for.
    """

    pods: Iterable[Pod]
    nodes: tuple[Node, ...] = ()
    records: tuple[Recorded | Sandbox, ...] = ()


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
