"""What of a plan is shown: which items, in which groups and order, and where they were read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hashcompat.analysis.planning.judge import reports
from hashcompat.core.catalog.releases import goes_back
from hashcompat.core.model.escape import count
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Plan, Summary
from hashcompat.core.model.pods import Origin, Source
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.report.items import COLOURS, SEVERITY
from hashcompat.output.report.model import Coloured, Line, Table, time_text
from hashcompat.output.report.tally import ContainerGroup, GroupBy, RuleTally, Tally, owner_of, tallied

if TYPE_CHECKING:
    from hashcompat.core.model.impact import Impact


class SortBy(StrEnum):
    """What items and groups are sorted by."""

    RESTARTS = "restarts"
    NAME = "name"
    NODE = "node"
    NAMESPACE = "namespace"


ROWS: Final = "none"
"""The value of ``--group-by`` that stands for rows instead of groups."""


class Invocation(msgspec.Struct, frozen=True):
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
    full: bool = False
    """Whether all is shown, whatever its size."""
    brief: bool = False
    """Whether assumptions are only counted."""
    key: bytes = b""
    """What the document is signed with; empty for no signature."""
    now: datetime | None = None
    """The time at which files are so and so old; None to leave their age out."""
    invocation: Invocation | None = None
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
        return tallied(
            self.plan.items,
            GroupBy(self.group_by) if (self.group_by not in ("", ROWS, GroupBy.OWNER)) else None,
        )

    @cached_property
    def summary(self) -> Summary:
        """The plan's summary, counted once."""
        return self.plan.summary


def excerpt_of(shown: Plan | Excerpt) -> Excerpt:
    """Return an excerpt, of a plan alone that of all its items, as old as they were when it was made."""
    return shown if isinstance(shown, Excerpt) else Excerpt(shown, shown.items, now=shown.making.at)


def without_kept(plan: Plan) -> Excerpt:
    """Leave the containers out that are kept."""
    items = tuple(item for item in plan.items if item.verdict is not Verdict.KEEP)
    return Excerpt(plan, items, only_restarts=True, now=plan.making.at)


_KEYS: Final[Mapping[SortBy, Callable[[Item], Any]]] = {
    SortBy.RESTARTS: lambda item: SEVERITY[item.verdict],
    SortBy.NAME: lambda item: (item.pod.name, item.pod.namespace),
    SortBy.NODE: lambda item: (not item.pod.node, item.pod.node),
    SortBy.NAMESPACE: lambda item: (item.pod.namespace, owner_of(item)),
}


def items_in_order(items: tuple[Item, ...], sort_by: SortBy | None) -> tuple[Item, ...]:
    """Return items in the order asked for; equal ones stay as they are: by node, namespace and pod."""
    return items if sort_by is None else tuple(sorted(items, key=_KEYS[sort_by]))


