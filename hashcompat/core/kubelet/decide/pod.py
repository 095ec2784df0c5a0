"""What a starting kubelet does to a whole pod: leave it alone, refuse it, or replace its sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.catalog.eras import reachable_fields
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.scheduling import MIGRATED_VOLUMES
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE, Case, Decision, not_compared
from hashcompat.core.kubelet.decide.static import (
    by_manifest,
    by_mirror_pod,
    mirror_with_own_uid,
    mirrored,
    unread,
)
from hashcompat.core.kubelet.decide.whole import Rules, Whole
from hashcompat.core.kubelet.hashing import ContainerHash, container_hash
from hashcompat.core.model.pods import FINISHED, Container, ContainerType, Pod
from hashcompat.core.model.verdicts import Reason, Verdict

POD_RESOURCES_GATE: Final = "PodLevelResources"

RULES_GATE: Final = "ContainerRestartRules"

RESTART_ALL_GATE: Final = "RestartAllContainersOnContainerExits"

_FIX_GATE: Final = "PodLevelResourcesFixKubeletQOSClass"


def resting(case: Case) -> Decision | None:
    """Keep what no kubelet compares, but no running init container, which is killed with its pod."""
    dies_with_pod = case.container.running and case.container.type in NEVER_COMPARED
    why = ending(case.pod) if dies_with_pod else at_rest(case.pod, case.container)
    return not_compared(why) if why else None


def finished(case: Case) -> Decision | None:
    """Kill a container that still runs though its pod has finished.

    Source: pkg/kubelet/pod_workers.go ``UpdatePod``, 1.32.13: a pod that the runtime runs is not known as
    terminated, and its phase begins its end; before 1.22 kubelet.go ``HandlePodCleanups`` kills what no pod
    wants that goes on.
    """
    if case.pod.phase in FINISHED and case.container.running and not case.pod.deleting:
        if runtime_gone(case):
            return not_compared("the pod has finished")
        text = f"the pod is {case.pod.phase}, and this container still runs"
        return Decision(Verdict.KILL, (Reason(rules.FINISHED, text),))
    return None


def done(case: Case) -> Decision | None:
    """Kill a sidecar that still runs though the last regular container of its pod has ended for good.

    Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions``, 1.31.14: sidecars
    are killed once no regular container is to run again.
    """
    if not case.container.running or case.container.type is not ContainerType.SIDECAR:
        return None
    gates = case.new.gates
    ended = case.whole.is_done(Rules(gates.is_on(RULES_GATE), gates.is_on(RESTART_ALL_GATE)))
    if ended:
        text = "the last regular container of the pod has ended, and this sidecar still runs"
        return Decision(Verdict.KILL, (Reason(rules.FINISHED, text),))
    if ended is None:
        text = (
            "the regular containers of the pod have ended, and this sidecar ends with them unless one starts "
            "again, which exit codes decide that are not in the input"
        )
        return Decision(Verdict.UNKNOWN, (Reason(rules.EXIT_CODE, text),))
    return None


def restarted_whole(case: Case) -> Decision | None:
    """Restart all containers of a pod where one has ended for which its own rules ask for that.

    Source: pkg/kubelet/status/generate.go ``GenerateAllContainersRestartingCondition``,
    pkg/kubelet/kuberuntime/kuberuntime_manager.go ``getContainersToReset``, 1.36.3: in the same sandbox.
    """
    if not (case.container.running and case.new.gates.is_on(RESTART_ALL_GATE)):
        return None
    found = case.whole.restarts_all()
    if found:
        text = "another container of the pod has ended, and its restartPolicyRules restart all for that"
        return Decision(Verdict.RESTART, (Reason(rules.EXIT_CODE, text),))
    if found is None:
        text = (
            "another container of the pod has ended, whose restartPolicyRules may restart all by its exit "
            "code, which is not in the input"
        )
        return Decision(Verdict.UNKNOWN, (Reason(rules.EXIT_CODE, text),))
    return None


def overdue(case: Case) -> Decision | None:
    """Kill a pod whose activeDeadlineSeconds had passed when the input was taken.

    Source: pkg/kubelet/active_deadline.go ``pastActiveDeadline``, by the status's startTime.
    """
    if not case.overdue:
        return None
    text = "its activeDeadlineSeconds have passed since its startTime"
    return Decision(Verdict.KILL, (Reason(rules.DEADLINE, text),))


def with_sandbox(case: Case, kept: Decision) -> Decision:
    """Return the decision for a container that does not run: with its sandbox the pod is created again."""
    # a pod without any sandbox gets one whatever its restartPolicy (attempt 0), unless it has failed by that
    # (observed, 1.31.14)
    starts_again = case.pod.restart_policy != "Never" or (case.gone and not fails_by_loss(case))
    starts_again = starts_again and not ending(case.pod)
    if not starts_again or case.container.running is not False or kept.pod_recreated:
        return kept
    _, why = case.whole.failed(case.sandboxes, case.new.behaviour)
    why = "the runtime has no sandbox of the pod any more" if case.gone else why
    if not why:
        return kept
    reason = Reason(rules.SANDBOX_BROKEN, why)
    return structs.replace(kept, reasons=(*kept.reasons, reason), pod_recreated=True)


def refused_static_pod(case: Case) -> Decision | None:
    """Kill a static pod that the old kubelet ran and the new one does not read.

    Source: pkg/kubelet/config/common.go ``tryDecodeSinglePod``.
    """
    if not (case.pod.static and case.pod.references):
        return None
    if unread(case):
        named = ", ".join(case.pod.references)
        return not_compared(f"it does not run: no kubelet on the way reads its manifest, which names {named}")
    if _begins_to_refuse(case):
        text = f"static pod refused: it names {', '.join(case.pod.references)}"
        return Decision(Verdict.KILL, (Reason(rules.STATIC_REFUSED, text),))
    return None


def missing_manifest(case: Case) -> Decision | None:
    """Kill a static pod whose manifest is not among those of its node, all of which are available."""
    if case.pod.manifest_missing:
        text = "static pod: its manifest is not in the directory that was given"
        return Decision(Verdict.KILL, (Reason(rules.MANIFEST_MISSING, text),))
    return None


def removed(case: Case) -> Decision | None:
    """Kill a container of a static pod whose manifest does not have it any more.

    Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions``, ContainersToKill.
    """
    if case.container.removed:
        text = "static pod: its manifest does not have this container any more"
        return Decision(Verdict.KILL, (Reason(rules.NOT_SEEN, text),))
    return None


def _begins_to_refuse(case: Case) -> bool:
    """Return whether the new kubelet refuses references to API objects, and the old one does not.

    Where the old one refuses them by default, its gate is off, for the pod runs, unless its mirror pod shows
    that it ran without them. The new one's is off too then, if it has the gate: 1.37 has none.
    """
    before, now, mirror = case.old.gates, case.new.gates, case.pod.mirror
    if mirror is not None and not set(case.pod.references) <= set(mirror.references):
        return now.is_on(REFERENCES_GATE)
    gone = before.knows(REFERENCES_GATE) and not now.knows(REFERENCES_GATE)
    return now.is_on(REFERENCES_GATE) and (gone or not before.is_on(REFERENCES_GATE))


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
        text = f"{text}, but a Never pod whose containers it lacks has failed"
        return Decision(Verdict.KILL, (Reason(rules.RUNTIME_GONE, text),))
    return Decision(Verdict.RESTART, (Reason(rules.RUNTIME_GONE, text),), pod_recreated=True)


def fails_by_loss(case: Case) -> bool:
    """Return whether a pod has failed once the runtime lacks its containers, by the row ``lostContainers``.

    A kubelet that starts knows what ran from the status at the API server, and of static pods nothing.
    Source: pkg/kubelet/kubelet_pods.go ``convertToAPIContainerStatuses`` and ``getPhase``, kubelet.go
    ``syncPod`` (1.19.16 - 1.37.1).
    """
    if case.pod.static or case.pod.restart_policy != "Never" or case.new.behaviour.lost_containers != "ended":
        return False
    return any(
        one.running is not False or one.started or one.ended
        for one in case.pod.containers
        if one.type == "container"
    )


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
    if mounts := case.whole.mounts(kinds):
        return f"{release} has no plugin for a volume of the pod ({mounts})"
    for kind, driver in _lacking(case):
        if mounts := case.whole.mounts([kind]):
            by_driver = f"by the CSI driver {driver}, which its node lacks"
            return f"{release} mounts a volume of the pod ({mounts}) {by_driver}"
    return ""


def _lacking(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the kinds of volumes that only the target kubelet leaves to a CSI driver which its node lacks.

    Where the current one does too, the driver's own pod is likely just being replaced.
    """
    drivers = case.node.drivers if case.node is not None else None
    if case.old_known and drivers is not None:
        for kind, (gate, driver) in MIGRATED_VOLUMES.items():
            if driver not in drivers and case.new.gates.is_on(gate) and not case.old.gates.is_on(gate):
                yield kind, driver


