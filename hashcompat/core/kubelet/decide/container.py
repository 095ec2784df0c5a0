"""What a kubelet does with one container of a kept pod: compare the recorded hash, or apply resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.defaults import is_same_image
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.admission import is_windows
from hashcompat.core.kubelet.decide.case import RESIZE_GATE, Case, Decision, delayed, not_compared, restart
from hashcompat.core.kubelet.decide.pod import NEVER_COMPARED, is_resized
from hashcompat.core.kubelet.decide.static import mirror_with_own_uid, mirrored
from hashcompat.core.model.plan import Shortage
from hashcompat.core.model.pods import RESIZE_PENDING, ContainerType, Seen
from hashcompat.core.model.records import Recorded
from hashcompat.core.model.verdicts import Hash, Reason, Verdict

if TYPE_CHECKING:
    from fractions import Fraction


_NOTHING_SEEN: Final = Seen("", None)

_CHANGED: Final = Decision(Verdict.RESTART, hash_changed=True)

_VENDOR_GO: Final = Decision(
    Verdict.UNKNOWN,
    (
        Reason(
            rules.VENDOR_GO,
            "holds a backspace or form feed, and the Go that a vendor built with is not known",
        ),
    ),
)


def never_compared(case: Case) -> Decision | None:
    """Keep an init or ephemeral container, which no kubelet compares."""
    why = NEVER_COMPARED.get(case.container.type)
    return not_compared(why) if why else None


def ignored_sidecar(case: Case) -> Decision | None:
    """Keep a sidecar where the target kubelet does not compare sidecars, or not this one."""
    why = is_ignored(case, case.new)
    if why and case.new.behaviour.sidecars_compared and case.may_never_pass and _differs(case):
        text = f"whether {case.new.release} runs a startupProbe again that has not passed is not determined"
        return Decision(Verdict.UNKNOWN, (Reason(rules.STARTUP_PROBE, text),))
    return not_compared(why) if why else None


def _differs(case: Case) -> bool:
    """Return whether the hash that is recorded, or else the current kubelet's, is not the new one."""
    if case.recorded is None:
        return case.changed
    return case.recorded.hash not in case.new_hash.candidates


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


def hidden(case: Case) -> Decision | None:
    """Return UNKNOWN for a recorded hash that cannot be compared, because a snapshot hides one side."""
    if case.comparable:
        return None
    text = "a snapshot hides the container's hashes or the recorded one, so the two cannot be compared"
    return Decision(Verdict.UNKNOWN, (Reason(rules.NOT_STORED, text),))


def closed_build(case: Case) -> Decision | None:
    """Return UNKNOWN where a vendor's kubelet that is not public may compare by another release's hash.

    A recorded hash that the current release reproduces shows that it hashes as upstream's does.
    """
    recorded = case.recorded
    reproduced = recorded is not None and recorded.hash in case.old_hash.candidates and case.old_known
    if case.assume_upstream or reproduced:
        return None
    if recorded is not None and recorded.hash_version:
        text = f"its hash is recorded as that of {recorded.hash_version}, and may be compared as such"
        return Decision(Verdict.UNKNOWN, (Reason(rules.CLOSED_BUILD, text),))
    closed = [
        kubelet for kubelet in (case.old, case.new) if kubelet.vendor is not None and kubelet.vendor.is_closed
    ]
    if not closed or not case.old_known or case.old.era is case.new.era:
        return None
    text = f"the kubelet {closed[0].release} is not public, and upstream changes the algorithm in between"
    return Decision(Verdict.UNKNOWN, (Reason(rules.CLOSED_BUILD, text),))


def recorded(case: Case) -> Decision | None:
    """Decide by the recorded hash, not by what the current release would compute."""
    if case.recorded is None:
        return None
    if case.recorded.hash is None:
        return _missing_hash(case)
    if case.recorded.hash not in case.new_hash.candidates:
        accepted = _accepted(case, frozenset({case.recorded.hash}))
        return accepted or _gated(case, case.recorded) or delayed(case, _unlike(case))
    if not case.new_hash.is_certain and (unknown := _ambiguous(case)):
        return unknown
    return resized(case) or Decision(
        Verdict.KEEP, (Reason(rules.RECORDED, "the recorded hash is the new one"),)
    )


