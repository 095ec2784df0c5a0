"""The product: pods and two releases -> a plan.

``make`` returns all that ``hashcompat plan`` prints. The stages, in order: ``options`` and ``view`` (release
data and options, bound once), ``prepare`` (what each kubelet sees and hashes), ``judge`` (what the target
kubelet does), ``planner`` (items, warnings and assumptions), ``hops`` (the same upgrade in steps, and back),
``runs`` (all of it, by one process or several).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from hashcompat.model.items import Item
from hashcompat.model.plan import Plan, Way
from hashcompat.model.pods import Inventory, Pod, Source
from hashcompat.planning.gates import check_gates
from hashcompat.planning.judge import Draft
from hashcompat.planning.patched import current, resolved, resolved_current
from hashcompat.planning.runs import Run, decided
from hashcompat.planning.view import View

if TYPE_CHECKING:
    from hashcompat.model.details import Details


class Gathering(Protocol):
    """Gathers the details of a plan while its pods pass."""

    def add(self, pod: Pod, drafts: Sequence[Draft]) -> None:
        """Take one more pod, with a draft of each of its containers."""

    def numbers(self, items: Sequence[Item]) -> Sequence[int]:
        """Return the number of each item's difference; the items are in the order of the drafts."""

    def details(self) -> Details:
        """Return the details, once the numbers are known."""


def make(
    inventory: Inventory,
    from_release: str,
    to_release: str,
    view: View,
    gather: Callable[[Way, View], Gathering] | None = None,
) -> Plan:
    """Return the plan of an upgrade from one release to another, with its hops and the rollback.

    ``gather`` begins to gather the details, which a plan has only if there is one.

    ``from_release`` is a release or ``auto``: what each pod's node reports. Every pod is read once, and
    decided for the plan and for all hops together. Raises UsageError for unknown releases and for patches
    that cannot be made, and InputError, with file and path, for a container that does not decode.
    """
    way = Way(from_release, to_release)
    view, notes = bound(way, inventory, view)
    gathering = gather(way, view) if gather else None
    if gathering:
        run = Run(way, inventory.nodes, view, inventory.dating)
        for pod in inventory.pods:
            run.ages.add(pod)
            gathering.add(pod, [draft for _, draft in run.planner.drafted(pod)])
            run.hops.add(pod)
    else:
        run = decided(way, inventory, view)
    numbers = gathering.numbers(run.planner.settled()) if gathering else ()
    plan = run.planner.plan(numbers)
    plan = structs.replace(
        plan,
        notes=notes,
        origin=run.ages.dated(inventory.origin),
        warnings=(*plan.warnings, *run.ages.warnings()),
    )
    details = gathering.details() if gathering else None
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