def sandbox_replaced(case: Case) -> Decision | None:
    """Replace a sandbox of another maker, and an infra container with another hash."""
    old, new = case.old.behaviour, case.new.behaviour
    if old.sandbox_maker != new.sandbox_maker:
        return _new_sandbox(
            case,
            Reason(
                rules.SANDBOX_REPLACED, f"{case.new.release} replaces sandboxes made by {case.old.release}"
            ),
        )
    if old.pause_image != new.pause_image:
        return _new_sandbox(
            case, Reason(rules.PAUSE_IMAGE, f"pause image: {old.pause_image} -> {new.pause_image}")
        )
    if old.pause_image and _infra_hash(case.old) != _infra_hash(case.new):
        return _new_sandbox(case, Reason(rules.PAUSE_IMAGE, "the infra container has another hash too"))
    return None


def _infra_hash(kubelet: Kubelet) -> ContainerHash:
    """Hash the infra container of a pod without ports (dockertools ``createPodInfraContainer``).

    Without a network plugin it has the pod's ports too; the hash with them changes only where the hash
    without them does.
    """
    return container_hash(
        {"name": "POD", "image": kubelet.behaviour.pause_image, "imagePullPolicy": "IfNotPresent"}, kubelet
    )


def _new_sandbox(case: Case, reason: Reason) -> Decision:
    """Kill every container; a Never pod gets no new sandbox, and ephemeral containers never start again."""
    # computePodActions creates no sandbox again if one was there before (attempt is not 0)
    if case.pod.restart_policy == "Never":
        return Decision(Verdict.KILL, (reason,))
    verdict = Verdict.KILL if case.container.type is ContainerType.EPHEMERAL else Verdict.RESTART
    return Decision(verdict, (reason,), pod_recreated=True)


