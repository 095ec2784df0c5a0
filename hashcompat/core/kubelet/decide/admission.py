"""What a starting kubelet does not admit again: the pod is killed for good, whatever its restartPolicy.

Source: pkg/kubelet/kubelet.go ``HandlePodAdditions`` and ``rejectPod``, pkg/kubelet/lifecycle/predicate.go
``Admit``, pkg/kubelet/sysctl/allowlist.go (whitelist.go before 1.22).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from hashcompat.core import rules
from hashcompat.core.catalog.behaviour import PodFeature
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.resources import BEST_EFFORT
from hashcompat.core.corev1.scheduling import SYSTEM, not_tolerated
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.decide.case import Case, Decision, kill, unknown
from hashcompat.core.kubelet.decide.pod import runtime_gone
from hashcompat.core.kubelet.decide.static import is_new_pod
from hashcompat.core.kubelet.decide.whole import is_critical_pod

SIDECAR_GATE: Final = "SidecarContainers"

NOT_ALLOWED: Final = "and no option allows it"
"""Of a sysctl: said where ``--allowed-unsafe-sysctls`` does not decide."""

COMPARISON_GATE: Final = "TaintTolerationComparisonOperators"


def _refused(rule: str, text: str) -> Decision:
    return kill(rule, f"not admitted again: {text}")


def other_node(case: Case) -> Decision | None:
    """Kill a pod whose nodeSelector or required node affinity its node's present labels do not meet.

    Source: component-helpers scheduling/corev1/nodeaffinity ``GetRequiredNodeAffinity``; static pods as well.
    From 1.29 on the label kubernetes.io/os is what the kubelet runs on, whatever the node has: 1.29.15
    pkg/kubelet/lifecycle/predicate.go ``rejectPodAdmissionBasedOnOSSelector`` writes it into the node first.
    From 1.23 to 1.28 it does so once a pod has passed, and so the first ones are compared without it.
    """
    node = case.node
    if node is None or node.labels is None:
        return None
    behaviour = case.new.behaviour
    ways = _MENDS[behaviour.system_label]
    unmet = [
        reason for mends in ways if (reason := case.whole.unmet(node, behaviour.node_affinity, mends=mends))
    ]
    if not unmet:
        return None
    if len(unmet) == len(ways):
        return _refused(rules.OTHER_NODE, unmet[0])
    text = f"{unmet[0]}; {case.new.release} puts the label {SYSTEM} right with the first pod that it admits"
    return unknown(rules.OTHER_NODE, text)


_MENDS: Final = {"as it is": (False,), "mended last": (False, True), "mended first": (True,)}
"""Whether the label is right where it is compared, by ``Behaviour.system_label``."""


def other_system(case: Case) -> Decision | None:
    """Kill a pod whose label kubernetes.io/os, or whose spec.os, names another system than its node runs.

    Anyone who may change a pod can set the label, and kubelets before 1.23 ignore both. Static pods as well.
    Source: pkg/kubelet/lifecycle/predicate.go ``rejectPodAdmissionBasedOnOSSelector`` and
    ``rejectPodAdmissionBasedOnOSField``, 1.23.0 and 1.37.1, which compare with Go's name of the system.
    """
    system = case.node.system if case.node is not None else ""
    if not system or not case.new.behaviour.pod_system:
        return None
    label, field = case.pod.labels.get(SYSTEM, system), mapping(case.pod.spec.get("os")).get("name", system)
    if label != system:
        asks = f"PodOSSelectorNodeLabelDoesNotMatch: its label {SYSTEM} is {label}"
    elif field != system:
        asks = f"PodOSNotSupported: its spec.os is {field}"
    else:
        return None
    return _refused(rules.OTHER_SYSTEM, f"{asks}, and its node runs {system}")


def taint(case: Case) -> Decision | None:
    """Kill a pod that does not tolerate a NoExecute taint of its node; a static pod tolerates all.

    The operators Gt and Lt need a gate of the kubelet, which is off by default from 1.35 to 1.37. A pod that
    only they keep on its node runs either because the gate is on there, or because the taint is newer.
    """
    if case.node is None or case.pod.static or not case.new.behaviour.no_execute_taints:
        return None
    gates = case.new.gates
    key = case.whole.not_tolerated(case.node, compares=gates.is_on(COMPARISON_GATE))
    if not key:
        return None
    text = f"it does not tolerate the taint {key}"
    by_default = gates.knows(COMPARISON_GATE) and not gates.sets(COMPARISON_GATE)
    if by_default and not case.whole.not_tolerated(case.node, compares=True):
        text = f"whether {COMPARISON_GATE} is on, without which {text}, is not in the input"
        return unknown(rules.TAINT, text)
    return _refused(rules.TAINT, text)


def sidecars(case: Case) -> Decision | None:
    """Kill a pod with a sidecar where the gate for these is off, unless it is on now."""
    if not (case.whole.has_sidecar and _refuses_sidecars(case.new)):
        return None
    # it runs under a kubelet whose gate is off by default, so somebody set the gate, and will again
    if _refuses_sidecars(case.old) and not case.new.gates.sets(SIDECAR_GATE):
        return None
    return _refused(rules.SIDECAR_REFUSED, f"{case.new.release} has the feature gate {SIDECAR_GATE} off")


def strict_groups(case: Case) -> Decision | None:
    """Kill a pod with the supplementalGroupsPolicy Strict on a node whose status lacks the feature.

    A kubelet before 1.33 does not report it by default, and whether the new one's report is there in time is
    not determined; containerd 1 does not have it.
    """
    node = case.node
    policy = mapping(case.pod.spec.get("securityContext")).get("supplementalGroupsPolicy")
    if node is None or policy != "Strict" or not case.new.behaviour.strict_groups or node.strict_groups:
        return None
    text = "its node does not report support for the supplementalGroupsPolicy Strict"
    reported = node.strict_groups is False or (case.old_known and case.old.behaviour.strict_groups)
    if reported or node.runtime.startswith("containerd://1."):
        return _refused(rules.STRICT_GROUPS, text)
    return unknown(rules.STRICT_GROUPS, text)


def sysctls(case: Case) -> Decision | None:
    """Kill a pod with a sysctl that the old kubelet holds safe and the new one does not.

    What ``--allowed-unsafe-sysctls`` has to allow now is taken to stay allowed, unless it is known. Some are
    safe by the node's kernel alone, which is taken to be new enough where the node does not show it
    (pkg/kubelet/sysctl/safe_sysctls.go ``SafeSysctlAllowlist``, 1.27.16, 1.29.15 and 1.37.2).
    """
    behaviour, allowed = case.new.behaviour, case.allowed_sysctls
    names = case.whole.sysctls(behaviour)
    if not names:
        return None
    kernel = case.node.kernel if case.node is not None else ""
    before, now = (_safe(kubelet.behaviour.safe_sysctls, kernel) for kubelet in (case.old, case.new))
    unsafe = sorted(names.difference(now))
    # "*" stands for what runs already: no kubelet takes it
    never = [
        name
        for name in unsafe
        if not name.startswith(tuple(behaviour.namespaced_sysctls)) and "*" not in (allowed or ())
    ]
    if never:
        text = f"{case.new.release} does not hold {', '.join(never)} safe"
        return _refused(rules.SYSCTL, f"{text}, {NOT_ALLOWED}")
    if allowed is not None:
        lost = [name for name in unsafe if not _is_allowed(name, allowed)]
    elif unsafe and not case.whole.sysctls(case.old.behaviour):
        text = f"whether --allowed-unsafe-sysctls names {', '.join(unsafe)} is not in the input"
        return unknown(rules.SYSCTL, text)
    else:
        # a sysctl that neither holds safe runs by --allowed-unsafe-sysctls, which is taken to stay
        lost = [name for name in before if name in unsafe]
    if not lost:
        return None
    return _refused(rules.SYSCTL, f"{case.new.release} does not hold {', '.join(lost)} safe")


def _safe(sysctls: Mapping[str, str], kernel: str) -> list[str]:
    """Return the sysctls that are safe on a kernel; an empty one is as new as it has to be."""
    return [
        name
        for name, least in sysctls.items()
        if not (least and kernel) or _numbers(kernel) >= _numbers(least)
    ]


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def relies_on_kernel(case: Case) -> bool:
    """Return whether a pod with sysctls is admitted if its node's kernel, which is hidden, is new enough."""
    names, allowed = case.whole.sysctls(case.new.behaviour), case.allowed_sysctls
    if not names or allowed is None or (case.node is not None and case.node.kernel):
        return False
    safe = case.new.behaviour.safe_sysctls
    return any(safe.get(name) and not _is_allowed(name, allowed) for name in names)


