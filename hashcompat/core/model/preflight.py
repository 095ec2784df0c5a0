"""What the checks of a node found, before its kubelet is restarted."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class Status(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "ERROR"
    """The kubelet does not start, or the node or its containers break."""
    UNKNOWN = "UNKNOWN"
    """It could not be determined."""
    WARN = "WARN"
    """Something is wrong, and the restart goes on."""
    INFO = "INFO"
    """Worth knowing."""
    OK = "OK"
    """The check found nothing."""


class Finding(msgspec.Struct, frozen=True):
    """What one check found on one node, about one object."""

    id: str
    """The check: ``PF-000``."""
    node: str
    """The node's name."""
    status: Status
    """How bad it is."""
    object: str
    """What it is about: a container, a file, a flag; empty for the whole node."""
    text: str
    """What is the case."""
    advice: str = ""
    """What to do, with the command; empty where there is nothing to do."""


class Preflight(msgspec.Struct, frozen=True):
    """The findings of all nodes, and what they are about."""

    target: str
    """The release of the kubelet that will be started."""
    current: Mapping[str, str | None]
    """The release of the kubelet that runs now, by node; None where it is unknown."""
    findings: tuple[Finding, ...]
    """The findings: worst first, then by check and node."""
    ignored: tuple[str, ...] = ()
    """The checks whose errors count as warnings."""
    left_out: tuple[tuple[str, str], ...] = ()
    """The checks that were not made, each with what it needs besides, in words."""

    def counts(self) -> dict[Status, int]:
        """Count the findings of each status."""
        return {status: sum(finding.status == status for finding in self.findings) for status in Status}
