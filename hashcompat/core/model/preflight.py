"""What the checks of a node found, before its kubelet is restarted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec

from hashcompat.core.model.escape import few
from hashcompat.core.model.making import Making
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.results import Result


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


class Group(msgspec.Struct, frozen=True):
    """Findings that are equal but for their nodes."""

    finding: Finding
    """The first of them."""
    nodes: tuple[str, ...]
    """Their nodes, in the order of the findings."""

    def __str__(self) -> str:
        """Return the node's name, or for several ``40 nodes: cp-1, cp-2, 38 more``."""
        if len(self.nodes) == 1:
            return self.nodes[0]
        return f"{len(self.nodes)} nodes: {few(self.nodes, _NAMED)}"


_NAMED: Final = 2
"""How many nodes of a group are named where not all of them are."""


def grouped(findings: Iterable[Finding]) -> Iterator[Group]:
    """Yield findings, those together that are equal but for their nodes, in the place of the first."""
    nodes: dict[tuple[str, ...], list[str]] = {}
    first: dict[tuple[str, ...], Finding] = {}
    for finding in findings:
        key: tuple[str, ...] = (
            finding.id,
            finding.status.value,
            finding.object,
            finding.text,
            finding.advice,
        )
        first.setdefault(key, finding)
        nodes.setdefault(key, []).append(finding.node)
    for key, finding in first.items():
        yield Group(finding, tuple(nodes[key]))


class Preflight(Result[Finding], msgspec.Struct, frozen=True):
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
    origin: Origin = Origin()
    """Where the nodes come from: their objects, or else the files that were read on them."""
    making: Making = Making()
    """What it was made by, and when the nodes were read."""

    def counts(self) -> dict[Status, int]:
        """Count the findings of each status."""
        return {status: sum(finding.status == status for finding in self.findings) for status in Status}

    def _elements(self) -> tuple[Finding, ...]:
        return self.findings
