"""Every result by its type: what can be shown of it, and it without its hashes.

A new one is a file of this package and a line here. Reports that leave the place where their values are have
no hashes (docs/security.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec import structs

from hashcompat.analysis.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.changes import without_hashes as hashless_edit
from hashcompat.analysis.answers.comparison import ReleaseDifference, ReleaseList, Versions
from hashcompat.analysis.answers.expectation import Where
from hashcompat.analysis.answers.explanation import Explanation, Explanations, Side
from hashcompat.analysis.answers.golden import Verifications
from hashcompat.analysis.answers.hashes import Hashed
from hashcompat.analysis.answers.matrix import Matrix
from hashcompat.analysis.answers.redaction import Snapshot
from hashcompat.analysis.gating import GateResult
from hashcompat.analysis.patching.strip import Audit
from hashcompat.core.model.cluster import Fleet
from hashcompat.core.model.impact import Impact
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.preflight import Normalization, NormalizationRun, Preflight
from hashcompat.core.model.results import KeptPages
from hashcompat.core.rules import RuleList
from hashcompat.output.report.changes import CHANGES, LANDING
from hashcompat.output.report.explanation import EXPLANATIONS
from hashcompat.output.report.fleet import FLEET
from hashcompat.output.report.gate import GATE
from hashcompat.output.report.impact import IMPACT
from hashcompat.output.report.matrix import MATRIX
from hashcompat.output.report.model import Report
from hashcompat.output.report.normalization import NORMALIZATION, RUN, Signed
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import Excerpt
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.output.report.releases import DIFFERENCE, RELEASES, ROLES, VERSION
from hashcompat.output.report.rules import RULES
from hashcompat.output.report.snapshot import SNAPSHOT
from hashcompat.output.report.verification import AUDIT, CALIBRATION, HASHES, VERIFICATIONS
from hashcompat.sources.cluster.own import Roles

REPORTS: Final[Mapping[type, Report[Any]]] = {
    Plan: PLAN,
    Excerpt: PLAN,
    Hashed: HASHES,
    Explanations: EXPLANATIONS,
    ReleaseDifference: DIFFERENCE,
    DocumentDifference: CHANGES,
    Matrix: MATRIX,
    Verifications: VERIFICATIONS,
    RecordCheck: CALIBRATION,
    Snapshot: SNAPSHOT,
    ReleaseList: RELEASES,
    RuleList: RULES,
    Versions: VERSION,
    Roles: ROLES,
    Audit: AUDIT,
    Preflight: PREFLIGHT,
    GateResult: GATE,
    Fleet: FLEET,
    Impact: IMPACT,
    KeptPages: LANDING,
    Normalization: NORMALIZATION,
    Signed: NORMALIZATION,
    NormalizationRun: RUN,
}
"""What can be shown of each result that has a document, by the result's type."""


# Results without their hashes.

Result = TypeVar("Result")


def without_hashes(result: Result) -> Result:
    """Return a plan, an explanation, a calibration or a difference without hashes; others as they are."""
    withhold = _WITHHELD.get(type(result))
    made: Any = result
    return result if withhold is None else structs.replace(made, items=tuple(map(withhold, made.items)))


def _item(item: Item) -> Item:
    return structs.replace(item, recorded=None, from_hash=None, to_hash=None)


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


def _checked(row: CheckedRecord) -> CheckedRecord:
    record = structs.replace(row.record, hash=None, without_resources=None)
    return structs.replace(row, record=record, computed=None)


_WITHHELD: Final[Mapping[type, Callable[[Any], Any]]] = {
    Plan: _item,
    Explanations: _explanation,
    RecordCheck: _checked,
    DocumentDifference: lambda change: structs.replace(change, edits=tuple(map(hashless_edit, change.edits))),
}
"""What withholds the hashes of each item of a result."""
