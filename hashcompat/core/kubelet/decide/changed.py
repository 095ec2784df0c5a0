"""What the kubelet that runs has not seen yet: changes of a pod's spec, and of a static pod's manifest."""

from __future__ import annotations

from typing import Final

from hashcompat.core import rules
from hashcompat.core.corev1.defaults import is_same_image
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.case import Case, Decision, delayed, is_ignored, restart
from hashcompat.core.kubelet.decide.pod import NEVER_COMPARED
from hashcompat.core.kubelet.decide.resize import amounts, by_restart, is_exempt, waits
from hashcompat.core.kubelet.decide.sandbox import is_resized
from hashcompat.core.kubelet.decide.static import mirror_with_own_uid, mirrored
from hashcompat.core.model.pods import Seen
from hashcompat.core.model.verdicts import Reason, Verdict

_NOTHING_SEEN: Final = Seen("", None)


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
    resizes = [] if is_exempt(case) or not case.new.behaviour.resources_recorded else [*by_restart(spec)]
    resources = mapping(spec.get("resources"))
    for name in resizes if seen.resources is not None else ():
        if amounts(resources, name) != amounts(mapping(seen.resources), name):
            if case.deferred is not None:
                if is_recorded and not may_end:
                    return waits(name, case.deferred)
                break
            text = f"its {name} was changed, which its kubelet has not seen and resizePolicy restarts it for"
            return delayed(case, restart(rules.NOT_SEEN, text))
    if is_recorded and not may_end and (not resizes or seen.resources is not None):
        return None
    why = "its activeDeadlineSeconds may be new" if may_end else "nothing shows whether it is concerned"
    text = f"its pod was changed, which its kubelet has not seen, and {why}"
    return Decision(Verdict.UNKNOWN, (Reason(rules.NOT_SEEN, text),))
