"""What an API server shows of one node."""

from __future__ import annotations

from dataclasses import dataclass

from hashcompat.model.pods import Node, Pod


@dataclass(frozen=True, slots=True)
class Cluster:
    """The objects of one node."""

    node: Node | None = None
    """Its Node object; None where the input has none."""
    pods: tuple[Pod, ...] | None = None
    """Its pods; None where no pods were read at all."""