def _missing_hash(case: Case) -> Decision:
    if case.new.behaviour.missing_hash == "kept":
        return not_compared("no hash was recorded")
    return delayed(case, restart(rules.HASH_MISSING, "no hash was recorded, which reads as a changed one"))


def _unlike(case: Case) -> Decision:
    """Restart for a recorded hash other than the new one, even where it cannot be reproduced."""
    if case.recorded is not None and case.recorded.hash in case.old_hash.candidates:
        return _CHANGED
    if case.maker:
        return restart(rules.OTHER_CREATOR, f"created by {case.maker}: the recorded hash is that release's")
    if not case.old_known:
        return restart(rules.NOT_REPRODUCED, f"the recorded hash is not {case.new.release}'s")
    return restart(rules.NOT_REPRODUCED, f"the recorded hash is neither {case.old.release}'s nor the new one")


def not_calibrated(case: Case) -> Decision | None:
    """Return UNKNOWN without a record on a node where not every record was reproduced."""
    if not case.calibrated:
        return Decision(
            Verdict.UNKNOWN,
            (Reason(rules.NOT_CALIBRATED, "no record, on a node where not every record was reproduced"),),
        )
    return None


def admission(case: Case) -> Decision | None:
    """Return UNKNOWN for a manifest whose verdict depends on what admission adds."""
    if case.admission:
        text = f"a manifest: {case.admission}, which admission adds, decides"
        return Decision(Verdict.UNKNOWN, (Reason(rules.ADMISSION, text),))
    return None


def server_gate(case: Case) -> Decision | None:
    """Return UNKNOWN for a manifest whose verdict depends on the API server's feature gates."""
    if case.server_gate:
        text = f"a manifest: a field that API servers drop unless {case.server_gate} is on decides"
        return Decision(Verdict.UNKNOWN, (Reason(rules.SERVER_GATE, text),))
    return None


def compared(case: Case) -> Decision | None:
    """Decide by the hash of the current release, in place of a recorded one."""
    if case.changed:
        return _accepted(case, case.old_hash.candidates) or delayed(case, _CHANGED)
    if unknown := _ambiguous(case):
        return unknown
    if not case.survived and is_ignored(case, case.old):
        text = f"{case.old.release} never compared it: the recorded hash may be older"
        return Decision(Verdict.UNKNOWN, (Reason(rules.NEVER_COMPARED, text),))
    return None


def _accepted(case: Case, recorded: frozenset[Hash]) -> Decision | None:
    """Keep a container whose hash a patched kubelet accepts, unless its resources restart it."""
    if recorded <= case.accepted:
        text = "the patched kubelet accepts the hash that is recorded"
        return resized(case) or Decision(Verdict.KEEP, (Reason(rules.PATCHED, text),))
    return None


def _ambiguous(case: Case) -> Decision | None:
    """Return UNKNOWN for a hash with two candidates, unless one kubelet's own Go made both of them."""
    if case.lost_default:
        text = f"the API server may have filled in {case.lost_default} by itself, and the target one does not"
        return Decision(Verdict.UNKNOWN, (Reason(rules.API_DEFAULT, text),))
    certain = case.old_hash.is_certain and case.new_hash.is_certain
    return _VENDOR_GO if not certain and case.upgraded else None


def _gated(case: Case, recorded: Recorded) -> Decision | None:
    """Keep a container under the resize gate unless its hash without resources differs too.

    A missing one is 0, which differs. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go
    ``computePodActions`` and labels.go, 1.27.16 and 1.30.14; not for static pods.
    """
    if recorded.without_resources in case.without_resources and not case.pod.static:
        return Decision(
            Verdict.KEEP,
            (Reason(rules.RESIZE_GATE, "only resources differ, which the resize gate does not restart for"),),
        )
    return None


# Which release created a container without a record: that one's hash is recorded, not the current one's.


