"""A plan: its rows, and what people see of it on a terminal.

The overview begins with the answer and where it was read; then come the groups, the reasons, and rows where
they are few. On a terminal it fits the width and about the height: the largest groups come first, and a
line counts those that are left out. Anywhere else nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from hashcompat.core.model.escape import count, owner_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.report.items import item_name, reason_words
from hashcompat.output.report.model import (
    Headline,
    Line,
    Prose,
    Ranking,
    Report,
    Screen,
    Section,
    Table,
    judged,
    later,
    verdict_cell,
)
from hashcompat.output.report.notes import answer, notes
from hashcompat.output.report.planview import (
    ROWS,
    Excerpt,
    excerpt_of,
    group_by_of,
    group_table,
    groups_in_order,
    items_in_order,
    overridden,
    provenance,
    reason_line,
    times_line,
)
from hashcompat.output.report.tally import ContainerGroup

_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "FROM", "TO", "REASON")
_MORE_COLUMNS: Final = (
    *("TYPE", "OWNER", "UID", "RELEASE", "FROM-HEX", "TO-HEX", "RULES", "RECORDED", "WORKLOAD"),
)
_SHORT_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "REASON")


def wide_rows(shown: Plan | Excerpt) -> Table:
    """Return the rows with all that an item shows."""
    rows = lambda: ([*_row_cells(item), *_more_cells(item)] for item in _items(shown))  # noqa: E731
    return Table((*_COLUMNS, *_MORE_COLUMNS), rows)


def item_names(shown: Plan | Excerpt) -> Iterator[str]:
    """Yield a name for each container that is killed or UNKNOWN, or for each one if all are asked for."""
    full = isinstance(shown, Excerpt) and shown.full
    return (item_name(item) for item in _items(shown) if full or item.verdict is not Verdict.KEEP)


def _items(shown: Plan | Excerpt) -> tuple[Item, ...]:
    excerpt = excerpt_of(shown)
    return items_in_order(excerpt.items, excerpt.sort_by)


def _names(item: Item) -> list[object]:
    return [item.pod.node, item.pod.namespace, item.pod.name, item.container.name, verdict_cell(item)]


def _row_cells(item: Item) -> list[object]:
    return [*_names(item), item.hashes.from_, item.hashes.to, Prose(reason_words(item))]


def _more_cells(item: Item) -> list[object]:
    hexes = [None if value is None else f"{value:x}" for value in (item.hashes.from_, item.hashes.to)]
    ids = ",".join(dict.fromkeys(reason.id for reason in item.reasons))
    whose = [item.container.type.value, item.pod.owner, item.pod.uid, item.from_release]
    return [*whose, *hexes, ids, item.hashes.recorded, item.pod.workload]


def _short_cells(shown: Excerpt, item: Item, *, numbers: bool) -> list[object]:
    """Return a row for people, without hashes; ``numbers`` puts those of the reasons for their words."""
    ids = {reason.id for reason in item.reasons}
    number = ",".join(str(kind.number) for kind in shown.tally.kinds if kind.id in ids)
    kept = item.verdict is Verdict.KEEP
    return [*_names(item), Prose(number if numbers and number and not kept else reason_words(item))]


_FEW: Final = 20
"""As many rows are shown below the groups where there is no screen."""
_LEAST: Final = 4
"""Groups that are shown on the smallest screen."""
_MOST_REASONS: Final = 4
"""Reasons that are shown on a screen, unless all are asked for."""
_HANGING: Final = 3
"""The columns before what goes on from the line above: those of a reason's number."""


def overview(result: Plan | Excerpt, screen: Screen) -> Iterator[Section]:
    """Yield the sections of a plan for a screen."""
    shown = excerpt_of(result)
    page = _Page(shown, screen)
    yield Section(page.lead, fits=True, hanging=_HANGING)
    yield from page.rows_alone() if shown.group_by == ROWS else page.grouped()


