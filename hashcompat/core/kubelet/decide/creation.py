"""What the target kubelet kills and fails to create: fields whose gate is off, and what waits for ever."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import takewhile
from typing import Final

from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.catalog.eras import reachable_fields
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.kubelet.decide.admission import is_windows
from hashcompat.core.kubelet.decide.case import Case, Decision
from hashcompat.core.kubelet.decide.pod import forgets_sidecars
from hashcompat.core.model.pods import Container, ContainerType
from hashcompat.core.model.verdicts import Reason, Verdict

_GATED_MOUNTS: Final = {
    "subPathExpr": ("SubPathExpr", "VolumeSubpathEnvExpansion"),
    "recursiveReadOnly": ("RecursiveReadOnly", "RecursiveReadOnlyMounts"),
}
"""The fields of a mount that a feature gate may refuse: by its key the name in Go, and the gate."""


def not_created(case: Case, decision: Decision) -> Decision:
    """Kill instead of restarting where the target kubelet fails to create the container.

    Source: pkg/kubelet/kubelet_pods.go ``makeMounts``: an error for a subPathExpr while its gate is off, as
    it is by default in 1.14, and for a mount that is to be read-only recursively, as in 1.30;
    pkg/kubelet/userns/userns_manager.go ``GetOrCreateUserNamespaceMappings`` (1.30.1 and 1.32.13): one for
    hostUsers, be it true or false. Older kubelets do not look at the field, and create the container without
    it; so may the API server of a manifest that is not a static pod's. And what follows a sidecar in a pod
    that is created again waits for ever where the kubelet does not know sidecars (``sidecars_block``).
    """
    if decision.verdict is not Verdict.RESTART or _is_sent(case):
        return decision
    if missing := lacks_gate(case):
        why = Reason(rules.NOT_CREATED, f"not created again: {missing}")
    elif decision.pod_recreated and (sidecar := _waits_for_sidecar(case)):
        text = f"{case.new.release} takes the sidecar {sidecar} for an init container, and waits for its end"
        why = Reason(rules.WAITS_FOR_SIDECAR, f"not created again: {text}")
    else:
        return decision
    return structs.replace(decision, verdict=Verdict.KILL, reasons=(*decision.reasons, why))


def lacks_gate(case: Case) -> str:
    """Return for which field the target kubelet fails to create the container; empty where it does not."""
    missing = None if _is_sent(case) else next(_without_gate(case), None)
    return f"{missing[0]} needs the feature gate {missing[1]}, which is off" if missing else ""


def _is_sent(case: Case) -> bool:
    """Return whether it is a manifest that an API server reads, and may drop fields of."""
    return case.pod.manifest and not case.pod.static


def _waits_for_sidecar(case: Case) -> str:
    """Return the sidecar before a container, which a kubelet takes for an init container; empty for none."""
    before = takewhile(lambda container: container.path != case.container.path, case.pod.containers)
    sidecar = next((container.name for container in before if container.type is ContainerType.SIDECAR), "")
    return sidecar if sidecar and forgets_sidecars(case) else ""


def gated_mounts(container: Container) -> list[str]:
    """Return what the mounts of a container ask for that a feature gate may refuse.

    The mode IfPossible is one only where the runtime can do it, which is not looked at.
    """
    paths = modes = False
    # one loop without lists: this is asked of each container, and hardly any mount has either
    for mount in rows(container.spec, "volumeMounts"):
        paths = paths or bool(mapping(mount).get("subPathExpr"))
        modes = modes or mapping(mount).get("recursiveReadOnly") == "Enabled"
    return [*(["subPathExpr"] if paths else ()), *(["recursiveReadOnly"] if modes else ())]


def _without_gate(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the fields for which the target kubelet does not create a container, each with its gate.

    Where the current kubelet would not either and runs it, its gate is on, and is taken to stay on.
    """
    gated = [(key, *_GATED_MOUNTS[key]) for key in gated_mounts(case.container)]
    for key, field, gate in gated:
        before, now = (
            field in _fields_of_mounts(kubelet) and _has_off(kubelet, gate)
            for kubelet in (case.old, case.new)
        )
        if now and (not before or case.new.gates.sets(gate)):
            yield key, gate
    if case.pod.spec.get("hostUsers") is None or is_windows(case):
        return
    before, now = (
        kubelet.behaviour.host_users_by_gate and _has_off(kubelet, _USERS_GATE)
        for kubelet in (case.old, case.new)
    )
    if now and (not before or case.new.gates.sets(_USERS_GATE)):
        yield "hostUsers", _USERS_GATE


_USERS_GATE: Final = "UserNamespacesSupport"


def _fields_of_mounts(kubelet: Kubelet) -> Collection[str]:
    return reachable_fields(kubelet.decodes or kubelet.schema).get("VolumeMount", ())


def _has_off(kubelet: Kubelet, gate: str) -> bool:
    return kubelet.gates.knows(gate) and not kubelet.gates.is_on(gate)
