"""What is found on a node before its kubelet is restarted, and which of its records are rewritten.

A preflight has what checks found; a normalization rewrites records so that the next kubelet keeps containers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from hashcompat.core.model.escape import few
from hashcompat.core.model.items import Item
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.results import CheckId, Making, Object, Result, Sha256, Text
from hashcompat.core.model.verdicts import FINDINGS, Verdict


class Status(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "ERROR"
    """The kubelet does not start, or the node or its containers break."""
    UNKNOWN = "UNKNOWN"
    """It could not be determined."""
    WARN = "WARN"
    """Something is wrong, and the restart goes on."""
    INFO = "INFO"
    """Worth knowing."""
    OK = "OK"
    """The check found nothing."""


class Finding(Object, frozen=True):
    """What one check found on one node, about one object."""

    id: CheckId
    """The check."""
    node: str
    """The node's name."""
    status: Status
    """How bad it is."""
    object: str
    """What it is about: a container, a file, a flag; empty for the whole node."""
    text: Text
    """What is the case."""
    advice: str
    """What to do, with the command; empty where there is nothing to do."""


class Group(msgspec.Struct, frozen=True):
    """Findings that are equal but for their nodes."""

    finding: Finding
    """The first of them."""
    nodes: tuple[str, ...]
    """Their nodes, in the order of the findings."""

    def __str__(self) -> str:
        """Return the node's name, or for several ``40 nodes: cp-1, cp-2, 38 more``."""
        if len(self.nodes) == 1:
            return self.nodes[0]
        return f"{len(self.nodes)} nodes: {few(self.nodes, _NAMED)}"


_NAMED: Final = 2
"""How many nodes of a group are named where not all of them are."""


def grouped(findings: Iterable[Finding]) -> Iterator[Group]:
    """Yield findings, those together that are equal but for their nodes, in the place of the first."""
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        key: tuple[str, ...] = (
            finding.id,
            finding.status.value,
            finding.object,
            finding.text,
            finding.advice,
        )
        alike.setdefault(key, []).append(finding)
    for ones in alike.values():
        yield Group(ones[0], tuple(finding.node for finding in ones))


class Preflight(Result[Finding], msgspec.Struct, frozen=True):
    """The findings of all nodes, and what they are about."""

    target: str
    """The release of the kubelet that will be started."""
    current: Mapping[str, str | None]
    """The release of the kubelet that runs now, by node; None where it is unknown."""
    findings: tuple[Finding, ...]
    """The findings: worst first, then by check and node."""
    ignored: tuple[str, ...] = ()
    """The checks whose errors count as warnings."""
    left_out: tuple[tuple[str, str], ...] = ()
    """The checks that were not made, each with what it needs besides, in words."""
    origin: Origin = Origin()
    """Where the nodes come from: their objects, or else the files that were read on them."""
    making: Making = Making()
    """What it was made by, and when the nodes were read."""

    def counts(self) -> dict[Status, int]:
        """Count the findings of each status."""
        return {status: sum(finding.status == status for finding in self.findings) for status in Status}

    def _elements(self) -> tuple[Finding, ...]:
        return self.findings


# A normalization: which records of a node are rewritten.

CONTAINERD, DOCKER, CRIO = "containerd", "docker", "cri-o"
RUNTIMES: Final = (CONTAINERD, DOCKER, CRIO)
"""The runtimes whose records can be rewritten, as a node names them before ``://``."""


class Rewrite(msgspec.Struct, frozen=True):
    """A recorded hash that is replaced by the one that the target kubelet computes."""

    id: str
    """The container's id in the runtime: 64 hexadecimal digits."""
    uid: str
    """The UID under which the kubelet runs its pod."""
    recorded: int
    """The recorded hash, which is that of the spec as it is now."""
    new: int
    """What the target kubelet computes of the same spec."""
    creator: str
    """The release of a kubelet that computes the recorded hash of it."""


class Change(msgspec.Struct, frozen=True):
    """A container that the target kubelet does not surely keep: what is done about it, or why nothing is."""

    item: Item
    """What the plan says of it; its verdict is RESTART, KILL or UNKNOWN."""
    rewrite: Rewrite | None = None
    """Its record; None where that stays as it is."""
    pinned: bool = False
    """Whether its manifest is given the UID that its pod has."""
    obstacle: str = ""
    """Why it is left alone; empty where it is kept."""

    @property
    def after(self) -> Verdict:
        """What becomes of it once the records are rewritten."""
        return self.item.verdict if self.obstacle else Verdict.KEEP


