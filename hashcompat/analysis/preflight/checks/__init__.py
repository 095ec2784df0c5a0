"""What a check is: facts of a node and an upgrade in, problems out, and nothing read or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from hashcompat.analysis.preflight.facts import Facts
from hashcompat.core.catalog.hazards import Hazards, Runtimes
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.alike import Servers
from hashcompat.core.model.items import Item
from hashcompat.core.model.preflight import Status
from hashcompat.core.rules import CHECKS, Rule, page


class Need(StrEnum):
    """What a run may be given about nodes; a check is run where it has what it needs of this."""

    NODE = "the node"
    """What was read on the node itself: a dump."""
    OBJECTS = "the cluster's objects"
    """Its Node object and its pods, as an API server returns them."""
    PLAN = "a plan"
    """The verdicts of the containers on it."""
    REWRITING = "rewritten records"
    """The wish to rewrite its records first: no input, so a check is not missed where it is not there."""


OF_NODE: Final = (frozenset({Need.NODE}),)

OF_OBJECTS: Final = (frozenset({Need.OBJECTS}),)

OF_PLAN: Final = (frozenset({Need.PLAN}),)

OF_REWRITING: Final = tuple(frozenset({need, Need.REWRITING}) for need in (Need.NODE, Need.OBJECTS))

OF_BOTH: Final = (*OF_NODE, *OF_OBJECTS)
"""The node itself or the cluster's objects, either is enough."""


class KubeletStart(msgspec.Struct, frozen=True):
    """What will be started on a node, and what is known of the cluster."""

    target: Kubelet
    """The kubelet that will be started."""
    hazards: Hazards
    """What such a kubelet does where others do not, and the same of the current one."""
    current: Kubelet | None = None
    """The kubelet that runs now; None where it is unknown."""
    before: Hazards | None = None
    """What that one does; None where it is unknown."""
    servers: Servers = Servers()
    """The API servers that the kubelet will talk to, with where their releases show; none where unknown."""
    restarts: Callable[[str, str], bool | None] = lambda _uid, _container: None
    """Whether a plan restarts the container of that name in the pod of that uid; None where it is not
    in a plan."""
    planned: tuple[Item, ...] | None = None
    """The verdicts of the containers on the node; None where there is no plan."""
    runtimes: Runtimes = msgspec.field(default_factory=Runtimes)
    """What is known of container runtimes."""
    now: datetime | None = None
    """The time, UTC, by which certificates are judged; None where it is unknown."""
    reported: str = ""
    """The release that the node itself reports, where it is not said to run one of that minor."""


class Problem(msgspec.Struct, frozen=True):
    """What a check found about one object; the check and the node are added by whoever runs it."""

    status: Status
    """How bad it is."""
    object: str
    """What it is about; empty for the whole node."""
    text: str
    """What is the case."""
    advice: str = ""
    """What to do."""


Find = Callable[[Facts, KubeletStart], Iterator[Problem]]


class Check(msgspec.Struct, frozen=True):
    """One hazard: how it is found; what it is called, means and reads is its page."""

    id: str
    """``PF-000``; its page is in the file of its subject in ``schemas/rules/checks``."""
    find: Find
    """Yields the problems; none where everything is as it should be. Raises UnreadError or AbsentError for
    what it needs and the dump does not have."""
    needs: tuple[frozenset[Need], ...] = OF_NODE
    """What it needs to be given: all of one of these sets. Where a run has none of them, the check is left
    out of it."""

    @property
    def rule(self) -> Rule:
        """Its page; errors as ``pages.page``."""
        return page(self.id, CHECKS)

    def is_run(self, inputs: frozenset[Need]) -> bool:
        """Return whether a run that is given this can make the check."""
        return any(need <= inputs for need in self.needs)
