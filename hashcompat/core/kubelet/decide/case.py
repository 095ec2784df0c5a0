"""The input and the output of the decision: a case, and what a kubelet does with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import same_build
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import ContainerHash
from hashcompat.core.model.plan import Refusal, Shortage
from hashcompat.core.model.pods import Container, ContainerType, Node, Pod
from hashcompat.core.model.verdicts import Hash, Reason, Recorded, Sandbox, Verdict, comparable

if TYPE_CHECKING:
    from hashcompat.core.kubelet.staticpods import StaticUid

RESIZE_GATE: Final = "InPlacePodVerticalScaling"

REFERENCES_GATE: Final = "PreventStaticPodAPIReferences"


class Creators(msgspec.Struct, frozen=True):
    """The releases that may have created a container, by what the target kubelet does with their hash."""

    evidence: str
    """What shows that they may have, in a few words."""
    kept: tuple[str, ...] = ()
    """The releases whose hash the target kubelet accepts."""
    replaced: tuple[str, ...] = ()
    """The releases whose hash it does not accept."""


class Case(msgspec.Struct, frozen=True):
    """All that a decision depends on."""

    pod: Pod
    container: Container
    old: Kubelet
    """The current kubelet, or the target one where the current release is unknown."""
    new: Kubelet
    """The target kubelet."""
    old_hash: ContainerHash
    """What the current kubelet computes."""
    new_hash: ContainerHash
    """What the target kubelet computes."""
    old_known: bool = True
    """Whether the current release is known."""
    recorded: Recorded | None = None
    """What the runtime reports of the container, where it was asked."""
    sandboxes: tuple[Sandbox, ...] = ()
    """The pod's sandboxes that the runtime reports, where it was asked."""
    applied: Mapping[str, Any] | None = None
    """The resources that a kubelet applied to the container, where its own file was read."""
    calibrated: bool = True
    """Whether every record of the node was reproduced."""
    runtime: str = ""
    """The node's container runtime; empty where unknown."""
    node: Node | None = None
    """The pod's node, where it is in the input."""
    cri_dockerd: bool = False
    """Whether cri-dockerd drives Docker where the target kubelet does not."""
    other_runtime: bool = False
    """Whether the target kubelet is said to use another container runtime, which has none of the pods."""
    without_resources: frozenset[Hash] = frozenset()
    """The target kubelet's hashes without resources, where it compares them."""
    admission: str = ""
    """What admission adds to a manifest that changes its verdict; empty for nothing."""
    server_gate: str = ""
    """The feature gates that change a manifest's verdict if the API server has them on; empty for none."""
    lost_default: str = ""
    """A field that the current API server may have filled in and the target one does not; empty for none."""
    accepted: frozenset[Hash] = frozenset()
    """The old hashes that a patched kubelet accepts."""
    static_uids: tuple[StaticUid, ...] = ()
    """The UIDs that the two kubelets give a static pod, where its manifest is available."""
    gone: bool = False
    """Whether the runtime was asked, and has no sandbox of the pod any more."""
    overdue: bool = False
    """Whether the pod's activeDeadlineSeconds had passed when the input was taken."""
    short: Shortage | None = None
    """What its node lacks for the pod; None where there is room, or that is not known."""
    deferred: Shortage | None = None
    """What its node lacks for a resize of the pod that waits, as ``short``."""
    refusal: Refusal | None = None
    """Why a resource manager does not admit its pod; None where it does, or that is not known."""
    refused_anew: Refusal | None = None
    """The same of a static pod that gets another UID, under which it has nothing yet."""
    infeasible: str = ""
    """The resource whose manager's policy rules out a resize of the pod that waits, or that no kubelet
    has seen yet; empty for none."""
    managers_known: bool = False
    """Whether it is known what resource managers of its node do."""
    unstarted: bool = False
    """Whether the target kubelet does not start on its node with the cpu_manager_state there."""
    runs_as: str = ""
    """The UID under which a static pod runs whose manifest is available; empty where nothing shows it."""
    edited: bool = False
    """Whether a static pod's manifest has another container of this name than its mirror pod."""
    same_uid: bool | None = None
    """Whether the two kubelets give it the same UID, as far as its mirror pod shows; None if unknown."""
    assume_upstream: bool = False
    """Whether vendors' kubelets that are not public are taken to be as upstream's."""
    allowed_sysctls: frozenset[str] | None = None
    """The sysctls that the target kubelet allows besides the safe ones; None where that is not known."""
    privileged: bool | None = None
    """Whether the target kubelet runs privileged containers; None where what it is given is not known."""
    maker: str = ""
    """The release whose hash is recorded, where it is neither kubelet's; empty if no known release's is."""
    creators: Creators | None = None
    """The releases that may have created it, where the current one need not have; else None."""
    survived: bool = False
    """Whether another container of the pod shows that the current release created this one."""
    of_pod: Whole | None = None
    """What the cases of the pod's other containers share with this one; None where it is alone."""

    @property
    def whole(self) -> Whole:
        """What is known of the whole pod, computed once for all cases that share it."""
        return self.of_pod or Whole(self.pod)

    @property
    def changed(self) -> bool:
        """Whether the two kubelets' hashes differ for sure."""
        return self.old_hash.candidates.isdisjoint(self.new_hash.candidates)

    @property
    def comparable(self) -> bool:
        """Whether the recorded hash, if any, can be compared: a snapshot may hide one side."""
        return self.recorded is None or comparable(self.recorded.hash, self.container.stored)

    @property
    def upgraded(self) -> bool:
        """Whether the kubelet may change at all; ``v1.9.11`` and ``1.9.11`` are one."""
        return not self.old_known or not same_build(self.old.release, self.new.release)

    @property
    def waits(self) -> bool:
        """Whether a sidecar's startupProbe has to pass again before anything is compared."""
        return (
            self.container.type is ContainerType.SIDECAR
            and self.container.spec.get("startupProbe") is not None
        )

    @property
    def may_never_pass(self) -> bool:
        """Whether a sidecar's startupProbe may not have passed yet: what comes after sidecars never ran.

        1.35.0 - 1.35.3 report each sidecar that is older than themselves as ``started``
        (kubernetes/kubernetes#137885). But an init container behind it begins only once it has passed.
        """
        if not self.waits or self.container.probed is False:
            return self.waits
        if not self.whole.never_ran or self.container.restarts != 0:
            return self.whole.never_ran
        behind = self.pod.containers[self.whole.place(self.container) + 1 :]
        return not any(
            container.running or container.ended is not None
            for container in behind
            if container.type in (ContainerType.INIT, ContainerType.SIDECAR)
        )


