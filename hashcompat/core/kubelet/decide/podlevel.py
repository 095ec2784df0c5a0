"""Resources of a whole pod: which kubelets give containers their pod's limits, and what each notes of that.

With the gate InPlacePodLevelResourcesVerticalScaling, on by default from 1.36, a kubelet notes what it
allocated to a pod itself, beside its containers, and a pod has what is noted, whatever its spec says. Where
an older kubelet noted only what containers have, a pod has no resources of its own at first: it is admitted
by its containers alone, and by these a static pod's QoS class is computed. Once all pods are admitted, what
its spec asks for is a resize like any other.

Source: pkg/kubelet/allocation/allocation_manager.go ``AddPod``, ``updatePodFromAllocation``,
``allocationFromPod`` and ``retryPendingResizes``, pkg/kubelet/pod_workers.go ``UpdatePod``,
pkg/kubelet/kubelet.go ``HandlePodAdditions`` (1.34.4, 1.35.8, 1.36.5, 1.37.2).
"""

from __future__ import annotations

from typing import Final

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.case import RESIZE_GATE

POD_RESOURCES_GATE: Final = "PodLevelResources"

POD_RESIZE_GATE: Final = "InPlacePodLevelResourcesVerticalScaling"


def gives_pod_limits(kubelet: Kubelet) -> bool:
    """Return whether a container without a limit has its pod's (pkg/kubelet/util/util.go ``GetLimits``)."""
    return all(map(kubelet.gates.is_on, (POD_RESOURCES_GATE, POD_RESIZE_GATE)))


def notes_containers(kubelet: Kubelet) -> bool:
    """Return whether a kubelet notes what it allocated to containers, in allocated_pods_state."""
    return kubelet.behaviour.resources_recorded and kubelet.gates.is_on(RESIZE_GATE)


def forgets(old: Kubelet, new: Kubelet) -> bool:
    """Return whether a kubelet that starts takes pods' own resources for not allocated.

    It does where the one before it noted what containers have, and nothing of their pods.
    """
    is_noted = old.gates.is_on(POD_RESIZE_GATE)
    return notes_containers(old) and not is_noted and notes_containers(new) and gives_pod_limits(new)
