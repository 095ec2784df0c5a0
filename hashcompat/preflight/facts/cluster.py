"""What an API server shows of one node."""

from __future__ import annotations

import msgspec

from hashcompat.model.pods import Node, Pod


class Cluster(msgspec.Struct, frozen=True):
    """The objects of one node."""

    node: Node | None = None
    """Its Node object; None where the input has none."""
    pods: tuple[Pod, ...] | None = None
    """Its pods; None where no pods were read at all."""
