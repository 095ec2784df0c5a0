"""The pods of an inventory, decided by one process or by several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from hashcompat.analysis.planning.cluster import Ages, Sandboxes
from hashcompat.analysis.planning.hops import Hops
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.repeats import Gather, Nothing, Repeats
from hashcompat.analysis.planning.rooms import Rooms
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.errors import InputError
from hashcompat.core.forks import FailedError, begun
from hashcompat.core.kubelet.decide.pod import ending
from hashcompat.core.model.cluster import ApiServers
from hashcompat.core.model.plan import Way
from hashcompat.core.model.pods import Inventory, Node, Pod, PodShare, SharedPods, every
from hashcompat.core.model.uids import Dating

if TYPE_CHECKING:
    from hashcompat.analysis.planning.items import ItemTable


class PlanRun:
    """The pods of an inventory, decided for the plan and for all hops together."""

    def __init__(
        self,
        way: Way,
        nodes: Iterable[Node],
        view: View,
        dating: Dating | None = None,
        gather: Gather = Nothing,
    ) -> None:
        templates, nodes = Templates(view), tuple(nodes)
        self.planner = Planner(way, nodes, view, templates)
        self.hops = Hops(way, nodes, view, templates)
        self.ages = Ages(dating)
        self.servers = ApiServers()
        self.rooms = Rooms(nodes, way, view)
        self.sandboxes = Sandboxes(view.options.records)
        self.deadlines = set[tuple[str, datetime]]()
        """Those of pods that have not finished, each with the file of the pod."""
        self.gathering = gather(way, view, templates)
        self._repeats = Repeats(self.planner, self.hops, templates, self.gathering)

    def add(self, pods: Iterable[Pod]) -> None:
        """Decide pods one by one; of those that are not selected only the room that they take counts."""
        for pod, is_selected in every(pods):
            if not is_selected:
                self.rooms.add(pod)
                continue
            self.ages.add(pod)
            self.servers.see(pod)
            self.rooms.add(pod)
            self.sandboxes.add(pod)
            if pod.ends is not None and not ending(pod):
                self.deadlines.add((pod.file, pod.ends))
            self._repeats.add(pod)

    def sent(self, share: PodShare) -> Iterator[Any]:
        """Decide a share, and yield what another process needs of that."""
        self.add(share)
        sandboxes = self.sandboxes.shown, self.sandboxes.without
        rooms = self.rooms.sums, self.rooms.resizing, self.rooms.anew
        aside = self.ages.found, self.servers.found, rooms, self.deadlines, sandboxes
        yield self.planner.doubts, self.hops.found, aside, (share.seen, share.lines)
        yield from self.planner.rows()

    def merge(self, sent: Iterator[Any], lines: int) -> tuple[Any, int]:
        """Add what another process has sent; return what it saw of its share, and its lines.

        ``lines`` is by how many those of its containers are too low. Raises FailedError where a reason names
        a place in the file, which is not known then.
        """
        doubts, counted, (ages, servers, rooms, deadlines, sandboxes), seen = next(sent)
        self.planner.merge(map(_without_places, sent) if lines else sent, doubts, lines)
        self.hops.merge(counted)
        self.ages.merge(ages)
        self.servers.merge(servers)
        self.rooms.merge(*rooms)
        self.deadlines |= deadlines
        self.sandboxes.merge(*sandboxes)
        found: tuple[Any, int] = seen
        return found

    def amend(self, way: Way, pods: Sequence[Pod], views: tuple[View, View], nodes: Sequence[Node]) -> None:
        """Decide some pods again, whose uids they have: by the second view in place of the first.

        It gathers nothing. The order of the pods is that in which all were decided.
        """
        before, after = (PlanRun(way, nodes, view) for view in views)
        before.add(pods)
        after.add(pods)
        self.planner.amend(after.planner)
        self.hops.retract(before.hops.found)
        self.hops.merge(after.hops.found)


def decided(way: Way, inventory: Inventory, view: View, gather: Gather = Nothing) -> PlanRun:
    """Decide all pods, in several processes where these can share them; one process gathers."""
    pods = inventory.pods
    if gather is Nothing and isinstance(pods, SharedPods) and (shares := pods.shares()):
        with suppress(FailedError, InputError):  # what is wrong with them, one process says
            return _shared(way, inventory, view, pods, shares)
    run = PlanRun(way, inventory.nodes, view, inventory.dating, gather)
    run.add(pods)
    return run


def _shared(
    way: Way, inventory: Inventory, view: View, pods: SharedPods, shares: Sequence[PodShare]
) -> PlanRun:
    """Decide pods in as many processes as there are shares; raises FailedError where they do not fit."""
    run = PlanRun(way, inventory.nodes, view, inventory.dating)
    own, *others = shares
    with begun([partial(run.sent, share) for share in others]) as results:
        run.add(own)
        seen, lines = [own.seen], own.lines
        for sent in results():
            one, passed = run.merge(sent, lines)
            seen.append(one)
            lines += passed
    if not pods.are_right(seen):
        raise FailedError
    return run


def _without_places(rows: ItemTable) -> ItemTable:
    """Return rows that name no place; raises FailedError for others."""
    if any(reason.id == rules.NOT_DECODED for one in rows.predictions for reason in one.reasons):
        raise FailedError
    return rows
