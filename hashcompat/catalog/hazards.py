"""What can break at a node when a kubelet of some release is started: rows of hazards.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hashcompat.catalog.kubeletconfig import ConfigTable
from hashcompat.catalog.kubeletflags import FlagTable
from hashcompat.catalog.statefiles import StateFiles


class Hazards(msgspec.Struct, frozen=True):
    """What one release does at its start; the rows name their sources."""

    cgroup_v1: str
    """A node with cgroup v1 is ``supported``, or ``refused`` unless failCgroupV1 is false."""
    cpu_entries_migrate: bool
    """Whether CPUs by container id are given to the containers of those ids, which have to exist."""
    cpus_have_to_match: bool
    """Whether a static CPU policy needs the file's CPUs to be those of the node."""
    flags: FlagTable
    """The flags that kubelets accept."""
    config: ConfigTable
    """The fields of the configuration file that kubelets know."""
    states: StateFiles
    """What it makes of the state files in the kubelet's root directory."""
    orphaned_container: str
    """A container whose sandbox the runtime does not list is ``ignored``, ``refused``, so that the kubelet
    does not start, or ``logged``."""
    cadvisor_docker: str
    """cAdvisor's Docker plugin, which waits for each container without end: ``linked`` or ``absent``."""
    docker_stop_repairs: str
    """The range of Docker versions in which stopping a container whose task is missing succeeds."""
    sandbox_checkpoint: Mapping[str, Any] | None
    """The type tree of the kubelet's own checkpoints of Docker sandboxes; None where it has none. Notation:
    schemas/types/README.md; the root is what the checksum is made over."""
    cri_dockerd_checkpoint: Mapping[str, Any]
    """The type tree of cri-dockerd's checkpoints of sandboxes."""
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