class ManifestPin(Object, frozen=True):
    """The manifest of a static pod that is given a uid."""

    node: str
    namespace: str
    pod: Text
    path: Text
    """The path on the node."""
    uid: Text
    """The UID that the pod has now."""
    digest: Sha256 = msgspec.field(name="sha256")
    """The digest of the file as it was read."""


class RewrittenNode(Object, frozen=True):
    """A node with an item."""

    name: str
    kubelet: str
    """The current release of its kubelet."""
    runtime: str
    """The container runtime, as the node reports it or records show it; empty where that is not known."""


class Normalization(Result[Change], msgspec.Struct, frozen=True):
    """What is rewritten on the nodes of one upgrade."""

    from_release: str
    """The current release as given, which may be ``auto``."""
    to_release: str
    """The target release."""
    nodes: tuple[RewrittenNode, ...]
    """The nodes with a change, sorted by name."""
    changes: tuple[Change, ...]
    """Every container that is not surely kept without this, in the order of a plan."""
    pins: tuple[ManifestPin, ...]
    """By node and path."""
    containers: int
    """How many containers the plan has."""
    origin: Origin = Origin()
    """Where the pods come from."""
    warnings: tuple[str, ...] = ()
    """What upstream does not support, and what was left out."""
    making: Making = Making()
    """What it was made by, and when the pods were read."""
    running: tuple[str, ...] = ()
    """The current releases: the one that is given, or those that nodes report."""

    @property
    def before(self) -> int:
        """How many containers are killed without it."""
        return sum(change.item.verdict in FINDINGS for change in self.changes)

    @property
    def after(self) -> int:
        """How many are killed with it."""
        return sum(change.after in FINDINGS for change in self.changes)

    @property
    def unknown(self) -> int:
        """How many containers are UNKNOWN, with and without it."""
        return sum(change.after is Verdict.UNKNOWN for change in self.changes)

    @property
    def rewritten(self) -> int:
        """How many records are rewritten."""
        return sum(change.rewrite is not None for change in self.changes)

    def _elements(self) -> tuple[Change, ...]:
        return self.changes


def repeated(changes: Iterable[Change]) -> Sequence[str]:
    """Return the ids of containers of which there is more than one change."""
    seen, twice = set[str](), list[str]()
    for change in changes:
        if change.rewrite is not None:
            if change.rewrite.id in seen:
                twice.append(change.rewrite.id)
            seen.add(change.rewrite.id)
    return twice


# What a node does with it.


class Task(msgspec.Struct, frozen=True):
    """A record to rewrite, as a document names it."""

    rewrite: Rewrite
    namespace: str
    pod: str
    container: str


class Work(msgspec.Struct, frozen=True):
    """All that a document says of one node."""

    node: RewrittenNode
    to_release: str
    digest: str
    """Of the whole document."""
    tasks: tuple[Task, ...]
    pins: tuple[ManifestPin, ...]


class State(StrEnum):
    """What became of a record, or of a manifest."""

    READY = "ready"
    """It can be rewritten: nothing was done yet."""
    REWRITTEN = "rewritten"
    RESTORED = "restored"
    """It is again what it was before."""
    ALREADY = "already"
    """It is as it should be, and was before."""
    SHOWN = "shown"
    """The runtime answers with the new record, for the same container since the same time."""
    NOT_YET = "not yet"
    """The runtime answers with the old record still: it has to be restarted."""
    SKIPPED = "skipped"
    """It is not what the document says, so nothing is done."""
    FAILED = "failed"
    """The runtime has lost the container, or answers with something else."""


class Done(msgspec.Struct, frozen=True):
    """One record or manifest, and what became of it."""

    name: str
    """The container's id, or the path of the manifest."""
    namespace: str
    pod: str
    container: str
    """Empty for a manifest."""
    state: State
    why: str = ""


class NormalizationRun(msgspec.Struct, frozen=True):
    """What ``apply``, ``check`` or ``undo`` did on a node."""

    action: str
    """``apply``, ``check`` or ``undo``."""
    write: bool
    """Whether anything was to be changed."""
    node: str
    to_release: str
    runtime: str
    """The runtime and its version, as far as it could be asked."""
    undo: str
    """The file with what was there before."""
    rows: tuple[Done, ...]

    def count(self, *states: State) -> int:
        """Return how many are in one of some states."""
        return sum(row.state in states for row in self.rows)
