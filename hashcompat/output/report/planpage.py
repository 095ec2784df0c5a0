"""A plan as a page: the answer, its reasons, where containers restart, the way, and each container.

Three parts have a size of their own: the matrix of the releases on the way; the explanations, each distinct
one written once; and the rows, which are made while they are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from hashcompat.core.model.escape import agree, count
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Difference, Hop, Pair, Plan, Scope
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.rules import find
from hashcompat.output.report.items import SEVERITY, hop_ends, hop_words, item_name, reason_words, way_of
from hashcompat.output.report.notes import answer, collapsed, patched_words
from hashcompat.output.report.page import (
    Bar,
    Cause,
    Chart,
    Count,
    Heat,
    HeatCell,
    Listing,
    Main,
    MarkedText,
    Page,
    TableRow,
    UpgradeStep,
    Why,
    heading,
    heat_level,
    toned,
)
from hashcompat.output.report.planview import (
    Excerpt,
    SortBy,
    downgrade,
    excerpt_of,
    group_table,
    groups_in_order,
    items_in_order,
    provenance,
)
from hashcompat.output.report.restartplan import provenance_of
from hashcompat.output.report.tally import ContainerGroup, GroupBy, RuleTally, owner_of, tallied

_LEVELS: Final = {Scope.ALL: 5, Scope.SOME: 2, Scope.NONE: 0}
_COUNTED: Final = (
    "Restarts and kills of these containers, from the release on the left to the one above. "
    "3+2?: 3, and 2 more are UNKNOWN. Framed: the steps of this plan."
)
_OF_TYPES: Final = (
    "Which unchanged containers restart, from the release on the left to the one above: all, some (those "
    "with certain fields) or none. How many these pods have was not counted. Framed: the steps of this plan."
)


def heat_of(plan: Plan) -> Heat | None:
    """Return the matrix; None where the plan has no details, or where there is one release alone."""
    details = plan.details
    if details is None or not details.pairs:
        return None
    pairs = {(pair.old, pair.new): pair for pair in details.pairs}
    columns = [release for release in details.releases if release != AUTO]
    steps = () if details.passed else pairwise(details.releases)
    planned = {(plan.from_release, plan.to_release), *steps}
    rows = [
        (old, [_cell(pairs.get((old, new)), plan, planned) for new in columns]) for old in details.releases
    ]
    is_counted = all(pair.findings is not None for pair in details.pairs)
    return Heat(
        columns,
        rows,
        _COUNTED if is_counted else _OF_TYPES,
        f"{count(details.passed, 'release')} between these are left out." if details.passed else "",
    )


def _cell(pair: Pair | None, plan: Plan, planned: set[tuple[str, str]]) -> HeatCell | None:
    if pair is None:
        return None
    is_planned = (pair.old, pair.new) in planned
    if pair.findings is None:
        return HeatCell(pair.scope.value, _LEVELS[pair.scope], planned=is_planned)
    text = f"{pair.findings}+{pair.unknown}?" if pair.unknown else str(pair.findings)
    return HeatCell(text, heat_level(pair.findings, plan.summary.compared), bool(pair.unknown), is_planned)


_MOST: Final = 500
"""Explanations of a page."""
_ASSUMED: Final = (
    "Assumed: which release created it, as the assumptions above say; the hash that its runtime recorded "
    "would confirm it."
)
"""Without the release, which a saved plan has in its assumptions alone."""
Key = tuple[object, ...]


class Whys:
    """Numbers the explanations of some items: those of restarts first, then those of the most rows."""

    def __init__(self, plan: Plan, items: Iterable[Item]) -> None:
        self._plan = plan
        firsts: dict[Key, tuple[Item, int]] = {}
        for item, rows in _replicas(items):
            if item.reasons or item.difference:
                key = _key(item)
                first, number = firsts.get(key, (item, 0))
                firsts[key] = first, number + rows
        ranked = sorted(firsts.items(), key=lambda pair: (SEVERITY[pair[1][0].verdict], -pair[1][1]))
        self._numbers = {key: number for number, (key, _) in enumerate(ranked[:_MOST], 1)}
        self._in_short: dict[int, tuple[int, str]] = {}
        self._left_out = max(len(ranked) - _MOST, 0)
        self.listed = [self._why(*pair[1], number) for number, pair in enumerate(ranked[:_MOST], 1)]

    @property
    def note(self) -> str:
        """What is left out."""
        parts = []
        if self._left_out:
            parts.append(
                f"{count(self._left_out, 'more explanation')} of few containers each: see their rows."
            )
        if self._plan.details and self._plan.details.omitted:
            omitted = count(self._plan.details.omitted, "more container")
            parts.append(f"Where the texts of {omitted} differ was not kept; hashcompat explain shows it.")
        return " ".join(parts)

    def in_short(self, item: Item) -> tuple[int, str]:
        """Return the number of an item's explanation, 0 for none, and a few words; replicas share both."""
        short = self._in_short.get(id(item.prediction))
        if short is None:
            number = self._numbers.get(_key(item), 0) if item.reasons or item.difference else 0
            short = self._in_short[id(item.prediction)] = number, reason_words(item)
        return short

    def _why(self, item: Item, rows: int, number: int) -> Why:
        reasons = [(reason.id, reason.text, reason.path) for reason in item.reasons]
        name, words, details = item_name(item), reason_words(item), self._plan.details
        fragments: list[MarkedText] = []
        if item.difference and details:
            fragments = _fragments(details.differences[item.difference - 1])
        return Why(number, item.verdict.value, words, rows, name, reasons, [*_why_facts(item)], fragments)


