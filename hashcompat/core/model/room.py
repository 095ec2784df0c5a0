"""What a node lacks for a pod that a starting kubelet admits again."""

from __future__ import annotations

import msgspec


class Shortage(msgspec.Struct, frozen=True):
    """Why a kubelet has no room for a pod."""

    resource: str
    """The first resource that is missing, as the reason names it: ``cpu``, ``pods``."""
    asked: int = 0
    """How much of it the pod asks for: thousandths of a CPU, bytes, or a number."""
    used: int = 0
    """How much the pods before it have."""
    capacity: int = 0
    """How much the node can give."""
    in_vain: bool = False
    """Whether the pod is a critical one, and others do not have the room that it takes."""
    preemptor: str = ""
    """The critical pod that takes its room, ``namespace/name``; empty where it is not admitted."""
    certain: bool = True
    """Whether the input decides."""
    why: str = ""
    """Why it does not."""

    @property
    def reason(self) -> str:
        """The reason in the pod's status."""
        if self.preemptor:
            return "Preempting"
        return "UnexpectedAdmissionError" if self.in_vain else f"OutOf{self.resource}"

    @property
    def missing(self) -> int:
        """How much is missing."""
        return self.asked - (self.capacity - self.used)
