"""The groups of a plan and its numbered reasons, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import count
from hashcompat.report.asked import Excerpt, SortBy
from hashcompat.report.items import COLOURS
from hashcompat.report.model import Coloured, Line, Table
from hashcompat.report.reasons import Kind
from hashcompat.report.tally import Group, GroupBy

_WHOSE: Final[Mapping[GroupBy, Sequence[str]]] = {
    GroupBy.OWNER: ("NAMESPACE", "OWNER"),
    GroupBy.NODE: ("NODE",),
    GroupBy.NAMESPACE: ("NAMESPACE",),
    GroupBy.REASON: ("REASON", "RULE"),
}

_KEYS: Final[Mapping[SortBy, Callable[[Group], Any]]] = {
    SortBy.RESTARTS: lambda group: (-group.found, -group.unknown, -group.containers, group.key),
    SortBy.NAME: lambda group: (group.key[-1], group.key),
    SortBy.NODE: lambda group: (not group.first_node, group.first_node, group.key),
    SortBy.NAMESPACE: lambda group: group.key,
}

SORTED_BY: Final[Mapping[GroupBy, Sequence[SortBy]]] = {
    GroupBy.OWNER: tuple(SortBy),
    GroupBy.NODE: (SortBy.RESTARTS, SortBy.NAME, SortBy.NODE),
    GroupBy.NAMESPACE: (SortBy.RESTARTS, SortBy.NAME, SortBy.NAMESPACE),
    GroupBy.REASON: (SortBy.RESTARTS, SortBy.NAME),
}
"""What groups can be sorted by."""


def in_order(groups: Iterable[Group], sort_by: SortBy | None) -> list[Group]:
    """Return groups in the order asked for, by default those of the most restarts first."""
    return sorted(groups, key=_KEYS[sort_by or SortBy.RESTARTS])


def group_table(shown: Excerpt, groups: Sequence[Group], after: str = "") -> Table:
    """Return a row for each group; verdicts that no container of the plan has are left out.

    RUNNING counts what a percentage is of: the containers that a kubelet compares.
    """
    group_by = group_by_of(shown)
    verdicts = [one for one in _COUNTS if one is Verdict.RESTART or shown.summary.verdicts[one]]
    on = () if group_by is GroupBy.NODE else ("NODES",)
    why = () if group_by is GroupBy.REASON else ("REASONS",)
    columns = (*_WHOSE[group_by], *(one.value for one in verdicts), "RUNNING", *on, *why)
    numbers = {kind.id: kind.number for kind in shown.tally.kinds}

    def row(group: Group) -> list[object]:
        whose = [numbers[group.key[0]]] if group_by is GroupBy.REASON else []
        counts = [_counted(group, verdict) for verdict in verdicts]
        nodes = [group.nodes] if on else []
        reasons = [shown.tally.numbers(group.mask)] if why else []
        return [*whose, *group.key, *counts, group.compared, *nodes, *reasons]

    return Table(columns, lambda: map(row, groups), after=after)


def group_by_of(shown: Excerpt) -> GroupBy:
    """Return what is grouped by: owners, unless something else is asked for."""
    return GroupBy(shown.group_by) if shown.group_by in set(GroupBy) else GroupBy.OWNER


_COUNTS: Final[Mapping[Verdict, Callable[[Group], int]]] = {
    Verdict.RESTART: lambda group: group.restart,
    Verdict.KILL: lambda group: group.kill,
    Verdict.UNKNOWN: lambda group: group.unknown,
}


def _counted(group: Group, verdict: Verdict) -> object:
    number = _COUNTS[verdict](group)
    return Coloured(str(number), COLOURS[verdict]) if number else 0


def reason_line(kind: Kind) -> Line:
    """Return a reason by its number, with its rule and in words."""
    return [f"{kind.number}. {kind.id} ({count(kind.containers, 'container')}): {kind.text}"]