def _is_allowed(name: str, allowed: Collection[str]) -> bool:
    """Return whether a list of sysctls, and of beginnings that end in ``*``, has one."""
    return name in allowed or any(
        pattern.endswith("*") and name.startswith(pattern[:-1]) for pattern in allowed
    )


def devices(case: Case) -> Decision | None:
    """Kill a pod with devices of a plugin: none has registered again when the pod is admitted.

    From 1.25.14, 1.26.9 and 1.27.6 on, what runs has its devices, and nothing is asked: but an init container
    that asked for some has ended, and in another runtime nothing runs, and so the pod is refused. Of a
    container that was created again, the one before it may be looked at in its place, until 1.34.7 and
    1.35.4; it is not, as a plan assumes, where nothing shows that a plugin serves its devices at all. A
    static pod under another UID asks for devices as a new one, for which any kubelet has too few. Source:
    pkg/kubelet/cm/devicemanager/manager.go ``devicesToAllocate`` and ``isContainerAlreadyRunning`` (1.20.15,
    1.25.16, 1.27.16, 1.36.5 and 1.37.2).
    """
    health, whole = case.new.behaviour.device_health, case.whole
    if not whole.devices:
        return None
    text = f"{whole.devices}: no plugin has registered its devices yet when {case.new.release} asks"
    if is_new_pod(case):
        return _refused(rules.DEVICES, f"{text}, and what its former UID has is not its own")
    if health == "not checked":
        return None
    if health == "checked":
        return _refused(rules.DEVICES, text)
    if runtime_gone(case):
        return _refused(rules.DEVICES, f"{text}, and nothing of the pod runs in its container runtime")
    if whole.has_idle_devices:
        return _refused(rules.DEVICES, f"{text}, and a container that asked for them does not run")
    if may_mistake(case) and whole.knows_plugins:
        text = f"{text}, and it may take a container that was created again for the one before it"
        return unknown(rules.DEVICES, text)
    return None


