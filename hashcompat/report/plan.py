"""A plan: the verdict of every container, and what goes with it."""

from __future__ import annotations

from typing import Final

from hashcompat.model.plan import Plan
from hashcompat.report.asked import Excerpt, asked, without_kept
from hashcompat.report.model import Report
from hashcompat.report.notes import notes
from hashcompat.report.overview import overview
from hashcompat.report.plancases import findings_of, sheet_of
from hashcompat.report.planpage import plan_page
from hashcompat.report.restartplan import plan_document, sealed_plan
from hashcompat.report.rows import names, table, wide
from hashcompat.report.whence import overridden, times_line

__all__ = ["PLAN", "Excerpt", "without_kept"]

PLAN: Final[Report[Plan | Excerpt]] = Report(
    "RestartPlan",
    document=plan_document,
    sealed=sealed_plan,
    overview=overview,
    table=table,
    wide=wide,
    sheet=lambda shown: sheet_of(asked(shown).items),
    findings=lambda shown: findings_of(asked(shown).plan, asked(shown).items),
    names=names,
    page=plan_page,
    lead=lambda shown: [times_line(asked(shown).plan), *overridden(asked(shown).plan)],
    notes=notes,
    loosened=lambda shown: overridden(asked(shown).plan),
)
