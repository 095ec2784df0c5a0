"""Sandboxes as a runtime tells them, and what a kubelet looks at in them before it looks at any container.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``podSandboxChanged`` (1.6.13, 1.8.15;
kuberuntime/util/util.go ``PodSandboxChanged``, 1.36.0); to 1.5 pkg/kubelet/dockertools/docker_manager.go
``podInfraContainerChanged`` (1.5.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from hashcompat.kubelet import runtimenames as names
from hashcompat.kubelet.runtimenames import DockerContainer, mapping
from hashcompat.model import Pod, Sandbox

_STATES: Final = {"SANDBOX_READY": True, "SANDBOX_NOTREADY": False}


def from_cri_pod(status: Mapping[str, Any]) -> Iterator[Sandbox]:
    """Yield the sandbox that ``crictl pods`` or ``crictl inspectp`` tells of; only the latter tells of its network."""
    metadata = mapping(status, "metadata")
    ready = _STATES.get(str(status.get("state")))
    if ready is None or not metadata.get("name"):
        return
    options = mapping(mapping(mapping(status, "linux"), "namespaces"), "options")
    ip = mapping(status, "network").get("ip")
    uid, namespace, pod = (str(metadata.get(key, "")) for key in ("uid", "namespace", "name"))
    yield Sandbox(
        uid,
        namespace,
        pod,
        ready=ready,
        attempt=names.cri_attempt(status),
        host_network=_cri_host_network(options),
        ip=ip if isinstance(ip, str) else None,
    )


def _cri_host_network(options: Mapping[str, Any]) -> bool | None:
    """Read the network's namespace: a word, or a truth value in what CRI had up to 1.10."""
    if isinstance(options.get("hostNetwork"), bool):
        return bool(options["hostNetwork"])
    return {"NODE": True, "POD": False}.get(str(options.get("network")))


def from_docker_sandbox(found: DockerContainer, container: Mapping[str, Any]) -> Sandbox:
    """Return the sandbox that an infra container is; its IP is the network plugin's, of which Docker does not know."""
    mode = mapping(container, "HostConfig").get("NetworkMode")
    host_network = mode == "host" if isinstance(mode, str) and mode else None
    return Sandbox(found.uid, found.namespace, found.pod, found.running, found.attempt, host_network)


def broken(sandboxes: Sequence[Sandbox], pod: Pod, checks: Sequence[str]) -> str:
    """Return why a kubelet that makes these checks replaces a pod's sandbox; empty where it keeps it, or where none is told."""
    if not sandboxes:
        return ""
    return next(filter(None, (_CHECKS[name](sandboxes, pod) for name in checks)), "")


def _latest(sandboxes: Sequence[Sandbox]) -> Sandbox:
    """Return the newest one; names of 1.5 and before bear no attempt, and there the running one is."""
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
"""The checks by the names that schemas/rules.json gives them."""
