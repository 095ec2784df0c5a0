"""What the rules look at and what they answer: a case, and the decision of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hashcompat import rules
from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.releases import same_build
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.kubelet.staticpods import StaticUid
from hashcompat.model.plan import Reason, Verdict
from hashcompat.model.pods import Container, ContainerType, Pod
from hashcompat.model.records import Recorded, Sandbox

RESIZE_GATE: Final = "InPlacePodVerticalScaling"

REFERENCES_GATE: Final = "PreventStaticPodAPIReferences"


@dataclass(frozen=True, slots=True)
class Case:
    """All that the rules look at.

    ``old_hash`` and ``new_hash`` are what the two kubelets compute; where the old one's release is not known
    (``old_known``), both are the new one. ``recorded`` and ``sandboxes`` are what the runtime tells, where it
    was asked; ``calibrated`` says that every record of the node was reproduced. ``runtime`` is the node's
    container runtime, empty where not known, ``cri_dockerd`` says that Docker is driven without dockershim,
    ``gates`` and ``gates_off`` are the feature gates that are set, on and off. ``without_resources`` is the
    new kubelet's hash without resources, where it compares one; ``admission`` names what admission adds to a
    manifest and makes its verdict another, ``server_gate`` the feature gates that would, on at the API
    server; ``lost_default`` names a field that the present API server may have filled in, and the one to come
    does not. ``accepted`` are old hashes that a patched kubelet takes for its own. ``static_uids`` are those
    that the two kubelets give a static pod, where its manifest is at hand.
    """

    pod: Pod
    container: Container
    old: Kubelet
    new: Kubelet
    old_hash: ContainerHash
    new_hash: ContainerHash
    old_known: bool = True
    recorded: Recorded | None = None
    sandboxes: tuple[Sandbox, ...] = ()
    calibrated: bool = True
    runtime: str = ""
    cri_dockerd: bool = False
    gates: frozenset[str] = frozenset()
    gates_off: frozenset[str] = frozenset()
    without_resources: frozenset[int] = frozenset()
    admission: str = ""
    server_gate: str = ""
    lost_default: str = ""
    accepted: frozenset[int] = frozenset()
    static_uids: tuple[StaticUid, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the two kubelets' hashes differ for sure."""
        return self.old_hash.candidates.isdisjoint(self.new_hash.candidates)

    @property
    def upgraded(self) -> bool:
        """Whether the kubelet may change at all; ``v1.9.11`` and ``1.9.11`` are one."""
        return not self.old_known or not same_build(self.old.release, self.new.release)

    @property
    def waits(self) -> bool:
        """Whether it is a sidecar with a startupProbe, which has to pass again before anything is compared."""
        return (
            self.container.type is ContainerType.SIDECAR
            and self.container.spec.get("startupProbe") is not None
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its reasons; ``hash_changed`` asks for those of the difference between the two hashes, which the rules do not name."""

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    pod_recreated: bool = False
    hash_changed: bool = False


Decide = Callable[[Case], Decision | None]
"""Decides a case, or leaves it to the next one."""


def not_compared(why: str) -> Decision:
    """Return that of a container which no kubelet compares: it stays, whatever its hash."""
    return Decision(Verdict.KEEP, (Reason(rules.NOT_COMPARED, f"not compared: {why}"),))
