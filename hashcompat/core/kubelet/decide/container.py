"""What a kubelet does with one container of a kept pod: compare the recorded hash, and what it missed."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.corev1.defaults import is_same_image
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.case import (
    Case,
    Decision,
    delayed,
    is_ignored,
    not_compared,
    restart,
    unknown,
)
from hashcompat.core.kubelet.decide.pod import NEVER_COMPARED
from hashcompat.core.kubelet.decide.resize import (
    allocated_to,
    amounts,
    by_restart,
    is_exempt,
    not_made,
    pod_limits_to_change,
    resized,
    waits,
)
from hashcompat.core.kubelet.decide.sandbox import is_resized
from hashcompat.core.kubelet.decide.static import mirror_with_own_uid, mirrored
from hashcompat.core.model.pods import Seen
from hashcompat.core.model.verdicts import Hash, Reason, Recorded, Verdict

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


def lost(case: Case) -> Decision | None:
    """Restart a container whose state the runtime does not know, where the API shows that it runs.

    Source: pkg/kubelet/container/helpers.go ``ShouldContainerBeRestarted``: whatever the restartPolicy, but
    not where the pod has failed by that (``all_lost``); pkg/kubelet/kuberuntime/kuberuntime_manager.go
    ``computePodActions``, from 1.14 on, which kills it first.
    """
    if not case.container.lost or case.container.type in NEVER_COMPARED:
        return None
    text = "the runtime does not know its state, so it is killed and created again"
    return restart(rules.STATE_UNKNOWN, text)


def ignored_sidecar(case: Case) -> Decision | None:
    """Keep a sidecar where the target kubelet does not compare sidecars, or not this one."""
    why = is_ignored(case, case.new)
    if why and case.new.behaviour.sidecars_compared and case.may_never_pass and _differs(case):
        text = f"whether {case.new.release} runs a startupProbe again that has not passed is not determined"
        return unknown(rules.STARTUP_PROBE, text)
    return not_compared(why) if why else None


def _differs(case: Case) -> bool:
    """Return whether the hash that is recorded, or else the current kubelet's, is not the new one."""
    if case.recorded is None:
        return case.changed
    return case.recorded.hash not in case.new_hash.candidates


def hidden(case: Case) -> Decision | None:
    """Return UNKNOWN for a recorded hash that cannot be compared, because a snapshot hides one side."""
    if case.comparable:
        return None
    text = "a snapshot hides the container's hashes or the recorded one, so the two cannot be compared"
    return unknown(rules.NOT_STORED, text)


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
        return unknown(rules.CLOSED_BUILD, text)
    closed = [
        kubelet for kubelet in (case.old, case.new) if kubelet.vendor is not None and kubelet.vendor.is_closed
    ]
    if not closed or not case.old_known or case.old.era is case.new.era:
        return None
    text = f"the kubelet {closed[0].release} is not public, and upstream changes the algorithm in between"
    return unknown(rules.CLOSED_BUILD, text)


def recorded(case: Case) -> Decision | None:
    """Decide by the recorded hash, not by what the current release would compute."""
    if case.recorded is None:
        return None
    if not case.recorded.hash:
        return _missing_hash(case)
    if case.recorded.hash not in case.new_hash.candidates:
        accepted = _accepted(case, frozenset({case.recorded.hash}))
        return accepted or _gated(case, case.recorded) or delayed(case, _unlike(case))
    if not case.new_hash.is_certain and (decision := _ambiguous(case)):
        return decision
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
        return unknown(rules.NOT_CALIBRATED, "no record, on a node where not every record was reproduced")
    return None


def admission(case: Case) -> Decision | None:
    """Return UNKNOWN for a manifest whose verdict depends on what admission adds."""
    if case.admission:
        return unknown(rules.ADMISSION, f"a manifest: {case.admission}, which admission adds, decides")
    return None


def server_gate(case: Case) -> Decision | None:
    """Return UNKNOWN for a manifest whose verdict depends on the API server's feature gates."""
    if case.server_gate:
        text = f"a manifest: a field that API servers drop unless {case.server_gate} is on decides"
        return unknown(rules.SERVER_GATE, text)
    return None