class _Page(msgspec.Struct, frozen=True):
    shown: Excerpt
    screen: Screen

    @property
    def whole(self) -> bool:
        """Whether everything is shown, whatever its size."""
        return self.screen.width is None or self.shown.full

    @property
    def lead(self) -> list[Line]:
        shown = self.shown
        return [answer(shown.summary, shown.tally), *provenance(shown, all_names=self.whole)]

    def rows_alone(self) -> Iterator[Section]:
        if self.shown.items:
            yield Section(self._rows(), fits=True)
        if self.screen.width is not None and self.shown.tally.kinds:
            reasons = [reason_line(kind) for kind in self.shown.tally.kinds]
            yield Section(reasons, fits=True, hanging=_HANGING)

    def grouped(self) -> Iterator[Section]:
        shown = self.shown
        groups, reasons = self._groups(), self._reasons()
        visible, is_tight = groups, False
        if not self._everything:
            # two lines are the table's header and the empty line before it
            is_tight = len(groups) > self._left(self._lines_of(reasons)) - 2
            room = self._left(len(reasons)) - 2
            if is_tight and len(groups) > room:
                visible = groups[: max(room - 1, _LEAST)]  # one row is for the number of others
        if visible:
            left, by = len(groups) - len(visible), group_by_of(shown)
            after = f"and {count(left, f'more {by}')}: --group-by {by} shows all" if left else ""
            yield Section(group_table(shown, visible, after=after), fits=True)
        if reasons:
            yield Section(reasons, fits=True, short=is_tight, hanging=_HANGING)
        if not shown.group_by and self._has_room_for_rows(groups, reasons):
            yield Section(self._rows(), fits=True)

    @property
    def _everything(self) -> bool:
        return self.whole or bool(self.shown.group_by) or self.screen.height is None

    def _groups(self) -> list[ContainerGroup]:
        """Return the groups to show, those where all is kept only if nothing is to be left out."""
        groups = groups_in_order(self.shown.tally.groups, self.shown.sort_by)
        if self._everything and not self.shown.only_restarts:
            return groups
        return [group for group in groups if group.concerned]

    def _reasons(self) -> list[Line]:
        kinds = self.shown.tally.kinds
        visible = kinds if self._everything else kinds[:_MOST_REASONS]
        lines: list[Line] = [reason_line(kind) for kind in visible]
        if rest := len(kinds) - len(visible):
            lines.append([f"and {count(rest, 'more reason')}: --group-by reason shows all"])
        return lines

    def _lines_of(self, lines: Sequence[Line]) -> int:
        """Return how many lines of the screen some lines take."""
        width = self.screen.width or 1
        return sum(-(-sum(len(str(piece)) for piece in line) // width) for line in lines)

    def _left(self, reasons: int) -> int:
        """Return the lines of the screen that the answer and so many lines of reasons leave."""
        gap = 1 if reasons else 0
        return (self.screen.height or 0) - self._lines_of(self.lead) - reasons - gap

    def _has_room_for_rows(self, groups: Sequence[ContainerGroup], reasons: Sequence[Line]) -> bool:
        rows = len(self.shown.items)
        if self.screen.height is None or self.whole:
            return 0 < rows <= _FEW
        table = len(groups) + 2 if groups else 0
        return 0 < rows <= self._left(self._lines_of(reasons)) - table - 2

    def _rows(self) -> Table:
        cells = partial(_short_cells, self.shown, numbers=self.screen.width is not None)
        return Table(_SHORT_COLUMNS, lambda: map(cells, _items(self.shown)))


def _ranking(shown: Plan | Excerpt) -> Ranking:
    groups = groups_in_order(excerpt_of(shown).tally.owners, None)
    return Ranking(
        "Top owners", [(owner_path(*group.key), group.concerned) for group in groups if group.concerned]
    )


def _headline(shown: Plan | Excerpt) -> Headline:
    excerpt = excerpt_of(shown)
    summary = excerpt.summary
    text = "".join(map(str, answer(summary, excerpt.tally)))
    return judged(text, findings=summary.findings, undecided=summary.unknown)


PLAN: Final[Report[Plan | Excerpt]] = Report(
    "RestartPlan",
    document=later("restartplan", "plan_document"),
    sealed=later("restartplan", "sealed_plan"),
    overview=overview,
    table=lambda shown: Table(_COLUMNS, lambda: map(_row_cells, _items(shown))),
    wide=wide_rows,
    sheet=later("restartplan", "sheet_of"),
    findings=later("restartplan", "findings_of"),
    names=item_names,
    page=later("planpage", "plan_page"),
    title="Restart plan",
    headline=_headline,
    ranking=_ranking,
    provenance=lambda shown: later("restartplan", "provenance_of")(excerpt_of(shown).plan),
    lead=lambda shown: [times_line(excerpt_of(shown).plan), *overridden(excerpt_of(shown).plan)],
    notes=notes,
    loosened=lambda shown: overridden(excerpt_of(shown).plan),
)
