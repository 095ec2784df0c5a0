"""What a kubelet does with one container of a kept pod: compare the recorded hash, or apply resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from hashcompat import rules
from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.decide.case import RESIZE_GATE, Case, Decision, not_compared
from hashcompat.kubelet.decide.never import NEVER_COMPARED
from hashcompat.model.plan import Reason, Verdict
from hashcompat.model.pods import ContainerType
from hashcompat.model.records import Recorded

_RESIZABLE: Final = ("cpu", "memory")

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
    if why and case.new.behaviour.sidecars_compared and case.container.probed is False and _differs(case):
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
    closed = [one for one in (case.old, case.new) if one.vendor is not None and one.vendor.is_closed]
    if not closed or not case.old_known or case.old.era is case.new.era:
        return None
    text = f"the kubelet {closed[0].release} is not public, and upstream changes the algorithm on the way"
    return Decision(Verdict.UNKNOWN, (Reason(rules.CLOSED_BUILD, text),))


def recorded(case: Case) -> Decision | None:
    """Decide by the recorded hash, not by what the current release would compute."""
    if case.recorded is None:
        return None
    if case.recorded.hash is None:
        return _missing_hash(case)
    if case.recorded.hash not in case.new_hash.candidates:
        accepted = _accepted(case, frozenset({case.recorded.hash}))
        return accepted or _gated(case, case.recorded) or _delayed(case, _unlike(case))
    if case.new_hash.value is None and (unknown := _ambiguous(case)):
        return unknown
    return resized(case) or Decision(
        Verdict.KEEP, (Reason(rules.RECORDED, "the recorded hash is the new one"),)
    )


def _missing_hash(case: Case) -> Decision:
    if case.new.behaviour.missing_hash == "kept":
        return not_compared("no hash was recorded")
    return _delayed(case, _restart(rules.HASH_MISSING, "no hash was recorded, which reads as a changed one"))


def _unlike(case: Case) -> Decision:
    """Restart for a recorded hash other than the new one, even where it cannot be reproduced."""
    if case.recorded is not None and case.recorded.hash in case.old_hash.candidates:
        return _CHANGED
    if case.maker:
        return _restart(rules.OTHER_CREATOR, f"created by {case.maker}: the recorded hash is that release's")
    if not case.old_known:
        return _restart(rules.NOT_REPRODUCED, f"the recorded hash is not {case.new.release}'s")
    return _restart(
        rules.NOT_REPRODUCED, f"the recorded hash is neither {case.old.release}'s nor the new one"
    )


def _restart(rule: str, text: str) -> Decision:
    return Decision(Verdict.RESTART, (Reason(rule, text),))


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
        return _accepted(case, case.old_hash.candidates) or _delayed(case, _CHANGED)
    if unknown := _ambiguous(case):
        return unknown
    if not case.survived and is_ignored(case, case.old):
        text = f"{case.old.release} never compared it: the recorded hash may be older"
        return Decision(Verdict.UNKNOWN, (Reason(rules.NEVER_COMPARED, text),))
    return None


def _accepted(case: Case, recorded: frozenset[int]) -> Decision | None:
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
    return _VENDOR_GO if case.upgraded and None in (case.old_hash.value, case.new_hash.value) else None


def _delayed(case: Case, decision: Decision) -> Decision:
    """Add the reason that a sidecar's comparison waits for its startup probe; the verdict is the same."""
    if not case.waits:
        return decision
    reason = Reason(rules.STARTUP_PROBE, "once its startupProbe has passed again")
    return replace(decision, reasons=(*decision.reasons, reason))


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


def applies_resources(case: Case) -> bool:
    """Return whether the new kubelet applies resources that the old one did not record."""
    missing = not case.old.behaviour.resources_recorded
    return (
        missing and applies_unrecorded(case.new) and not case.pod.static and RESIZE_GATE not in case.gates_off
    )


def applies_unrecorded(kubelet: Kubelet) -> bool:
    """Return whether a kubelet resizes what it has no record of (1.33 - 1.36)."""
    behaviour = kubelet.behaviour
    return behaviour.resources_recorded and behaviour.missing_resource_record == "restarts"


def resized(case: Case) -> Decision | None:
    """Restart a container whose resources are applied by a restart, where no kubelet recorded them."""
    for name in restarted_for(case.container.spec) if applies_resources(case) else ():
        return _delayed(case, _restart(rules.RESIZE_POLICY, f"resizePolicy: {name} is applied by a restart"))
    return None


def restarted_for(spec: Mapping[str, Any]) -> Iterator[str]:
    """Name the resources that are set, other than to zero, and that resizePolicy applies by a restart."""
    resources = spec.get("resources") or {}
    amounts = [pair for key in ("limits", "requests") for pair in (resources.get(key) or {}).items()]
    set_ = {name for name, amount in amounts if str(amount) != "0"}
    for policy in filter(None, spec.get("resizePolicy") or ()):  # Go decodes a null as an empty policy
        name = str(policy.get("resourceName"))
        if policy.get("restartPolicy") == "RestartContainer" and name in _RESIZABLE and name in set_:
            yield name