def by_creators(case: Case) -> Decision | None:
    """Decide where another release than the current one may have created the container.

    Where all of them agree with the current one as far as this upgrade goes, its hash decides. A sidecar that
    the current kubelet never compared is left to ``compared`` unless only releases that are kept, or none
    of these, can have made it.
    """
    creators = case.creators
    if creators is None:
        return None
    reasons = (Reason(rules.CREATOR, creators.evidence),)
    if case.accepted and creators.kept and not creators.replaced and is_ignored(case, case.old):
        text = "the patched kubelet accepts the hash of every release that may have created it"
        return resized(case) or Decision(Verdict.KEEP, (Reason(rules.PATCHED, text),))
    if creators.kept and (creators.replaced or case.changed):
        return None if is_ignored(case, case.old) else Decision(Verdict.UNKNOWN, reasons)
    if not creators.kept and not case.changed:
        return Decision(Verdict.RESTART if creators.replaced else Verdict.UNKNOWN, reasons)
    return None


# Resources that a starting kubelet applies by a restart, because no record shows that they were applied.
#
# Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodResizeAction`` (1.33.13, 1.36.4);
# pkg/kubelet/allocation/features_linux.go and features_windows.go.

POD_LEVEL_GATES: Final = frozenset({"PodLevelResources", "InPlacePodLevelResourcesVerticalScaling"})

_RESIZABLE: Final = ("cpu", "memory")

_OF_CONTAINER: Final = "the container's"


def applies_resources(case: Case) -> bool:
    """Return whether the new kubelet applies resources that no kubelet recorded.

    One of 1.33 or later records them when it creates a container: a file without it was removed or lost.
    """
    unapplied = case.recorded is not None and case.recorded.unapplied
    missing = unapplied or not case.old.behaviour.resources_recorded
    return missing and case.applied is None and applies_unrecorded(case.new) and not _is_exempt(case)


def applies_unrecorded(kubelet: Kubelet) -> bool:
    """Return whether a kubelet resizes what it has no record of (1.33 - 1.36)."""
    behaviour = kubelet.behaviour
    return behaviour.resources_recorded and behaviour.missing_resource_record == "restarts"


def _is_exempt(case: Case) -> bool:
    """Return whether nothing is resized: on Windows, without the gate, and up to 1.35 static pods."""
    static = case.pod.static and not case.new.behaviour.static_pods_resized
    return static or is_windows(case) or not case.new.gates.is_on(RESIZE_GATE)


def resized(case: Case) -> Decision | None:
    """Restart a container whose resources are applied by a restart, where no kubelet recorded them."""
    if not case.container.spec.get("resizePolicy"):
        return None
    if case.applied is not None:
        return _resized_from(case.applied, case) or _resized_by_pod(case)
    for name in restarted_for(case.container.spec) if applies_resources(case) else ():
        return delayed(case, _applied_by_restart(name))
    return _resized_by_pod(case)


def _resized_from(applied: Mapping[str, Any], case: Case) -> Decision | None:
    """Restart a container for resources that differ from those which a kubelet noted as applied.

    Under a kubelet that notes them a difference is a resize under way, and no matter of the upgrade.
    """
    if case.old.behaviour.resources_recorded or not case.new.behaviour.resources_recorded or _is_exempt(case):
        return None
    resources = mapping(case.container.spec.get("resources"))
    for name in _by_restart(case.container.spec):
        if _amounts(resources, name) != _amounts(applied, name):
            return delayed(case, _applied_by_restart(name))
    return None


def _amounts(resources: Mapping[str, Any], name: str) -> tuple[Fraction, ...]:
    """Return the limit and the request; zero for none."""
    from hashcompat.core.corev1.resources import amount  # noqa: PLC0415 - few decisions compare resources

    return tuple(amount(mapping(resources.get(kind)).get(name, "0")) for kind in ("limits", "requests"))


def _applied_by_restart(name: str) -> Decision:
    return restart(rules.RESIZE_POLICY, f"resizePolicy: {name} is applied by a restart")