def may_mistake(case: Case) -> bool:
    """Return whether a kubelet may take a container with devices for the one before it, which has ended."""
    return case.new.behaviour.device_health == "checked unless one runs" and case.whole.has_devices_again


def features(case: Case) -> Decision | None:
    """Kill a pod that asks for a feature which the target kubelet or its node does not have.

    Source: pkg/kubelet/lifecycle/handlers.go ``declaredFeaturesAdmitHandler`` and
    ``podFeaturesAdmitHandler``; component-helpers nodedeclaredfeatures. Where the current kubelet would
    refuse it too and runs it, the gate is on there, and is taken to stay on.
    """
    for feature in case.new.behaviour.pod_features:
        if not case.whole.asks_for(feature):
            continue
        refused = _refuses(case, case.new, feature)
        before = next((row for row in case.old.behaviour.pod_features if row.name == feature.name), None)
        was_handled = before is not None and _is_handled(case.old, before)
        was_refused = before is not None and _refuses(case, case.old, before)
        if refused and (not was_refused or case.new.gates.sets(feature.name)):
            return _refused(rules.FEATURE_REFUSED, f"{refused}, which the pod asks for")
        if not refused and feature.of_runtime and _is_handled(case.new, feature) and not was_handled:
            text = f"whether the runtime has {feature.name}, which the pod asks for, is not in the input"
            return unknown(rules.FEATURE_REFUSED, text)
    return None


def managers(case: Case) -> Decision | None:
    """Kill a pod that does not get the CPUs that it has (``cpus``), or a static one that gets no others."""
    refusal, anew = case.refusal, ""
    if case.refused_anew != refusal and is_new_pod(case):
        refusal, anew = case.refused_anew, "; what its former UID has is neither its own nor free"
    if refusal is None:
        return None
    text = f"{refusal.reason}: {refusal.text}{anew}"
    if refusal.certain:
        return _refused(rules.MANAGERS, text)
    return unknown(rules.MANAGERS, text)


