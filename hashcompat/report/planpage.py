"""A plan as a page: the answer, its reasons, where containers restart, the way, and each container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import hashcompat
from hashcompat.model.items import Item
from hashcompat.model.plan import Hop, Plan
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import agree, count
from hashcompat.report.answer import answer
from hashcompat.report.asked import Excerpt, asked
from hashcompat.report.asked import in_order as items_in_order
from hashcompat.report.collapse import collapsed
from hashcompat.report.groups import group_table, in_order
from hashcompat.report.items import hop_ends, hop_words
from hashcompat.report.model import Coloured
from hashcompat.report.page import Bar, Cause, Chart, Count, Listing, Main, Page, Piece, Row, Step
from hashcompat.report.planheat import heat_of
from hashcompat.report.planwhys import Whys
from hashcompat.report.reasons import Kind
from hashcompat.report.tally import Group, GroupBy, owner_of, tallied
from hashcompat.report.whence import times_line, whence
from hashcompat.rules.pages import RULES

_TONES: Final = {"red": "bad", "yellow": "open", "green": "good"}

_RULES: Final = {rule.id: rule for rule in RULES}

_BARS: Final = 30
"""Nodes or namespaces that have a bar of their own."""

_OWNERS: Final = 50
"""Owners that have a row of their own."""

_COLUMNS: Final = (
    *("Verdict", "Node", "Namespace", "Pod", "Container", "Why"),
    *("Owner", "Type", "From", "To", "Recorded"),
)

_NO_DETAILS: Final = (
    "The plan was saved without its details. "
    "hashcompat plan --details saves them, and plan -o html gathers them by itself."
)


def plan_page(result: Plan | Excerpt) -> Page:
    """Return the page; its rows are the items that are shown, all else counts the whole plan."""
    shown = asked(result)
    plan = shown.plan
    whole = Excerpt(plan, plan.items, now=shown.now)
    whys = Whys(plan, shown.items)
    return Page(
        title=f"Kubelet {plan.from_release} -> {plan.to_release}",
        answer=[_piece(piece) for piece in answer(whole.summary, whole.tally)],
        counts=list(_counts(whole)),
        facts=list(_facts(whole)),
        warnings=list(collapsed(plan.warnings)),
        assumptions=list(plan.assumptions),
        notes=list(_notes(plan)),
        causes=list(map(_cause, whole.tally.kinds)),
        owners=_owners(whole),
        charts=_charts(whole),
        steps=list(_steps(whole)),
        steps_note=_steps_note(whole),
        whole=whole.summary.compared,
        heat=heat_of(plan),
        missing="" if plan.details else _NO_DETAILS,
        main=_main(shown, whys),
        whys=whys.every,
        whys_note=whys.note,
        tool=f"hashcompat {plan.tool or hashcompat.__version__}",
    )


def _piece(piece: str | Coloured) -> Piece:
    return Piece(str(piece), _TONES.get(piece.colour, "") if isinstance(piece, Coloured) else "")


def _counts(shown: Excerpt) -> Iterator[Count]:
    summary = shown.summary
    yield Count(summary.compared, "running container" if summary.compared == 1 else "running containers")
    counts = {**summary.verdicts, Verdict.KEEP: summary.kept}
    yield from (Count(number, word.value, word.value) for word, number in counts.items())
    if summary.not_compared:
        yield Count(summary.not_compared, "more never compared")
    yield Count(summary.pods_affected, f"of {count(summary.pods, 'pod')} affected")
    yield Count(summary.nodes_affected, f"of {count(shown.tally.nodes, 'node')} affected")


def _facts(shown: Excerpt) -> Iterator[tuple[str, str]]:
    read, kubelet, *against = (str(line[0]) for line in whence(shown, all_names=True))
    yield "Pods", read
    yield "Taken", times_line(shown.plan)
    yield "Way", kubelet
    yield from (("Against", line) for line in against)
    for facts in shown.plan.releases:
        named = "" if facts.name.removeprefix("v") == facts.read_as else f"read as {facts.read_as}, "
        yield f"Kubelet {facts.name}", f"{named}hashes by {facts.era}, Go types of {facts.types}"
    if shown.plan.patch:
        yield "Assumed patch", f"of the target kubelet: {shown.plan.patch}"
    if shown.plan.share.recorded:
        yield "Calibration", str(shown.plan.share)


def _notes(plan: Plan) -> Iterator[str]:
    yield from plan.notes
    if found := plan.suggestion:
        yield f"A patched kubelet would restart {found.saves} fewer: {found.command}"


def _cause(kind: Kind) -> Cause:
    rule = _RULES.get(kind.id)
    if rule is None:
        return Cause(kind.number, kind.id, kind.text, kind.containers)
    avoid = [(step.text, step.command) for step in rule.avoid]
    known = (rule.name, rule.meaning, rule.effect, avoid, rule.links)
    return Cause(kind.number, kind.id, kind.text, kind.containers, *known)


def _owners(shown: Excerpt) -> Listing | None:
    groups = [group for group in in_order(shown.tally.owners, None) if group.concerned]
    if not groups:
        return None
    table = group_table(shown, groups[:_OWNERS])
    rest = groups[_OWNERS:]
    more = sum(group.concerned for group in rest)
    after = f"and {count(len(rest), 'more owner')} with {count(more, 'container')} that are not kept"
    return Listing(table.columns, table.rows, "Owners and their reasons", after if rest else "")


def _charts(shown: Excerpt) -> list[Chart]:
    kinds = (("by-node", "node", GroupBy.NODE), ("by-namespace", "namespace", GroupBy.NAMESPACE))
    return [_chart(place, noun, shown, by) for place, noun, by in kinds]


def _chart(place: str, noun: str, shown: Excerpt, group_by: GroupBy) -> Chart:
    groups = in_order(tallied(shown.plan.items, group_by).groups, None)
    some, others = groups[:_BARS], groups[_BARS:]
    rest = Bar(f"and {count(len(others), f'other {noun}')}", _sum(others)) if others else None
    bars = [Bar(group.key[0] or f"without a {noun}", _sum([group])) for group in some]
    return Chart(place, f"Restarts by {noun}", noun, bars, rest)


def _sum(groups: Iterable[Group]) -> Mapping[str, int]:
    found = dict.fromkeys((verdict.value for verdict in Verdict), 0)
    for group in groups:
        found[Verdict.RESTART] += group.restart
        found[Verdict.KILL] += group.kill
        found[Verdict.UNKNOWN] += group.unknown
        found[Verdict.KEEP] += group.kept
    return found


def _steps(shown: Excerpt) -> Iterator[Step]:
    plan, summary = shown.plan, shown.summary
    hops = plan.hops or (Hop(plan.from_release, plan.to_release, summary.findings, summary.unknown),)
    yield from map(_step, hops)
    if plan.rollback:
        yield _step(plan.rollback, back=True)


def _step(hop: Hop, *, back: bool = False) -> Step:
    return Step(
        hop_ends(hop), hop.findings, hop.unknown, back, [_step(part, back=back) for part in hop.parts]
    )


def _steps_note(shown: Excerpt) -> str:
    """Compare the hops with the whole way in one step."""
    plan, hit = shown.plan, shown.summary.findings
    if not plan.hops:
        return ""
    steps = " + ".join(map(hop_words, plan.hops))
    return f"In one step {count(hit, 'container')} {agree(hit, 'restart')}; one minor at a time {steps}."


def _main(shown: Excerpt, whys: Whys) -> Main:
    items = items_in_order(shown.items, shown.sort_by)
    counts = dict.fromkeys((verdict.value for verdict in Verdict), 0)
    for item in items:
        counts[item.verdict] += 1
    rows = lambda: (_row(item, whys) for item in items)  # noqa: E731 - made again for each reading
    return Main("containers", "Containers", _COLUMNS, rows, len(items), counts, explained=True)


def _row(item: Item, whys: Whys) -> Row:
    why, words = whys.in_short(item)
    verdict = item.prediction.verdict._value_
    return Row(_cells(item, verdict, words), verdict, why, _own(item))


def _cells(item: Item, verdict: str, words: str) -> Sequence[object]:
    pod, container = item.pod, item.container
    names = (verdict, pod.node, pod.namespace, pod.name, container.name)
    about = (words, owner_of(item), container.type._value_)
    return (*names, *about, item.from_hash, item.to_hash, item.recorded)


def _own(item: Item) -> Mapping[str, object]:
    """Return what only the row's own explanation shows."""
    place = f"{item.pod.file}:{item.line}" if item.pod.file and item.line else item.pod.file
    return {"uid": item.pod.uid, "file": place}
