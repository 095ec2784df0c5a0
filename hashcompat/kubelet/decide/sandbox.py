"""What a kubelet checks in a sandbox before it looks at any container.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``podSandboxChanged`` (1.6.13, 1.8.15;
kuberuntime/util/util.go ``PodSandboxChanged``, 1.36.0); up to 1.5 pkg/kubelet/dockertools/docker_manager.go
``podInfraContainerChanged`` (1.5.8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hashcompat.model.pods import Pod
from hashcompat.model.records import Sandbox


def broken(sandboxes: Sequence[Sandbox], pod: Pod, checks: Sequence[str]) -> str:
    """Return why a kubelet with these checks replaces a pod's sandbox; empty where it does not."""
    if not sandboxes:
        return ""
    return next(filter(None, (_CHECKS[name](sandboxes, pod) for name in checks)), "")


def _latest(sandboxes: Sequence[Sandbox]) -> Sandbox:
    """Return the newest one; up to 1.5 names have no attempt, and the running one is the newest."""
    return max(sandboxes, key=lambda sandbox: (sandbox.attempt, sandbox.ready))


def _single(sandboxes: Sequence[Sandbox], _: Pod) -> str:
    return (
        "more than one sandbox of the pod is ready" if sum(sandbox.ready for sandbox in sandboxes) > 1 else ""
    )


def _ready(sandboxes: Sequence[Sandbox], _: Pod) -> str:
    return "" if _latest(sandboxes).ready else "the pod's latest sandbox is not ready"


def _host_network(sandboxes: Sequence[Sandbox], pod: Pod) -> str:
    return _network(sandboxes, pod) if pod.host_network else ""


def _network(sandboxes: Sequence[Sandbox], pod: Pod) -> str:
    host_network = _latest(sandboxes).host_network
    if host_network is None or host_network == pod.host_network:
        return ""
    return f"the sandbox {'uses' if host_network else 'does not use'} the host's network, unlike the pod"


def _ip(sandboxes: Sequence[Sandbox], pod: Pod) -> str:
    return "the sandbox has no IP address" if not pod.host_network and _latest(sandboxes).ip == "" else ""


_CHECKS: Final[Mapping[str, Callable[[Sequence[Sandbox], Pod], str]]] = {
    "single": _single,
    "ready": _ready,
    "host network": _host_network,
    "network": _network,
    "ip": _ip,
}
"""The checks by the names that behaviour.json gives them."""
