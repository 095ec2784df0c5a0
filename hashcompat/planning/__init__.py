"""The product: pods and two releases -> a plan.

``make`` returns all that ``hashcompat plan`` prints. The stages, in order: ``options`` and ``view`` (release
data and options, bound once), ``prepare`` (what each kubelet sees and hashes), ``judge`` (what the target
kubelet does), ``planner`` (items, warnings and assumptions), ``hops`` (the same upgrade in steps, and back).
"""

from __future__ import annotations

from dataclasses import replace

from hashcompat.model.plan import Plan, Way
from hashcompat.model.pods import Inventory
from hashcompat.planning.gates import check_gates
from hashcompat.planning.hops import Hops
from hashcompat.planning.patched import current, resolved, resolved_current
from hashcompat.planning.planner import Planner
from hashcompat.planning.view import View


def make(inventory: Inventory, from_release: str, to_release: str, view: View) -> Plan:
    """Return the plan of an upgrade from one release to another, with its hops and the rollback.

    ``from_release`` is a release or ``auto``: what each pod's node reports. Every pod is read once, and
    decided for the plan and for all hops together. Raises UsageError for unknown releases and for patches
    that cannot be made, and InputError, with file and path, for a container that does not decode.
    """
    way = Way(from_release, to_release)
    view, notes = bound(way, inventory, view)
    planner = Planner(way, inventory.nodes, view)
    hops = Hops(way, inventory.nodes, view)
    for pod in inventory.pods:
        planner.add(pod)
        hops.add(pod)
    plan = replace(planner.plan(), notes=notes, origin=inventory.origin)
    return replace(plan, hops=hops.hops, rollback=hops.rollback)


def bound(way: Way, inventory: Inventory, view: View) -> tuple[View, tuple[str, ...]]:
    """Return the view with the patches that its options assume, resolved for one upgrade, and notes.

    Raises UsageError for feature gates and patches that are not possible.
    """
    check_gates(view.options, (*current(way, inventory.nodes, view.catalog), way.new), view.catalog)
    if view.options.current_patch is not None:
        patch = resolved_current(view.options.current_patch, way, view.catalog)
        view = replace(view, current_patch=patch)
    options = view.options
    if options.patch is None:
        return view, ()
    target, note = resolved(options.patch, way, inventory.nodes, view.catalog, options.gate_settings)
    return replace(view, patch=target), (note,) if note else ()