def _resized_by_pod(case: Case) -> Decision | None:
    """Restart a container whose limit becomes that of its pod, or no longer is.

    From 1.36 on, a container without a limit has its pod's. 1.34 notes neither that it allocated the pod's
    limits nor that it applied them: 1.36 resizes at the next retry, within minutes. 1.35 notes only that it
    applied them: 1.36 and 1.37 resize at once (observed, 1.35.8 -> 1.36.3 and 1.37.1). What 1.37 makes of the
    notes of older releases is not determined.
    """
    before, now = case.old.behaviour, case.new.behaviour
    if before.pod_limits == now.pod_limits or _OF_CONTAINER not in (before.pod_limits, now.pod_limits):
        return None
    if not now.resources_recorded or _is_exempt(case):
        return None
    gates = (case.new if now.pod_limits == _OF_CONTAINER else case.old).gates
    if not all(map(gates.is_on, POD_LEVEL_GATES)):
        return None
    for name in _limited_by_pod(case):
        if before.pod_limits != "recorded" and now.missing_resource_record != "restarts":
            text = f"resizePolicy: whether {case.new.release} applies the pod's limit of {name} by a restart"
            return Decision(Verdict.UNKNOWN, (Reason(rules.RESIZE_POLICY, text),))
        text = f"resizePolicy: the pod's limit of {name} is applied by a restart"
        return delayed(case, restart(rules.RESIZE_POLICY, text))
    return None


def _limited_by_pod(case: Case) -> Iterator[str]:
    """Name the resources that only the pod limits and that resizePolicy applies by a restart."""
    spec = case.container.spec
    own = mapping(mapping(spec.get("resources")).get("limits"))
    limits = mapping(mapping(case.pod.spec.get("resources")).get("limits"))
    for name in _by_restart(spec):
        # a limit of 0 is none, as for cgroups
        if str(limits.get(name, "0")) != "0" and str(own.get(name, "0")) == "0":
            yield name


def restarted_for(spec: Mapping[str, Any]) -> Iterator[str]:
    """Name the resources that are set, other than to zero, and that resizePolicy applies by a restart."""
    resources = spec.get("resources") or {}
    amounts = [pair for key in ("limits", "requests") for pair in (resources.get(key) or {}).items()]
    set_ = {name for name, amount in amounts if str(amount) != "0"}
    yield from (name for name in _by_restart(spec) if name in set_)


def _by_restart(spec: Mapping[str, Any]) -> Iterator[str]:
    for policy in filter(None, spec.get("resizePolicy") or ()):  # Go decodes a null as an empty policy
        name = str(policy.get("resourceName"))
        if policy.get("restartPolicy") == "RestartContainer" and name in _RESIZABLE:
            yield name


def resizing(case: Case) -> Decision | None:
    """Restart a container that is kept by its hash for a resize that its kubelet has not done yet.

    A kubelet that starts goes on with a resize that it has allocated, and tries one again that had to wait
    (pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodResizeAction``, pkg/kubelet/allocation).
    """
    state, both = case.pod.resizing, (case.old.behaviour, case.new.behaviour)
    if not state or _is_exempt(case) or not all(one.resources_recorded for one in both):
        return None
    if case.container.type in NEVER_COMPARED or is_ignored(case, case.new):
        return None
    spec, shown = case.container.spec, mapping(case.pod.resized.get(case.container.name))
    wanted = mapping(spec.get("resources"))
    allocated = {**wanted, "requests": shown.get("allocated") or wanted.get("requests")}
    actual = {
        "requests": shown.get("actual") or wanted.get("requests"),
        "limits": shown.get("limits") or wanted.get("limits"),
    }
    for name in _by_restart(spec):
        waits = _amounts(allocated, name) != _amounts(wanted, name)
        if not waits and _amounts(actual, name) == _amounts(wanted, name):
            continue
        if waits or state == RESIZE_PENDING:
            if case.deferred is not None:
                return _waits(name, case.deferred)
            text = f"resizePolicy: a resize of its {name} waits, and is tried again: it restarts if it fits"
            return Decision(Verdict.UNKNOWN, (Reason(rules.RESIZE_POLICY, text),))
        text = f"resizePolicy: a resize of its {name} is under way, and is applied by a restart"
        return delayed(case, restart(rules.RESIZE_POLICY, text))
    return None


