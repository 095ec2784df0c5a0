"""Every result by its type: a new one is a file of this package and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.analysis.answers.calibration import RecordCheck
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.comparison import ReleaseDifference, ReleaseList, Versions
from hashcompat.analysis.answers.explanation import Explanations
from hashcompat.analysis.answers.golden import Verifications
from hashcompat.analysis.answers.hashes import Hashed
from hashcompat.analysis.answers.matrix import Matrix
from hashcompat.analysis.answers.redaction import Snapshot
from hashcompat.analysis.gating import GateResult
from hashcompat.analysis.patching.strip import Audit
from hashcompat.core.model.cluster import Fleet
from hashcompat.core.model.impact import Impact
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.preflight import Normalization, Preflight, Run
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
    Run: RUN,
}
"""What can be shown of each result that has a document, by the result's type."""
