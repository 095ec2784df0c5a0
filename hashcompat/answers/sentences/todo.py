"""The third sentence of an explanation: what it means, and what to do about it, with the commands to copy."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from hashcompat import rules
from hashcompat.answers.sentences.deciding import deciding
from hashcompat.answers.sentences.situation import Situation
from hashcompat.kubelet.decide.case import REFERENCES_GATE
from hashcompat.model.pods import ContainerType
from hashcompat.model.verdicts import Verdict

_REMEDIES: Final[Mapping[str, str]] = {
    rules.OTHER_NODE: "put the labels back on the node before the upgrade",
    rules.TAINT: "tolerate the taint or remove it before the upgrade",
    rules.SIDECAR_REFUSED: "set SidecarContainers=true for the kubelet, or go to a release above 1.28",
    rules.STRICT_GROUPS: "move the pod to a node that reports supplementalGroupsPolicy, or set it to Merge",
    rules.SYSCTL: "name the sysctl in --allowed-unsafe-sysctls of the kubelet",
    rules.NOT_CREATED: "set VolumeSubpathEnvExpansion=true for the kubelet, or go to a release above 1.14",
    rules.DEVICES: "go to a newer patch release of this minor",
}

_NEVER: Final = (
    "let the pod finish before its node's kubelet is upgraded, or start its work on another node first"
)

_FIXED: Final = "draining leaves the pod on its node: plan for the interruption"


def todo(given: Situation) -> str:
    """Say what it means and what to do, in one sentence without its full stop."""
    match given.item.verdict:
        case Verdict.RESTART:
            return _restart(given)
        case Verdict.KILL:
            return _kill(given)
        case Verdict.KEEP:
            return _keep(given)
    return deciding(given)


def commands(given: Situation) -> Iterator[str]:
    """Yield the commands that go with it, to be copied."""
    item = given.item
    if item.verdict is Verdict.RESTART or (item.verdict is Verdict.KILL and given.has(*_REMEDIES)):
        if item.pod.node and _moves(given) and not given.has(rules.API_DEFAULT):
            yield f"kubectl drain {shlex.quote(item.pod.node)} --ignore-daemonsets"
        if given.patch:
            yield given.patch
    for rule in dict.fromkeys(reason.id for reason in item.reasons):
        yield f"hashcompat rules {rule}"


def _is_fixed(given: Situation) -> bool:
    """Return whether draining does not move a pod: static pods and those of DaemonSets stay."""
    static = given.case is not None and given.case.pod.static
    return static or given.item.pod.owner.startswith("DaemonSet/")


def _moves(given: Situation) -> bool:
    """Return whether a controller creates the pod on another node once its node is drained."""
    return bool(given.item.pod.owner) and not _is_fixed(given)


def _restart(given: Situation) -> str:
    if given.has(rules.RUNTIME_GONE):
        if given.decided.other_runtime:
            return "drain the node first and remove the old containers from the old runtime afterwards"
        return (
            "drain the node first and remove the old containers from Docker afterwards, or install "
            "cri-dockerd, which --cri-dockerd plans with"
        )
    if given.has(rules.API_DEFAULT):
        return (
            "plan for the interruption at the upgrade of the API server, which draining does not avoid, or "
            "choose a target release without that default"
        )
    patched = ", or patch the kubelet so that it accepts the old hash" if given.patch else ""
    if _is_fixed(given):
        return f"{_FIXED}{patched}{_confirmed(given)}"
    drained = "drain the node before its kubelet is upgraded, so that the pod moves at a time of your choice"
    if not _moves(given):
        drained = "plan for the interruption, since no controller creates this pod on another node"
    return f"{drained}{patched}{_confirmed(given)}"


def _kill(given: Situation) -> str:
    for reason in given.item.reasons:
        if remedy := _REMEDIES.get(reason.id):
            return f"{remedy}, or drain the node first" if _moves(given) else remedy
    if given.has(rules.STATIC_REFUSED):
        gate = given.decided.new.gates.knows(REFERENCES_GATE)
        off = f", or set the kubelet's feature gate {REFERENCES_GATE} to false" if gate else ""
        return f"take the references out of the manifest before the upgrade{off}"
    if given.item.container.type is ContainerType.EPHEMERAL:
        return "finish the debugging session before the upgrade, or add another ephemeral container after it"
    return _NEVER


def _keep(given: Situation) -> str:
    if given.has(rules.PATCHED):
        return "no action is needed as long as every kubelet of that release has the patch"
    if given.has(rules.RESIZE_GATE):
        return "no action is needed as long as the feature gate stays on"
    return "no action is needed"


def _confirmed(given: Situation) -> str:
    """Name what confirms a verdict by the releases that may have created the container."""
    return (
        "; the hash that the runtime recorded would confirm it (--recorded)"
        if given.has(rules.CREATOR)
        else ""
    )
