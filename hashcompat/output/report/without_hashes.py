"""A result without its hashes, for reports that leave the place where its values are (docs/security.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec import structs

from hashcompat.analysis.answers.calibration import RecordCheck
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.changes import without_hashes as hashless_edit
from hashcompat.analysis.answers.expectation import Where
from hashcompat.analysis.answers.explanation import Explanation, Explanations, Side
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan

Result = TypeVar("Result")


def without_hashes(result: Result) -> Result:
    """Return a plan, an explanation, a calibration or a difference without hashes; others as they are."""
    withhold = _WITHHELD.get(type(result))
    return result if withhold is None else withhold(result)


def _plan(plan: Plan) -> Plan:
    return structs.replace(plan, items=tuple(map(_item, plan.items)))


def _item(item: Item) -> Item:
    return structs.replace(item, recorded=None, from_hash=None, to_hash=None)


def _explanations(explanations: Explanations) -> Explanations:
    return structs.replace(explanations, items=tuple(map(_explanation, explanations.items)))


def _explanation(explanation: Explanation) -> Explanation:
    """Withhold too what has the hashes in it of what will be seen, and the UIDs of static pods."""
    hashes = explanation.item.hashes
    printed = [str(text) for text in (hashes.recorded, hashes.from_, hashes.to) if text is not None]
    return structs.replace(
        explanation,
        item=_item(explanation.item),
        old=_side(explanation.old),
        new=_side(explanation.new),
        log_line="" if any(text in explanation.log_line for text in printed) else explanation.log_line,
        expect=tuple(
            seen
            for seen in explanation.expect
            if seen.where is not Where.UID and not any(text in seen.text for text in printed)
        ),
    )


def _side(side: Side | None) -> Side | None:
    return side and structs.replace(side, hash=None)


def _calibration(check: RecordCheck) -> RecordCheck:
    return structs.replace(
        check,
        items=tuple(
            (
                structs.replace(
                    row, record=structs.replace(row.record, hash=None, without_resources=None), computed=None
                )
            )
            for row in check.items
        ),
    )


def _changes(difference: DocumentDifference) -> DocumentDifference:
    items = (structs.replace(item, edits=tuple(map(hashless_edit, item.edits))) for item in difference.items)
    return structs.replace(difference, items=tuple(items))


_WITHHELD: Final[Mapping[type, Callable[[Any], Any]]] = {
    Plan: _plan,
    Explanations: _explanations,
    RecordCheck: _calibration,
    DocumentDifference: _changes,
}