class Decision(msgspec.Struct, frozen=True):
    """A verdict with its reasons."""

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    pod_recreated: bool = False
    """Whether the whole pod is recreated."""
    hash_changed: bool = False
    """Whether the difference between the two hashes is a further reason."""
    by_hash: bool = False
    """Whether no record decides, but the hash that the current release would have recorded."""


Decide = Callable[[Case], Decision | None]
"""Decides a case, or leaves it to the next one."""


def not_compared(why: str) -> Decision:
    """Return the decision for a container that no kubelet compares: it is kept, whatever its hash."""
    return Decision(Verdict.KEEP, (Reason(rules.NOT_COMPARED, f"not compared: {why}"),))


def unknown(rule: str, text: str) -> Decision:
    """Return that the input does not decide, for one reason."""
    return Decision(Verdict.UNKNOWN, (Reason(rule, text),))


def kill(rule: str, text: str) -> Decision:
    """Return the decision to kill a container and not to create it again, for one reason."""
    return Decision(Verdict.KILL, (Reason(rule, text),))


def restart(rule: str, text: str) -> Decision:
    """Return the decision to kill a container and create it again, for one reason."""
    return Decision(Verdict.RESTART, (Reason(rule, text),))


def delayed(case: Case, decision: Decision) -> Decision:
    """Add the reason that a sidecar's comparison waits for its startup probe.

    The verdict is the same, but UNKNOWN for one whose probe has not passed yet: it may never.
    """
    if not case.waits:
        return decision
    if case.may_never_pass:
        reason = Reason(rules.STARTUP_PROBE, "only once its startupProbe passes, which it has not yet")
        return structs.replace(decision, verdict=Verdict.UNKNOWN, reasons=(*decision.reasons, reason))
    reason = Reason(rules.STARTUP_PROBE, "once its startupProbe has passed again")
    return structs.replace(decision, reasons=(*decision.reasons, reason))


def is_ignored(case: Case, kubelet: Kubelet) -> str:
    """Return why a kubelet leaves a running container alone because it is a sidecar; empty where it does not.

    Source: pkg/kubelet/kuberuntime/kuberuntime_container.go ``computeInitContainerActions``.
    """
    if case.container.type is not ContainerType.SIDECAR:
        return ""
    if not kubelet.behaviour.sidecars_compared:
        return f"a sidecar, which {kubelet.release} leaves alone"
    if case.waits and kubelet.behaviour.sidecar_startup_probe == "never":
        return f"{kubelet.release} never compares a running sidecar with a startupProbe"
    return ""
