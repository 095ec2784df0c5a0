"""A plan for people: the answer, where it comes from, the groups, the reasons, and rows where they are few.

On a terminal it fits the width and about the height: the largest groups come first, and a line counts those
that are left out. Anywhere else nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hashcompat.model.plan import Plan
from hashcompat.model.words import count
from hashcompat.report.answer import answer
from hashcompat.report.asked import ROWS, Excerpt, asked
from hashcompat.report.groups import group_by_of, group_table, in_order, reason_line
from hashcompat.report.model import Line, Screen, Section, Table
from hashcompat.report.rows import short
from hashcompat.report.tally import Group, GroupBy
from hashcompat.report.whence import whence

_FEW: Final = 20
"""As many rows are shown below the groups where there is no screen."""

_LEAST: Final = 4
"""Groups that are shown on the smallest screen."""

_MOST_REASONS: Final = 4
"""Reasons that are shown on a screen, unless all are asked for."""

_HANGING: Final = 3
"""The columns before what goes on from the line above: those of a reason's number."""

_NOUNS: Final = {
    GroupBy.OWNER: "owner",
    GroupBy.NODE: "node",
    GroupBy.NAMESPACE: "namespace",
    GroupBy.REASON: "reason",
}


def overview(result: Plan | Excerpt, screen: Screen) -> Iterator[Section]:
    """Yield the sections of a plan for a screen."""
    shown = asked(result)
    page = _Page(shown, screen)
    yield Section(page.lead, fits=True, hanging=_HANGING)
    yield from page.rows_alone() if shown.group_by == ROWS else page.grouped()


class _Page(msgspec.Struct, frozen=True):
    shown: Excerpt
    screen: Screen

    @property
    def whole(self) -> bool:
        """Whether everything is shown, whatever its size."""
        return self.screen.width is None or self.shown.every

    @property
    def lead(self) -> list[Line]:
        shown = self.shown
        return [answer(shown.summary, shown.tally), *whence(shown, all_names=self.whole)]

    def rows_alone(self) -> Iterator[Section]:
        if self.shown.items:
            yield Section(self._rows(), fits=True)
        if self.screen.width is not None and self.shown.tally.kinds:
            reasons = [reason_line(kind) for kind in self.shown.tally.kinds]
            yield Section(reasons, fits=True, hanging=_HANGING)

    def grouped(self) -> Iterator[Section]:
        shown = self.shown
        groups, reasons = self._groups(), self._reasons()
        some, is_tight = groups, False
        if not self._everything:
            is_tight = len(groups) > self._left(self._lines_of(reasons)) - 2
            some = self._first(groups, self._left(len(reasons)) - 2) if is_tight else groups
        if some:
            table = group_table(shown, some, after=_left_out(shown, len(groups) - len(some)))
            yield Section(table, fits=True)
        if reasons:
            yield Section(reasons, fits=True, short=is_tight, hanging=_HANGING)
        if not shown.group_by and self._has_room_for_rows(groups, reasons):
            yield Section(self._rows(), fits=True)

    @property
    def _everything(self) -> bool:
        return self.whole or bool(self.shown.group_by) or self.screen.height is None

    def _groups(self) -> list[Group]:
        """Return the groups to show, those where all is kept only if nothing is to be left out."""
        groups = in_order(self.shown.tally.groups, self.shown.sort_by)
        if self._everything and not self.shown.only_restarts:
            return groups
        return [group for group in groups if group.concerned]

    def _reasons(self) -> list[Line]:
        kinds = self.shown.tally.kinds
        some = kinds if self._everything else kinds[:_MOST_REASONS]
        lines: list[Line] = [reason_line(kind) for kind in some]
        if rest := len(kinds) - len(some):
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

    def _first(self, groups: list[Group], rows: int) -> list[Group]:
        """Return the groups that fit; if not all do, one row is for the number of others."""
        return groups if len(groups) <= rows else groups[: max(rows - 1, _LEAST)]

    def _has_room_for_rows(self, groups: Sequence[Group], reasons: Sequence[Line]) -> bool:
        rows = len(self.shown.items)
        if self.screen.height is None or self.whole:
            return 0 < rows <= _FEW
        table = len(groups) + 2 if groups else 0
        return 0 < rows <= self._left(self._lines_of(reasons)) - table - 2

    def _rows(self) -> Table:
        return short(self.shown, numbers=self.screen.width is not None)


def _left_out(shown: Excerpt, number: int) -> str:
    if not number:
        return ""
    group_by = group_by_of(shown)
    return f"and {count(number, f'more {_NOUNS[group_by]}')}: --group-by {group_by} shows all"
