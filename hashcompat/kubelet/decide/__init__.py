"""What a kubelet does with one container when it starts and finds it there: one rule a function, asked in the kubelet's own order.

Source of the order: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions`` (the sandbox first,
then container by container); to 1.5 pkg/kubelet/dockertools/docker_manager.go ``computePodContainerChanges``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from hashcompat import rules
from hashcompat.catalog.releases import same_minor
from hashcompat.errors import DecodeError
from hashcompat.kubelet.decide.case import Case, Decision, Rule
from hashcompat.kubelet.decide.container import CONTAINER_RULES, RECORD_RULES, restarted_for
from hashcompat.kubelet.decide.pod import POD_RULES, drives_docker
from hashcompat.kubelet.mirrorpods import same_for_mirror
from hashcompat.model.plan import Reason, Verdict
from hashcompat.model.pods import Pod

_COMPUTED_UID: Final = re.compile(r"[0-9a-f]{32}")


def decide(case: Case) -> Decision:
    """Return what the new kubelet does with the container."""
    return _first(POD_RULES, case) or _static_pod(
        case, lambda: _first(CONTAINER_RULES, case) or Decision(Verdict.KEEP)
    )


def decide_by_record(case: Case) -> Decision | None:
    """Return what the new kubelet does where the old one's release is not known; None where that release would decide."""
    decision = _first((*POD_RULES, *RECORD_RULES), case)
    return (
        None
        if decision and decision.verdict is Verdict.KEEP and case.recorded and _release_counts(case)
        else decision
    )


def _release_counts(case: Case) -> bool:
    """Tell whether a container whose recorded hash is the new one may restart all the same, depending on where it comes from."""
    new_uid = case.pod.static and not _pinned(case.pod)
    new_runtime = drives_docker(case) and not case.new.behaviour.dockershim and not case.cri_dockerd
    return (
        new_uid
        or new_runtime
        or (case.new.behaviour.resources_recorded and any(restarted_for(case.container.spec)))
    )


def _first(asked: Iterable[Rule], case: Case) -> Decision | None:
    return next(filter(None, (rule(case) for rule in asked)), None)


def _static_pod(case: Case, decide_container: Callable[[], Decision]) -> Decision:
    """A static pod is decided by its UID first: a new one is a new pod; where it stays, by the container hash as any other."""
    if case.static_uids:
        return _by_uids(case) or decide_container()
    if not case.pod.static or same_minor(case.old.release, case.new.release) or _pinned(case.pod):
        return decide_container()
    same = _same_uid(case)
    if same is False:
        text = f"static pod: {case.new.release} gives it another UID, unless its manifest sets one"
        return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)
    decision = decide_container()
    if same is None and decision.verdict is Verdict.KEEP:
        return Decision(
            Verdict.UNKNOWN,
            (Reason(rules.STATIC_POD, "static pod: its UID decides, and the mirror pod does not tell it"),),
        )
    return decision


def _by_uids(case: Case) -> Decision | None:
    unknown = next((uid.unknown for uid in case.static_uids if uid.unknown), "")
    if not case.upgraded and case.new_hash.candidates:
        return None
    if unknown:
        return Decision(
            Verdict.UNKNOWN,
            (Reason(rules.STATIC_POD, f"static pod: its UID decides, and it is not known: {unknown}"),),
        )
    if len({uid.uid for uid in case.static_uids}) == 1:
        return None
    text = f"static pod: {case.new.release} gives it another UID"
    return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)


def _pinned(pod: Pod) -> bool:
    """Tell whether the manifest sets a UID: what a kubelet computes is 32 hexadecimal digits (applyDefaults)."""
    return bool(pod.config_hash) and not _COMPUTED_UID.fullmatch(pod.config_hash)


def _same_uid(case: Case) -> bool | None:
    try:
        return same_for_mirror(case.pod.spec, case.old, case.new)
    except DecodeError:
        return None
