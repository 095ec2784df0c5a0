"""What a starting kubelet does to a whole pod: refuse it, leave its runtime, or replace its sandbox."""

from __future__ import annotations

from hashcompat import rules
from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.decide.case import REFERENCES_GATE, Case, Decision, not_compared
from hashcompat.kubelet.decide.never import NEVER_COMPARED, at_rest, ending
from hashcompat.kubelet.hashing import ContainerHash, container_hash
from hashcompat.model.pods import ContainerType
from hashcompat.model.verdicts import Reason, Verdict


def resting(case: Case) -> Decision | None:
    """Keep what no kubelet compares, but no running init container, which is killed with its pod."""
    dies_with_pod = case.container.running and case.container.type in NEVER_COMPARED
    why = ending(case.pod) if dies_with_pod else at_rest(case.pod, case.container)
    return not_compared(why) if why else None


def refused_static_pod(case: Case) -> Decision | None:
    """Kill a static pod that the old kubelet ran and the new one does not read.

    Source: pkg/kubelet/config/common.go ``tryDecodeSinglePod``.
    """
    if case.pod.static and case.pod.references and _begins_to_refuse(case):
        text = f"static pod refused: it names {', '.join(case.pod.references)}"
        return Decision(Verdict.KILL, (Reason(rules.STATIC_REFUSED, text),))
    return None


def _begins_to_refuse(case: Case) -> bool:
    """Return whether the new kubelet refuses references to API objects, and the old one does not.

    Where the old one refuses them by default, its gate is off, for the pod runs. The new one's is off too
    then, if it has the gate: 1.37 has none.
    """
    before, now = case.old.gates, case.new.gates
    gone = before.knows(REFERENCES_GATE) and not now.knows(REFERENCES_GATE)
    return now.is_on(REFERENCES_GATE) and (gone or not before.is_on(REFERENCES_GATE))


def runtime_gone(case: Case) -> Decision | None:
    """Restart every pod in another runtime, even a Never pod (no sandbox, hence attempt 0).

    By itself only a kubelet without dockershim, on a node with Docker, has another one than before.
    """
    if case.other_runtime:
        text = f"{case.new.release} uses another container runtime: everything is created again in it"
        return Decision(Verdict.RESTART, (Reason(rules.RUNTIME_GONE, text),), pod_recreated=True)
    if (
        drives_docker(case)
        and case.old.behaviour.dockershim
        and not case.new.behaviour.dockershim
        and not case.cri_dockerd
    ):
        text = (
            f"{case.new.release} does not drive Docker: "
            "without cri-dockerd everything is created again in another runtime"
        )
        return Decision(Verdict.RESTART, (Reason(rules.RUNTIME_GONE, text),), pod_recreated=True)
    return None


def drives_docker(case: Case) -> bool:
    """Return whether the node runs Docker, by dockershim or by cri-dockerd."""
    return case.runtime.startswith("docker://")


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
    before, now = (without, within) if old == "regular" else (within, without)
    return _new_sandbox(case, Reason(rules.QOS, f"QoS class {before} -> {now}: its cgroup is another one"))


def sandbox_broken(case: Case) -> Decision | None:
    """Replace a sandbox that fails one of the target kubelet's checks."""
    _, why = case.whole.failed(case.sandboxes, case.new.behaviour)
    if why:
        return _new_sandbox(case, Reason(rules.SANDBOX_BROKEN, why))
    return None
