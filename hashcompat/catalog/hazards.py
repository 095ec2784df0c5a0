"""What can break at a node when a kubelet of some release is started: rows of hazards.json."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hazards:
    """What one release does at its start; the rows name their sources."""

    cgroup_v1: str
    """A node with cgroup v1 is ``supported``, or ``refused`` unless failCgroupV1 is false."""