def _replicas(items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
    """Yield the first item of each prediction, which replicas share, and how many have it."""
    firsts: dict[int, tuple[Item, int]] = {}
    for item in items:
        # replicas share one prediction, which lives as long as the plan
        first, number = firsts.get(id(item.prediction), (item, 0))
        firsts[id(item.prediction)] = first, number + 1
    return iter(firsts.values())


def _key(item: Item) -> Key:
    """Return what explains an item: of its prediction alone."""
    state = item.pod_recreated, item.calibrated, bool(item.creator)
    return item.verdict, item.from_release, item.reasons, item.difference, *state


def _why_facts(item: Item) -> Iterator[str]:
    if item.pod_recreated:
        yield "The whole pod is recreated, not only this container."
    if item.creator:
        yield _ASSUMED
    if item.calibrated is not None:
        yield (
            "The recorded hash is one that a known release computes."
            if item.calibrated
            else "The recorded hash is none that a known release computes."
        )


def _fragments(difference: Difference) -> list[MarkedText]:
    """Return where the texts differ; across eras how each of them begins."""
    sides = zip((difference.old, difference.new), difference.hashes, difference.begins, strict=False)
    if difference.begins:
        return [
            MarkedText(
                f"{release} hashes {words}; in {difference.example} it begins",
                [(piece.kind.value, piece.text) for piece in begins.pieces],
            )
            for release, words, begins in sides
        ]
    title = f"Where the text of {difference.old} and that of {difference.new} differ"
    if not difference.pieces:
        return [MarkedText(title, (), "They differ in a masked value.")]
    more = "More places differ; hashcompat explain --full shows all." if difference.more else ""
    return [MarkedText(title, [(piece.kind.value, piece.text) for piece in difference.pieces], more)]


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
    shown = excerpt_of(result)
    plan = shown.plan
    whole = Excerpt(plan, plan.items, now=shown.now)
    whys = Whys(plan, shown.items)
    suggested = [patched_words(plan.suggestion)] if plan.suggestion else []
    summary = whole.summary
    hops = plan.hops or (Hop(plan.from_release, plan.to_release, summary.findings, summary.unknown, ()),)
    return Page(
        title=f"Restart plan: kubelet {way_of(plan)}",
        kind="Restart plan",
        answer=toned(answer(summary, whole.tally)),
        counts=list(_counts(whole)),
        facts=list(_facts(whole)),
        besides=list(collapsed(plan.besides)),
        warnings=list(collapsed(plan.warnings)),
        assumptions=list(plan.assumptions),
        notes=[*plan.notes, *suggested],
        causes=list(map(cause_of, whole.tally.kinds)),
        owners=_owners(whole),
        charts=[_chart(whole, by) for by in (GroupBy.NODE, GroupBy.NAMESPACE)],
        steps=[*map(_step, hops), *([_step(plan.rollback, back=True)] if plan.rollback else [])],
        steps_note=_steps_note(whole),
        whole=summary.compared,
        heat=heat_of(plan),
        missing="" if plan.details else _NO_DETAILS,
        main=_main(shown, whys),
        whys=whys.listed,
        whys_note=whys.note,
        provenance=list(provenance_of(plan).facts()),
    )


def _counts(shown: Excerpt) -> Iterator[Count]:
    summary = shown.summary
    yield Count(summary.compared, "running container" if summary.compared == 1 else "running containers")
    counts = {**summary.verdicts, Verdict.KEEP: summary.kept}
    yield from (Count(number, word.value, word.value) for word, number in counts.items())
    if summary.never_compared:
        yield Count(summary.never_compared, "more never compared")
    yield Count(summary.pods_affected, f"of {count(summary.pods, 'pod')} affected")
    yield Count(summary.nodes_affected, f"of {count(shown.tally.nodes, 'node')} affected")


def _facts(shown: Excerpt) -> Iterator[tuple[str, str]]:
    read, kubelet, *against = (str(line[0]) for line in provenance(shown, all_names=True))
    yield "Pods", read
    yield "Downgrade" if downgrade(shown.plan, shown.tally) else "Upgrade", kubelet
    yield from (("Against", line) for line in against)
    for facts in shown.plan.releases:
        named = "" if facts.name.removeprefix("v") == facts.read_as else f"read as {facts.read_as}, "
        yield f"Kubelet {facts.name}", f"{named}hashes by {facts.era}, Go types of {facts.types}"
    if shown.plan.patch:
        yield "Assumed patch", f"of the target kubelet: {shown.plan.patch}"
    if shown.plan.share.recorded:
        yield "Calibration", str(shown.plan.share)


def cause_of(kind: RuleTally) -> Cause:
    """Return a reason with what its rule says of it: what it means, and what to do."""
    rule = find(kind.id)
    if rule is None:
        return Cause(kind.number, kind.id, kind.text, kind.containers)
    avoid = [(step.text, step.command) for step in rule.avoid]
    explained = (rule.name, rule.meaning, rule.effect, avoid, rule.links)
    return Cause(kind.number, kind.id, kind.text, kind.containers, *explained)


def _owners(shown: Excerpt) -> Listing | None:
    groups = [group for group in groups_in_order(shown.tally.owners, None) if group.concerned]
    if not groups:
        return None
    table = group_table(shown, groups[:_OWNERS])
    rest = groups[_OWNERS:]
    more = sum(group.concerned for group in rest)
    after = f"and {count(len(rest), 'more owner')} with {count(more, 'container')} that are not kept"
    return Listing(
        [*map(heading, table.columns)], table.rows, "Owners and their reasons", after if rest else ""
    )


def _chart(shown: Excerpt, group_by: GroupBy) -> Chart:
    groups, noun = groups_in_order(tallied(shown.plan.items, group_by).groups, None), group_by.value
    largest, others = groups[:_BARS], groups[_BARS:]
    rest = Bar(f"and {count(len(others), f'other {noun}')}", _sum(others)) if others else None
    bars = [Bar(group.key[0] or f"without a {noun}", _sum([group])) for group in largest]
    return Chart(f"by-{noun}", f"Restarts by {noun}", noun, bars, rest)


def _sum(groups: Iterable[ContainerGroup]) -> Mapping[str, int]:
    totals = dict.fromkeys((verdict.value for verdict in Verdict), 0)
    for group in groups:
        totals[Verdict.RESTART] += group.restart
        totals[Verdict.KILL] += group.kill
        totals[Verdict.UNKNOWN] += group.unknown
        totals[Verdict.KEEP] += group.kept
    return totals


def _step(hop: Hop, *, back: bool = False) -> UpgradeStep:
    return UpgradeStep(
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
    # whoever opens it looks for what restarts, so that is before what is kept
    items = items_in_order(shown.items, shown.sort_by or SortBy.RESTARTS)
    numbers = Counter(item.verdict for item in items)
    counts = {verdict.value: numbers[verdict] for verdict in Verdict}
    rows = lambda: (_row(item, whys) for item in items)  # noqa: E731 - made again for each reading
    return Main("containers", "Containers", _COLUMNS, rows, len(items), counts, explained=True)


def _row(item: Item, whys: Whys) -> TableRow:
    why, words = whys.in_short(item)
    verdict = item.prediction.verdict._value_
    pod, container = item.pod, item.container
    names = (verdict, pod.node, pod.namespace, pod.name, container.name)
    about = (words, owner_of(item), container.type._value_)
    # what only the row's own explanation shows
    place = f"{item.pod.file}:{item.line}" if item.pod.file and item.line else item.pod.file
    return TableRow(
        (*names, *about, item.from_hash, item.to_hash, item.recorded),
        verdict,
        why,
        {"uid": item.pod.uid, "file": place},
    )