def room(case: Case) -> Decision | None:
    """Kill a pod that its node has no room for beside those that are admitted before it (``room``)."""
    short = case.short
    if short is None or short.holder:
        return None
    if short.preemptor:
        text = f"{short.preemptor}, a critical pod, takes its room ({short.resource})"
        if short.certain:
            return kill(rules.ROOM, f"preempted: {text}")
        return unknown(rules.ROOM, f"may be preempted: {text}, but {short.why}")
    of_what = f" ({short.resource})" if short.in_vain else ""
    asked, used, capacity = short.amounts
    text = (
        f"{short.reason}: it asks for {asked}, and pods before it have {used} of the {capacity} "
        f"of its node{of_what}"
    )
    if short.certain:
        return _refused(rules.ROOM, text)
    return unknown(rules.ROOM, f"{text}, but {short.why}")


def ports(case: Case) -> Decision | None:
    """Kill a pod one of whose host ports a pod has that is admitted before it (``ports.py``)."""
    short = case.short
    if short is None or not short.holder:
        return None
    text = f"{short.predicate}: {short.holder}, which comes before it, has the host port {short.resource}"
    if short.certain:
        return _refused(rules.HOST_PORT, text)
    return unknown(rules.HOST_PORT, f"{text}, but {short.why}")


def pressed(case: Case) -> Decision | None:
    """Leave open whether a pod that nothing else concerns is admitted again where its node lacks room to run.

    A kubelet that starts has forgotten that, and sees it again while pods are admitted: from then on only
    critical ones are, and for memory alone those of another class than BestEffort, or that tolerate it where
    that counts. Source: pkg/kubelet/eviction/eviction_manager.go ``Admit`` and ``synchronize``, 1.20.15 and
    1.37.1.
    """
    conditions = (case.node.conditions if case.node is not None else None) or {}
    pressures = [
        name for name in ("MemoryPressure", "DiskPressure", "PIDPressure") if conditions.get(name) == "True"
    ]
    if not pressures or is_critical_pod(case.pod, case.pod.spec.get("priority"), case.new.behaviour):
        return None
    if pressures == ["MemoryPressure"]:
        shown = case.pod.qos or (case.whole.qos_classes or ("", ""))[1]
        if shown != BEST_EFFORT or _tolerates_pressure(case):
            return None
    text = f"its node has {pressures[-1]}, and the pod is refused (Evicted) if the kubelet sees that first"
    return unknown(rules.PRESSURE, text)


def _tolerates_pressure(case: Case) -> bool:
    """Return whether the pod tolerates memory pressure, by the row ``pressureTolerated``."""
    said = case.new.behaviour.pressure_tolerated
    if said == "ignored" or (said == "by gate" and not case.new.gates.is_on("TaintNodesByCondition")):
        return False
    return not not_tolerated(case.pod.spec, _MEMORY, "NoSchedule")


_MEMORY: Final = ({"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"},)


def _refuses(case: Case, kubelet: Kubelet, feature: PodFeature) -> str:
    """Return what a kubelet refuses a pod with a feature for; empty where it does not."""
    if not _is_handled(kubelet, feature):
        return ""
    if not feature.on_windows and is_windows(case):
        return f"Windows has no {feature.name}"
    return "" if kubelet.gates.is_on(feature.name) else f"{kubelet.release} has {feature.name} off"


def _is_handled(kubelet: Kubelet, feature: PodFeature) -> bool:
    return not feature.handler or kubelet.gates.is_on(feature.handler)


def is_windows(case: Case) -> bool:
    """Return whether the pod runs on Windows, as its spec or its node says."""
    system = case.node.system if case.node is not None else ""
    return "windows" in (mapping(case.pod.spec.get("os")).get("name"), system)


def release_counts(case: Case) -> bool:
    """Return whether the current release may decide over admission."""
    unsafe = case.whole.has_unsafe_sysctl(case.new.behaviour)
    asked = any(map(case.whole.asks_for, case.new.behaviour.pod_features))
    return unsafe or asked or (_refuses_sidecars(case.new) and case.whole.has_sidecar)


def _refuses_sidecars(kubelet: Kubelet) -> bool:
    """Return whether a kubelet that has the gate for sidecars has it off; an older one ignores them."""
    return kubelet.gates.knows(SIDECAR_GATE) and not kubelet.gates.is_on(SIDECAR_GATE)
