"""PF-103: a kubelet without dockershim on a node that is set up for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import OF_BOTH, Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_ADVICE: Final = (
    "drain the node, then move it to containerd or to cri-dockerd: set --container-runtime-endpoint "
    "(kubeadm: annotation kubeadm.alpha.kubernetes.io/cri-socket of the Node), restart"
)


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    current, target = upgrade.current, upgrade.target
    if target.behaviour.dockershim or (current is not None and not current.behaviour.dockershim):
        return
    if not facts.on_node:
        yield from _by_runtime(facts, upgrade)
        return
    endpoint = str(facts.setting("container-runtime-endpoint", "containerRuntimeEndpoint") or "")
    if "dockershim" in endpoint:
        text = f"the runtime endpoint is {endpoint}, which dockershim served: {target.release} has none"
        yield Problem(Status.ERROR, endpoint, text, _ADVICE)
    elif not endpoint and upgrade.hazards.runtime_endpoint == "none":
        text = f"the kubelet is given no runtime endpoint, without which {target.release} does not start"
        yield Problem(Status.ERROR, "", text, _ADVICE)
    elif not endpoint and facts.drives_docker:
        default = upgrade.hazards.runtime_endpoint
        text = f"the kubelet drives Docker by itself; without an endpoint {target.release} drives {default}"
        yield Problem(Status.ERROR, "", text, _ADVICE)


def _by_runtime(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    """Judge by the Node object: up to 1.23 only kubelets with an endpoint drive anything but Docker."""
    if not facts.drives_docker:
        return
    if upgrade.current is None:
        raise UnreadError("whether the kubelet that runs now drives Docker by itself is unknown")
    text = f"{upgrade.current.release} drives {facts.runtime} by itself or by cri-dockerd"
    ending = f"; {upgrade.target.release} needs the endpoint of a runtime"
    yield Problem(Status.ERROR, "", text + ending, _ADVICE)


RUNTIME_ENDPOINT: Final = Check(
    Rule(
        "PF-103",
        "no dockershim",
        "The kubelet to be started has no dockershim, and the node is set up for it: the kubelet does not "
        "start, or drives another runtime, in which none of the node's containers is.",
        "kubernetes/kubernetes#97252 (1.24); cmd/kubelet/app/options/options.go ValidateKubeletFlags",
    ),
    ("the kubelet's flags and configuration file", "the runtime's version", "the Node object"),
    _find,
    OF_BOTH,
)
