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
   alike (with ``kinds``, ``templates`` and ``rulings``), and ``runs`` in several processes where a file is
   large; neither changes any answer. ``cluster`` has what only all pods show. Those without room, a sandbox
   or time are decided again. Where API servers read pods otherwise than was assumed, all are.

``counting`` and ``pairs`` answer for the matrix, which counts the restarts of hundreds of upgrades at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from hashcompat.analysis.planning import cluster
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.analysis.planning.hops import HopTally
from hashcompat.analysis.planning.options import check_gates
from hashcompat.analysis.planning.patched import current, resolved, resolved_current
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.repeats import Gather, Nothing
from hashcompat.analysis.planning.rooms import Rooms
from hashcompat.analysis.planning.runs import PlanRun, decided
from hashcompat.analysis.planning.view import View
from hashcompat.core.kubelet.alike import Servers
from hashcompat.core.model.cluster import ApiServers
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.pods import Inventory, Pod, Source, every


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
    run.servers.merge(inventory.servers.found)
    shown = cluster.seen(run.servers.found, view)
    if other := _under(shown, way, inventory, view):
        view = other
        run = decided(way, inventory, view, gather)
    taken, unheld = run.ages.times(inventory.origin), run.rooms.unheld
    later = structs.replace(view, gone=run.sandboxes.gone, taken=taken, unheld=unheld)
    has_passed = any(view.has_passed(*one) is not later.has_passed(*one) for one in run.deadlines)
    if run.rooms.open or has_passed or later.gone or unheld:
        run = _among_all(run, way, inventory, (view, later), gather)
    plan = run.planner.plan(run.gathering.numbers(run.planner.settled))
    plan = structs.replace(
        plan,
        notes=notes,
        origin=run.ages.dated(inventory.origin),
        assumptions=(*plan.assumptions, *cluster.assumed(shown)),
        warnings=(
            *plan.warnings,
            *cluster.warned(shown, view.kubelet(way.new), plan.items),
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
    pods, others = list[Pod](), list[Pod]()
    for pod, is_selected in every(inventory.pods):
        if pod.node in nodes or (is_selected and (view.concerns(pod) or later.concerns(pod))):
            (pods if is_selected else others).append(pod)
    if nodes:
        own = _items(way, inventory, later, pods) if later.unheld else run.planner.settled()
        items = [*own, *_items(way, inventory, later, others)]
        later = _with_room(later, rooms, (*pods, *others), items)
    some = [pod for pod in pods if view.concerns(pod) or later.concerns(pod)]
    if some and (gather is not Nothing or not all(pod.uid for pod in some)):
        return decided(way, inventory, later, gather)
    run.amend(way, some, (view, later), inventory.nodes)
    return run


def _under(shown: Servers, way: Way, inventory: Inventory, view: View) -> View | None:
    olds = map(view.catalog.kubelet, current(way, inventory.nodes, view.catalog))
    return cluster.under(shown, tuple(olds), view.kubelet(way.new), view)


def among_all(inventory: Inventory, way: Way, view: View) -> View:
    """Return the view with what is found among all pods, as ``make`` finds it.

    That is the API servers, pods without room or a sandbox, and those past a deadline.
    """
    servers = ApiServers()
    ages, sandboxes = Ages(inventory.dating), cluster.Sandboxes(view.options.records)
    rooms = Rooms(inventory.nodes, way, view)
    for pod, is_selected in every(inventory.pods):
        rooms.add(pod)
        servers.see(pod)
        if is_selected:
            ages.add(pod)
            sandboxes.add(pod)
    servers.merge(inventory.servers.found)
    view = _under(cluster.seen(servers.found, view), way, inventory, view) or view
    taken = ages.times(inventory.origin)
    view = structs.replace(view, gone=sandboxes.gone, taken=taken, unheld=rooms.unheld)
    nodes = rooms.open
    if not nodes:
        return view
    pods = [pod for pod, _ in every(inventory.pods) if pod.node in nodes]
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
    every = [pod for pod, _ in pods]
    later = _with_room(later, rooms, every, _items(way, inventory, later, every))
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