_WHOSE: Final[Mapping[GroupBy, Sequence[str]]] = {
    GroupBy.OWNER: ("NAMESPACE", "OWNER"),
    GroupBy.NODE: ("NODE",),
    GroupBy.NAMESPACE: ("NAMESPACE",),
    GroupBy.REASON: ("REASON", "RULE"),
}
_GROUP_KEYS: Final[Mapping[SortBy, Callable[[ContainerGroup], Any]]] = {
    SortBy.RESTARTS: lambda group: (-group.findings, -group.unknown, -group.containers, group.key),
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


def groups_in_order(groups: Iterable[ContainerGroup], sort_by: SortBy | None) -> list[ContainerGroup]:
    """Return groups in the order asked for, by default those of the most restarts first."""
    return sorted(groups, key=_GROUP_KEYS[sort_by or SortBy.RESTARTS])


def group_table(shown: Excerpt, groups: Sequence[ContainerGroup], after: str = "") -> Table:
    """Return a row for each group; verdicts that no container of the plan has are left out.

    RUNNING counts what a percentage is of: the containers that a kubelet compares.
    """
    group_by = group_by_of(shown)
    verdicts = [
        verdict for verdict in _COUNTS if verdict is Verdict.RESTART or shown.summary.verdicts[verdict]
    ]
    on = () if group_by is GroupBy.NODE else ("NODES",)
    why = () if group_by is GroupBy.REASON else ("REASONS",)
    columns = (*_WHOSE[group_by], *(verdict.value for verdict in verdicts), "RUNNING", *on, *why)
    numbers = {kind.id: kind.number for kind in shown.tally.kinds}

    def row(group: ContainerGroup) -> list[object]:
        whose = [numbers[group.key[0]]] if group_by is GroupBy.REASON else []
        counts = [_counted(group, verdict) for verdict in verdicts]
        nodes = [group.nodes] if on else []
        reasons = [shown.tally.numbers(group.mask)] if why else []
        return [*whose, *group.key, *counts, group.compared, *nodes, *reasons]

    return Table(columns, lambda: map(row, groups), after=after)


def group_by_of(shown: Excerpt) -> GroupBy:
    """Return what is grouped by: owners, unless something else is asked for."""
    return GroupBy(shown.group_by) if shown.group_by in set(GroupBy) else GroupBy.OWNER


_COUNTS: Final[Mapping[Verdict, Callable[[ContainerGroup], int]]] = {
    Verdict.RESTART: lambda group: group.restart,
    Verdict.KILL: lambda group: group.kill,
    Verdict.UNKNOWN: lambda group: group.unknown,
}


def _counted(group: ContainerGroup, verdict: Verdict) -> object:
    number = _COUNTS[verdict](group)
    return Coloured(str(number), COLOURS[verdict]) if number else 0


def reason_line(kind: RuleTally) -> Line:
    """Return a reason by its number, with its rule and in words."""
    return [f"{kind.number}. {kind.id} ({count(kind.containers, 'container')}): {kind.text}"]


_NAMED: Final = 3
"""Files and releases that are named on a terminal."""
_AGES: Final = (
    (timedelta(days=2), timedelta(days=1), "day"),
    (timedelta(hours=2), timedelta(hours=1), "hour"),
    (timedelta(minutes=2), timedelta(minutes=1), "minute"),
)
"""From which age on it is counted in which unit."""


def provenance(shown: Excerpt, *, all_names: bool) -> list[Line]:
    """Return where the pods were read, the releases that run and are the target, and what was overridden."""
    plan, tally = shown.plan, shown.tally
    pods = count(shown.summary.pods, "pod") + (f" on {count(tally.nodes, 'node')}" if tally.nodes else "")
    place = _place(plan.origin, shown.now, all_names=all_names)
    releases = _releases(plan, tally, all_names=all_names)
    return [
        [f"Read from {place}: {pods}"],
        [f"Kubelet {releases} -> {plan.to_release}{downgrade(plan, tally)}"],
        *([line] for line in overridden(plan)),
    ]


def _place(origin: Origin, now: datetime | None, *, all_names: bool) -> str:
    """Return where something was read; when it was taken, if that is known, and how old it is."""
    names = _few(origin.names, full=all_names)
    match origin.kind:
        case Source.SAMPLE:
            return "the built-in sample"
        case Source.OBJECTS:
            place = ["objects in memory"]
        case Source.CLUSTER:
            context = [f"context {origin.context}"] if origin.context else []
            place = [*context, origin.server or "the live cluster", *names]
        case Source.SNAPSHOT:
            place = ["a snapshot", *names]
        case _:
            place = names
    if origin.taken is not None:
        oldest = "the oldest " if len(origin.names) > 1 else ""
        place += [f"{oldest}taken {time_text(origin.taken)}", *filter(None, [_age(origin.taken, now)])]
    return ", ".join(place)


def _few(names: Sequence[str], *, full: bool) -> list[str]:
    """Return the first names, and how many more there are; all where ``full`` is set."""
    shown = list(names) if full else list(names[:_NAMED])
    return [*shown, *([f"{len(names) - len(shown)} more"] if len(shown) < len(names) else [])]


def _age(time: datetime, now: datetime | None) -> str:
    """Return how old something is, in whole units; empty if unknown, or if its time has not come."""
    if now is None or time > now:
        return ""
    for limit, unit, noun in _AGES:
        if now - time >= limit:
            return f"{count((now - time) // unit, noun)} old"
    return "new"


def _releases(plan: Plan, tally: Tally, *, all_names: bool) -> str:
    """Return the releases that run, that of the most nodes first; of pods without a node only if all are."""
    # pods without a node count under no release, unless there is nothing else
    releases = [pair for pair in tally.releases.items() if pair[1]] or list(tally.releases.items())
    releases.sort(key=lambda pair: (-pair[1], not pair[0], pair[0]))
    texts = [
        (name or "unknown") + (f" ({count(nodes, 'node')})" if nodes else "") for name, nodes in releases
    ]
    return ", ".join(_few(texts, full=all_names)) or (
        "unknown releases" if plan.from_release == AUTO else plan.from_release
    )


def downgrade(plan: Plan, tally: Tally) -> str:
    """Say that the target is older than what runs now, on all nodes or on some; empty where it is not."""
    running = {name: nodes for name, nodes in tally.releases.items() if name} or {plan.from_release: 0}
    back = {name: nodes for name, nodes in running.items() if goes_back(name, plan.to_release)}
    if not back:
        return ""
    return " (a downgrade)" if back == running else f" (a downgrade of {count(sum(back.values()), 'node')})"


def overridden(plan: Plan | Impact) -> list[str]:
    """Say which nodes report another release than the one that the plan is to start from."""
    if not plan.overridden:
        return []
    return [f"{reports(plan.disputed, plan.from_release)}; planned against them, by --override-node-releases"]


def times_line(plan: Plan) -> str:
    """Say when what a plan was made of was taken, and when it was made."""
    taken = time_text(plan.origin.taken) or "at an unknown time"
    made = time_text(plan.created) or "at an unknown time"
    return f"Input taken {taken}; plan made {made}"


def times_of(plan: Plan) -> Mapping[str, datetime | None]:
    """Return the two times for programs."""
    return {"input_taken": plan.origin.taken, "plan_created": plan.created}
