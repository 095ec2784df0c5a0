"""Every result by its type: a new one is a file of this package and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.answers.calibration import RecordCheck
from hashcompat.answers.comparison import ReleaseDifference
from hashcompat.answers.explanation import Explanations
from hashcompat.answers.golden import Verifications
from hashcompat.answers.hashes import Hashed
from hashcompat.answers.matrix import Matrix
from hashcompat.answers.redaction import Snapshot
from hashcompat.answers.releases import ReleaseList, Versions
from hashcompat.gating.result import GateResult
from hashcompat.model.impact import Impact
from hashcompat.model.plan import Plan
from hashcompat.model.preflight import Preflight
from hashcompat.patching.audit import Audit
from hashcompat.report.difference import DIFFERENCE
from hashcompat.report.explanation import EXPLANATIONS
from hashcompat.report.gate import GATE
from hashcompat.report.hashes import HASHES
from hashcompat.report.impact import IMPACT
from hashcompat.report.matrix import MATRIX
from hashcompat.report.model import Report
from hashcompat.report.patch import AUDIT
from hashcompat.report.plan import PLAN
from hashcompat.report.planview import Excerpt
from hashcompat.report.preflight import PREFLIGHT
from hashcompat.report.releases import RELEASES, ROLES, VERSION
from hashcompat.report.rules import RULES
from hashcompat.report.snapshot import SNAPSHOT
from hashcompat.report.verification import CALIBRATION, VERIFICATIONS
from hashcompat.rules.pages import RuleList
from hashcompat.sources.cluster.roles import Roles

REPORTS: Final[Mapping[type, Report[Any]]] = {
    Plan: PLAN,
    Excerpt: PLAN,
    Hashed: HASHES,
    Explanations: EXPLANATIONS,
    ReleaseDifference: DIFFERENCE,
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
    Impact: IMPACT,
}
"""What can be shown of each result that has a document, by the result's type."""
