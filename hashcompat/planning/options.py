"""How pods are read, and what else is known about the cluster."""

from __future__ import annotations

from typing import Final

import msgspec

from hashcompat.catalog.gates import NO_SETTINGS, Settings
from hashcompat.records.index import Records

STRATEGIES: Final = ("accept", "pin")
"""The strategies of patches that a plan can assume."""

AUTO: Final = "auto"
"""In place of the current release: the one that each pod's node reports."""


class AssumePatch(msgspec.Struct, frozen=True):
    """A patch that a kubelet is assumed to have."""

    strategy: str
    """``accept`` or ``pin``."""
    like: tuple[str, ...] = ()
    """The releases whose hashes it accepts; empty for the target kubelet: the current ones."""


class Options(msgspec.Struct, frozen=True):
    """How pods are read, and what else is known about the cluster."""

    defaults: bool = True
    """Whether manifests get an API server's defaults and canonical quantities first."""
    keep_going: bool = False
    """Whether a container that does not decode is UNKNOWN rather than an error."""
    records: Records = msgspec.field(default_factory=Records)
    """The hashes and sandboxes that a runtime reports."""
    gates: frozenset[str] = frozenset()
    """The feature gates that are set to on, in every kubelet and API server that has them."""
    gates_off: frozenset[str] = frozenset()
    """The feature gates that are set to off there."""
    cri_dockerd: bool = False
    """Whether cri-dockerd drives Docker where the target kubelet does not."""
    other_runtime: bool = False
    """Whether the target kubelet uses another container runtime than the current one."""
    apiserver: str = ""
    """The API server's current release; empty: that of the current kubelet."""
    apiserver_to: str = ""
    """The API server's target release; empty: that of the newer one of the two kubelets."""
    patch: AssumePatch | None = None
    """The patch that the target kubelet is assumed to have."""
    assume_upstream: bool = False
    """Whether vendors' kubelets that are not public are taken to be as upstream's."""
    current_patch: AssumePatch | None = None
    """The patch that the current kubelets have; ``like`` is needed."""
    override_node_releases: bool = False
    """Whether the current release that is given counts on nodes, too, that report another one."""

    @property
    def gate_settings(self) -> Settings:
        """The feature gates that are set, with their values."""
        if not (self.gates or self.gates_off):
            return NO_SETTINGS
        return frozenset(
            [*((name, True) for name in self.gates), *((name, False) for name in self.gates_off)]
        )
