"""What a kubelet does with a running container when it starts: the whole order of its decision, on one page.

Each function decides a case or leaves it to the next one. The order is the kubelet's own:
pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions`` (the sandbox first, then container by
container); up to 1.5 pkg/kubelet/dockertools/docker_manager.go ``computePodContainerChanges``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import structs

from hashcompat.core.kubelet.decide import admission, container, creation, pod, resize, sandbox, static
from hashcompat.core.kubelet.decide.case import Case, Decide, Decision
from hashcompat.core.model.verdicts import Verdict

ADMISSION: Final[tuple[Decide, ...]] = (
    admission.other_node,  # the node's labels are not those that the pod asks for
    admission.other_system,  # its label or its spec names another system than the node's, from 1.23 on
    admission.taint,  # a taint that the pod does not tolerate, from 1.24 on
    admission.sidecars,  # 1.28, whose gate is off
    admission.strict_groups,  # a policy that the node does not support, from 1.33 on
    admission.sysctls,  # one that the target kubelet does not hold safe
    admission.features,  # one that the kubelet or its node does not have
    admission.devices,  # devices that have no plugin yet, in a few releases
    admission.managers,  # CPUs that it has, and that its node's CPU manager does not give it again
    admission.room,  # more than its node has left beside the pods before it
    admission.ports,  # a host port that a pod before it has
)
"""Whether the pod is admitted again (pkg/kubelet/kubelet.go ``HandlePodAdditions``)."""

POD: Final[tuple[Decide, ...]] = (
    pod.finished,  # the pod has ended, and the container runs on
    pod.done,  # nothing but sidecars and ephemeral containers is left of it
    pod.resting,  # the pod has ended or is about to, or nobody compares this container
    pod.refused_static_pod,  # the target kubelet does not read its manifest
    pod.missing_manifest,  # nor is its manifest there any more
    *ADMISSION,
    pod.overdue,  # its deadline has passed, and it is no static pod
    pod.privileged,  # a privileged container, which kubelets before 1.15 may not run
    pod.runtime_gone,  # Docker, without dockershim and cri-dockerd
    pod.all_lost,  # nothing of it runs but what the runtime does not know, and none starts again
    sandbox.moved_cgroup,  # another QoS class, between 1.15 and 1.16
    pod.unmounted,  # a volume without a plugin, for which the kubelet waits
    sandbox.sandbox_replaced,  # another kind of sandbox, or another pause image
    sandbox.sandbox_broken,  # not ready, not the only one, another network, no address
    sandbox.edited_static_pod,  # a manifest under the same UID, for another sandbox or another cgroup
)
"""First the pod as a whole: whether it is admitted again, its sandbox. Then a static pod's UID (``decide``):
a new one is a new pod."""

RECORD: Final[tuple[Decide, ...]] = (
    pod.removed,  # its manifest does not have it any more
    pod.restarted_whole,  # another container ended, and its rules restart all for that
    container.never_compared,  # init and ephemeral containers
    container.lost,  # the runtime does not know whether it runs
    container.ignored_sidecar,  # before 1.32, or behind a startupProbe
    container.hidden,  # a snapshot hides the recorded hash or those to compare it with
    container.closed_build,  # a vendor's kubelet that is not public, where the algorithm changes
    container.recorded,  # the recorded hash against the target kubelet's
)
"""Then the container by its record, which decides whatever the current kubelet's release."""

HASH: Final[tuple[Decide, ...]] = (
    container.not_calibrated,  # no record, and others of the node were not reproduced
    container.by_creators,  # created by another release than the current one, or perhaps
    container.admission,  # a manifest, and what admission adds to it decides
    container.server_gate,  # a manifest, and a gate of the API server decides
    container.compared,  # the two kubelets' hashes
    resize.resized,  # the same hash, but resources that are applied by a restart
)
"""Last, without a record, by the hash that the current kubelet's release computes. What is left is kept."""


_KEPT: Final = Decision(Verdict.KEEP)


_SEVERITY: Final = (Verdict.KEEP, Verdict.UNKNOWN, Verdict.RESTART, Verdict.KILL)
"""The verdicts, the mildest one first."""


