"""The product: pods and two releases -> a plan. ``make`` returns all that ``hashcompat plan`` prints.

For each container of each pod the question is what the target kubelet does when it finds it running. The
modules, in the order in which a pod passes them:

1. ``options``, ``patched``, ``view``: release data and options, bound once. A ``View`` answers what a kubelet
   sees of a container, and how it hashes that.
2. ``prepare``: a container and two kubelets become a ``Case``, with what each sees (``reading``), both
   hashes, the records and the node. ``served`` is for pods that are not created yet.
3. ``judge``: the case is decided by ``kubelet/decide``, and by nobody else. ``creators`` finds who may have
   created a container whose hash nobody recorded: with an older release's hash it restarts either way.
4. ``planner``: decisions become items, each with its ``reasons``, and ``cautions``, ``assumptions`` and a
   ``suggestion`` are gathered. ``items`` holds them until the last record of a node is known.
5. ``hops``: the same upgrade in single steps, and back. ``repeats`` does all of it once for pods that are
   alike (with ``kinds``, ``templates`` and ``rulings``), and ``decided`` in several processes where a file is
   large; neither changes any answer. ``cluster`` has what only all pods show. Those without room, a sandbox
   or time are decided again. Where API servers read pods otherwise than was assumed, all are.

``counting`` and ``pairs`` answer for the matrix, which counts the restarts of hundreds of upgrades at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from hashcompat.analysis.planning import cluster
from hashcompat.analysis.planning.cluster import Ages, Sandboxes
from hashcompat.analysis.planning.hops import Hops, HopTally
from hashcompat.analysis.planning.options import check_gates
from hashcompat.analysis.planning.patched import current, resolved, resolved_current
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.repeats import Gather, Nothing, Repeats
from hashcompat.analysis.planning.rooms import Rooms
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.errors import InputError
from hashcompat.core.forks import FailedError, begun
from hashcompat.core.kubelet.alike import Servers
from hashcompat.core.kubelet.decide.pod import ending
from hashcompat.core.model.cluster import ApiServers
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.pods import Inventory, Node, Pod, PodShare, SharedPods, Source, with_unselected
from hashcompat.core.model.uids import Dating

if TYPE_CHECKING:
    from hashcompat.analysis.planning.items import ItemTable


def make(
    inventory: Inventory,
    from_release: str,
    to_release: str,
    view: View,
    gather: Gather = Nothing,
) -> Plan:
    """Return the plan of an upgrade from one release to another, with its hops and the rollback.

    ``gather`` begins to gather the details, which a plan has only if they are asked for.

    ``from_release`` is a release or ``auto``: what each pod's node reports. Every pod is read once, and
    decided for the plan and for all hops together. Raises UsageError for unknown releases and for patches
    that cannot be made, and InputError, with file and path, for a container that does not decode.
    """
    way = Way(from_release, to_release)
    view, notes = bound(way, inventory, view)
    # Nodes are read before pods, and renew a time every few seconds: usually nothing in a pod is newer.
    view = structs.replace(view, taken=Ages(inventory.dating).times(inventory.origin))
    run = decided(way, inventory, view, gather)
    run.servers.merge(inventory.servers.releases)
    servers = cluster.servers_of(run.servers.releases, view)
    if actual := _under(servers, way, inventory, view):
        view = actual
        run = decided(way, inventory, view, gather)
    taken, unheld = run.ages.times(inventory.origin), run.rooms.unheld
    later = structs.replace(view, gone=run.sandboxes.gone, taken=taken, unheld=unheld)
    has_passed = any(
        view.has_passed(*deadline) is not later.has_passed(*deadline) for deadline in run.deadlines
    )
    if run.rooms.open or has_passed or later.gone or unheld:
        run = _among_all(run, way, inventory, (view, later), gather)
    plan = run.planner.plan(run.gathering.numbers(run.planner.settled))
    plan = structs.replace(
        plan,
        notes=notes,
        origin=run.ages.dated(inventory.origin),
        assumptions=(*plan.assumptions, *cluster.assumed(servers)),
        warnings=(
            *plan.warnings,
            *cluster.warned(servers, view.kubelet(way.new), plan.items),
            *run.ages.warnings(),
        ),
    )
    details = run.gathering.details()
    return structs.replace(plan, hops=run.hops.hops, rollback=run.hops.rollback, details=details)


def _among_all(
    run: PlanRun, way: Way, inventory: Inventory, views: tuple[View, View], gather: Gather
) -> PlanRun:
    """Return a run in which the pods are decided again that something concerns which all of them show.

    The second view has that, but for what nodes have no room for.
    """
    view, later = views
    rooms, nodes = run.rooms, run.rooms.open
    pods, unselected = list[Pod](), list[Pod]()
    for pod, is_selected in with_unselected(inventory.pods):
        if pod.node in nodes or (is_selected and (view.concerns(pod) or later.concerns(pod))):
            (pods if is_selected else unselected).append(pod)
    if nodes:
        own = _items(way, inventory, later, pods) if later.unheld else run.planner.settled()
        items = [*own, *_items(way, inventory, later, unselected)]
        later = _with_room(later, rooms, (*pods, *unselected), items)
    concerned = [pod for pod in pods if view.concerns(pod) or later.concerns(pod)]
    if concerned and (gather is not Nothing or not all(pod.uid for pod in concerned)):
        return decided(way, inventory, later, gather)
    run.amend(way, concerned, (view, later), inventory.nodes)
    return run


def _under(servers: Servers, way: Way, inventory: Inventory, view: View) -> View | None:
    olds = map(view.catalog.kubelet, current(way, inventory.nodes, view.catalog))
    return cluster.under(servers, tuple(olds), view.kubelet(way.new), view)


def among_all(inventory: Inventory, way: Way, view: View) -> View:
    """Return the view with what is found among all pods, as ``make`` finds it.

    That is the API servers, pods without room or a sandbox, and those past a deadline.
    """
    servers = ApiServers()
    ages, sandboxes = Ages(inventory.dating), Sandboxes(view.options.records)
    rooms = Rooms(inventory.nodes, way, view)
    for pod, is_selected in with_unselected(inventory.pods):
        rooms.add(pod)
        servers.see(pod)
        if is_selected:
            ages.add(pod)
            sandboxes.add(pod)
    servers.merge(inventory.servers.releases)
    view = _under(cluster.servers_of(servers.releases, view), way, inventory, view) or view
    taken = ages.times(inventory.origin)
    view = structs.replace(view, gone=sandboxes.gone, taken=taken, unheld=rooms.unheld)
    nodes = rooms.open
    if not nodes:
        return view
    pods = [pod for pod, _ in with_unselected(inventory.pods) if pod.node in nodes]
    return _with_room(view, rooms, pods, _items(way, inventory, view, pods))


def _with_room(view: View, rooms: Rooms, pods: Iterable[Pod], items: Iterable[Item]) -> View:
    """Return the view with the pods and the resizes that do not fit; the items are decided without that."""
    short, deferred = rooms.shortages(pods, tuple(items))
    return structs.replace(view, short=short, deferred=deferred)


def changed_by_room(
    way: Way, inventory: Inventory, view: View, rooms: Rooms, pods: Sequence[tuple[Pod, bool]]
) -> tuple[int, int]:
    """Return how many more findings there are, and how many more are not decided, where room counts.

    ``pods`` are all of the nodes that may lack some, each with whether it is selected.
    """
    later = structs.replace(view, unheld=rooms.unheld)
    all_pods = [pod for pod, _ in pods]
    later = _with_room(later, rooms, all_pods, _items(way, inventory, later, all_pods))
    before, after = HopTally(way, inventory.nodes, view), HopTally(way, inventory.nodes, later)
    for pod, is_selected in pods:
        if is_selected:
            before.add(pod)
            after.add(pod)
    was, now = before.hop, after.hop
    return now.findings - was.findings, now.unknown - was.unknown


def _items(way: Way, inventory: Inventory, view: View, pods: Iterable[Pod]) -> list[Item]:
    """Return what becomes of the containers of some pods, but for what room decides."""
    options = structs.replace(view.options, keep_going=True)
    planner = Planner(way, inventory.nodes, structs.replace(view, options=options))
    for pod in pods:
        planner.add(pod)
    return planner.settled()


def bound(way: Way, inventory: Inventory, view: View) -> tuple[View, tuple[str, ...]]:
    """Return the view with the patches that its options assume, resolved for one upgrade, and notes.

    Raises UsageError for feature gates and patches that are not possible.
    """
    view = structs.replace(view, sample=inventory.origin.kind is Source.SAMPLE)
    check_gates(view.options, (*current(way, inventory.nodes, view.catalog), way.new), view.catalog)
    if view.options.current_patch is not None:
        patch = resolved_current(view.options.current_patch, way, view.catalog)
        view = structs.replace(view, current_patch=patch)
    options = view.options
    if options.patch is None:
        return view, ()
    target, note = resolved(options.patch, way, inventory.nodes, view.catalog, options.gate_settings)
    return structs.replace(view, patch=target), (note,) if note else ()


# The pods of an inventory, decided by one process or by several.


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
        for pod, is_selected in with_unselected(pods):
            if not is_selected:
                self.rooms.add(pod)
                continue
            self.ages.add(pod)
            self.servers.see(pod)
            self.rooms.add(pod)
            self.sandboxes.add(pod)
            if pod.deadline is not None and not ending(pod):
                self.deadlines.add(pod.deadline)
            self._repeats.add(pod)

    def sent(self, share: PodShare) -> Iterator[Any]:
        """Decide a share, and yield what another process needs of that."""
        self.add(share)
        sandboxes = self.sandboxes.shown, self.sandboxes.missing
        rooms = self.rooms.sums, self.rooms.resizing, self.rooms.anew
        aside = self.ages.reaches, self.servers.releases, rooms, self.deadlines, sandboxes
        yield self.planner.doubts, self.hops.counts, aside, (share.seen, share.lines)
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
        result: tuple[Any, int] = seen
        return result

    def amend(self, way: Way, pods: Sequence[Pod], views: tuple[View, View], nodes: Sequence[Node]) -> None:
        """Decide some pods again, whose uids they have: by the second view in place of the first.

        It gathers nothing. The order of the pods is that in which all were decided.
        """
        before, after = (PlanRun(way, nodes, view) for view in views)
        before.add(pods)
        after.add(pods)
        self.planner.amend(after.planner)
        self.hops.retract(before.hops.counts)
        self.hops.merge(after.hops.counts)


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
            share_seen, passed = run.merge(sent, lines)
            seen.append(share_seen)
            lines += passed
    if not pods.are_right(seen):
        raise FailedError
    return run


def _without_places(rows: ItemTable) -> ItemTable:
    """Return rows that name no place; raises FailedError for others."""
    if any(
        reason.id == rules.NOT_DECODED for prediction in rows.predictions for reason in prediction.reasons
    ):
        raise FailedError
    return rows
