"""How a plan is arranged for people: groups, their order, how much of it."""

from __future__ import annotations

from typing import ClassVar, Final

import click

from hashcompat.cli.args.declare import group, option
from hashcompat.errors import UsageError
from hashcompat.report.planview import ROWS, SORTED_BY, SortBy
from hashcompat.report.tally import GroupBy

_TABLE: Final = "table"


@group
class Arranged:
    """Which groups or rows are shown, and in which order."""

    HEADING: ClassVar = "Output"

    group_by: str | None = option(
        "--group-by",
        type=click.Choice([*(one.value for one in GroupBy), ROWS]),
        help="Show all groups of one kind; none: one row per container. Default: owners, as many as fit.",
    )
    sort_by: str | None = option(
        "--sort-by",
        type=click.Choice([one.value for one in SortBy]),
        help="Sort groups and rows; default: groups by restarts, rows by node.",
    )
    every: bool = option(
        "--all",
        is_flag=True,
        help="Show everything, including rows that do not fit and, with -o name, kept containers.",
    )

    def check(self, form: str) -> None:
        """Raise UsageError for groups in a format without any, and for an order of other groups."""
        if self.group_by and form != _TABLE:
            raise UsageError(f"--group-by goes with -o {_TABLE}, not with -o {form}")
        known = SORTED_BY[GroupBy(self.group_by or GroupBy.OWNER)] if self.group_by != ROWS else tuple(SortBy)
        if self.sort_by and SortBy(self.sort_by) not in known:
            names = ", ".join(known)
            raise UsageError(f"--sort-by {self.sort_by}: {self.group_by} groups are sorted by {names}")
