"""What a check is: facts of a node and an upgrade in, problems out, and nothing read or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hashcompat.catalog.hazards import Hazards
from hashcompat.catalog.lookup import Kubelet
from hashcompat.model.preflight import Status
from hashcompat.preflight.facts import Facts
from hashcompat.release import Release
from hashcompat.rules import Rule


def _not_planned(_uid: str, _container: str) -> bool | None:
    return None


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What will be started on a node, and what is known of the cluster."""

    target: Kubelet
    """The kubelet that will be started."""
    hazards: Hazards
    """What such a kubelet does where others do not, and the same of the current one."""
    current: Kubelet | None = None
    """The kubelet that runs now; None where it is unknown."""
    server: Release | None = None
    """The release of the API server; None where it is unknown."""
    restarts: Callable[[str, str], bool | None] = _not_planned
    """Whether a plan restarts the container of that name in the pod of that uid; None where it is not
    in a plan."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What a check found about one object; the check and the node are added by whoever runs it."""

    status: Status
    """How bad it is."""
    object: str
    """What it is about; empty for the whole node."""
    text: str
    """What is the case."""
    advice: str = ""
    """What to do."""


Find = Callable[[Facts, Upgrade], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Check:
    """One hazard: what it is called and means, what it reads, and how it is found."""

    rule: Rule
    """The id, ``PF-000``, the title, the meaning and the sources."""
    reads: tuple[str, ...]
    """What it reads on a node, in words."""
    find: Find
    """Yields the problems; none where everything is as it should be. Raises UnreadError or AbsentError for
    what it needs and the dump does not have."""