def decide(case: Case) -> Decision:
    """Return what the target kubelet does with the container.

    A pod that says it is a mirror pod, and may not be one, gets the worse verdict of the two.
    """
    decision = _decide(case)
    return _worse(decision, _decide(static.as_ordinary(case))) if static.doubt(case) else decision


def refused(case: Case) -> Decision | None:
    """Return that the target kubelet does not admit the container's pod again, and why; None where it may."""
    decision = _first(ADMISSION, case)
    return decision if decision is not None and decision.verdict is Verdict.KILL else None


def decide_by_record(case: Case) -> Decision | None:
    """Return what the target kubelet does with a recorded container whatever the current release.

    None if that would decide.
    """
    decision = _decide_by_record(case)
    if not static.doubt(case):
        return decision
    other = _decide_by_record(static.as_ordinary(case))
    return _worse(decision, other) if decision and other else None


def _worse(first: Decision, second: Decision) -> Decision:
    return max(first, second, key=lambda decision: _SEVERITY.index(decision.verdict))


def _decide(case: Case) -> Decision:
    return _lasting(case, _killed_or_kept(case))


def _killed_or_kept(case: Case) -> Decision:
    decision = _first((*POD, static.by_manifest), case)
    if decision is not None:
        return _with_pod(case, decision) if decision.verdict is Verdict.KEEP else decision
    by_mirror_pod = static.by_mirror_pod(case)
    if by_mirror_pod is not None and by_mirror_pod.pod_recreated:
        return by_mirror_pod
    if moved := sandbox.moved_static_pod(case):  # by the same UID
        return moved
    decision = _first(RECORD, case) or structs.replace(_first(HASH, case) or _KEPT, by_hash=True)
    if decision.verdict is Verdict.KEEP:
        decision = resize.resized_init(case) or decision
    decision = _unless_changed(case, decision)
    return by_mirror_pod if by_mirror_pod is not None and decision.verdict is Verdict.KEEP else decision


def _with_pod(case: Case, kept: Decision) -> Decision:
    """Return the decision for a container that is left alone, or that is created again with its pod."""
    kept = static.with_pod(case, kept)
    anew = sandbox.with_sandbox(case, kept)
    if anew is not kept and (ended := _first((*ADMISSION, pod.overdue, pod.privileged), case)):
        return kept if ended.verdict is Verdict.KILL else anew
    return anew


def _decide_by_record(case: Case) -> Decision | None:
    decision = _first(POD, case)
    if decision is None and (recorded := _first(RECORD, case)):
        decision = _unless_changed(case, recorded)
    if decision is None or (decision.verdict is Verdict.KEEP and _release_counts(case)):
        return None
    return _lasting(case, decision)


def _lasting(case: Case, decision: Decision) -> Decision:
    """Return the decision, or what it is where a container is not created again or a deadline has passed."""
    return pod.unless_removed(case, pod.unless_overdue(case, creation.not_created(case, decision)))


def _unless_changed(case: Case, decision: Decision) -> Decision:
    """Return the decision, or what a change since the container's start makes of it where it is KEEP.

    So does the state of its sandbox and of its node, which a restart does not depend on.
    """
    if decision.verdict is not Verdict.KEEP:
        return decision
    changed = container.changed_since(case) or container.edited(case) or resize.resizing(case)
    return changed or sandbox.reported_broken(case) or admission.pressed(case) or decision


def _release_counts(case: Case) -> bool:
    """Return whether the current release decides over a container whose recorded hash is the new one."""
    new_uid = case.pod.static and not static.is_pinned(case.pod)
    new_class = case.pod.static and case.pod.spec.get("resources") is not None
    new_runtime = pod.drives_docker(case) and not case.new.behaviour.dockershim and not case.cri_dockerd
    resized = resize.applies_unrecorded(case.new) and any(resize.restarted_for(case.container.spec))
    limited = case.new.behaviour.resources_recorded and any(resize.limited_by_pod(case))
    return new_uid or new_class or new_runtime or resized or limited or admission.release_counts(case)


def _first(asked: Iterable[Decide], case: Case) -> Decision | None:
    # a loop is several times as fast as a generator, and this runs for each container again and again
    for decide_one in asked:
        if decision := decide_one(case):
            return decision
    return None
