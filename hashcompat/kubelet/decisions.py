"""What a kubelet does with one container when it starts and finds it there: one rule a function, asked in the kubelet's own order.

Source of the order: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions`` (the sandbox first, then container by container);
to 1.5 pkg/kubelet/dockertools/docker_manager.go ``computePodContainerChanges``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hashcompat import reasons
from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.model import Container, ContainerType, Pod, Reason, Recorded, Verdict

_FINISHED: Final = frozenset({"Succeeded", "Failed"})
_RESIZABLE: Final = ("cpu", "memory")
RESIZE_GATE: Final = "InPlacePodVerticalScaling"


@dataclass(frozen=True, slots=True)
class Case:
    """All that the rules look at.

    ``old_hash`` and ``new_hash`` are what the two kubelets compute. ``recorded`` is what the runtime tells, where it was asked;
    ``calibrated`` says that every record of the node was reproduced. ``runtime`` is the node's container runtime, empty where not known;
    ``same_without_resources`` that the hash without resources stays the same, where both kubelets record one; ``admission_decides`` that a
    manifest's verdict is another with what admission adds to it.
    """

    pod: Pod
    container: Container
    old: Kubelet
    new: Kubelet
    old_hash: ContainerHash
    new_hash: ContainerHash
    recorded: Recorded | None = None
    calibrated: bool = True
    runtime: str = ""
    gates: frozenset[str] = frozenset()
    same_without_resources: bool = False
    admission_decides: bool = False

    @property
    def changed(self) -> bool:
        """Whether the two kubelets' hashes differ for sure."""
        return self.old_hash.candidates.isdisjoint(self.new_hash.candidates)

    @property
    def upgraded(self) -> bool:
        """Whether the kubelet changes at all."""
        return self.old.release != self.new.release


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its reasons; ``hash_changed`` asks for those of the difference between the two hashes, which the rules do not name."""

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    pod_recreated: bool = False
    hash_changed: bool = False


_CHANGED: Final = Decision(Verdict.RESTART, hash_changed=True)


def decide(case: Case) -> Decision:
    """Return what the new kubelet does with the container."""
    for rule in _RULES:
        if decision := rule(case):
            return decision
    return Decision(Verdict.KEEP)


def at_rest(pod: Pod, container: Container) -> str:
    """Return why no kubelet compares this container, whatever its release; empty when the release decides."""
    if pod.deleting:
        return "the pod is being deleted"
    if pod.phase in _FINISHED:
        return "the pod has finished"
    if container.type is ContainerType.INIT:
        return "an init container"
    if container.type is ContainerType.EPHEMERAL:
        return "an ephemeral container"
    if container.running is False:
        return "the container is not running"
    return ""


def _resting(case: Case) -> Decision | None:
    why = at_rest(case.pod, case.container)
    return _not_compared(why) if why else None


def _not_compared(why: str) -> Decision:
    return Decision(Verdict.KEEP, (Reason(reasons.NOT_COMPARED, f"not compared: {why}"),))


def _refused_static_pod(case: Case) -> Decision | None:
    if case.pod.static and case.pod.references and case.upgraded and case.new.rules.static_pod_references == "refused":
        text = f"static pod refused: it names {', '.join(case.pod.references)}"
        return Decision(Verdict.KILL, (Reason(reasons.STATIC_REFUSED, text),))
    return None


def _runtime_gone(case: Case) -> Decision | None:
    """Without dockershim nothing of Docker's is seen, so even a Never pod starts anew (no sandbox, hence attempt 0)."""
    if case.runtime.startswith("docker://") and case.old.rules.dockershim and not case.new.rules.dockershim:
        text = f"{case.new.release} does not drive Docker: everything is created anew in another runtime"
        return Decision(Verdict.RESTART, (Reason(reasons.RUNTIME_GONE, text),), pod_recreated=True)
    return None


def _sandbox_replaced(case: Case) -> Decision | None:
    old, new = case.old.rules, case.new.rules
    if old.sandbox_maker != new.sandbox_maker:
        return _new_sandbox(case, Reason(reasons.SANDBOX_REPLACED, f"{case.new.release} replaces sandboxes made by {case.old.release}"))
    if old.pause_image != new.pause_image:
        return _new_sandbox(case, Reason(reasons.PAUSE_IMAGE, f"pause image: {old.pause_image} -> {new.pause_image}"))
    return None


def _new_sandbox(case: Case, reason: Reason) -> Decision:
    """A new sandbox kills every container of the pod; those of a Never pod are not started again."""
    if case.pod.restart_policy == "Never":
        return Decision(Verdict.KILL, (reason,), pod_recreated=True)
    return Decision(Verdict.RESTART, (reason,), pod_recreated=True)


def _static_pod(case: Case) -> Decision | None:
    """A static pod is decided by its UID first; where that is not known, only a changed hash is certain."""
    if case.pod.static and case.old.release.minor != case.new.release.minor and not case.changed:
        return Decision(Verdict.UNKNOWN, (Reason(reasons.STATIC_POD, "static pod: its UID decides, not this hash alone"),))
    return None


