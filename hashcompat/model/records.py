"""What a runtime reports of containers and sandboxes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recorded:
    """A hash that a kubelet recorded when it created a container, as a runtime or a log tells it.

    ``uid`` and ``namespace`` are empty where the source does not tell; ``hash`` is None where the record is
    missing. ``without_resources`` is the second hash that 1.27 - 1.30 record with the gate
    InPlacePodVerticalScaling, None elsewhere.
    """

    uid: str
    namespace: str
    pod: str
    container: str
    hash: int | None
    running: bool
    attempt: int = 0
    without_resources: int | None = None


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A pod's sandbox as a runtime tells it; ``host_network`` and ``ip`` are None where the source does not tell."""

    uid: str
    namespace: str
    pod: str
    ready: bool
    attempt: int = 0
    host_network: bool | None = None
    ip: str | None = None
