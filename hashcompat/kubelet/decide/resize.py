"""Resources that a starting kubelet applies by a restart, because no record shows that they were applied.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodResizeAction`` (1.33.13, 1.36.4);
pkg/kubelet/allocation/features_linux.go and features_windows.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hashcompat import rules
from hashcompat.catalog.lookup import Kubelet
from hashcompat.go.jsonpath import mapping
from hashcompat.kubelet.decide.case import RESIZE_GATE, Case, Decision, delayed, restart
from hashcompat.model.verdicts import Reason, Verdict

if TYPE_CHECKING:
    from fractions import Fraction

POD_LEVEL_GATES: Final = frozenset({"PodLevelResources", "InPlacePodLevelResourcesVerticalScaling"})

_RESIZABLE: Final = ("cpu", "memory")

_OF_CONTAINER: Final = "the container's"


def applies_resources(case: Case) -> bool:
    """Return whether the new kubelet applies resources that the old one did not record."""
    missing = not case.old.behaviour.resources_recorded
    return missing and case.applied is None and applies_unrecorded(case.new) and not _is_exempt(case)


def applies_unrecorded(kubelet: Kubelet) -> bool:
    """Return whether a kubelet resizes what it has no record of (1.33 - 1.36)."""
    behaviour = kubelet.behaviour
    return behaviour.resources_recorded and behaviour.missing_resource_record == "restarts"


def _is_exempt(case: Case) -> bool:
    """Return whether nothing is resized: on Windows, without the gate, and up to 1.35 static pods."""
    static = case.pod.static and not case.new.behaviour.static_pods_resized
    labels = case.node.labels if case.node is not None else None
    systems = (mapping(case.pod.spec.get("os")).get("name"), (labels or {}).get("kubernetes.io/os"))
    return static or "windows" in systems or not case.new.gates.is_on(RESIZE_GATE)


def resized(case: Case) -> Decision | None:
    """Restart a container whose resources are applied by a restart, where no kubelet recorded them."""
    if not case.container.spec.get("resizePolicy"):
        return None
    if case.applied is not None:
        return _resized_from(case.applied, case) or _resized_by_pod(case)
    for name in restarted_for(case.container.spec) if applies_resources(case) else ():
        return delayed(case, _applied_by_restart(name))
    return _resized_by_pod(case)


def _resized_from(applied: Mapping[str, Any], case: Case) -> Decision | None:
    """Restart a container for resources that differ from those which a kubelet noted as applied.

    Under a kubelet that notes them a difference is a resize under way, and no matter of the upgrade.
    """
    if case.old.behaviour.resources_recorded or not case.new.behaviour.resources_recorded or _is_exempt(case):
        return None
    resources = mapping(case.container.spec.get("resources"))
    for name in _by_restart(case.container.spec):
        if _amounts(resources, name) != _amounts(applied, name):
            return delayed(case, _applied_by_restart(name))
    return None


def _amounts(resources: Mapping[str, Any], name: str) -> tuple[Fraction, ...]:
    """Return the limit and the request; zero for none."""
    from hashcompat.corev1.resources import amount  # noqa: PLC0415 - few decisions compare resources

    return tuple(amount(mapping(resources.get(kind)).get(name, "0")) for kind in ("limits", "requests"))


def _applied_by_restart(name: str) -> Decision:
    return restart(rules.RESIZE_POLICY, f"resizePolicy: {name} is applied by a restart")


def _resized_by_pod(case: Case) -> Decision | None:
    """Restart a container whose limit becomes that of its pod, or no longer is.

    From 1.36 on, a container without a limit has its pod's. 1.34 notes neither that it allocated the pod's
    limits nor that it applied them: 1.36 resizes at the next retry, within minutes. 1.35 notes only that it
    applied them: 1.36 and 1.37 resize at once (observed, 1.35.8 -> 1.36.3 and 1.37.1). What 1.37 makes of the
    notes of older releases is not determined.
    """
    before, now = case.old.behaviour, case.new.behaviour
    if before.pod_limits == now.pod_limits or _OF_CONTAINER not in (before.pod_limits, now.pod_limits):
        return None
    if not now.resources_recorded or _is_exempt(case):
        return None
    gates = (case.new if now.pod_limits == _OF_CONTAINER else case.old).gates
    if not all(map(gates.is_on, POD_LEVEL_GATES)):
        return None
    for name in _limited_by_pod(case):
        if before.pod_limits != "recorded" and now.missing_resource_record != "restarts":
            text = f"resizePolicy: whether {case.new.release} applies the pod's limit of {name} by a restart"
            return Decision(Verdict.UNKNOWN, (Reason(rules.RESIZE_POLICY, text),))
        text = f"resizePolicy: the pod's limit of {name} is applied by a restart"
        return delayed(case, restart(rules.RESIZE_POLICY, text))
    return None


def _limited_by_pod(case: Case) -> Iterator[str]:
    """Name the resources that only the pod limits and that resizePolicy applies by a restart."""
    spec = case.container.spec
    own = mapping(mapping(spec.get("resources")).get("limits"))
    limits = mapping(mapping(case.pod.spec.get("resources")).get("limits"))
    for name in _by_restart(spec):
        if str(limits.get(name, "0")) != "0" and str(own.get(name, "0")) == "0":
            yield name


def restarted_for(spec: Mapping[str, Any]) -> Iterator[str]:
    """Name the resources that are set, other than to zero, and that resizePolicy applies by a restart."""
    resources = spec.get("resources") or {}
    amounts = [pair for key in ("limits", "requests") for pair in (resources.get(key) or {}).items()]
    set_ = {name for name, amount in amounts if str(amount) != "0"}
    yield from (name for name in _by_restart(spec) if name in set_)


def _by_restart(spec: Mapping[str, Any]) -> Iterator[str]:
    for policy in filter(None, spec.get("resizePolicy") or ()):  # Go decodes a null as an empty policy
        name = str(policy.get("resourceName"))
        if policy.get("restartPolicy") == "RestartContainer" and name in _RESIZABLE:
            yield name
