"""A pod that gets another sandbox, or another cgroup, and so is created again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.catalog.behaviour import Behaviour
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import amount
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.case import Case, Decision, kill, unknown
from hashcompat.core.kubelet.decide.pod import ending, fails_by_loss, resets_all, rules_of, runtime_gone
from hashcompat.core.kubelet.decide.resize import POD_RESOURCES_GATE, forgets
from hashcompat.core.kubelet.decide.static import mirror_with_own_uid, mirrored
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import ContainerHash, container_hash
from hashcompat.core.model.pods import SANDBOX_READY, Container, ContainerType, Pod
from hashcompat.core.model.verdicts import Reason, Sandbox, Verdict

_FIX_GATE: Final = "PodLevelResourcesFixKubeletQOSClass"


def with_sandbox(case: Case, kept: Decision) -> Decision:
    """Return the decision for a container that does not run: with its sandbox the pod is created again.

    So init containers that have ended run again, whatever replaces the sandbox.
    """
    # nor does one of which every regular container has ended for good: no kubelet has written its phase yet
    ends = ending(case.pod) or case.whole.is_done(rules_of(case))
    if ends or case.container.running is not False or kept.pod_recreated:
        return kept
    reason = _anew(case)
    if reason is None:
        return kept
    return structs.replace(kept, reasons=(*kept.reasons, reason), pod_recreated=True)


def _anew(case: Case) -> Reason | None:
    """Return why the pod gets another sandbox, in the order of the decision; None where it gets none."""
    for decide in (runtime_gone, moved_cgroup, sandbox_replaced):
        if decision := decide(case):
            return decision.reasons[0] if decision.pod_recreated else None
    # a pod without any sandbox gets one (attempt 0), unless it has failed by that (observed, 1.31.14)
    starts_again = _gets_first(case) if case.gone else case.pod.restart_policy != "Never"
    if not starts_again or (case.gone and fails_by_loss(case)):
        return None
    why = "the runtime has no sandbox of the pod any more" if case.gone else failed_check(case)[1]
    return Reason(rules.SANDBOX_BROKEN, why) if why else None


def sandbox_replaced(case: Case) -> Decision | None:
    """Replace a sandbox of another maker, and an infra container with another hash."""
    old, new = case.old.behaviour, case.new.behaviour
    if old.sandbox_maker != new.sandbox_maker:
        return _new_sandbox(
            case, rules.SANDBOX_REPLACED, f"{case.new.release} replaces sandboxes made by {case.old.release}"
        )
    if old.pause_image != new.pause_image:
        return _new_sandbox(case, rules.PAUSE_IMAGE, f"pause image: {old.pause_image} -> {new.pause_image}")
    if old.pause_image and _infra_hash(case.old) != _infra_hash(case.new):
        return _new_sandbox(case, rules.PAUSE_IMAGE, "the infra container has another hash too")
    return None


def _infra_hash(kubelet: Kubelet) -> ContainerHash:
    """Hash the infra container of a pod without ports (dockertools ``createPodInfraContainer``).

    Without a network plugin it has the pod's ports too; the hash with them changes only where the hash
    without them does.
    """
    return container_hash(
        {"name": "POD", "image": kubelet.behaviour.pause_image, "imagePullPolicy": "IfNotPresent"}, kubelet
    )


def _gets_first(case: Case) -> bool:
    """Return whether the target kubelet gives a pod without any sandbox its first one."""
    return case.pod.restart_policy != "Never" or case.new.behaviour.first_sandbox == "always"


def _new_sandbox(case: Case, rule: str, text: str, *, starts: bool = False) -> Decision:
    """Kill every container; a Never pod gets no new sandbox, and ephemeral containers never start again.

    ``starts``: whether the pod starts whatever its restartPolicy, as where rules restart all containers.
    """
    # computePodActions creates no sandbox again if one was there before (attempt is not 0)
    if case.pod.restart_policy == "Never" and not starts:
        return kill(rule, text)
    verdict = Verdict.KILL if case.container.type is ContainerType.EPHEMERAL else Verdict.RESTART
    return Decision(verdict, (Reason(rule, text),), pod_recreated=True)


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
    return _new_sandbox(case, rules.QOS, f"QoS class {before} -> {now}: its cgroup is another one")


def moved_static_pod(case: Case) -> Decision | None:
    """Replace a static pod whose cgroup is elsewhere because its own resources count otherwise for its class.

    API servers store the class of the pods that they serve; of a pod from a file each kubelet computes it
    (pkg/apis/core/v1/helper/qos/qos.go ``GetPodQOS``).
    """
    if not case.pod.static or case.pod.spec.get("resources") is None or case.whole.runs_none:
        return None
    before, now = (
        case.whole.static_qos_class(_counts_its_own(case, kubelet)) for kubelet in (case.old, case.new)
    )
    why = "by the pod's own resources"
    if forgets(case.old, case.new) and (first := case.whole.static_qos_class(by_pod=False)) != before:
        now, why = first, f"by containers alone, as {case.old.release} noted nothing of the pod itself,"
    if before == now or not (before and now):
        return None
    text = f"QoS class {why} {before} -> {now}: its cgroup is another one"
    return _new_sandbox(case, rules.QOS, text)


def edited_static_pod(case: Case) -> Decision | None:
    """Replace a static pod whose manifest was edited so that it needs another sandbox or another cgroup.

    A manifest with a UID of its own keeps it when it is edited; its mirror pod shows what runs. Source:
    pkg/kubelet/kuberuntime/util/util.go ``PodSandboxChanged``, pkg/kubelet/kubelet.go ``SyncPod``, 1.36.3.
    """
    mirror = mirror_with_own_uid(case.pod)
    if mirror is None or case.whole.runs_none:
        return None
    was, now = (bool(pod.spec.get("hostNetwork")) for pod in (mirror, case.pod))
    is_recorded = any(sandbox.host_network is not None for sandbox in case.sandboxes)
    looks_at_network = not {"network", "host network"}.isdisjoint(case.new.behaviour.sandbox_checks)
    if was is not now and not is_recorded and looks_at_network:
        text = "its manifest was edited, and its sandbox has another network"
        return _new_sandbox(case, rules.NOT_SEEN, text)
    by_pod = case.pod.spec.get("resources") is not None and _counts_its_own(case, case.new)
    before, after = (whole.static_qos_class(by_pod) for whole in (Whole(mirror), case.whole))
    is_edited = any(is_resized(container, mirrored(container, mirror)) for container in case.pod.containers)
    if before == after or not (before and after) or (mirror.limited and not is_edited):
        return None
    text = f"its manifest was edited, and its QoS class {before} -> {after} has another cgroup"
    if is_edited:
        return _new_sandbox(case, rules.NOT_SEEN, text)
    return unknown(rules.NOT_SEEN, f"{text}, unless admission gave its mirror pod resources")


def is_resized(container: Container, ran: Container | None) -> bool:
    """Return whether a manifest has amounts for a container that its mirror pod's container has not.

    What it has besides may be of admission (LimitRanger), which changes none that are there.
    """
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
    """Replace a sandbox that fails one of the target kubelet's checks, or that is gone."""
    if case.gone and case.container.running:
        text = "the runtime has no sandbox of the pod any more"
        return _new_sandbox(case, rules.SANDBOX_BROKEN, text, starts=_gets_first(case))
    _, why = failed_check(case)
    if why:
        return _new_sandbox(case, rules.SANDBOX_BROKEN, why, starts=resets_all(case))
    return None


