"""The releases on the way of a plan in pairs: how many containers an upgrade between two of them restarts."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from hashcompat.model.details import Details, Pair, Scope
from hashcompat.model.plan import Plan
from hashcompat.model.words import count
from hashcompat.planning.options import AUTO
from hashcompat.report.page import Cell, Heat

_LEVELS: Final = {Scope.ALL: 5, Scope.SOME: 2, Scope.NONE: 0}

_COUNTED: Final = (
    "Restarts and kills of these containers, from the release on the left to the one above. "
    "3+2?: 3, and 2 more are UNKNOWN. Framed: the steps of this plan."
)

_OF_TYPES: Final = (
    "Which unchanged containers restart, from the release on the left to the one above: all, some (those "
    "with certain fields) or none. How many these pods have was not counted. Framed: the steps of this plan."
)

_STEPS: Final = 4


def heat_of(plan: Plan) -> Heat | None:
    """Return the matrix; None where the plan has no details, or where there is one release alone."""
    details = plan.details
    if details is None or not details.pairs:
        return None
    pairs = {(pair.old, pair.new): pair for pair in details.pairs}
    columns = [release for release in details.releases if release != AUTO]
    steps = () if details.passed else pairwise(details.releases)
    planned = {(plan.from_release, plan.to_release), *steps}
    rows = [
        (old, [_cell(pairs.get((old, new)), plan, planned) for new in columns]) for old in details.releases
    ]
    is_counted = all(pair.findings is not None for pair in details.pairs)
    return Heat(columns, rows, _COUNTED if is_counted else _OF_TYPES, _after(details))


def _after(details: Details) -> str:
    return f"{count(details.passed, 'release')} between these are left out." if details.passed else ""


def _cell(pair: Pair | None, plan: Plan, planned: set[tuple[str, str]]) -> Cell | None:
    if pair is None:
        return None
    is_planned = (pair.old, pair.new) in planned
    if pair.findings is None:
        return Cell(pair.scope.value, _LEVELS[pair.scope], planned=is_planned)
    whole = plan.summary.compared
    text = f"{pair.findings}+{pair.unknown}?" if pair.unknown else str(pair.findings)
    level = 0 if not pair.findings else 1 + min(_STEPS * pair.findings // max(whole, 1), _STEPS)
    return Cell(text, level, bool(pair.unknown), is_planned)
