"""Where a plan comes from: the cluster or the files, when they were taken, how many pods, which releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from hashcompat.model.plan import Plan
from hashcompat.model.pods import Origin, Source
from hashcompat.model.words import count
from hashcompat.planning.judge import reports
from hashcompat.report.asked import Excerpt
from hashcompat.report.model import Document, Line, time_text
from hashcompat.report.tally import Tally

if TYPE_CHECKING:
    from hashcompat.model.impact import Impact

_NAMED: Final = 3
"""Files that are named on a terminal."""

_AGES: Final = (
    (timedelta(days=2), timedelta(days=1), "day"),
    (timedelta(hours=2), timedelta(hours=1), "hour"),
    (timedelta(minutes=2), timedelta(minutes=1), "minute"),
)
"""From which age on it is counted in which unit."""


def whence(shown: Excerpt, *, all_names: bool) -> list[Line]:
    """Return where the pods were read, the releases that run and are the target, and what was overridden."""
    plan, tally = shown.plan, shown.tally
    pods = count(shown.summary.pods, "pod") + (f" on {count(tally.nodes, 'node')}" if tally.nodes else "")
    return [
        [f"Read from {_place(plan.origin, shown.now, all_names=all_names)}: {pods}"],
        [f"Kubelet {_releases(plan, tally, all_names=all_names)} -> {plan.to_release}"],
        *([line] for line in overridden(plan)),
    ]


def _place(origin: Origin, now: datetime | None, *, all_names: bool) -> str:
    match origin.kind:
        case Source.SAMPLE:
            return "the built-in sample"
        case Source.OBJECTS:
            place = ["objects in memory"]
        case Source.CLUSTER:
            place = [*_cluster(origin), *_files(origin, all_names=all_names)]
        case Source.SNAPSHOT:
            place = ["a snapshot", *_files(origin, all_names=all_names)]
        case _:
            place = [*_files(origin, all_names=all_names)]
    return ", ".join([*place, *_taken(origin, now)])


def _cluster(origin: Origin) -> Iterator[str]:
    if origin.context:
        yield f"context {origin.context}"
    yield origin.server or "the live cluster"


def _files(origin: Origin, *, all_names: bool) -> Iterator[str]:
    names = origin.names
    some = names if all_names else names[:_NAMED]
    yield from some
    if len(some) < len(names):
        yield f"{len(names) - len(some)} more"


def _taken(origin: Origin, now: datetime | None) -> Iterator[str]:
    """Yield when it was taken, if that is known, and how old it is."""
    if origin.taken is not None:
        yield f"{'the oldest ' if len(origin.names) > 1 else ''}taken {time_text(origin.taken)}"
        yield from filter(None, [_age(origin.taken, now)])


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
    known = [pair for pair in tally.releases.items() if pair[1]] or list(tally.releases.items())
    known.sort(key=lambda pair: (-pair[1], not pair[0], pair[0]))
    some = known if all_names else known[:_NAMED]
    texts = [(name or "unknown") + (f" ({count(nodes, 'node')})" if nodes else "") for name, nodes in some]
    more = [f"{len(known) - len(some)} more"] if len(some) < len(known) else []
    return ", ".join([*texts, *more]) or plan.from_release


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


def source_document(origin: Origin) -> Document:
    """Return where the pods of a plan come from, as an object of its document."""
    return {
        "kind": origin.kind.value,
        "names": list(origin.names),
        "context": origin.context,
        "server": origin.server,
        "clusterUID": origin.cluster,
        "oldest": time_text(origin.oldest),
        "takenAt": time_text(origin.taken),
    }