def compared(case: Case) -> Decision | None:
    """Decide by the hash of the current release, in place of a recorded one."""
    if case.changed:
        return _accepted(case, case.old_hash.candidates) or delayed(case, _CHANGED)
    if decision := _ambiguous(case):
        return decision
    ignored = bool(is_ignored(case, case.old))
    if not case.survived and (ignored or case.may_never_pass):
        waits = "" if ignored else ", for its startupProbe has not passed yet"
        text = f"{case.old.release} never compared it{waits}: the recorded hash may be older"
        return unknown(rules.NEVER_COMPARED, text)
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
        return unknown(rules.API_DEFAULT, text)
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


# What the kubelet that runs has not seen yet: changes of a pod's spec, and of a static pod's manifest.


def edited(case: Case) -> Decision | None:
    """Decide a static pod's container that is kept by its hash though its manifest is not the one that runs.

    A manifest with a UID of its own keeps it when it is edited. Where nothing is recorded, only the mirror
    pod shows by which manifest the container was made, and API servers may have changed that too.
    """
    if case.container.type in NEVER_COMPARED or case.container.removed:
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
    return unknown(rules.NOT_SEEN, text)


def _edited_resources(case: Case) -> Decision | None:
    """Restart a static pod's container for resources that its manifest changes, as resizePolicy says."""
    ran = mirrored(case.container, mirror_with_own_uid(case.pod))
    if ran is None or is_exempt(case):
        return None
    if not (case.old.behaviour.resources_recorded and case.new.behaviour.resources_recorded):
        return None
    if not is_resized(case.container, ran):
        return None
    resources = mapping(case.container.spec.get("resources"))
    for name in by_restart(case.container.spec):
        if amounts(resources, name) != amounts(mapping(ran.spec.get("resources")), name):
            text = f"its manifest was edited, and resizePolicy restarts it for another {name}"
            return delayed(case, restart(rules.NOT_SEEN, text))
    return None


def _is_under_way(case: Case, name: str, seen: Seen) -> bool:
    """Return whether a container has another request than its kubelet allocated to it."""
    return amounts(allocated_to(case), name)[1] != amounts(mapping(seen.resources), name)[1]


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
    seen, spec = case.pod.seen.get(case.container.name, Seen("", None)), case.container.spec
    is_recorded = case.recorded is not None and case.recorded.hash in case.new_hash.candidates
    if not is_recorded and is_same_image(str(spec.get("image", "")), seen.image) is False:
        return delayed(case, restart(rules.NOT_SEEN, "its image was changed, which its kubelet has not seen"))
    # what else of a pod can change is activeDeadlineSeconds, which ends all of it
    may_end = case.pod.spec.get("activeDeadlineSeconds") is not None
    resizes = [] if is_exempt(case) or not case.new.behaviour.resources_recorded else [*by_restart(spec)]
    resources = mapping(spec.get("resources"))
    to_change = {
        name: name
        for name in (resizes if seen.resources is not None else ())
        if amounts(resources, name) != amounts(mapping(seen.resources), name)
    }
    if resizes:
        to_change |= {name: f"pod's limit of {name}" for name in pod_limits_to_change(case)}
    for name, what in to_change.items():
        is_made = not case.infeasible and case.deferred is None
        if not is_made and not _is_under_way(case, name, seen):
            if is_recorded and not may_end:
                return waits(name, case.deferred) if case.deferred else not_made(name, case.infeasible)
            break
        text = f"its {what} was changed, which its kubelet has not seen and resizePolicy restarts it for"
        return delayed(case, restart(rules.NOT_SEEN, text))
    if is_recorded and not may_end and (not resizes or seen.resources is not None):
        return None
    why = "its activeDeadlineSeconds may be new" if may_end else "nothing shows whether it is concerned"
    return unknown(rules.NOT_SEEN, f"its pod was changed, which its kubelet has not seen, and {why}")
