"""Which containers a kubelet compares at all (kuberuntime_manager.go ``computePodActions``)."""

from __future__ import annotations

from hashcompat.catalog.lookup import Kubelet
from hashcompat.model import Container, ContainerType, Pod

_FINISHED = frozenset({"Succeeded", "Failed"})


def at_rest(pod: Pod, container: Container) -> str:
    """Return why no kubelet compares this container's hash; empty when the release decides."""
    if pod.deleting:
        return "the pod is being deleted"
    if pod.phase in _FINISHED:
        return "the pod has finished"
    if container.type is ContainerType.INIT:
        return "an init container"
    if container.type is ContainerType.EPHEMERAL:
        return "an ephemeral container"
    if container.running is False:
        return "the container is not running"
    return ""


def not_compared(pod: Pod, container: Container, kubelet: Kubelet) -> str:
    """Return why ``kubelet`` does not compare this container's hash; empty when it does."""
    if why := at_rest(pod, container):
        return why
    if container.type is ContainerType.SIDECAR and not kubelet.compares_sidecars:
        return f"a sidecar, which {kubelet.release} leaves alone"
    return ""
