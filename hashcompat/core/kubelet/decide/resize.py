"""Resources that a starting kubelet applies: by a restart, as no record shows that they were applied.

With the gate InPlacePodLevelResourcesVerticalScaling, on by default from 1.36, a kubelet notes what it
allocated to a pod itself, beside its containers, and a pod has what is noted, whatever its spec says. Where
an older kubelet noted only what containers have, a pod has no resources of its own at first: it is admitted
by its containers alone, and by these a static pod's QoS class is computed. Once all pods are admitted, what
its spec asks for is a resize like any other.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodResizeAction`` (1.33.13, 1.36.4);
pkg/kubelet/allocation/features_linux.go and features_windows.go; pkg/kubelet/allocation/allocation_manager.go
``AddPod``, ``updatePodFromAllocation``, ``allocationFromPod`` and ``retryPendingResizes``,
pkg/kubelet/pod_workers.go ``UpdatePod``, pkg/kubelet/kubelet.go ``HandlePodAdditions`` (1.34.4, 1.35.8,
1.36.5, 1.37.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import GUARANTEED, amount
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.admission import is_windows
from hashcompat.core.kubelet.decide.case import (
    RESIZE_GATE,
    Case,
    Decision,
    delayed,
    is_ignored,
    restart,
    unknown,
)
from hashcompat.core.kubelet.decide.pod import NEVER_COMPARED
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.plan import Shortage
from hashcompat.core.model.pods import RESIZE_PENDING, Container, ContainerType, Pod
from hashcompat.core.model.verdicts import Reason, Verdict

if TYPE_CHECKING:
    from fractions import Fraction

_INIT_RESIZE_GATE: Final = "InPlacePodVerticalScalingInitContainers"

_RESIZABLE: Final = ("cpu", "memory")


def applies_resources(case: Case) -> bool:
    """Return whether the new kubelet applies resources that no kubelet recorded.

    One of 1.33 or later records them when it creates a container: a file without it was removed or lost.
    """
    unapplied = case.recorded is not None and case.recorded.unapplied
    missing = unapplied or not case.old.behaviour.resources_recorded
    return missing and case.applied is None and applies_unrecorded(case.new) and not is_exempt(case)


def applies_unrecorded(kubelet: Kubelet) -> bool:
    """Return whether a kubelet resizes what it has no record of (1.33 - 1.36)."""
    behaviour = kubelet.behaviour
    return behaviour.resources_recorded and behaviour.missing_resource_record == "restarts"


def restarts_unrecorded(old: Kubelet, new: Kubelet) -> bool:
    """Return whether an upgrade restarts each container whose resources are set and applied by a restart."""
    return not old.behaviour.resources_recorded and applies_unrecorded(new) and new.gates.is_on(RESIZE_GATE)


def relies_on_gate(case: Case) -> bool:
    """Return whether a container is kept only if the current kubelet had the gate on, and so noted resources.

    With the gate off it notes none (pkg/kubelet/allocation/allocation_manager.go ``newStateImpl``, 1.34.12),
    and a target kubelet that locks the gate finds that out.
    """
    before, now = (kubelet.gates.spec(RESIZE_GATE) for kubelet in (case.old, case.new))
    may_be_off = before is not None and not before.locked and not case.old.gates.sets(RESIZE_GATE)
    if not may_be_off or now is None or not now.locked or case.applied is not None:
        return False
    if not case.old_known or not notes_containers(case.old) or not applies_unrecorded(case.new):
        return False
    return not is_exempt(case) and any(restarted_for(case.container.spec))


def is_exempt(case: Case) -> bool:
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


def resized_init(case: Case) -> Decision | None:
    """Restart a running init container that is no sidecar, and whose pod has not come past it, from 1.36 on.

    API servers of 1.32 to 1.35 let such a one have RestartContainer; later ones only where it has it already.
    Source: pkg/kubelet/kuberuntime/kuberuntime_container.go ``computeInitContainerActions`` (1.36.3).
    """
    if case.container.type is not ContainerType.INIT or not case.new.gates.is_on(_INIT_RESIZE_GATE):
        return None
    is_past = any(
        container.running for container in case.pod.containers if container.type is ContainerType.CONTAINER
    )
    return None if is_past or not case.container.running else resized(case)


def _resized_from(applied: Mapping[str, Any], case: Case) -> Decision | None:
    """Restart a container for resources that differ from those which a kubelet noted as applied.

    Under a kubelet that notes them a difference is a resize under way, and no matter of the upgrade.
    """
    if case.old.behaviour.resources_recorded or not case.new.behaviour.resources_recorded or is_exempt(case):
        return None
    resources = mapping(case.container.spec.get("resources"))
    for name in by_restart(case.container.spec):
        if amounts(resources, name) != amounts(applied, name):
            return delayed(case, _applied_by_restart(name))
    return None


def amounts(resources: Mapping[str, Any], name: str) -> tuple[Fraction, ...]:
    """Return the limit of a resource and the request; zero for none."""
    return tuple(amount(mapping(resources.get(kind)).get(name, "0")) for kind in ("limits", "requests"))


def _applied_by_restart(name: str) -> Decision:
    return restart(rules.RESIZE_POLICY, f"resizePolicy: {name} is applied by a restart")


def _resized_by_pod(case: Case) -> Decision | None:
    """Restart a container whose limit becomes that of its pod, or no longer is.

    A kubelet that gives it begins with what was noted. 1.35 notes that it applied a pod's
    limits, and not that it allocated them: 1.36 and 1.37 take them away at once, and later give them again
    (observed, 1.35.8 -> 1.36.3 and 1.37.1). 1.33 and 1.34 note neither: they are given once all pods are
    admitted, within minutes, if they fit. Where nothing was noted, 1.37 takes them for applied.
    """
    before, now = case.old, case.new
    if gives_pod_limits(before) is gives_pod_limits(now) or not now.behaviour.resources_recorded:
        return None
    if is_exempt(case) or _takes_as_applied(case):
        return None
    for name in limited_by_pod(case):
        if case.deferred is not None and forgets(before, now) and before.behaviour.pod_limits != "recorded":
            return waits(name, case.deferred)
        text = f"resizePolicy: the pod's limit of {name} is applied by a restart"
        return delayed(case, restart(rules.RESIZE_POLICY, text))
    return None


def _takes_as_applied(case: Case) -> bool:
    """Return whether the target kubelet fills in that it applied the limits of the spec."""
    fills = case.new.behaviour.missing_resource_record == "filled"
    return fills and case.applied is None and not notes_containers(case.old)


def limited_by_pod(case: Case) -> Iterator[str]:
    """Name the resources that only the pod limits and that resizePolicy applies by a restart."""
    spec = case.container.spec
    own = mapping(mapping(spec.get("resources")).get("limits"))
    limits = mapping(mapping(case.pod.spec.get("resources")).get("limits"))
    for name in by_restart(spec):
        # a limit of 0 is none, as for cgroups
        if str(limits.get(name, "0")) != "0" and str(own.get(name, "0")) == "0":
            yield name


def restarted_for(spec: Mapping[str, Any]) -> Iterator[str]:
    """Name the resources that are set, other than to zero, and that resizePolicy applies by a restart."""
    resources = spec.get("resources") or {}
    amounts = [pair for key in ("limits", "requests") for pair in (resources.get(key) or {}).items()]
    set_ = {name for name, amount in amounts if str(amount) != "0"}
    yield from (name for name in by_restart(spec) if name in set_)


def by_restart(spec: Mapping[str, Any]) -> Iterator[str]:
    """Name the resources that resizePolicy applies by a restart."""
    for policy in filter(None, spec.get("resizePolicy") or ()):  # Go decodes a null as an empty policy
        name = str(policy.get("resourceName"))
        if policy.get("restartPolicy") == "RestartContainer" and name in _RESIZABLE:
            yield name


def resizing(case: Case) -> Decision | None:
    """Restart a container that is kept by its hash for a resize that its kubelet has not done yet.

    A kubelet that starts goes on with a resize that it has allocated, and tries one again that had to wait
    (pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodResizeAction``, pkg/kubelet/allocation).
    """
    state, behaviours = case.pod.resizing, (case.old.behaviour, case.new.behaviour)
    if not state and case.applied is None:
        return None
    if is_exempt(case) or not all(behaviour.resources_recorded for behaviour in behaviours):
        return None
    if case.container.type in NEVER_COMPARED or is_ignored(case, case.new):
        return None
    spec, shown = case.container.spec, mapping(case.pod.resized.get(case.container.name))
    wanted = mapping(spec.get("resources"))
    allocated = allocated_to(case)
    actual = {
        "requests": shown.get("actual") or wanted.get("requests"),
        "limits": shown.get("limits") or wanted.get("limits"),
    }
    for name in by_restart(spec):
        is_waiting = amounts(allocated, name) != amounts(wanted, name)
        if not is_waiting and amounts(actual, name) == amounts(wanted, name):
            continue
        if not state and amounts(case.applied or {}, name) == amounts(allocated, name):
            continue
        if is_waiting or state == RESIZE_PENDING:
            is_under_way = amounts(actual, name)[1:] != amounts(allocated, name)[1:]
            if case.infeasible and is_waiting and not is_under_way:
                return not_made(name, case.infeasible)
            if case.deferred is not None:
                return waits(name, case.deferred)
            text = f"resizePolicy: a resize of its {name} waits, and is tried again: it restarts if it fits"
            return unknown(rules.RESIZE_POLICY, text)
        text = f"resizePolicy: a resize of its {name} is under way, and is applied by a restart"
        return delayed(case, restart(rules.RESIZE_POLICY, text))
    return _resizing_pod(case)


def allocated_to(case: Case) -> Mapping[str, Any]:
    """Return a container's resources, with the requests that its kubelet allocated as a status shows them."""
    wanted = mapping(case.container.spec.get("resources"))
    shown = mapping(case.pod.resized.get(case.container.name))
    return {**wanted, "requests": shown.get("allocated") or wanted.get("requests")}


