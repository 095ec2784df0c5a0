"""What a kubelet checks in a sandbox before it looks at any container.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``podSandboxChanged`` (1.6.13, 1.8.15;
kuberuntime/util/util.go ``PodSandboxChanged``, 1.36.0); up to 1.5 pkg/kubelet/dockertools/docker_manager.go
``podInfraContainerChanged`` (1.5.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from hashcompat.catalog.behaviour import Behaviour
from hashcompat.model.pods import Pod
from hashcompat.model.records import Sandbox


def failed(sandboxes: Sequence[Sandbox], pod: Pod, behaviour: Behaviour) -> tuple[str, str]:
    """Return the check for which a kubelet that behaves so replaces a pod's sandbox, and why in words.

    The kubelet's messages differ by the check's name. Both are empty where it replaces none.
    """
    return next(_failed(sandboxes, pod, behaviour), ("", ""))


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


def _single(sandboxes: Sequence[Sandbox], _: Sandbox, __: Pod) -> str:
    return (
        "more than one sandbox of the pod is ready" if sum(sandbox.ready for sandbox in sandboxes) > 1 else ""
    )


def _ready(_: Sequence[Sandbox], newest: Sandbox, __: Pod) -> str:
    return "" if newest.ready else "the pod's latest sandbox is not ready"


def _host_network(sandboxes: Sequence[Sandbox], newest: Sandbox, pod: Pod) -> str:
    return _network(sandboxes, newest, pod) if pod.host_network else ""


def _network(_: Sequence[Sandbox], newest: Sandbox, pod: Pod) -> str:
    host_network = newest.host_network
    if host_network is None or host_network == pod.host_network:
        return ""
    return f"the sandbox {'uses' if host_network else 'does not use'} the host's network, unlike the pod"


def _ip(_: Sequence[Sandbox], newest: Sandbox, pod: Pod) -> str:
    return "the sandbox has no IP address" if not pod.host_network and newest.ip == "" else ""


_CHECKS: Final[Mapping[str, Callable[[Sequence[Sandbox], Sandbox, Pod], str]]] = {
    "single": _single,
    "ready": _ready,
    "host network": _host_network,
    "network": _network,
    "ip": _ip,
}
"""The checks by the names that behaviour.json gives them."""
