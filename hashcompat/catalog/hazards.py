"""What can break at a node when a kubelet of some release is started: rows of hazards.json."""

from __future__ import annotations

from dataclasses import dataclass

from hashcompat.catalog.statefiles import StateFiles


@dataclass(frozen=True, slots=True)
class Hazards:
    """What one release does at its start; the rows name their sources."""

    cgroup_v1: str
    """A node with cgroup v1 is ``supported``, or ``refused`` unless failCgroupV1 is false."""
    states: StateFiles
    """What it makes of the state files in the kubelet's root directory."""
