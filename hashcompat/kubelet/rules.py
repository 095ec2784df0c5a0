"""Which containers a kubelet compares at all (kuberuntime_manager.go ``computePodActions``)."""

from __future__ import annotations

from hashcompat.catalog.lookup import Kubelet
from hashcompat.model import Container, ContainerType, Pod

_FINISHED = frozenset({"Succeeded", "Failed"})


def not_compared(pod: Pod, container: Container, kubelet: Kubelet) -> str:
    """Return why ``kubelet`` does not compare this container's hash; empty when it does."""
    if pod.deleting:
        return "the pod is being deleted"
    if pod.phase in _FINISHED:
        return "the pod has finished"
    if container.type is ContainerType.INIT:
        return "an init container"
    if container.type is ContainerType.EPHEMERAL:
        return "an ephemeral container"
    if container.type is ContainerType.SIDECAR and not kubelet.compares_sidecars:
        return f"a sidecar, which {kubelet.release} leaves alone"
    if container.running is False:
        return "the container is not running"
    return ""