def moved_cgroup(case: Case) -> Decision | None:
    """Replace a running pod whose cgroup is elsewhere because other containers count for its QoS class.

    Source: pkg/kubelet/kubelet.go ``syncPod``, 1.6.13 - 1.37.1: not while no regular container runs.
    """
    old, new = case.old.behaviour.qos_containers, case.new.behaviour.qos_containers
    if old == new or case.whole.runs_none:
        return None
    without, within = case.whole.qos_classes or ("", "")
    if without == within:
        return None
    # "regular": of 1.15 and older, which do not count init containers
    before, now = (without, within) if old == "regular" else (within, without)
    return _new_sandbox(case, Reason(rules.QOS, f"QoS class {before} -> {now}: its cgroup is another one"))


def moved_static_pod(case: Case) -> Decision | None:
    """Replace a static pod whose cgroup is elsewhere because its own resources count otherwise for its class.

    API servers store the class of the pods that they serve; of a pod from a file each kubelet computes it
    (pkg/apis/core/v1/helper/qos/qos.go ``GetPodQOS``).
    """
    if not case.pod.static or case.pod.spec.get("resources") is None or case.whole.runs_none:
        return None
    before, now = (case.whole.static_qos_class(_counts_its_own(case, one)) for one in (case.old, case.new))
    if before == now or not (before and now):
        return None
    text = f"QoS class by the pod's own resources {before} -> {now}: its cgroup is another one"
    return _new_sandbox(case, Reason(rules.QOS, text))