def reported_broken(case: Case) -> Decision | None:
    """Leave open what becomes of a container whose kubelet was about to replace its sandbox.

    The condition is False while ``PodSandboxChanged`` says so (pkg/kubelet/status/generate.go
    ``GeneratePodReadyToStartContainersCondition``, 1.31.14 and 1.37.2); a kubelet that cannot do it yet, as
    without a network, leaves it to the next one.
    """
    if not case.pod.unsandboxed or case.sandboxes or not case.container.running:
        return None
    text = f"its kubelet reports that the pod needs another sandbox ({SANDBOX_READY} is False)"
    return unknown(rules.SANDBOX_BROKEN, text)


# What a kubelet checks in a sandbox before it looks at any container.
#
# Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``podSandboxChanged`` (1.6.13, 1.8.15;
# kuberuntime/util/util.go ``PodSandboxChanged``, 1.36.0); up to 1.5 pkg/kubelet/dockertools/docker_manager.go
# ``podInfraContainerChanged`` (1.5.8).


def failed_check(case: Case) -> tuple[str, str]:
    """Return the name of the target kubelet's check that the pod's sandboxes fail, and why in words.

    The kubelet's messages differ by the check. Both are empty where it replaces no sandbox.
    """
    behaviour, sandboxes = case.new.behaviour, case.sandboxes
    key = "sandbox", tuple(behaviour.newest_sandbox), tuple(behaviour.sandbox_checks)
    return case.whole.once(key, lambda: next(_failed(sandboxes, case.pod, behaviour), ("", "")), of=sandboxes)


def _failed(sandboxes: Sequence[Sandbox], pod: Pod, behaviour: Behaviour) -> Iterator[tuple[str, str]]:
    if not sandboxes:
        return
    newest = _newest(sandboxes, behaviour.newest_sandbox)
    for name in behaviour.sandbox_checks:
        if why := _CHECKS[name](sandboxes, newest, pod):
            yield name, why


def _newest(sandboxes: Sequence[Sandbox], order: Sequence[str]) -> Sandbox:
    """Return the newest sandbox in a kubelet's order; by attempt where times are not known.

    Up to 1.5 names have no attempt, and the running one is the newest.
    """
    dated = all(sandbox.created is not None for sandbox in sandboxes)

    def rank(sandbox: Sandbox) -> tuple[int, ...]:
        keys = {"created": sandbox.created if dated else None, "attempt": sandbox.attempt}
        return *(sandbox.attempt if (key := keys[name]) is None else key for name in order), sandbox.ready

    return max(sandboxes, key=rank)


def _network(_: Sequence[Sandbox], newest: Sandbox, pod: Pod) -> str:
    host_network = newest.host_network
    if host_network is None or host_network == pod.host_network:
        return ""
    return f"the sandbox {'uses' if host_network else 'does not use'} the host's network, unlike the pod"


_CHECKS: Final[Mapping[str, Callable[[Sequence[Sandbox], Sandbox, Pod], str]]] = {
    "single": lambda sandboxes, _newest, _pod: (
        "more than one sandbox of the pod is ready" if sum(sandbox.ready for sandbox in sandboxes) > 1 else ""
    ),
    "ready": lambda _, newest, __: "" if newest.ready else "the pod's latest sandbox is not ready",
    "host network": lambda sandboxes, newest, pod: (
        _network(sandboxes, newest, pod) if pod.host_network else ""
    ),
    "network": _network,
    "ip": lambda _, newest, pod: (
        "the sandbox has no IP address" if not pod.host_network and newest.ip == "" else ""
    ),
}
"""The checks by the names that behaviour.json gives them."""