def _ignored_sidecar(case: Case) -> Decision | None:
    if case.container.type is not ContainerType.SIDECAR:
        return None
    if not case.new.rules.sidecars_compared:
        return _not_compared(f"a sidecar, which {case.new.release} leaves alone")
    if "startupProbe" in case.container.spec and case.new.rules.sidecar_startup_probe == "never":
        return _not_compared(f"{case.new.release} never compares a running sidecar with a startupProbe")
    return None


def _recorded(case: Case) -> Decision | None:
    """What was recorded decides, not what the old kubelet's release would compute today."""
    if case.recorded is None:
        return None
    if case.recorded.hash is None:
        return _missing_hash(case)
    if case.new_hash.value is None:
        return None if case.recorded.hash in case.new_hash.candidates else _unlike(case)
    if case.recorded.hash == case.new_hash.value:
        return _resized(case) or Decision(Verdict.KEEP, (Reason(reasons.RECORDED, "the recorded hash is the new one"),))
    return _gated(case) or _delayed(case, _unlike(case))


def _missing_hash(case: Case) -> Decision:
    if case.new.rules.missing_hash == "kept":
        return _not_compared("no hash was recorded")
    return Decision(Verdict.RESTART, (Reason(reasons.HASH_MISSING, "no hash was recorded, which reads as a changed one"),))


def _unlike(case: Case) -> Decision:
    """The recorded hash differs from the new one: certain, even where it cannot be reproduced."""
    known = case.recorded is not None and case.recorded.hash in case.old_hash.candidates
    if known:
        return _CHANGED
    return Decision(
        Verdict.RESTART, (Reason(reasons.NOT_REPRODUCED, f"the recorded hash is neither {case.old.release}'s nor the new one"),)
    )


def _not_calibrated(case: Case) -> Decision | None:
    if not case.calibrated:
        return Decision(Verdict.UNKNOWN, (Reason(reasons.NOT_CALIBRATED, "no record, on a node where not every record was reproduced"),))
    return None


def _admission(case: Case) -> Decision | None:
    if case.admission_decides:
        text = "a manifest: the service account's volume mount, which admission adds, decides"
        return Decision(Verdict.UNKNOWN, (Reason(reasons.ADMISSION, text),))
    return None


def _compared(case: Case) -> Decision | None:
    if case.changed:
        return _gated(case) or _delayed(case, _CHANGED)
    if case.upgraded and None in (case.old_hash.value, case.new_hash.value):
        text = "holds a backspace or form feed, and the Go that a vendor built with is not known"
        return Decision(Verdict.UNKNOWN, (Reason(reasons.VENDOR_GO, text),))
    if case.container.type is ContainerType.SIDECAR and not case.old.rules.sidecars_compared:
        text = f"{case.old.release} never compared it: the recorded hash may be older"
        return Decision(Verdict.UNKNOWN, (Reason(reasons.NEVER_COMPARED, text),))
    return None


def _delayed(case: Case, decision: Decision) -> Decision:
    """Say that the comparison of a sidecar waits for its startup probe; the verdict stays."""
    waits = case.container.type is ContainerType.SIDECAR and "startupProbe" in case.container.spec
    if not waits:
        return decision
    reason = Reason(reasons.STARTUP_PROBE, "once its startupProbe has passed again")
    return replace(decision, reasons=(*decision.reasons, reason))


def _gated(case: Case) -> Decision | None:
    """With the resize gate the hash without resources has to differ too; static pods are left out of that."""
    active = RESIZE_GATE in case.gates and case.new.rules.hash_without_resources and not case.pod.static
    if active and case.same_without_resources:
        return Decision(Verdict.KEEP, (Reason(reasons.RESIZE_GATE, "only resources differ, which the resize gate does not restart for"),))
    return None


def _resized(case: Case) -> Decision | None:
    """A container whose resources need a restart to apply, under a kubelet that has no record of what it gave."""
    if case.old.rules.resources_recorded or not case.new.rules.resources_recorded:
        return None
    spec = case.container.spec
    resources = spec.get("resources") or {}
    set_ = {name for key in ("limits", "requests") for name in (resources.get(key) or {})}
    for policy in spec.get("resizePolicy") or ():
        name = policy.get("resourceName")
        if policy.get("restartPolicy") == "RestartContainer" and name in _RESIZABLE and name in set_:
            return Decision(Verdict.RESTART, (Reason(reasons.RESIZE_POLICY, f"resizePolicy: {name} is applied by a restart"),))
    return None


_RULES: Final[tuple[Callable[[Case], Decision | None], ...]] = (
    _resting,
    _refused_static_pod,
    _runtime_gone,
    _sandbox_replaced,
    _static_pod,
    _ignored_sidecar,
    _recorded,
    _not_calibrated,
    _admission,
    _compared,
    _resized,
)
