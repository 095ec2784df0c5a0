"""What is not upstream's: distributions and the versions of their kubelets, and container runtimes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.releases import Range
from hashcompat.core.regex import regex
from hashcompat.core.release import Release, parse_release

# Distributions: how their versions read, and whether their kubelet is upstream's.

_EDGE: Final = regex(r"-kubeedge-v?(\d+\.\d+)\b")

_NOT_PUBLIC: Final = "not public"

_OWN_UID: Final = "own uid"


class Vendor(msgspec.Struct, frozen=True):
    """A row of vendors.json."""

    name: str
    """The distribution."""
    kubelet: str
    """What its kubelet is built from."""
    static_pods: str
    """Where its static pods come from, in a word."""

    @property
    def is_closed(self) -> bool:
        """Whether nobody outside can read what its kubelet hashes."""
        return self.kubelet == _NOT_PUBLIC

    @property
    def sets_uids(self) -> bool:
        """Whether it gives its static pods UIDs that it computes itself."""
        return self.static_pods == _OWN_UID


class Vendors:
    """The rows of vendors.json, and the releases of Kubernetes that KubeEdge contains."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._rows = [
            (regex(row["suffix"]), Vendor(row["name"], row["kubelet"], row["staticPods"]))
            for row in document["vendors"]
            if row["suffix"]
        ]
        self._edges: Mapping[str, str] = document["kubeedge"]

    def of(self, release: Release) -> Vendor | None:
        """Return the distribution that a release's suffix names; None for upstream and others."""
        if not release.vendor:
            return None
        return next((vendor for suffix, vendor in self._rows if suffix.fullmatch(release.vendor)), None)

    @property
    def aliases(self) -> dict[str, str]:
        """The releases that ``kubeedge:1.21`` and the like contain, as their nodes report them."""
        return {
            f"kubeedge:{v}{edge}": f"v{contained}-kubeedge-v{edge}"
            for edge, contained in self._edges.items()
            for v in ("", "v")
        }

    def true(self, release: Release) -> Release:
        """Return what a release really contains: 1.18 and 1.19 of KubeEdge report another one."""
        edge = _EDGE.match(release.vendor) if release.vendor else None
        if edge is None or edge[1] not in self._edges:
            return release
        contained = parse_release(self._edges[edge[1]])
        return structs.replace(release, minor_number=contained.minor_number, patch=contained.patch)


# Container runtimes: the faults of their versions, and what their versions can do.

_VERSION: Final = regex(r"v?([0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4})")
"""What a version begins with; distributions append their own: ``1.6.20~ds1``, ``1.7.11-k3s2``."""


class RuntimeFault(msgspec.Struct, frozen=True):
    """A row of runtimes.json."""

    runtime: str
    """The runtime's name, as in ``containerd://1.6.12``."""
    versions: Range
    """Its versions that have the fault."""
    fixed: tuple[str, ...]
    """Vendors' builds of such versions that do not."""
    about: str
    """The fault in words."""
    source: str
    """The issue."""

    def concerns(self, reported: str) -> bool:
        """Return whether a node that reports this runtime has the fault."""
        name, _, version = reported.partition("://")
        if name != self.runtime or version in self.fixed:
            return False
        release = _read(version)
        return release is not None and self.versions.holds(release)


class RuntimeAbility(msgspec.Struct, frozen=True):
    """A row of abilities.json."""

    runtime: str
    """The runtime's name, as in ``containerd://1.6.12``."""
    versions: Range
    """Its versions that can do it; all others cannot."""
    can: str
    """What they can do: ``CRI v1``, ``CRI v1alpha2``, ``RuntimeConfig``."""
    source: str
    """The pull request."""


class Runtimes(msgspec.Struct, frozen=True):
    """What is known of container runtimes."""

    faults: tuple[RuntimeFault, ...] = ()
    """The faults of some versions."""
    abilities: tuple[RuntimeAbility, ...] = ()
    """What some versions can do."""

    def faults_of(self, reported: str) -> Iterator[RuntimeFault]:
        """Yield the faults of the runtime that a node reports."""
        return (fault for fault in self.faults if fault.concerns(reported))

    def can(self, reported: str, what: str) -> bool | None:
        """Return whether the runtime that a node reports can do something; None where that is not known."""
        name, _, version = reported.partition("://")
        release = _read(version)
        rows = [row for row in self.abilities if (row.runtime, row.can) == (name, what)]
        return any(row.versions.holds(release) for row in rows) if rows and release is not None else None


def _read(version: str) -> Release | None:
    """Return the version of a runtime without what a distribution appends; None for what is none."""
    match = _VERSION.match(version)
    return parse_release(match[1]) if match else None
