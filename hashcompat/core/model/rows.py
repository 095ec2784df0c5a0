"""A saved snapshot as rows by name, so that two of them can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

CONTAINER_LISTS: Final = ("containers", "initContainers", "ephemeralContainers")
"""The lists of a pod's containers, in the order in which a row has them."""


class RowKind(StrEnum):
    """What a row is, in the order in which rows are shown."""

    NODE = "Node"
    POD = "Pod"
    RECORDED = "Recorded"
    """What a runtime or kubelet recorded of a container."""
    SANDBOX = "Sandbox"
    APPLIED = "Applied"
    """The resources that a kubelet applied to a container."""


class RowName(msgspec.Struct, frozen=True):
    """How a row is found in another snapshot."""

    kind: RowKind
    namespace: str
    """Empty for a node."""
    name: str
    """The node's, or the pod's."""
    container: str = ""
    """Of what was recorded; empty for others."""
    number: int = 0
    """Which of several rows with these names it is, from 0, in the snapshot's order."""


class SnapshotRows(msgspec.Struct, frozen=True):
    """What a saved snapshot holds."""

    file: str
    """Where it was read from, without what may be secret."""
    spec: Mapping[str, Any]
    """What is said of all of it: ``newestRelease``, and whether ``hashes`` are kept or hidden."""
    taken: datetime | None
    """When it was taken, UTC; None for older ones, which do not say it."""
    cluster: str
    """The UID of its cluster; empty where that is unknown."""
    rows: Mapping[RowName, tuple[bytes, ...]]
    """Each row in JSON; of a pod what surrounds its lists of containers, and then each list.

    Equal lists, such as those of replicas, are one object.
    """

    @property
    def keeps_hashes(self) -> bool:
        """Whether the hashes over hidden values are in it; otherwise numbers of its own stand for them."""
        return self.spec.get("hashes") == "kept"
