"""What a starting kubelet does to a whole pod: leave it alone, or end it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.catalog.eras import reachable_fields
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.scheduling import MIGRATED_VOLUMES
from hashcompat.core.kubelet.decide.case import (
    REFERENCES_GATE,
    Case,
    Decision,
    kill,
    not_compared,
    restart,
    unknown,
)
from hashcompat.core.kubelet.decide.static import by_manifest, by_mirror_pod, refused_kinds, unread
from hashcompat.core.kubelet.decide.whole import Rules, exit_codes, starts_again
from hashcompat.core.model.pods import FINISHED, Container, ContainerType, Pod
from hashcompat.core.model.verdicts import Reason, Verdict

RULES_GATE: Final = "ContainerRestartRules"

READS: Final = "reads its manifest"

NOT_READ: Final = f"it does not run: no kubelet on the way {READS}"

RESTART_ALL_GATE: Final = "RestartAllContainersOnContainerExits"

_LOST_CODE: Final = 137
"""The exit code that a container has which ran, and which the runtime lacks."""


def resting(case: Case) -> Decision | None:
    """Keep what no kubelet compares, but no running init container, which is killed with its pod."""
    dies_with_pod = case.container.running and case.container.type in NEVER_COMPARED
    why = ending(case.pod) if dies_with_pod else at_rest(case.pod, case.container)
    return not_compared(why) if why else None


def finished(case: Case) -> Decision | None:
    """Kill a container that still runs though its pod has finished.

    Source: pkg/kubelet/pod_workers.go ``UpdatePod``, 1.32.13: a pod that the runtime runs is not known as
    terminated, and its phase begins its end; before 1.22 kubelet.go ``HandlePodCleanups`` kills what no pod
    wants that goes on. What a mirror pod shows of its static pod is not read again.
    """
    if case.pod.static or case.pod.deleting:
        return None
    if case.pod.phase in FINISHED and case.container.running:
        if runtime_gone(case):
            return not_compared("the pod has finished")
        return kill(rules.FINISHED, f"the pod is {case.pod.phase}, and this container still runs")
    return None


_LASTING: Final[Mapping[ContainerType, str]] = {
    ContainerType.SIDECAR: "sidecar",
    ContainerType.EPHEMERAL: "ephemeral container",
}
"""What may run when all regular containers have ended."""


def done(case: Case) -> Decision | None:
    """Kill what still runs though the last regular container has ended for good, or none can start.

    Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions``, 1.16.15, 1.31.14 and 1.36.5:
    the pod is killed once no regular container is to run again, with sidecars and ephemeral containers, and
    once an init container has failed that is not to run again (``computeInitContainerActions``). A kubelet
    that waits for a volume does not get as far; but by an init container's failure alone the pod has failed
    before (pkg/kubelet/kubelet_pods.go ``getPhase``, 1.31.14 and 1.37.1), and without a sidecar that runs by
    the end of the others.
    """
    what = _LASTING.get(case.container.type)
    if not (case.container.running and what):
        return None
    if resets_all(case) or sidecars_block(case):
        return None  # that comes first, whatever the regular containers ended with
    ended, failed = case.whole.is_done(rules_of(case)), case.whole.has_failed(rules_of(case))
    if failed is False and case.whole.runs_sidecar and waits_for_volume(case):
        return None  # its phase is not one that ends it, and nobody looks at its containers
    if ended or failed:
        which = "the last regular container of the pod has ended"
        which = which if ended else "an init container of the pod has failed for good"
        return kill(rules.FINISHED, f"{which}, and this {what} still runs")
    if ended is None:
        text = (
            f"the regular containers of the pod have ended, and this {what} ends with them unless one starts "
            "again, which exit codes decide that are not in the input"
        )
        return unknown(rules.EXIT_CODE, text)
    if failed is None:
        text = (
            f"an init container of the pod has ended, and this {what} ends with it if it has failed for "
            "good, which its exit code decides that is not in the input"
        )
        return unknown(rules.EXIT_CODE, text)
    return None


def sidecars_block(case: Case) -> bool:
    """Return whether a sidecar that runs is to the target kubelet an init container that has not ended.

    Before 1.28 none knows sidecars, and the API server of another minor sends them all the same: while no
    regular container runs, such a kubelet waits for its end. Source: pkg/kubelet/kuberuntime/
    kuberuntime_container.go ``findNextInitContainerToRun`` and kuberuntime_manager.go ``computePodActions``,
    1.27.16; its ``getPhase`` says Pending.
    """
    return case.whole.runs_none and case.whole.runs_sidecar and forgets_sidecars(case)


def forgets_sidecars(case: Case) -> bool:
    """Return whether the current kubelet knows what makes an init container a sidecar, and the target not."""
    return _knows_sidecars(case.old) and not _knows_sidecars(case.new)


def _knows_sidecars(kubelet: Kubelet) -> bool:
    return "RestartPolicy" in reachable_fields(kubelet.decodes or kubelet.schema).get("Container", ())


def rules_of(case: Case) -> Rules:
    """Return which rules of containers the target kubelet follows."""
    gates = case.new.gates
    lost = case.new.behaviour.lost_containers != "waiting" and not case.pod.static
    return Rules(gates.is_on(RULES_GATE), gates.is_on(RESTART_ALL_GATE), lost)


def restarted_whole(case: Case) -> Decision | None:
    """Restart all containers of a pod where one has ended for which its own rules ask for that.

    Source: pkg/kubelet/status/generate.go ``GenerateAllContainersRestartingCondition``,
    pkg/kubelet/kuberuntime/kuberuntime_manager.go ``getContainersToReset``, 1.36.3: in the same sandbox, init
    containers too. A kubelet that starts goes on with what another had begun, by the condition of the status,
    for as long as the runtime has any of the containers: those too that the other had created again.
    """
    is_left = case.container.type is ContainerType.EPHEMERAL or not case.container.running
    if is_left or not case.new.gates.is_on(RESTART_ALL_GATE):
        return None
    if _has_begun(case):
        text = "its kubelet had begun to restart all containers of the pod, by their restartPolicyRules"
        return restart(rules.EXIT_CODE, text)
    restarts_all = _restarts_all(case)
    if restarts_all:
        text = "another container of the pod has ended, and its restartPolicyRules restart all for that"
        return restart(rules.EXIT_CODE, text)
    if restarts_all is None:
        text = (
            "another container of the pod has ended, whose restartPolicyRules may restart all by its exit "
            "code, which is not in the input"
        )
        return unknown(rules.EXIT_CODE, text)
    return None


def _has_begun(case: Case) -> bool:
    """Return whether a status shows it; of a static pod a kubelet that starts reads none."""
    return case.pod.restarting and not case.pod.static


def resets_all(case: Case) -> bool:
    """Return whether the target kubelet surely removes all containers before it looks at any of them."""
    is_on = case.new.gates.is_on(RESTART_ALL_GATE)
    return is_on and (_has_begun(case) or bool(_restarts_all(case)))


def _restarts_all(case: Case) -> bool | None:
    return case.whole.restarts_all(waiting=not case.old.gates.is_on(RESTART_ALL_GATE))


def overdue(case: Case) -> Decision | None:
    """Kill a pod whose activeDeadlineSeconds had passed when the input was taken; no static pod.

    Source: pkg/kubelet/active_deadline.go ``pastActiveDeadline``, by the status's startTime.
    """
    if not case.overdue or case.pod.static:
        return None
    return kill(rules.DEADLINE, "its activeDeadlineSeconds have passed since its startTime")


def privileged(case: Case) -> Decision | None:
    """Kill a pod with a privileged container where the target kubelet does not run these.

    It admits the pod, and ends it whenever it looks at it. Only from 1.11 on a kubelet runs such pods without
    being given that it may, so one that runs now shows nothing of what an older kubelet is given. Source:
    pkg/kubelet/util.go ``canRunPod``, pkg/kubelet/kubelet.go ``syncPod`` (1.5.8 - 1.14.10).
    """
    way = case.new.behaviour.privileged_pods
    if way == "always" or not case.whole.is_privileged:
        return None
    if case.privileged is False:
        text = f"{case.new.release} does not run privileged containers: --allow-privileged is off"
        return kill(rules.PRIVILEGED, text)
    is_allowed = case.old_known and case.old.behaviour.privileged_pods == way
    if case.privileged is None and way == "if allowed" and not is_allowed:
        text = f"whether --allow-privileged is given, without which {case.new.release} runs no privileged "
        return unknown(rules.PRIVILEGED, f"{text}containers, is not in the input")
    return None


def unless_overdue(case: Case, decision: Decision) -> Decision:
    """Leave open what becomes of a static pod that is kept though its deadline had passed.

    A manifest has no status. A kubelet that starts takes the startTime from the mirror pod if it knows that
    one when it first notes a status, and else counts from now: it looks at the pod once it has read the
    manifest and asked the runtime, and reads pods from the API server meanwhile. Source:
    pkg/kubelet/status/status_manager.go ``updateStatusInternal``, 1.6.13, 1.24.17 and 1.36.5;
    pkg/kubelet/config/apiserver.go ``NewSourceApiserver``.
    """
    if decision.verdict is not Verdict.KEEP or decision.pod_recreated or case.container.running is False:
        return decision
    if not (case.overdue and case.pod.static):
        return decision
    text = (
        "its activeDeadlineSeconds have passed since the startTime of its mirror pod, from which the kubelet "
        "counts only if it knows the mirror pod when it first looks at the static pod"
    )
    return unknown(rules.DEADLINE, text)


def refused_static_pod(case: Case) -> Decision | None:
    """Kill a static pod that the old kubelet ran and the new one does not read.

    Source: pkg/kubelet/config/common.go ``tryDecodeSinglePod``.
    """
    if not (case.pod.static and case.pod.references):
        return None
    if unread(case):
        named = ", ".join(case.pod.references)
        if refused_kinds(case.pod, case.new):
            return not_compared(f"{NOT_READ}, which names {named}")
        why = f"it does not run yet: only {case.new.release} {READS}, which names {named}"
        return structs.replace(not_compared(why), pod_recreated=True)
    if refused := _newly_refused(case):
        return kill(rules.STATIC_REFUSED, f"static pod refused: it names {', '.join(refused)}")
    return None


def missing_manifest(case: Case) -> Decision | None:
    """Kill a static pod whose manifest is not among those of its node, all of which are available."""
    if case.pod.manifest_missing:
        return kill(rules.MANIFEST_MISSING, "static pod: its manifest is not in the directory that was given")
    return None


def removed(case: Case) -> Decision | None:
    """Decide a container of a static pod that is kept, whose manifest does not have the container any more.

    From 1.8 on kubelets look at what the spec has alone, and such a container ends with its pod. Source:
    pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodContainerChanges``, 1.7.5, and
    ``computePodActions``, 1.8.15, 1.30.14 and 1.37.2.
    """
    if not case.container.removed:
        return None
    release = case.new.release
    if case.new.behaviour.removed_containers == "killed":
        return kill(rules.NOT_SEEN, _REMOVED)
    match case.whole.is_done(rules_of(case)):
        case True:
            text = f"{_REMOVED}, and the others have ended, so that {release} ends the pod"
            return kill(rules.FINISHED, text)
        case None:
            text = f"{_REMOVED}, and it ends with the others unless one starts again by its exit code"
            return unknown(rules.EXIT_CODE, text)
    return not_compared(f"{_REMOVED}, and {release} looks only at what it has")


def unless_removed(case: Case, decision: Decision) -> Decision:
    """Kill instead of restarting what the manifest does not have any more, where its pod is created again."""
    if not case.container.removed or decision.verdict is not Verdict.RESTART:
        return decision
    reasons = (*decision.reasons, Reason(rules.NOT_SEEN, _REMOVED))
    return structs.replace(decision, verdict=Verdict.KILL, reasons=reasons)


_REMOVED: Final = "static pod: its manifest does not have this container any more"


def _newly_refused(case: Case) -> tuple[str, ...]:
    """Return the kinds of API objects for which only the new kubelet refuses a static pod.

    Where the old one refuses them by default, its gate is off, for the pod runs, unless its mirror pod shows
    that it ran without them. The new one's is off too then, if it has the gate: 1.37 has none.
    """
    before, now, mirror = case.old.gates, case.new.gates, case.pod.mirror
    kinds = refused_kinds(case.pod, case.new)
    if mirror is not None and not set(case.pod.references) <= set(mirror.references):
        return kinds
    gone = before.knows(REFERENCES_GATE) and not now.knows(REFERENCES_GATE)
    if now.is_on(REFERENCES_GATE) and (gone or not before.is_on(REFERENCES_GATE)):
        return kinds
    always, old_kinds = case.new.behaviour.static_references, case.old.behaviour.static_references
    return tuple(kind for kind in kinds if kind in always and kind not in old_kinds)


def runtime_gone(case: Case) -> Decision | None:
    """Restart every pod in another runtime, even a Never pod (no sandbox, hence attempt 0) unless it failed.

    By itself only a kubelet without dockershim, on a node with Docker, has another one than before.
    """
    if case.other_runtime:
        text = f"{case.new.release} uses another container runtime: everything is created again in it"
    elif (
        drives_docker(case)
        and case.old.behaviour.dockershim
        and not case.new.behaviour.dockershim
        and not case.cri_dockerd
    ):
        text = (
            f"{case.new.release} does not drive Docker: "
            "without cri-dockerd everything is created again in another runtime"
        )
    else:
        return None
    if fails_by_loss(case):
        text = f"{text}, but the pod has failed without its containers, for none starts again"
        return kill(rules.RUNTIME_GONE, text)
    return Decision(Verdict.RESTART, (Reason(rules.RUNTIME_GONE, text),), pod_recreated=True)


def fails_by_loss(case: Case, *, unknown: bool = False) -> bool:
    """Return whether a pod has failed once the runtime lacks its containers, by the row ``lostContainers``.

    A kubelet that starts knows what ran from the status at the API server, and of static pods nothing. It
    takes 137 for the exit code of what it lacks. The pod has failed where none of its containers is to start
    again, by its restartPolicy or by their own, or where an init container ran that is not to start again.
    ``unknown``: the runtime has them, and does not know their state. Source: pkg/kubelet/kubelet_pods.go
    ``convertToAPIContainerStatuses``, ``convertContainerStatus`` and ``getPhase``, kubelet.go ``syncPod``
    (1.19.16 - 1.37.1).
    """
    ended = ("ended", "ended if unknown") if unknown else ("ended",)
    if case.pod.static or case.new.behaviour.lost_containers not in ended:
        return False
    policy, own = case.pod.restart_policy, rules_of(case)
    begun = [
        container
        for container in case.pod.containers
        if container.type is ContainerType.INIT and container.running
    ]
    if not unknown and any(not starts_again(container.spec, policy, _LOST_CODE, own) for container in begun):
        return True
    main = [container for container in case.pod.containers if container.type == "container"]
    if any(container.running is False and not (container.started or container.ended) for container in main):
        return False  # one that has never run keeps its pod pending
    return not any(
        starts_again(container.spec, policy, code, own)
        for container in main
        for code in exit_codes(container) or [_LOST_CODE]
    )


def all_lost(case: Case) -> Decision | None:
    """Kill what is left of a pod that has failed, as the runtime knows the state of nothing that runs.

    That comes before volumes are waited for, and before the sandbox and containers are looked at. What is to
    be created again because all containers of the pod are does not count. Source: pkg/kubelet/kubelet.go
    ``syncPod``, 1.19.16, 1.24.17 and 1.36.5.
    """
    lasting = [container for container in case.pod.containers if container.type not in NEVER_COMPARED]
    if not any(container.lost for container in lasting) or any(
        container.running and not container.lost for container in lasting
    ):
        return None
    if resets_all(case) or not fails_by_loss(case, unknown=True):
        return None
    whose = "its state" if case.container.lost else "the state of the others"
    text = f"the runtime does not know {whose}, by which its pod has failed, for none of it starts again"
    return kill(rules.STATE_UNKNOWN, text)


def drives_docker(case: Case) -> bool:
    """Return whether the node runs Docker, by dockershim or by cri-dockerd."""
    return case.runtime.startswith("docker://")


def unmounted(case: Case) -> Decision | None:
    """Keep the containers of a pod with a volume that the target kubelet cannot mount.

    Source: pkg/kubelet/kubelet.go ``syncPod``: WaitForAttachAndMount fails, and comes before the containers
    are looked at (1.13.12 - 1.37.1). What ran under another UID is of no pod that the kubelet knows, and ends
    before that (pkg/kubelet/kubelet_pods.go ``HandlePodCleanups``); what takes its place waits.
    """
    why = waits_for_volume(case)
    if not why:
        return None
    reason = Reason(rules.NO_VOLUME, f"not compared: {why}")
    moved = by_manifest(case) or by_mirror_pod(case)
    if moved is None:
        return Decision(Verdict.KEEP, (reason,))
    verdict = Verdict.KILL if moved.pod_recreated else moved.verdict
    return Decision(verdict, (*moved.reasons, reason))


def waits_for_volume(case: Case) -> str:
    """Return what the target kubelet waits for in vain before it looks at containers; empty for nothing."""
    missing, release = case.new.behaviour.volumes_without_plugin, case.new.release
    kinds = [kind for kind, gate in missing.items() if not (gate and case.new.gates.is_on(gate))]
    # most pods mount none: for these the current kubelet's gates count for nothing
    mounts = case.whole.mounts(kinds)
    if mounts and (mounts := case.whole.mounts([kind for kind in kinds if not _is_set(case, kind)])):
        return f"{release} has no plugin for a volume of the pod ({mounts})"
    for kind, driver in _lacking(case):
        if mounts := case.whole.mounts([kind]):
            by_driver = f"by the CSI driver {driver}, which its node lacks"
            return f"{release} mounts a volume of the pod ({mounts}) {by_driver}"
    return ""


def _is_set(case: Case, kind: str) -> bool:
    """Return whether somebody has set the gate of a new kind of volumes, and so will for the target kubelet.

    What runs with one under a kubelet whose gate is off by default shows that.
    """
    before, now = case.old, case.new
    gate = now.behaviour.volumes_without_plugin[kind]
    if not gate or now.gates.sets(gate) or not now.gates.is_of_new(gate) or not case.old_known:
        return False
    return before.behaviour.volumes_without_plugin.get(kind) == gate and not before.gates.is_on(gate)


def _lacking(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the kinds of volumes that only the target kubelet leaves to a CSI driver which its node lacks.

    Where the current one does too, the driver's own pod is likely just being replaced.
    """
    drivers = case.node.drivers if case.node is not None else None
    if case.old_known and drivers is not None and case.whole.mounts(MIGRATED_VOLUMES):
        for kind, (gate, driver) in MIGRATED_VOLUMES.items():
            if driver not in drivers and case.new.gates.is_on(gate) and not case.old.gates.is_on(gate):
                yield kind, driver


# What no kubelet compares, whatever its release: containers that do not run, or whose pod is ending.
#
# Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions``.

NEVER_COMPARED: Final[Mapping[ContainerType, str]] = {
    ContainerType.INIT: "an init container",
    ContainerType.EPHEMERAL: "an ephemeral container",
}


def at_rest(pod: Pod, container: Container) -> str:
    """Return why no kubelet compares this container, whatever its release; or an empty string.

    One that still runs though its pod has finished is killed, so that does not count as a reason.
    """
    if container.running and pod.phase in FINISHED and not pod.deleting:
        return NEVER_COMPARED.get(container.type, "")
    if why := ending(pod) or NEVER_COMPARED.get(container.type, ""):
        return why
    return "the container is not running" if container.running is False else ""


def ending(pod: Pod) -> str:
    """Return why a whole pod is left alone; empty where it is not.

    The deletion of a mirror pod is not that of its static pod, whose source is another one (pkg/kubelet/pod/
    pod_manager.go ``GetPodAndMirrorPod``).
    """
    if pod.deleting and not pod.static:
        return "the pod is being deleted"
    return "the pod has finished" if pod.phase in FINISHED else ""
