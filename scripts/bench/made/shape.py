"""What a made cluster is like, besides its number of pods."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """The options of a generator."""

    release: str = "1.30.14"
    """The kubelet release of its nodes."""
    distinct: bool = False
    """Whether each pod's containers have their own structure, image, arguments and variables."""
    managed_fields: bool = False
    """Whether the pods have managedFields, which kubectl shows only where it is asked to."""
    seed: int = 1
    """Another one makes another cluster."""
    calm: bool = False
    """Whether every pod runs and no container ever restarted; of ``services`` alone."""