def _waits(name: str, short: Shortage) -> Decision:
    """Keep a container whose resize does not fit on its node, and so is not made."""
    asked, used, capacity = short.amounts
    text = (
        f"resizePolicy: a resize of its {name} waits on, for its pod is to ask for {asked} of "
        f"{short.resource}, and others have {used} of the {capacity} of its node"
    )
    return Decision(Verdict.KEEP, (Reason(rules.RESIZE_POLICY, text),))


def edited(case: Case) -> Decision | None:
    """Decide a static pod's container that is kept by its hash though its manifest is not the one that runs.

    A manifest with a UID of its own keeps it when it is edited. Where nothing is recorded, only the mirror
    pod shows by which manifest the container was made, and API servers may have changed that too.
    """
    if case.container.type in NEVER_COMPARED:
        return None
    if resized := _edited_resources(case):
        return resized
    if not case.edited or case.recorded is not None:
        return None
    image, ran = str(case.container.spec.get("image", "")), case.pod.mirror and case.pod.mirror.images
    if is_same_image(image, (ran or {}).get(case.container.name, "")) is False:
        return delayed(
            case, restart(rules.NOT_SEEN, "its manifest names another image than the one that runs")
        )
    text = "its manifest is not the one that its mirror pod shows, and nothing shows by which it was made"
    return Decision(Verdict.UNKNOWN, (Reason(rules.NOT_SEEN, text),))


def _edited_resources(case: Case) -> Decision | None:
    """Restart a static pod's container for resources that its manifest changes, as resizePolicy says."""
    ran = mirrored(case.container, mirror_with_own_uid(case.pod))
    if ran is None or _is_exempt(case):
        return None
    if not (case.old.behaviour.resources_recorded and case.new.behaviour.resources_recorded):
        return None
    if not is_resized(case.container, ran):
        return None
    resources = mapping(case.container.spec.get("resources"))
    for name in _by_restart(case.container.spec):
        if _amounts(resources, name) != _amounts(mapping(ran.spec.get("resources")), name):
            text = f"its manifest was edited, and resizePolicy restarts it for another {name}"
            return delayed(case, restart(rules.NOT_SEEN, text))
    return None


def changed_since(case: Case) -> Decision | None:
    """Decide a container that is kept by its hash though its pod's spec changed since its kubelet saw it.

    Of a container only image and resources can change, and of its pod what ends it, activeDeadlineSeconds
    (pkg/apis/core/validation/validation.go ``ValidatePodUpdate``). Another image restarts it under any
    kubelet, and so do resources whose resizePolicy says so. That the status shows the image of the spec
    proves nothing: a runtime that has one image under two names shows either. A recorded hash of the new
    spec does.
    """
    if case.pod.seen is None or case.container.type in NEVER_COMPARED or is_ignored(case, case.new):
        return None
    seen, spec = case.pod.seen.get(case.container.name, _NOTHING_SEEN), case.container.spec
    is_recorded = case.recorded is not None and case.recorded.hash in case.new_hash.candidates
    if not is_recorded and is_same_image(str(spec.get("image", "")), seen.image) is False:
        return delayed(case, restart(rules.NOT_SEEN, "its image was changed, which its kubelet has not seen"))
    # what else of a pod can change is activeDeadlineSeconds, which ends all of it
    may_end = case.pod.spec.get("activeDeadlineSeconds") is not None
    resizes = [] if _is_exempt(case) or not case.new.behaviour.resources_recorded else [*_by_restart(spec)]
    resources = mapping(spec.get("resources"))
    for name in resizes if seen.resources is not None else ():
        if _amounts(resources, name) != _amounts(mapping(seen.resources), name):
            if case.deferred is not None:
                if is_recorded and not may_end:
                    return _waits(name, case.deferred)
                break
            text = f"its {name} was changed, which its kubelet has not seen and resizePolicy restarts it for"
            return delayed(case, restart(rules.NOT_SEEN, text))
    if is_recorded and not may_end and (not resizes or seen.resources is not None):
        return None
    why = "its activeDeadlineSeconds may be new" if may_end else "nothing shows whether it is concerned"
    text = f"its pod was changed, which its kubelet has not seen, and {why}"
    return Decision(Verdict.UNKNOWN, (Reason(rules.NOT_SEEN, text),))
