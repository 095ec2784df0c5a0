"""Which containers a name selects, and the explanation of each."""

from __future__ import annotations

import msgspec
from msgspec import structs

from hashcompat.answers.onecontainer import Explanation, explained
from hashcompat.answers.selection import Quoted, Reading, not_found, readings
from hashcompat.go import allowance as allowances
from hashcompat.model.plan import Way
from hashcompat.model.pods import Inventory
from hashcompat.planning import bound
from hashcompat.planning.judge import Draft
from hashcompat.planning.planner import Planner
from hashcompat.planning.view import View


class Explanations(msgspec.Struct, frozen=True):
    """The explanations of the containers that a name selects."""

    items: tuple[Explanation, ...]
    """One per container."""
    full: bool = False
    """Whether people get to see the texts whole."""
    warnings: tuple[str, ...] = ()
    """Which nodes report another release than the current one that is given."""


def explain(
    inventory: Inventory,
    target: str,
    way: Way,
    view: View,
    *,
    show_values: bool = False,
    in_namespace: bool = False,
) -> Explanations:
    """Explain the verdicts of the containers that ``NAMESPACE/POD[/CONTAINER]`` or ``KIND/NAME`` names.

    The verdicts are those of a plan of the same inventory. Texts and values are masked unless
    ``show_values``. With ``in_namespace`` a pod's name alone is enough. Where several objects have the name,
    all are explained. Raises UsageError for a malformed name and for unknown releases, InputError where
    nothing has that name, and where it does not decode.
    """
    asked = readings(target, in_namespace=in_namespace)
    view, _ = bound(way, inventory, view)
    planner = Planner(
        way, inventory.nodes, structs.replace(view, options=structs.replace(view.options, keep_going=True))
    )
    found: list[tuple[int, Draft]] = []
    allowance = allowances.explained()
    for pod in inventory.pods:
        is_target = any(reading.covers(pod) for reading in asked)
        # A record that is not reproduced makes the other containers of its node doubtful.
        if is_target or view.options.records:
            drafts = planner.drafted(pod)
            if is_target:
                found += drafts
                allowance.take(len(drafts))
    chosen = next(filter(None, ([row for row in found if _is_of(one, row[1])] for one in asked)), [])
    if not chosen:
        raise not_found(target, [draft.container.name for _, draft in found], inventory.pods)
    items = planner.settled()
    chosen.sort(key=lambda row: (not row[1].pod.node, row[1].pod.node))
    _, warnings = planner.disputes(items[place] for place, _ in chosen)
    return Explanations(
        tuple(explained(items[place], draft, way, view, show_values=show_values) for place, draft in chosen),
        warnings=warnings,
    )


def _is_of(reading: Reading | Quoted, draft: Draft) -> bool:
    return reading.covers(draft.pod) and reading.names(draft.pod, draft.container)