def _resizing_pod(case: Case) -> Decision | None:
    """Decide a container that has its pod's limit, where that is resized.

    What has the new limit already is not in a status, which shows no limits of a container without its own.
    A kubelet notes it, and starts a container with it even where the pod's cgroup could not be changed
    (pkg/kubelet/kuberuntime/kuberuntime_manager.go ``SyncPod``, 1.36.5).
    """
    for name in pod_limits_to_change(case):
        if case.pod.resizing == RESIZE_PENDING:
            if case.deferred is not None:
                return waits(name, case.deferred)
            text = "waits, and is tried again: it restarts if it fits"
        else:
            noted = amounts(case.applied or {}, name)[0]
            limits = mapping(case.pod.spec.get("resources"))
            if noted and noted == amounts(limits, name)[0]:
                continue
            if noted:
                text = f"a resize of the pod's limit of {name} is under way, and is applied by a restart"
                return delayed(case, restart(rules.RESIZE_POLICY, f"resizePolicy: {text}"))
            text = "is under way, and whether this container was restarted for it is not in the input"
        return unknown(rules.RESIZE_POLICY, f"resizePolicy: a resize of the pod's limit of {name} {text}")
    return None


_PAGE: Final = 1 << 16
"""The largest page: kernels round the limit of a cgroup, which kubelets show as a pod's, down to pages."""


