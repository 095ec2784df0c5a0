"""What can break at a node when a kubelet of some release is started: rows of hazards.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hazards:
    """What one release does at its start; the rows name their sources."""

    cgroup_v1: str
    """A node with cgroup v1 is ``supported``, or ``refused`` unless failCgroupV1 is false."""
    runtime_endpoint: str
    """Which runtime a kubelet drives that is given no endpoint: ``dockershim``, ``none`` where it does not
    start, or the endpoint that it takes by default."""
    cri_api: str
    """Which versions of CRI the kubelet speaks: ``v1alpha2``, ``both`` or ``v1``."""
    old_containerd: str
    """Whether containerd 1 is still ``supported`` by that minor, or only ``tolerated``."""
    cgroup_driver_from_cri: bool
    """Whether the kubelet by default takes the cgroup driver that the runtime reports."""
    fail_swap_on: bool
    """Whether the kubelet by default does not start on a node with swap."""
    image_gc_high: int
    """The default of imageGCHighThresholdPercent, in percent."""
    eviction_hard: Mapping[str, str]
    """The default of evictionHard, on Linux: the signals and their thresholds."""
    reservations: str
    """Reservations larger than the node are ``ignored``, or ``refused``: the kubelet does not start."""
