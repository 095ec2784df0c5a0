"""PF-117: exec probes whose time limit begins to count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.kubelet.probes import begins_to_enforce, has_killing_exec
from hashcompat.model.escape import name_path
from hashcompat.model.pods import Pod
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import OF_OBJECTS, Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.target.behaviour.exec_probe_timeout == "ignored":
        return
    if upgrade.current is None:
        raise UnreadError("the release of the kubelet that runs now is unknown; give it with --from")
    if begins_to_enforce(upgrade.current, upgrade.target):
        for pod in facts.pods:
            yield from _of_pod(pod, upgrade)


def _of_pod(pod: Pod, upgrade: Upgrade) -> Iterator[Problem]:
    names = [one.name for one in pod.containers if has_killing_exec(one.spec)]
    if names and pod.phase not in ("Succeeded", "Failed"):
        yield Problem(
            Status.WARN,
            name_path(pod.namespace, pod.name),
            f"{upgrade.target.release} enforces the timeoutSeconds of exec probes, which the current kubelet "
            f"ignores: {', '.join(map(name_path, names))}",
            "measure the probe's command, and raise timeoutSeconds (1 by default) where it is slower",
        )


EXEC_PROBES: Final = Check(
    Rule(
        "PF-117",
        "exec probe with a time limit",
        "Kubelets from 1.20 on enforce the timeoutSeconds of exec probes, which older ones ignore. A "
        "liveness or startup probe that takes longer kills its container.",
        "kubernetes/kubernetes#94115 (feature gate ExecProbeTimeout)",
    ),
    ("the pods' exec probes", "the releases of both kubelets"),
    _find,
    OF_OBJECTS,
)
