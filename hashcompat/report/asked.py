"""A plan with what is asked of its report: which items, in which groups and order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

import msgspec

from hashcompat.model.items import Item
from hashcompat.model.plan import Plan, Summary
from hashcompat.model.verdicts import Verdict
from hashcompat.report.tally import GroupBy, Tally, owner_of, tallied


class SortBy(StrEnum):
    """What items and groups are sorted by."""

    RESTARTS = "restarts"
    NAME = "name"
    NODE = "node"
    NAMESPACE = "namespace"


ROWS: Final = "none"
"""The value of ``--group-by`` that stands for rows instead of groups."""


class Again(msgspec.Struct, frozen=True):
    """The command line that a plan was made by, for others that go on from there."""

    program: str = "hashcompat"
    pods: tuple[str, ...] = ()
    """The options of source and scope, as they were given."""

    facts: tuple[str, ...] = ()
    """The other options that take part in verdicts."""


class Excerpt(msgspec.Struct, frozen=True, dict=True):
    """A plan with some of its items shown, and how; its summary counts all."""

    plan: Plan
    items: tuple[Item, ...]
    group_by: str = ""
    """One of GroupBy, or ``none`` for rows; empty for what suits the size."""

    sort_by: SortBy | None = None
    only_restarts: bool = False
    every: bool = False
    """Whether all is shown, whatever its size."""

    brief: bool = False
    """Whether assumptions are only counted."""

    key: bytes = b""
    """What the document is signed with; empty for no signature."""

    now: datetime | None = None
    """The time at which files are so and so old; None to leave their age out."""

    again: Again | None = None
    """The command line; None to name no commands."""

    details: bool = True
    """Whether its document has the details of the plan, where it has some."""

    jobs: int = 1
    """How many processes may write its document."""

    def __repr__(self) -> str:
        """Show nothing of the key."""
        return f"Excerpt({len(self.items)} of {len(self.plan.items)} items)"

    @cached_property
    def tally(self) -> Tally:
        """The counts, made in one pass over all items."""
        return tallied(self.plan.items, GroupBy(self.group_by) if self._is_grouped else None)

    @cached_property
    def summary(self) -> Summary:
        """The plan's summary, counted once."""
        return self.plan.summary

    @property
    def _is_grouped(self) -> bool:
        return self.group_by not in ("", ROWS, GroupBy.OWNER)


def asked(shown: Plan | Excerpt) -> Excerpt:
    """Return an excerpt, of a plan alone that of all its items."""
    return shown if isinstance(shown, Excerpt) else Excerpt(shown, shown.items)


def without_kept(plan: Plan) -> Excerpt:
    """Leave the containers out that are kept."""
    items = tuple(item for item in plan.items if item.verdict is not Verdict.KEEP)
    return Excerpt(plan, items, only_restarts=True)


_SEVERITY: Final = {
    verdict: place
    for place, verdict in enumerate((Verdict.KILL, Verdict.RESTART, Verdict.UNKNOWN, Verdict.KEEP))
}

_KEYS: Final[Mapping[SortBy, Callable[[Item], Any]]] = {
    SortBy.RESTARTS: lambda item: _SEVERITY[item.verdict],
    SortBy.NAME: lambda item: (item.pod.name, item.pod.namespace),
    SortBy.NODE: lambda item: (not item.pod.node, item.pod.node),
    SortBy.NAMESPACE: lambda item: (item.pod.namespace, owner_of(item)),
}


def in_order(items: tuple[Item, ...], sort_by: SortBy | None) -> tuple[Item, ...]:
    """Return items in the order asked for; equal ones stay as they are: by node, namespace and pod."""
    return items if sort_by is None else tuple(sorted(items, key=_KEYS[sort_by]))