def pod_limits_to_change(case: Case) -> Iterator[str]:
    """Name the resources of which a container has its pod's limit, where the status shows another one.

    Only those that resizePolicy applies by a restart.
    """
    shown = case.pod.resized.get("", {}).get("limits")
    if shown is None or not all(map(gives_pod_limits, (case.old, case.new))):
        return
    wanted, own = mapping(case.pod.spec.get("resources")), mapping(case.container.spec.get("resources"))
    for name in by_restart(case.container.spec):
        limit, actual = (amounts(resources, name)[0] for resources in (wanted, {"limits": shown}))
        is_rounded = name == "memory" and 0 <= limit - actual < _PAGE
        if not amounts(own, name)[0] and limit != actual and not is_rounded:
            yield name


def infeasible(pod: Pod, whole: Whole, fixed: Collection[str], kubelet: Kubelet) -> str:
    """Return the resource whose manager's policy rules out the resize of a pod that waits; empty for none.

    ``fixed`` are those whose policy is static. 1.33 rules out any resize of a Guaranteed pod then, later
    releases one of that resource. Source: pkg/kubelet/kubelet.go ``canResizePod`` (1.33.13),
    pkg/kubelet/allocation/allocation_manager.go (1.34.12, 1.35.8) and handlers.go (1.36.5, 1.37.2).
    """
    if not fixed or whole.has_own_resources or (whole.qos_classes or ("", ""))[1] != GUARANTEED:
        return ""
    by_resource = kubelet.gates.knows(_EXCLUSIVE["memory"])
    for name in _RESIZABLE:
        gate = _EXCLUSIVE[name if by_resource else "cpu"]
        is_ruled_out = name in fixed and not kubelet.gates.is_on(gate)
        if is_ruled_out and (not by_resource or _is_to_change(pod, name)):
            return name
    return ""


