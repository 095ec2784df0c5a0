"""What a kubelet does with one container when it starts and finds it there: one rule a function, asked in the kubelet's own order.

Source of the order: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions`` (the sandbox first, then container by container);
to 1.5 pkg/kubelet/dockertools/docker_manager.go ``computePodContainerChanges``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hashcompat import reasons
from hashcompat.catalog.lookup import Kubelet
from hashcompat.errors import DecodeError
from hashcompat.kubelet.hashing import ContainerHash, container_hash
from hashcompat.kubelet.mirrorpods import same_for_mirror
from hashcompat.kubelet.staticpods import StaticUid
from hashcompat.model import Container, ContainerType, Pod, Reason, Recorded, Verdict

_FINISHED: Final = frozenset({"Succeeded", "Failed"})
_RESIZABLE: Final = ("cpu", "memory")
RESIZE_GATE: Final = "InPlacePodVerticalScaling"
REFERENCES_GATE: Final = "PreventStaticPodAPIReferences"
_NEVER_COMPARED: Final = {ContainerType.INIT: "an init container", ContainerType.EPHEMERAL: "an ephemeral container"}


@dataclass(frozen=True, slots=True)
class Case:
    """All that the rules look at.

    ``old_hash`` and ``new_hash`` are what the two kubelets compute. ``recorded`` is what the runtime tells, where it was asked;
    ``calibrated`` says that every record of the node was reproduced. ``runtime`` is the node's container runtime, empty where not known,
    ``gates`` and ``gates_off`` are the feature gates that are set, on and off. ``same_without_resources`` says that the hash without
    resources stays the same, where both kubelets record one; ``admission_decides`` that a manifest's verdict is another with what
    admission adds to it; ``lost_default`` names a field that the present API server may have filled in, and the one to come does not.
    ``static_uids`` are those that the two kubelets give a static pod, where its manifest is at hand.
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
    gates_off: frozenset[str] = frozenset()
    same_without_resources: bool = False
    admission_decides: bool = False
    lost_default: str = ""
    static_uids: tuple[StaticUid, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the two kubelets' hashes differ for sure."""
        return self.old_hash.candidates.isdisjoint(self.new_hash.candidates)

    @property
    def upgraded(self) -> bool:
        """Whether the kubelet changes at all; ``v1.9.11`` and ``1.9.11`` are one."""
        old, new = self.old.release, self.new.release
        return (old.version, old.vendor) != (new.version, new.vendor)

    @property
    def waits(self) -> bool:
        """Whether it is a sidecar with a startupProbe, which has to pass again before anything is compared."""
        return self.container.type is ContainerType.SIDECAR and self.container.spec.get("startupProbe") is not None


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its reasons; ``hash_changed`` asks for those of the difference between the two hashes, which the rules do not name."""

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    pod_recreated: bool = False
    hash_changed: bool = False


_CHANGED: Final = Decision(Verdict.RESTART, hash_changed=True)
_VENDOR_GO: Final = Decision(
    Verdict.UNKNOWN, (Reason(reasons.VENDOR_GO, "holds a backspace or form feed, and the Go that a vendor built with is not known"),)
)
_COMPUTED_UID: Final = re.compile(r"[0-9a-f]{32}")
Rule = Callable[[Case], Decision | None]
"""A rule decides a case, or leaves it to the next one."""


def decide(case: Case) -> Decision:
    """Return what the new kubelet does with the container."""
    return _first(_POD_RULES, case) or _static_pod(case, lambda: _first(_CONTAINER_RULES, case) or Decision(Verdict.KEEP))


def _first(rules: Iterable[Rule], case: Case) -> Decision | None:
    return next(filter(None, (rule(case) for rule in rules)), None)


def at_rest(pod: Pod, container: Container) -> str:
    """Return why no kubelet compares this container, whatever its release; empty when the release decides."""
    if why := _ending(pod) or _NEVER_COMPARED.get(container.type, ""):
        return why
    return "the container is not running" if container.running is False else ""


def _ending(pod: Pod) -> str:
    if pod.deleting:
        return "the pod is being deleted"
    return "the pod has finished" if pod.phase in _FINISHED else ""


def _resting(case: Case) -> Decision | None:
    """What is never compared but seen running, an init container, still dies with its pod: the pod's rules come first."""
    dies_with_pod = case.container.running and case.container.type in _NEVER_COMPARED
    why = _ending(case.pod) if dies_with_pod else at_rest(case.pod, case.container)
    return _not_compared(why) if why else None


def _never_compared(case: Case) -> Decision | None:
    why = _NEVER_COMPARED.get(case.container.type)
    return _not_compared(why) if why else None


def _not_compared(why: str) -> Decision:
    return Decision(Verdict.KEEP, (Reason(reasons.NOT_COMPARED, f"not compared: {why}"),))


def _refused_static_pod(case: Case) -> Decision | None:
    """A static pod that the old kubelet ran and the new one does not read: pkg/kubelet/config/common.go ``tryDecodeSinglePod``."""
    refused = case.old.rules.static_pod_references == "allowed" and case.new.rules.static_pod_references == "refused"
    if case.pod.static and case.pod.references and refused and REFERENCES_GATE not in case.gates_off:
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
    if old.pause_image and _infra_hash(case.old) != _infra_hash(case.new):
        return _new_sandbox(case, Reason(reasons.PAUSE_IMAGE, "the infra container has another hash too"))
    return None


def _infra_hash(kubelet: Kubelet) -> ContainerHash:
    """Hash the infra container of a pod without ports (dockertools ``createPodInfraContainer``)."""
    return container_hash({"name": "POD", "image": kubelet.rules.pause_image, "imagePullPolicy": "IfNotPresent"}, kubelet)


def _new_sandbox(case: Case, reason: Reason) -> Decision:
    """A new sandbox kills every container of the pod; a Never pod gets none, and no ephemeral container is started twice."""
    if case.pod.restart_policy == "Never":
        return Decision(Verdict.KILL, (reason,))
    verdict = Verdict.KILL if case.container.type is ContainerType.EPHEMERAL else Verdict.RESTART
    return Decision(verdict, (reason,), pod_recreated=True)


def _static_pod(case: Case, decide_container: Callable[[], Decision]) -> Decision:
    """A static pod is decided by its UID first: a new one is a new pod; where it stays, by the container hash as any other."""
    if case.static_uids:
        return _by_uids(case) or decide_container()
    if not case.pod.static or case.old.release.minor == case.new.release.minor or _pinned(case.pod):
        return decide_container()
    same = _same_uid(case)
    if same is False:
        text = f"static pod: {case.new.release} gives it another UID, unless its manifest sets one"
        return Decision(Verdict.RESTART, (Reason(reasons.STATIC_UID, text),), pod_recreated=True)
    decision = decide_container()
    if same is None and decision.verdict is Verdict.KEEP:
        return Decision(Verdict.UNKNOWN, (Reason(reasons.STATIC_POD, "static pod: its UID decides, and the mirror pod does not tell it"),))
    return decision


def _by_uids(case: Case) -> Decision | None:
    unknown = next((uid.unknown for uid in case.static_uids if uid.unknown), "")
    if not case.upgraded and case.new_hash.candidates:
        return None
    if unknown:
        return Decision(Verdict.UNKNOWN, (Reason(reasons.STATIC_POD, f"static pod: its UID decides, and it is not known: {unknown}"),))
    if len({uid.uid for uid in case.static_uids}) == 1:
        return None
    text = f"static pod: {case.new.release} gives it another UID"
    return Decision(Verdict.RESTART, (Reason(reasons.STATIC_UID, text),), pod_recreated=True)


def _pinned(pod: Pod) -> bool:
    """Tell whether the manifest sets a UID: what a kubelet computes is 32 hexadecimal digits (applyDefaults)."""
    return bool(pod.config_hash) and not _COMPUTED_UID.fullmatch(pod.config_hash)


def _same_uid(case: Case) -> bool | None:
    try:
        return same_for_mirror(case.pod.spec, case.old, case.new)
    except DecodeError:
        return None


def _ignored_sidecar(case: Case) -> Decision | None:
    if case.container.type is not ContainerType.SIDECAR:
        return None
    if not case.new.rules.sidecars_compared:
        return _not_compared(f"a sidecar, which {case.new.release} leaves alone")
    if case.waits and case.new.rules.sidecar_startup_probe == "never":
        return _not_compared(f"{case.new.release} never compares a running sidecar with a startupProbe")
    return None


def _recorded(case: Case) -> Decision | None:
    """What was recorded decides, not what the old kubelet's release would compute today."""
    if case.recorded is None:
        return None
    if case.recorded.hash is None:
        return _missing_hash(case)
    if case.recorded.hash not in case.new_hash.candidates:
        return _gated(case) or _delayed(case, _unlike(case))
    if case.new_hash.value is None and (unknown := _ambiguous(case)):
        return unknown
    return _resized(case) or Decision(Verdict.KEEP, (Reason(reasons.RECORDED, "the recorded hash is the new one"),))


def _missing_hash(case: Case) -> Decision:
    if case.new.rules.missing_hash == "kept":
        return _not_compared("no hash was recorded")
    return _delayed(case, _restart(reasons.HASH_MISSING, "no hash was recorded, which reads as a changed one"))


def _unlike(case: Case) -> Decision:
    """The recorded hash differs from the new one: certain, even where it cannot be reproduced."""
    if case.recorded is not None and case.recorded.hash in case.old_hash.candidates:
        return _CHANGED
    return _restart(reasons.NOT_REPRODUCED, f"the recorded hash is neither {case.old.release}'s nor the new one")


def _restart(rule: str, text: str) -> Decision:
    return Decision(Verdict.RESTART, (Reason(rule, text),))


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
    if unknown := _ambiguous(case):
        return unknown
    if case.container.type is ContainerType.SIDECAR and not case.old.rules.sidecars_compared:
        text = f"{case.old.release} never compared it: the recorded hash may be older"
        return Decision(Verdict.UNKNOWN, (Reason(reasons.NEVER_COMPARED, text),))
    return None


def _ambiguous(case: Case) -> Decision | None:
    """A hash with two candidates decides nothing, unless one kubelet's own Go made both of them."""
    if case.lost_default:
        text = f"the API server may have filled in {case.lost_default} by itself, and the one to come does not"
        return Decision(Verdict.UNKNOWN, (Reason(reasons.API_DEFAULT, text),))
    return _VENDOR_GO if case.upgraded and None in (case.old_hash.value, case.new_hash.value) else None


def _delayed(case: Case, decision: Decision) -> Decision:
    """Say that the comparison of a sidecar waits for its startup probe; the verdict stays."""
    if not case.waits:
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
    recorded_before, recorded_now = case.old.rules.resources_recorded, case.new.rules.resources_recorded
    if recorded_before or not recorded_now or case.pod.static or RESIZE_GATE in case.gates_off:
        return None
    for name in _restarted_for(case.container.spec):
        return _delayed(case, _restart(reasons.RESIZE_POLICY, f"resizePolicy: {name} is applied by a restart"))
    return None


def _restarted_for(spec: Mapping[str, Any]) -> Iterator[str]:
    """Name the resources that are set, other than to zero, and that resizePolicy applies by a restart."""
    resources = spec.get("resources") or {}
    amounts = [pair for key in ("limits", "requests") for pair in (resources.get(key) or {}).items()]
    set_ = {name for name, amount in amounts if str(amount) != "0"}
    for policy in spec.get("resizePolicy") or ():
        name = str(policy.get("resourceName"))
        if policy.get("restartPolicy") == "RestartContainer" and name in _RESIZABLE and name in set_:
            yield name


_POD_RULES: Final[tuple[Rule, ...]] = (_resting, _refused_static_pod, _runtime_gone, _sandbox_replaced)
"""What happens to a whole pod comes first."""

_CONTAINER_RULES: Final[tuple[Rule, ...]] = (
    _never_compared,
    _ignored_sidecar,
    _recorded,
    _not_calibrated,
    _admission,
    _compared,
    _resized,
)