def edited_static_pod(case: Case) -> Decision | None:
    """Replace a static pod whose manifest was edited so that it needs another sandbox or another cgroup.

    A manifest with a UID of its own keeps it when it is edited; its mirror pod shows what runs. Source:
    pkg/kubelet/kuberuntime/util/util.go ``PodSandboxChanged``, pkg/kubelet/kubelet.go ``SyncPod``, 1.36.3.
    """
    mirror = mirror_with_own_uid(case.pod)
    if mirror is None or case.whole.runs_none:
        return None
    was, now = (bool(one.spec.get("hostNetwork")) for one in (mirror, case.pod))
    is_recorded = any(one.host_network is not None for one in case.sandboxes)
    looks_at_network = not {"network", "host network"}.isdisjoint(case.new.behaviour.sandbox_checks)
    if was is not now and not is_recorded and looks_at_network:
        text = "its manifest was edited, and its sandbox has another network"
        return _new_sandbox(case, Reason(rules.NOT_SEEN, text))
    by_pod = case.pod.spec.get("resources") is not None and _counts_its_own(case, case.new)
    before, after = (one.static_qos_class(by_pod) for one in (Whole(mirror), case.whole))
    is_edited = any(is_resized(one, mirrored(one, mirror)) for one in case.pod.containers)
    if before == after or not (before and after) or (mirror.limited and not is_edited):
        return None
    text = f"its manifest was edited, and its QoS class {before} -> {after} has another cgroup"
    if is_edited:
        return _new_sandbox(case, Reason(rules.NOT_SEEN, text))
    text = f"{text}, unless admission gave its mirror pod resources"
    return Decision(Verdict.UNKNOWN, (Reason(rules.NOT_SEEN, text),))


def is_resized(container: Container, ran: Container | None) -> bool:
    """Return whether a manifest has amounts for a container that its mirror pod's container has not.

    What it has besides may be of admission (LimitRanger), which changes none that are there.
    """
    from hashcompat.core.corev1.resources import amount  # noqa: PLC0415 - few decisions compare resources

    if ran is None:
        return False
    for kind in ("limits", "requests"):
        wanted = mapping(mapping(container.spec.get("resources")).get(kind))
        has = mapping(mapping(ran.spec.get("resources")).get(kind))
        if any(name not in has or amount(value) != amount(has[name]) for name, value in wanted.items()):
            return True
    return False


def _counts_its_own(case: Case, kubelet: Kubelet) -> bool:
    """Return whether a kubelet computes a static pod's QoS class by the resources of the pod itself."""
    if kubelet.behaviour.pod_qos == "by containers" or not kubelet.gates.is_on(POD_RESOURCES_GATE):
        return False
    fixed = kubelet.behaviour.pod_qos == "by the pod where set" and kubelet.gates.is_on(_FIX_GATE)
    return not fixed or case.whole.has_own_resources


def sandbox_broken(case: Case) -> Decision | None:
    """Replace a sandbox that fails one of the target kubelet's checks, or that is gone.

    A pod without any gets one whatever its restartPolicy, for that counts as its first.
    """
    if case.gone and case.container.running:
        verdict = Verdict.KILL if case.container.type is ContainerType.EPHEMERAL else Verdict.RESTART
        reason = Reason(rules.SANDBOX_BROKEN, "the runtime has no sandbox of the pod any more")
        return Decision(verdict, (reason,), pod_recreated=True)
    _, why = case.whole.failed(case.sandboxes, case.new.behaviour)
    if why:
        return _new_sandbox(case, Reason(rules.SANDBOX_BROKEN, why))
    return None


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


# What the target kubelet kills, and then refuses to create.

SUBPATH_GATE: Final = "VolumeSubpathEnvExpansion"


def not_created(case: Case, decision: Decision) -> Decision:
    """Kill instead of restarting where the target kubelet fails to create the container.

    Source: pkg/kubelet/kubelet_pods.go ``makeMounts``: an error for a subPathExpr while its gate is off, as
    it is by default in 1.14. Older kubelets do not know the field, and create the container without it; so
    may the API server of a manifest that is not a static pod's.
    """
    sent = case.pod.manifest and not case.pod.static
    if decision.verdict is not Verdict.RESTART or sent or not (expands(case.container) and _refuses(case)):
        return decision
    text = f"not created again: subPathExpr needs the feature gate {SUBPATH_GATE}, which is off"
    return structs.replace(
        decision, verdict=Verdict.KILL, reasons=(*decision.reasons, Reason(rules.NOT_CREATED, text))
    )


def expands(container: Container) -> bool:
    """Return whether a container sets subPathExpr."""
    return any(mapping(mount).get("subPathExpr") for mount in rows(container.spec, "volumeMounts"))


def _refuses(case: Case) -> bool:
    gates, schema = case.new.gates, case.new.decodes or case.new.schema
    knows = "SubPathExpr" in reachable_fields(schema).get("VolumeMount", ())
    return knows and gates.knows(SUBPATH_GATE) and not gates.is_on(SUBPATH_GATE)
