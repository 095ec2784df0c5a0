"""What can break at a node when a kubelet of some release is started: rows of hazards.json."""

from __future__ import annotations

from dataclasses import dataclass

from hashcompat.catalog.kubeletconfig import ConfigTable
from hashcompat.catalog.kubeletflags import FlagTable
from hashcompat.catalog.statefiles import StateFiles


@dataclass(frozen=True, slots=True)
class Hazards:
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