_EXCLUSIVE: Final = {
    "cpu": "InPlacePodVerticalScalingExclusiveCPUs",
    "memory": "InPlacePodVerticalScalingExclusiveMemory",
}
"""The gates with which a kubelet resizes Guaranteed pods all the same."""


def _is_to_change(pod: Pod, name: str) -> bool:
    """Return whether a container was given other requests than its spec has, as a resource manager looks."""
    for container in pod.containers:
        requests = mapping(pod.resized.get(container.name)).get("allocated")
        if container.type in (ContainerType.CONTAINER, ContainerType.SIDECAR) and requests is not None:
            allocated = {"requests": requests}
            if amounts(allocated, name)[1] != amounts(mapping(container.spec.get("resources")), name)[1]:
                return True
    return False


def not_made(name: str, why: str) -> Decision:
    """Keep a container whose resize no kubelet makes while the policy is what it is."""
    text = (
        f"resizePolicy: a resize of its {name} waits on, for its pod is Guaranteed, and the {why} manager "
        "has the policy static"
    )
    return Decision(Verdict.KEEP, (Reason(rules.RESIZE_POLICY, text),))


def waits(name: str, short: Shortage) -> Decision:
    """Keep a container whose resize does not fit on its node, and so is not made."""
    asked, used, capacity = short.amounts
    if not short.certain:
        text = (
            f"resizePolicy: a resize of its {name} waits, for not all of them fit on its node "
            f"({short.resource}), and {short.why}: it restarts if it fits"
        )
        return unknown(rules.RESIZE_POLICY, text)
    text = (
        f"resizePolicy: a resize of its {name} waits on, for its pod is to ask for {asked} of "
        f"{short.resource}, and others have {used} of the {capacity} of its node"
    )
    return Decision(Verdict.KEEP, (Reason(rules.RESIZE_POLICY, text),))


# Resources of a whole pod: which kubelets give containers their pod's limits, and what each notes of that.

POD_RESOURCES_GATE: Final = "PodLevelResources"

POD_RESIZE_GATE: Final = "InPlacePodLevelResourcesVerticalScaling"


def gives_pod_limits(kubelet: Kubelet) -> bool:
    """Return whether a container without a limit has its pod's (pkg/kubelet/util/util.go ``GetLimits``)."""
    return all(map(kubelet.gates.is_on, (POD_RESOURCES_GATE, POD_RESIZE_GATE)))


def notes_containers(kubelet: Kubelet) -> bool:
    """Return whether a kubelet notes what it allocated to containers, in allocated_pods_state."""
    return kubelet.behaviour.resources_recorded and kubelet.gates.is_on(RESIZE_GATE)


def forgets(old: Kubelet, new: Kubelet) -> bool:
    """Return whether a kubelet that starts takes pods' own resources for not allocated.

    It does where the one before it noted what containers have, and nothing of their pods.
    """
    is_noted = old.gates.is_on(POD_RESIZE_GATE)
    return notes_containers(old) and not is_noted and notes_containers(new) and gives_pod_limits(new)


# What resource managers take for allocated when they admit pods again.


def requests_of(pod: Pod, container: Container, new: Kubelet) -> Mapping[str, object]:
    """Return what a container asks for, its limits included: while a resize waits, what it was given."""
    allocated = mapping(pod.resized.get(container.name)).get("allocated")
    if allocated is not None and new.behaviour.resources_recorded and new.gates.is_on(RESIZE_GATE):
        return mapping(allocated)
    resources = mapping(container.spec.get("resources"))
    return {**mapping(resources.get("limits")), **mapping(resources.get("requests"))}


def asked_by_status(pod: Pod, new: Kubelet) -> bool:
    """Return whether the status of a pod shows what is asked for; a static pod has none yet."""
    return new.behaviour.cpus_asked == "by status" and new.gates.is_on(RESIZE_GATE) and not pod.static


def unreported(pod: Pod, old: Kubelet | None, new: Kubelet) -> frozenset[ContainerType]:
    """Return of which containers a kubelet takes nothing as allocated, which an older one did not report."""
    if not asked_by_status(pod, new) or old is None or old.gates.is_on(RESIZE_GATE):
        return frozenset()
    sidecars = {ContainerType.SIDECAR} if new.behaviour.resources_recorded else set[ContainerType]()
    return frozenset({ContainerType.CONTAINER, *sidecars})
