"""A result without its hashes, for reports that leave the place where its values are (docs/security.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from hashcompat.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.answers.explanation import Explanation, Explanations, Side
from hashcompat.model.plan import Hashes, Item, Plan

Result = TypeVar("Result")

_NONE: Final = Hashes()


def without_hashes(result: Result) -> Result:
    """Return a plan, an explanation or a calibration without its hashes, and any other result as it is."""
    withhold = _WITHHELD.get(type(result))
    return result if withhold is None else withhold(result)


def _plan(plan: Plan) -> Plan:
    return replace(plan, items=tuple(map(_item, plan.items)))


def _item(item: Item) -> Item:
    return replace(item, hashes=_NONE)


def _explanations(explanations: Explanations) -> Explanations:
    return Explanations(tuple(map(_explanation, explanations.items)))


def _explanation(explanation: Explanation) -> Explanation:
    """Withhold the line of the log too, where it has the hashes in it."""
    hashes = explanation.item.hashes
    printed = [str(one) for one in (hashes.recorded, hashes.from_, hashes.to) if one is not None]
    return replace(
        explanation,
        item=_item(explanation.item),
        old=_side(explanation.old),
        new=_side(explanation.new),
        log_line="" if any(one in explanation.log_line for one in printed) else explanation.log_line,
    )


def _side(side: Side | None) -> Side | None:
    return side and replace(side, hash=None)


def _calibration(check: RecordCheck) -> RecordCheck:
    return replace(check, rows=tuple(map(_row, check.rows)))


def _row(row: CheckedRecord) -> CheckedRecord:
    return replace(row, record=replace(row.record, hash=None, without_resources=None), computed=None)


_WITHHELD: Final[Mapping[type, Callable[[Any], Any]]] = {
    Plan: _plan,
    Explanations: _explanations,
    RecordCheck: _calibration,
}
