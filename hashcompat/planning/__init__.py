"""The product: pods and two releases -> a plan.

``make`` returns all that ``hashcompat plan`` prints. The stages, in order: ``options`` and ``view`` (release
data and options, bound once), ``prepare`` (what each kubelet sees and hashes), ``judge`` (what the target
kubelet does), ``planner`` (items, warnings and assumptions), ``hops`` (the same upgrade in steps, and back),
``runs`` (all of it, by one process or several).
"""

from __future__ import annotations

from msgspec import structs

from hashcompat.model.plan import Plan, Way
from hashcompat.model.pods import Inventory, Source
from hashcompat.planning.gates import check_gates
from hashcompat.planning.gathering import Gather, Nothing
from hashcompat.planning.patched import current, resolved, resolved_current
from hashcompat.planning.runs import decided
from hashcompat.planning.view import View


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
    run = decided(way, inventory, view, gather)
    plan = run.planner.plan(run.gathering.numbers(run.planner.settled))
    plan = structs.replace(
        plan,
        notes=notes,
        origin=run.ages.dated(inventory.origin),
        warnings=(*plan.warnings, *run.ages.warnings()),
    )
    details = run.gathering.details()
    return structs.replace(plan, hops=run.hops.hops, rollback=run.hops.rollback, details=details)


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
