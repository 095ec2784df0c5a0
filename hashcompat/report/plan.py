"""A plan: the verdict of every container, and what goes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hashcompat.model.plan import Plan
from hashcompat.report.asked import Excerpt, asked, without_kept
from hashcompat.report.model import Report
from hashcompat.report.notes import notes
from hashcompat.report.overview import overview
from hashcompat.report.rows import names, table, wide
from hashcompat.report.whence import overridden, times_line

if TYPE_CHECKING:
    from hashcompat.report.findings import Findings
    from hashcompat.report.model import Document, Seals, Table
    from hashcompat.report.page import Page

__all__ = ["PLAN", "Excerpt", "without_kept"]


# What few runs show is imported when it is shown: these files are half of the package.


def _document(shown: Plan | Excerpt) -> Document:
    from hashcompat.report.restartplan import plan_document  # noqa: PLC0415

    return plan_document(shown)


def _sealed(shown: Plan | Excerpt) -> tuple[Document, Seals]:
    from hashcompat.report.restartplan import sealed_plan  # noqa: PLC0415

    return sealed_plan(shown)


def _sheet(shown: Plan | Excerpt) -> Table:
    from hashcompat.report.plancases import sheet_of  # noqa: PLC0415

    return sheet_of(asked(shown).items)


def _findings(shown: Plan | Excerpt) -> Findings:
    from hashcompat.report.plancases import findings_of  # noqa: PLC0415

    return findings_of(asked(shown).plan, asked(shown).items)


def _page(shown: Plan | Excerpt) -> Page:
    from hashcompat.report.planpage import plan_page  # noqa: PLC0415

    return plan_page(shown)


PLAN: Final[Report[Plan | Excerpt]] = Report(
    "RestartPlan",
    document=_document,
    sealed=_sealed,
    overview=overview,
    table=table,
    wide=wide,
    sheet=_sheet,
    findings=_findings,
    names=names,
    page=_page,
    lead=lambda shown: [times_line(asked(shown).plan), *overridden(asked(shown).plan)],
    notes=notes,
    loosened=lambda shown: overridden(asked(shown).plan),
)
