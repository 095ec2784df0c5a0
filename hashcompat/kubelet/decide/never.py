"""What no kubelet compares, whatever its release: containers that do not run, or whose pod is ending.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat.model.pods import Container, ContainerType, Pod

_FINISHED: Final = frozenset({"Succeeded", "Failed"})

NEVER_COMPARED: Final[Mapping[ContainerType, str]] = {
    ContainerType.INIT: "an init container",
    ContainerType.EPHEMERAL: "an ephemeral container",
}


def at_rest(pod: Pod, container: Container) -> str:
    """Return why no kubelet compares this container, whatever its release; or an empty string."""
    if why := ending(pod) or NEVER_COMPARED.get(container.type, ""):
        return why
    return "the container is not running" if container.running is False else ""


def ending(pod: Pod) -> str:
    """Return why a whole pod is left alone; empty where it is not.

    The deletion of a mirror pod is not that of its static pod, whose source is another one (pkg/kubelet/pod/
    pod_manager.go ``GetPodAndMirrorPod``).
    """
    if pod.deleting and not pod.static:
        return "the pod is being deleted"
    return "the pod has finished" if pod.phase in _FINISHED else ""
