"""What was recorded of a container, what was hashed, what becomes of it, and why.

Runtimes, logs and kubelets' own files record. Hashes are numbers, or hidden by a snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from hashcompat.core.model.results import Hash32, Object


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


class Hashes(Object, frozen=True, gc=False):
    """The recorded hash of a container, and those that the two kubelets compute."""

    recorded: Hash32 | None
    from_: Hash32 | None
    to: Hash32 | None


# Hashes as values: numbers, and those that a snapshot hides.


class HiddenHash(msgspec.Struct, frozen=True):
    """A hash that a snapshot hides: of one container, two are equal where the hashes are.

    Those of two containers have nothing to do with each other, and nothing compares them.
    """

    number: int
    """Which of the container's hashes it is, from 1; 0 for a recorded one of no container in the snapshot."""


Hash = int | HiddenHash
"""An unsigned 32-bit hash, or one that a snapshot hides."""


class StoredHashes(msgspec.Struct, frozen=True):
    """What a snapshot stores about the hashes of a container with hidden values."""

    by_text: Mapping[int, Hash]
    """The hash of the container with its values, by that of the container as the snapshot has it."""
    hidden: bool
    """Whether hashes are hidden; otherwise all of them are numbers."""

    def covers(self, recorded: Hash) -> bool:
        """Return whether a recorded hash can be compared with the container's.

        A hidden one can where this snapshot hides hashes too, and a number where it is one of no hidden value
        or where none is hidden.
        """
        if isinstance(recorded, HiddenHash):
            return self.hidden and recorded.number > 0
        return not self.hidden or recorded in self.by_text.values()


def comparable(recorded: Hash | None, stored: StoredHashes | None) -> bool:
    """Return whether a recorded hash can be compared with those that kubelets compute of a container.

    ``stored`` is what the container's snapshot stores of it; None where it is as its kubelet sees it. That
    nothing was recorded (None) is the same for all of them.
    """
    if recorded is None:
        return True
    return not isinstance(recorded, HiddenHash) if stored is None else stored.covers(recorded)


def number_of(value: Hash | None) -> int | None:
    """Return a hash as a report shows it: None for a hidden one."""
    return value if isinstance(value, int) else None


class Recorded(msgspec.Struct, frozen=True):
    """A hash that a kubelet recorded when it created a container, as a runtime or a log reports it."""

    uid: str
    """The pod's UID; empty where the source does not report it."""
    namespace: str
    """The pod's namespace; empty where the source does not report it."""
    pod: str
    container: str
    """The container's name in the pod."""
    hash: Hash | None
    """The recorded hash; None where it is missing."""
    running: bool | None
    """Whether the runtime reports it running; None where the source does not report states."""
    attempt: int | None = None
    """How often the kubelet had created the container before; None where the source does not report it."""
    hash_version: str = ""
    """The release that a vendor's kubelet says the hash is of; empty where none does."""
    without_resources: Hash | None = None
    """The second hash that 1.27 - 1.30 record with the gate InPlacePodVerticalScaling; None elsewhere."""
    id: str = ""
    """The container's id in the runtime; empty where the source does not report it."""
    created: datetime | None = None
    """When the container was created, UTC; None where the source does not report it."""
    any_year: bool = False
    """Whether the year of ``created`` is not known: kubelets' logs have none."""
    docker: bool = False
    """Whether it is known to be in Docker."""
    code: int | None = None
    """Its exit code; None while it runs, or where the source does not report it."""
    unapplied: bool = False
    """Whether the kubelet's own file of the resources that it applied was looked for, and lacks it."""
    plugins: tuple[str, ...] | None = None
    """The resources that device plugins serve on its node; None where the kubelet's file was not read."""
    lost: bool = False
    """Whether the runtime reports that it does not know the container's state (``CONTAINER_UNKNOWN``)."""
    begun: bool = True
    """Whether it was ever started: a kubelet that ends in between leaves one that is only created."""
    out_of_memory: bool = False
    """Whether it ended as ``OOMKilled``, whatever its exit code."""


class Sandbox(msgspec.Struct, frozen=True, rename="camel"):
    """A pod's sandbox, as a runtime reports it, and as a snapshot has it."""

    uid: str
    """The pod's UID; empty where the source does not report it."""
    namespace: str
    """The pod's namespace; empty where the source does not report it."""
    pod: str
    ready: bool
    attempt: int = 0
    """How often the kubelet had created a sandbox for the pod before."""
    host_network: bool | None = None
    """Whether it is on the host's network; None where the source does not report it."""
    ip: str | None = None
    """Its IP address; None where the source does not report it."""
    created: int | None = None
    """When it was created, in nanoseconds since 1970; None where the source does not report it."""
    docker: bool = False
    """Whether it is known to be in Docker."""
    id: str = ""
    """Its id in the runtime, by which several sources show one sandbox; empty where that is not known."""


class Applied(msgspec.Struct, frozen=True):
    """The resources that a kubelet applied to a container, as its own file has them (1.33 and later)."""

    uid: str
    """The pod's UID; a static pod's is the kubelet's."""
    container: str
    resources: Mapping[str, Any]
    """Its ``limits`` and ``requests``, as in v1.ResourceRequirements."""


class Files(msgspec.Struct, frozen=True, eq=False):
    """The files of a node that decide whether its kubelet admits pods again, as a dump has them.

    Compared by identity, so that what they show can be cached.
    """

    node: str
    """The node's name, as the dump has it."""
    uids: frozenset[str]
    """The UIDs of the pods that its runtime showed."""
    probes: tuple[tuple[str, str, str | None, str], ...]
    """What was read: its kind, its name, its text if there is one, and why there is none."""
    devices: Mapping[str, Mapping[str, frozenset[str]]] | None = None
    """The devices that pods have by the device manager's file, by their resources and the pods' UIDs; None
    where that was not read."""
    allocated: Mapping[str, Mapping[str, Mapping[str, Any]]] = {}
    """The resources that a kubelet noted as allocated, by the UIDs of pods and the names of their containers;
    of a pod itself by an empty name."""


Record = Recorded | Sandbox | Applied | Files
"""One row of any of them."""
