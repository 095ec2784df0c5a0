"""Read sandboxes as a runtime reports them, for what a kubelet checks before any container.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``podSandboxChanged`` (1.6.13, 1.8.15;
kuberuntime/util/util.go ``PodSandboxChanged``, 1.36.0); up to 1.5 pkg/kubelet/dockertools/docker_manager.go
``podInfraContainerChanged`` (1.5.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.go.jsonpath import part
from hashcompat.model.records import Sandbox
from hashcompat.records import labels as names
from hashcompat.records.labels import DockerContainer
from hashcompat.records.times import nanoseconds

_STATES: Final = {"SANDBOX_READY": True, "SANDBOX_NOTREADY": False}


def from_cri_pod(status: Mapping[str, Any]) -> Iterator[Sandbox]:
    """Yield the sandbox of ``crictl pods`` or ``crictl inspectp``; only the latter shows its network."""
    metadata = part(status, "metadata")
    ready = _STATES.get(str(status.get("state")))
    if ready is None or not metadata.get("name"):
        return
    options = part(part(part(status, "linux"), "namespaces"), "options")
    ip = part(status, "network").get("ip")
    uid, namespace, pod = (str(metadata.get(key, "")) for key in ("uid", "namespace", "name"))
    yield Sandbox(
        uid,
        namespace,
        pod,
        ready=ready,
        attempt=names.cri_attempt(status) or 0,
        host_network=_cri_host_network(options),
        ip=ip if isinstance(ip, str) else None,
        created=nanoseconds(status.get("createdAt")),
    )


def _cri_host_network(options: Mapping[str, Any]) -> bool | None:
    """Read the network's namespace: a word, or a truth value in what CRI had up to 1.10."""
    if isinstance(options.get("hostNetwork"), bool):
        return bool(options["hostNetwork"])
    return {"NODE": True, "POD": False}.get(str(options.get("network")))


def from_docker_sandbox(found: DockerContainer, container: Mapping[str, Any]) -> Sandbox:
    """Return an infra container as a sandbox; its IP is the network plugin's, unknown to Docker."""
    mode = part(container, "HostConfig").get("NetworkMode")
    host_network = mode == "host" if isinstance(mode, str) and mode else None
    return Sandbox(
        found.uid,
        found.namespace,
        found.pod,
        ready=found.running,
        attempt=found.attempt or 0,
        host_network=host_network,
        docker=True,
    )
