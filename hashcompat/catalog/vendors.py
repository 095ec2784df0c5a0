"""Distributions: how their versions read, and whether their kubelet is upstream's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.regex import regex
from hashcompat.release import Release, parse_release

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
